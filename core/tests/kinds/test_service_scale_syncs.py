"""Syncs of kube-proxy, as its own metrics tell them, in runs of service_scale."""

from __future__ import annotations

from dataclasses import replace

import pytest

from podmeter.domain.errors import ConvergenceError
from podmeter.domain.trial import TrialStatus
from podmeter.kinds.registry import plan

from .service_scale_runs import KIND, failed, run, spec, values


def full_syncs(lab):
    experiment = spec(kube_proxy_mode=["iptables"], probe=["full-sync"])
    return list(run(lab, experiment).values())


def incremental_sync(lab):
    (found,) = run(lab, spec(services=[10], probe=["incremental-sync"])).values()
    return found


@pytest.fixture
def altered(fake_lab):
    """A lab whose kube-proxy's metrics are changed by what looks at their number and text."""

    def made(change, **options):
        class Altered(fake_lab):
            looks = 0

            def _kube_proxy(self, argv):
                output = super()._kube_proxy(argv)
                self.looks += 1
                return replace(output, stdout=change(self.looks, output.stdout))

        return Altered(**options)

    return made


def test_a_full_sync_restarts_the_clients_kube_proxy_in_its_mode_on_each_rung(lab):
    reports = full_syncs(lab)
    assert [one.status for one in reports] == [TrialStatus.COUNTED] * 2, reports[0].failure
    assert [(one.node, one.added) for one in lab.switches] == [("n1", 10), ("n1", 40)]
    assert len({one.value for one in lab.switches}) == 1
    for report in reports:
        found = values(report)
        assert found["full_sync"] == pytest.approx(0.1)
        assert found["full_sync_ready"] > 5
        assert found["kube_proxy_cpu"] == pytest.approx(0.74)
        assert found["kube_proxy_memory"] == 63_799_296
        assert {(one.tool, one.version) for one in report.invocations} == {
            ("kube-proxy", "v1.34.4")
        }


def test_a_full_sync_that_does_not_end_fails_its_trial_and_the_rung_is_looked_at_again(lab):
    lab.answers["switch"] = [ConvergenceError("still not")]
    first, second = full_syncs(lab)
    failed(first)
    assert second.status is TrialStatus.COUNTED


def test_ipvs_has_no_full_sync_and_all_of_its_syncs_count(altered):
    lab = altered(lambda look, text: _without(text, "_full_"))
    first, _ = full_syncs(lab)
    # Its second look is after the restart.
    assert values(first)["full_sync"] == pytest.approx(0.2)


def test_a_kube_proxy_that_did_not_restart_or_synced_twice_makes_the_trial_void(altered, lab):
    lab.restarts = False
    failed(full_syncs(lab)[0], TrialStatus.VOID)
    twice = altered(lambda look, text: _set(text, "full_proxy_rules_duration_seconds_count", 2))
    assert "counted 2" in failed(full_syncs(twice)[0], TrialStatus.VOID).message


def test_a_kube_proxy_that_counts_families_together_is_no_evidence(altered):
    def together(look, text):
        return _without(text, "IPv6").replace('{ip_family="IPv4"}', "")

    for found in (full_syncs(altered(together))[0], incremental_sync(altered(together))):
        assert "since 1.33" in failed(found).message


def test_a_run_that_switches_no_mode_restarts_nothing():
    cases = KIND.cases(spec(probe=["full-sync", "qps"], target=["last"]))
    assert {case.get("probe") for case in cases} == {"qps"}


def test_syncs_are_measured_where_they_are_asked_for_alone():
    cases = KIND.cases(spec(kube_proxy_mode=["iptables", "nftables"]))
    assert not {"full-sync", "incremental-sync"} & {case.get("probe") for case in cases}


def test_the_plan_counts_restarts_of_kube_proxy_which_leave_its_rules():
    asked = spec(kube_proxy_mode=["iptables", "nftables"], probe=["full-sync"])
    blocks = [one.of_kind for one in plan(asked)]
    ports = [at for block in blocks for at in KIND.ports_at_restarts(asked, block)]
    assert ports == [10, 10, 40, 40]
    assert not any(KIND.ports_at_switches_in_trials(asked, block) for block in blocks)
    assert KIND.switches_while_measuring(asked) == ("full-sync",)


def test_an_incremental_sync_adds_one_service_and_removes_it(lab):
    report = incremental_sync(lab)
    assert values(report)["incremental_sync"] == pytest.approx(0.1)
    assert values(report)["kube_proxy_memory"] == 63_799_296
    assert [one.tool for one in report.invocations] == ["kube-proxy"] * 2
    assert not lab.services


def test_it_begins_and_ends_once_nothing_is_left_to_sync(altered):
    """The first two looks, and the first after the Service works, find a sync queued."""

    def busy(look, text):
        queued = "sync_proxy_rules_last_queued_timestamp_seconds"
        return _set(text, queued, "1.8e+09") if look in (1, 2, 4) else text

    lab = altered(busy)
    # From the third look to the fifth, a sync at each.
    assert values(incremental_sync(lab))["incremental_sync"] == pytest.approx(0.2)


def test_a_full_sync_or_a_restart_meanwhile_makes_it_void(altered):
    for series, value in (
        ("full_proxy_rules_duration_seconds_count", 2),
        ("process_start_time_seconds", "1.8e+09"),
    ):
        lab = altered(lambda look, text, s=series, v=value: _set(text, s, v) if look > 1 else text)
        failed(incremental_sync(lab), TrialStatus.VOID)


def test_a_kube_proxy_that_tells_nothing_fails_the_trial_before_it_is_restarted(altered):
    lab = altered(lambda look, text: "")
    failed(full_syncs(lab)[0])
    assert lab.switches == []
    failed(incremental_sync(altered(lambda look, text: "")))


def _without(text, part):
    return "".join(line for line in text.splitlines(keepends=True) if part not in line)


def _set(text, series, value):
    """Of IPv4, or of the process."""
    lines = [
        f"{line.rpartition(' ')[0]} {value}" if series in line and "IPv6" not in line else line
        for line in text.splitlines()
    ]
    return "\n".join([*lines, ""])
