"""What is made of a block's set-up: how long Services did not work, and what is not known."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest

from podmeter.domain.errors import ToolError
from podmeter.domain.ports import CommandOutput
from podmeter.domain.switching import NodeWatch, Switched
from podmeter.domain.trial import TrialStatus
from podmeter.drivers import program
from podmeter.kinds import registry, switching
from podmeter.kinds.outage import outage_of

SERVICE = "10.96.0.1:443"
#: The node's clock is so far ahead of the worker's.
AHEAD = 500.0
#: On the worker's clock.
ACCEPTED = 102.0
FAILED = ("ok 600.5 602.48 100", "fail 602.5 603.48 50", "ok 603.5 606 126")


def watch(*stretches: str, node: str = "n1", gap: float = 0.02) -> NodeWatch:
    """On the worker's clock it was begun at 100, had told by 101.7 that all is well, was asked
    to end at 105.99, and answered at 106.03.
    """
    lines = []
    for one in stretches:
        word, first, last, looks = one.split()
        lines.append(f"{word} {float(first):.6f} {float(last):.6f} {looks}")
    head = f"begin 600.400000\ntold 601.600000\nasked 606.000000\nended 606.010000\ngap {gap:.6f}\n"
    text = f"{head}service {SERVICE}\n" + "\n".join([*lines, "end", ""])
    return NodeWatch(
        node=node,
        place=f"shell-{node}",
        argv=(program.NAME,),
        services=(SERVICE,),
        output=CommandOutput(text, "", 0, 6.0),
        why_unknown="",
        begun=100.0,
        told=101.7,
        asked=105.99,
        answered=106.03,
    )


def silent(node: str) -> NodeWatch:
    return replace(watch(*FAILED, node=node), output=None, why_unknown="the pod is gone")


def switched(*, changed: bool = True, axis: str = "kube_proxy_mode") -> Switched:
    return Switched(axis, "nftables", changed, {"n1": ACCEPTED, "n2": ACCEPTED}, 104.5)


def values(report):
    return {one.metric: one.value for one in report.measurements}


def test_an_outage_is_told_from_the_accepted_switch_on():
    found = outage_of(watch(*FAILED), ACCEPTED)
    # Ended at 606.01 and answered at 106.03: the clock is ahead by 499.98 s at least; asked at
    # 105.99 and heard at 606: by 500.01 s at most.
    assert found.convergence == pytest.approx(603.5 - (ACCEPTED + 499.98))
    assert found.seconds == pytest.approx(1.0)
    assert found.resolution == pytest.approx(0.02 + 0.03)
    # The true value, on the actual clocks, is within the reported range.
    truly = 603.5 - AHEAD - ACCEPTED
    assert found.convergence - found.resolution <= truly <= found.convergence


def test_where_an_answer_comes_late_the_clocks_are_known_by_what_was_told_before():
    late = replace(watch(*FAILED), answered=112.0)
    # Told at 601.6 and heard at 101.7: the clock is ahead by 499.9 s at least.
    found = outage_of(late, ACCEPTED)
    assert found.convergence == pytest.approx(603.5 - (ACCEPTED + 499.9))
    assert found.resolution == pytest.approx(0.02 + 0.11)


def test_what_failed_before_a_second_of_success_is_not_the_switch_s():
    """Seen where ports were used again: connections failed by turns for 0.3 s before a switch."""
    early = ("fail 600.42 600.5 5", "ok 600.52 600.54 2", "fail 600.56 600.58 2")
    told = watch(*early, "ok 600.6 602.48 94", *FAILED[1:])
    assert outage_of(told, ACCEPTED) == outage_of(watch(*FAILED), ACCEPTED)


def test_where_none_fails_there_was_no_outage():
    found = outage_of(watch("ok 600.5 606 276"), ACCEPTED)
    assert (found.convergence, found.seconds) == (0.0, 0.0)
    assert found.resolution > 0


def test_outages_with_success_in_between_are_put_together_and_the_last_one_counts():
    told = watch(
        "ok 600.5 602.48 99",
        "fail 602.5 602.6 6",
        "ok 602.62 602.9 15",
        "fail 602.92 603.4 25",
        "ok 603.42 606 130",
    )
    found = outage_of(told, ACCEPTED)
    assert found.seconds == pytest.approx(0.12 + 0.5)
    assert found.convergence == pytest.approx(603.42 - (ACCEPTED + 499.98))


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (silent("n1"), "the pod is gone"),
        (watch("ok 600.5 602.48 99", "fail 602.5 606 176"), "did not recover"),
        (
            watch("ok 600.5 602.48 99", "fail 602.5 605.5 151", "ok 605.52 606 25"),
            "did not recover",
        ),
        (watch("ok 600.5 601 26", "fail 601.02 601.2 10", "ok 601.22 606 240"), "before the"),
        (watch("ok 600.5 601.9 70", "fail 601.92 602.3 20", "ok 602.32 606 160"), "before the"),
        (watch("fail 600.5 602.8 116", "ok 602.82 606 160"), "failed before the switch"),
        (watch("ok 602.5 606 176"), "none were made then"),
        (replace(watch(*FAILED), told=ACCEPTED + 0.1), "none were made then"),
        (replace(watch(*FAILED), told=inf), "none were made then"),
        (replace(watch(*FAILED), asked=106.03), "clock"),
        (replace(watch(*FAILED), answered=104.0), "clock"),
        (replace(watch(*FAILED), services=("10.96.0.2:443",)), "incomplete"),
        (replace(watch(*FAILED), output=CommandOutput("", "killed", 137, 1.0)), "137"),
    ],
)
def test_what_cannot_be_told_is_no_number(told, why):
    with pytest.raises(ToolError, match=why):
        outage_of(told, ACCEPTED)
    report = switching.report([switched()], [told], 6.0)
    assert report.status is TrialStatus.COUNTED
    assert set(values(report)) == {"switch_seconds"}
    (warning,) = report.warnings
    assert "n1" in warning


def test_the_slowest_node_is_what_a_switch_is_known_by():
    slower = watch("ok 600.5 602.48 99", "fail 602.5 603.98 75", "ok 604 606 101", node="n2")
    report = switching.report([switched()], [watch(*FAILED), slower], 6.0)
    found = values(report)
    assert found["switch_seconds"] == pytest.approx(2.5)
    assert found["switch_outage"] == pytest.approx(1.5)
    assert found["switch_convergence"] == pytest.approx(604 - (ACCEPTED + 499.98))
    assert found["switch_resolution"] == pytest.approx(0.05)
    facts = dict(report.facts)
    assert facts["switch_outage"] == "n2: 1.500 s, n1: 1.000 s"
    assert facts["mode_stood"] == "false"
    assert [one.place for one in report.invocations] == ["shell-n1", "shell-n2"]
    assert all(one.stdout.endswith("end\n") for one in report.invocations)


def test_one_node_that_does_not_tell_leaves_all_of_them_unknown():
    report = switching.report([switched()], [watch(*FAILED), silent("n2")], 6.0)
    assert set(values(report)) == {"switch_seconds"}
    assert "n2 does not report it: the pod is gone" in report.warnings[0]
    assert dict(report.facts)["switch_outage"] == "n1: 1.000 s"


def test_a_mode_that_stood_is_told_apart():
    report = switching.report([switched(changed=False)], [watch("ok 600.5 606 276")], 6.0)
    assert values(report) == {
        "roll_seconds": pytest.approx(2.5),
        "roll_outage": 0.0,
        "switch_resolution": pytest.approx(0.05),
    }
    assert dict(report.facts)["mode_stood"] == "true"


def test_other_modes_that_are_switched_with_it_are_not_its_own():
    both = [switched(axis="encapsulation"), switched()]
    assert values(switching.report(both, [watch(*FAILED)], 6.0))["switch_seconds"] == 2.5


def test_of_many_nodes_the_slowest_are_kept_and_warnings_have_an_end():
    many = [silent(f"n{number}") for number in range(500)]
    report = switching.report([switched()], many, 6.0)
    assert len(report.warnings) == 21
    assert "480" in report.warnings[-1]
    seen = [watch(*FAILED, node=f"n{number}") for number in range(500)]
    report = switching.report([switched()], seen, 6.0)
    assert len(report.invocations) == 20
    assert dict(report.facts)["switch_outage"].count(" s") == 20


@pytest.mark.parametrize("kind", registry.KINDS)
def test_every_kind_has_a_set_up_for_each_set_of_modes_that_it_switches(kind):
    def cases(**axes):
        spec = registry.resolve(registry.read_spec({"name": "x", "kind": kind, "axes": axes}))
        return registry.cases_of(spec), registry.plan(spec), spec

    found, blocks, spec = cases(kube_proxy_mode=["iptables", "nftables"])
    if registry.walk_of(spec).climbs_once:
        # Each switch has as many Services as its rung: `mode-switch` measures that.
        assert not any(one.sets_up for one in found)
        return
    assert [one.key for one in found if one.sets_up] == [
        "kube_proxy_mode=iptables",
        "kube_proxy_mode=nftables",
    ]
    assert len(blocks) == 2 * spec.repetition.rounds
    for block in blocks:
        assert [trial.case.sets_up for trial in block.trials].count(True) == 1
        assert block.trials[0].case.point == block.modes
        assert block.of_kind.trials == block.trials[1:]
        assert not any(case.sets_up for case in block.of_kind.cases)
    for axes in ({}, {"encapsulation": ["vxlan", "host-gw"]}, {"arm": ["a", "b"]}):
        found, blocks, _ = cases(**axes)
        assert not any(one.sets_up for one in found)
        assert blocks[0].of_kind == blocks[0]


def test_a_set_up_s_metrics_are_those_of_every_kind_and_come_last():
    for kind in registry.KINDS.values():
        names = list(registry.metrics_of(kind.name))
        own = [one.name for one in switching.METRICS]
        assert names[-len(own) :] == own
        assert not any(metric.sporadic for metric in kind.metrics)
