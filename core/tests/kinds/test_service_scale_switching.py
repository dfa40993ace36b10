"""Switches and sync periods of kube-proxy in runs of service_scale."""

from dataclasses import replace

import pytest

from podmeter.domain.errors import ConvergenceError, InvalidSpecError
from podmeter.domain.switching import SyncPeriods
from podmeter.domain.trial import TrialStatus
from podmeter.kinds import sync_periods
from podmeter.kinds.registry import plan, read_spec, resolve

from .service_scale_runs import KIND, failed, spec, values

MODES = ["iptables", "nftables"]


def switching(lab, modes=MODES, **parameters):
    """Trials of the blocks of the iptables mode, by case, on a ladder of 10 and 40."""
    experiment = spec(parameters, kube_proxy_mode=modes, probe=["mode-switch", "climb"])
    found = {}
    for block in (one.of_kind for one in plan(experiment)):
        if dict(block.modes)["kube_proxy_mode"] == "iptables":
            with KIND.prepared(lab, experiment, replace(block, followed=True)) as prepared:
                found |= {trial.case.key: prepared.run_trial(trial) for trial in block.trials}
    return found


def test_a_switch_is_timed_while_the_rung_stands_until_its_last_service_answers(lab):
    reports = switching(lab, mode_switch_from=40)
    (found,) = [one for key, one in reports.items() if "probe=mode-switch" in key]
    assert found.status is TrialStatus.COUNTED
    assert values(found) == {
        "switch_convergence": pytest.approx(1.5),
        "switch_outage": pytest.approx(0.5),
        "switch_seconds": pytest.approx(3.0),
        "switch_resolution": pytest.approx(0.1),
    }
    assert dict(found.facts)["switched_from"] == "nftables"
    assert [one.value for one in lab.switches] == ["nftables", "iptables"]
    away, back = lab.switches
    assert away.services == back.services
    assert back.services == ("10.96.8.40:80",)
    assert (back.added, back.patience_seconds) == (40, 1800)
    assert [one.place for one in found.invocations] == ["shell-n1", "shell-n2"]


def test_a_run_of_one_mode_has_it_rolled(lab):
    reports = switching(lab, ["iptables"], mode_switch_from=1)
    found = [one for key, one in reports.items() if "probe=mode-switch" in key]
    assert [set(values(one)) for one in found] == [
        {"roll_outage", "roll_seconds", "switch_resolution"}
    ] * 2
    assert [one.value for one in lab.switches] == ["iptables"] * 2


def test_a_switch_that_does_not_take_effect_fails_its_trial(lab):
    lab.answers["switch"] = [ConvergenceError("still not")]
    reports = switching(lab, mode_switch_from=40)
    (found,) = [one for key, one in reports.items() if "probe=mode-switch" in key]
    failed(found)


def test_no_switch_is_timed_where_none_was_asked_for_or_no_mode_is_switched():
    def probes(parameters, **axes):
        cases = KIND.cases(spec(parameters, **axes))
        found = [case for case in cases if case.get("probe") == "mode-switch"]
        assert all(case.once and case.get("target") is None for case in found)
        return [case.number("services") for case in found]

    assert probes({}, kube_proxy_mode=MODES) == []
    assert probes({"mode_switch_from": 10}) == []
    assert probes({"mode_switch_from": 10}, kube_proxy_mode=["iptables"]) == [10, 40]
    assert probes({"mode_switch_from": 11}, kube_proxy_mode=["iptables"]) == [40]
    assert probes({"mode_switch_from": 41}, kube_proxy_mode=["iptables"]) == []


def test_sync_periods_are_set_with_the_mode():
    document = {"name": "x", "kind": "service_scale", "parameters": {"sync_period_seconds": 180}}
    with pytest.raises(InvalidSpecError, match="add the axis kube_proxy_mode"):
        read_spec(document)
    resolved = resolve(read_spec(document | {"axes": {"kube_proxy_mode": ["iptables"]}}))
    assert sync_periods.requested_periods(resolved) == SyncPeriods(period=180.0)
    assert sync_periods.requested_periods(spec()) is None
    with pytest.raises(InvalidSpecError, match="must not exceed sync_period_seconds"):
        spec({"sync_period_seconds": 1, "min_sync_period_seconds": 2}, kube_proxy_mode=["iptables"])
