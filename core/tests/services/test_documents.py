from typing import Any

import pytest

from podmeter.domain.errors import InvalidSpecError
from podmeter.kinds.registry import read_spec, resolve, spec_problems
from podmeter.services.experiments.detectable_effect import detectable_effect
from podmeter.services.experiments.document import MAX_BYTES, parse_json, parse_yaml
from podmeter.services.experiments.duration import AROUND_SECONDS, SET_UP_SECONDS
from podmeter.services.experiments.pace import ASSUMED_SECONDS, Pace
from podmeter.services.experiments.plan import (
    Plan,
    expected_seconds,
    measuring_seconds,
    plan_document,
    plan_spec,
)

from .builders import AXES, SPEC

BILLION_LAUGHS = b"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"

#: Numbers that PyYAML computes for seconds, or into what nothing can print.
LONG = [(b"", b"9"), (b"0x", b"f"), (b"0o", b"7"), (b"", b"9."), (b"1.", b"9")]


def test_yaml_and_json_say_the_same() -> None:
    text = b"name: two paths\nkind: throughput\naxes: {streams: [1, 8]}\n"
    as_json = b'{"name": "two paths", "kind": "throughput", "axes": {"streams": [1, 8]}}'
    assert parse_yaml(text) == parse_json(as_json)


def test_a_plan_that_compares_no_modes_says_so_and_how_to_compare() -> None:
    alone = plan_document(
        {"name": "x", "kind": "throughput", "axes": {**AXES, "path": ["pod-pod"]}}
    )
    assert [note.code for note in alone.notes] == ["plan_compares_no_modes"]
    ladder = {"name": "x", "kind": "service_scale", "axes": {"services": [10, 100]}}
    (note,) = plan_document(ladder).notes
    assert note.code == "plan_compares_parts"
    assert "podmeter compare latest:services=10 latest:services=100" in note
    # What paths lose is a comparison too.
    assert not plan_document(SPEC).notes


def test_a_run_until_decided_plans_as_many_rounds_as_its_time_has_room_for() -> None:
    axes = {**AXES, "kube_proxy_mode": ["iptables", "nftables"]}

    def planned(minutes: int) -> Plan:
        until = {"difference": 0.1, "most_minutes": minutes}
        return plan_document({**SPEC, "axes": axes, "repetition": {"until_decided": until}})

    short, half_an_hour, long = (planned(minutes) for minutes in (1, 30, 60))
    assert short.spec.repetition.rounds == 6
    assert [note.code for note in short.notes] == ["plan_until_decided_short"]
    assert "measures exactly these 6" in short.notes[0]
    rounds = half_an_hour.spec.repetition.rounds
    assert rounds > 6
    assert not half_an_hour.notes
    assert expected_seconds(half_an_hour) == pytest.approx(30 * 60, rel=0.1)
    assert long.spec.repetition.rounds == pytest.approx(2 * rounds, abs=1)


def test_rounds_allow_for_a_cluster_that_is_quicker_than_is_assumed() -> None:
    axes = {**AXES, "kube_proxy_mode": ["iptables", "nftables"]}
    until = {"difference": 0.1, "most_minutes": 30}
    written = read_spec({**SPEC, "axes": axes, "repetition": {"until_decided": until}})
    spec = resolve(written)
    known, assumed = (
        pace.planned(spec).repetition.rounds
        for pace in (Pace(switches_seen=3, blocks_seen=3), Pace())
    )
    assert known > 6
    assert assumed == pytest.approx(2 * known, abs=1)
    # It takes the same time: that ends it.
    plans = [plan_spec(written, spec, pace=pace) for pace in (Pace(), Pace(10.0, 3))]
    assert [expected_seconds(one) for one in plans] == pytest.approx([30 * 60] * 2, rel=0.1)


@pytest.mark.parametrize(
    "text",
    [
        b"a: [",
        b"\xff",
        b"!!python/object/apply:os.system ['true']",
        BILLION_LAUGHS,
        b"[" * 10_000,
        b"x" * (MAX_BYTES + 1),
        b"a: 1\n---\nb: 2\n",
    ],
)
def test_yaml_that_is_broken_or_hostile_is_refused(text: bytes) -> None:
    with pytest.raises(InvalidSpecError):
        parse_yaml(text)


@pytest.mark.parametrize("text", [b"", b"{", b"NaN", b"\xff", b"[" * 100_000, b"9" * 10_000])
def test_json_that_is_broken_is_refused(text: bytes) -> None:
    with pytest.raises(InvalidSpecError):
        parse_json(text)


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        (b'{"a": {"b/c": ["x", "\\u0000"]}}', "/a/b~1c/1"),
        (b'{"a": "\\ud800"}', "/a"),
        (b'{"\\u0000": 1}', ""),
    ],
)
def test_text_that_cannot_be_stored_is_named(text: bytes, pointer: str) -> None:
    with pytest.raises(InvalidSpecError) as refused:
        parse_json(text)
    assert [one.pointer for one in refused.value.problems] == [pointer]


def test_a_plan_counts_switches_in_the_order_of_blocks() -> None:
    axes = {**AXES, "kube_proxy_mode": ["iptables", "nftables"]}
    plan = plan_document({**SPEC, "axes": axes, "repetition": {"rounds": 2, "trials": 3}})
    assert [s.block for s in plan.switches] == [0, 1, 2, 3]
    # Restoring the mode included.
    assert plan.mode_switches == 5
    values = [s.value for s in plan.switches]
    # The current mode is set up again too.
    assert sorted(values[:2]) == sorted(values[2:]) == ["iptables", "nftables"]
    assert plan.switching_seconds == ASSUMED_SECONDS * 5
    assert plan.trials == sum(len(block.trials) for block in plan.blocks)
    assert measuring_seconds(plan) > 0


def test_a_plan_counts_the_switches_of_trials_and_of_each_cluster() -> None:
    axes = {"kube_proxy_mode": ["iptables", "nftables"], "services": [10], "probe": ["mode-switch"]}
    spec = {
        "name": "x",
        "kind": "service_scale",
        "parameters": {"mode_switch_from": 10},
        "axes": axes,
        "repetition": {"rounds": 1},
    }
    plan = plan_document(spec)
    # Two blocks, in each of which a trial switches away and back, and the restore.
    assert plan.mode_switches == 2 + 4 + 1
    assert plan.switching_seconds == pytest.approx(ASSUMED_SECONDS * 3, rel=0.01)
    two = plan_document({**spec, "axes": {**axes, "cluster": ["one", "other"]}})
    assert plan_document(spec | {"axes": {**axes, "probe": ["qps"]}}).mode_switches == 2 + 1
    assert two.mode_switches == 2 * plan.mode_switches
    assert two.switching_seconds == 2 * plan.switching_seconds


def test_a_plan_counts_setting_up_and_cleaning_as_well_as_trials() -> None:
    short = {"rounds": 1, "trials": 3, "warmup": 0, "seconds": 1}
    plan = plan_document({**SPEC, "repetition": short})
    (block,) = plan.blocks
    assert measuring_seconds(plan) == SET_UP_SECONDS + 2.0 * len(block.trials)
    assert expected_seconds(plan) == measuring_seconds(plan) + AROUND_SECONDS
    two = {**SPEC, "axes": {**AXES, "cluster": ["one", "other"]}, "repetition": short}
    assert plan_document(two).around_seconds == 2 * AROUND_SECONDS


def test_a_plan_says_which_effect_it_will_see() -> None:
    axes = {**AXES, "kube_proxy_mode": ["iptables", "nftables"]}
    seen = detectable_effect(
        plan_document({**SPEC, "axes": axes, "repetition": {"rounds": 6}}).spec
    )
    assert seen is not None
    assert (seen.rounds, seen.rounds_needed) == (6, 6)
    assert seen.effect == pytest.approx(0.135, abs=0.015)
    blind = detectable_effect(
        plan_document({**SPEC, "axes": axes, "repetition": {"rounds": 5}}).spec
    )
    assert blind is not None
    assert blind.effect is None
    assert detectable_effect(plan_document(SPEC).spec) is None


def test_the_way_up_a_ladder_takes_its_time_in_each_block_that_measures_it_else_once() -> None:
    """On the testbed two climbs to 10,000 Services took 16 min; a login must last as long."""

    def minutes(top: int, *probes: str) -> float:
        axes = {"services": [10, 1000, 5000, top], "target": ["last", "pod"], "probe": [*probes]}
        spec = {"name": "x", "kind": "service_scale", "axes": axes}
        return measuring_seconds(plan_document({**spec, "repetition": {"rounds": 2}})) / 60

    measured = minutes(10_000, "climb", "qps", "rule-change")
    assert measured == pytest.approx(16, rel=0.25)
    once = minutes(10_000, "qps", "rule-change")
    assert 0.4 * measured < once < 0.6 * measured
    assert minutes(30_000, "qps") > 3 * once


def test_a_plan_without_modes_switches_nothing() -> None:
    plan = plan_document(SPEC)
    assert plan.switches == ()
    assert plan.switching_seconds == 0


def test_a_key_that_is_given_twice_is_refused_with_where() -> None:
    text = b"""name: one
axes:
  path: [node-node]
  streams: [1]
  "path": [pod-pod]
name: other
"""
    with pytest.raises(InvalidSpecError) as refused:
        parse_yaml(text)
    found = [(one.pointer, one.message) for one in refused.value.problems]
    assert found[:2] == [
        ("/axes/path", "defined twice, on lines 3 and 5"),
        ("/name", "defined twice, on lines 1 and 6"),
    ]
    with pytest.raises(InvalidSpecError, match="'path' is defined twice"):
        parse_json(b'{"name": "one", "axes": {"path": [], "streams": [], "path": []}}')
    same = b"a: {name: 1}\nb: [{name: 1}, {name: 1}]\n"
    assert parse_yaml(same) == {"a": {"name": 1}, "b": [{"name": 1}, {"name": 1}]}


ONE_ERROR_OF_EACH_LAYER = b"""name: every layer
name: twice
kind: service_scale
colour: red
axes:
  services: [ten, 100, true]
  kube_proxy_mod: [ipvs]
parameters:
  requests: 0
  assignment: side_by_side
repetition:
  rounds: many
"""


def test_the_errors_of_all_layers_are_given_at_once() -> None:
    with pytest.raises(InvalidSpecError) as refused:
        parse_yaml(ONE_ERROR_OF_EACH_LAYER)
    found = {one.pointer: str(one.message) for one in refused.value.problems}
    assert list(found) == [
        # YAML.
        "/name",
        # The shape.
        "/axes/services/2",
        "/repetition/rounds",
        "/colour",
        # The kind's axes and parameters.
        "/axes/services/0",
        "/axes/kube_proxy_mod",
        "/parameters/requests",
        # All of them together.
        "/parameters/assignment",
    ]
    assert "Quote the word" in found["/axes/services/2"]
    assert "add the axis kube_proxy_mode" in found["/parameters/assignment"]


@pytest.mark.parametrize(
    ("changed", "pointers"),
    [
        # The axis is there: that its values are wrong is all there is to say.
        (
            {"axes": {"kube_proxy_mode": "ipvs"}, "parameters": {"assignment": "side_by_side"}},
            ["/axes/kube_proxy_mode"],
        ),
        (
            {
                "axes": {"kube_proxy_mode": ["ipv"]},
                "parameters": {"assignment": "side_by_side"},
            },
            ["/axes/kube_proxy_mode/0"],
        ),
        # What is left of the parameters does not fit the defaults of the others.
        ({"parameters": {"requests": "x", "concurrency": 10_000}}, ["/parameters/requests"]),
        ({"axes": [], "parameters": []}, ["/parameters", "/axes"]),
        ({"kind": "no_kind", "colour": "red"}, ["/colour", "/kind"]),
    ],
)
def test_no_error_follows_from_another(changed: dict[str, object], pointers: list[str]) -> None:
    found = spec_problems({"name": "x", "kind": "service_scale"} | changed)
    assert [one.pointer for one in found] == pointers


@pytest.mark.parametrize(
    "text",
    [
        b"a: !!timestamp foo",
        b"a: !!set {x}",
        b"a: !!omap [a: 1]",
        b"a: !!binary eA==",
        b"a: !!float x",
        b"a: 1e999",
        *(b"a: " + prefix + digit * 60_000 for prefix, digit in LONG),
        b'{"a": 1e999}',
        b'{"a": ' + b"9" * 4000 + b"}",
    ],
)
def test_what_only_python_would_read_is_refused(text: bytes) -> None:
    for parse in (parse_yaml, parse_json):
        with pytest.raises(InvalidSpecError):
            parse(text)


def test_yaml_is_read_as_its_core_schema_says() -> None:
    text = b"""
    words: [on, yes, Off, 2026-11-21, 1:30, 0b11, 1_000, .nan, .inf, =, <<]
    numbers: [1, -2, 0o17, 0xff, 1.5, 1e3, .5]
    rest: [true, False, null, ~, ]
    """
    assert parse_yaml(text) == {
        "words": ["on", "yes", "Off", "2026-11-21", "1:30", "0b11", "1_000", ".nan", ".inf",
                  "=", "<<"],
        "numbers": [1, -2, 15, 255, 1.5, 1000.0, 0.5],
        "rest": [True, False, None, None],
    }  # fmt: skip


def test_a_plan_names_the_rungs_that_its_time_does_not_reach() -> None:
    ladder = {
        "name": "x",
        "kind": "service_scale",
        "axes": {
            "kube_proxy_mode": ["iptables", "nftables"],
            "services": [10, 1000, 15_000, 30_000],
            "probe": ["qps"],
            "target": ["last", "pod"],
        },
    }

    def notes(minutes: int) -> dict[str, dict[str, Any]]:
        until = {"difference": 0.1, "most_minutes": minutes}
        found = plan_document({**ladder, "repetition": {"until_decided": until}}).notes
        return {one.code: dict(one.params) for one in found}

    enough = notes(24 * 60)
    assert not {"plan_rungs_out_of_time", "plan_until_decided_short"} & enough.keys()
    # Six rounds on the rung of 15,000 take 12 full syncs of 5 min.
    short = notes(40)["plan_rungs_out_of_time"]
    assert (short["axis"], short["values"], short["minutes"]) == ("services", [30_000], 40)
    assert short["expected"] > 40
    # The last rung is begun, and takes longer than there is.
    assert "plan_until_decided_short" in notes(short["expected"] + 1)
