"""Syncs of kube-proxy, as it tells them itself, in runs of service_scale."""

from __future__ import annotations

from dataclasses import replace

import pytest

from podmeter.domain.errors import ConvergenceError
from podmeter.domain.trial import TrialStatus
from podmeter.kinds.registry import plan

from .service_scale_runs import KIND, failed, only, spec, values


def full_syncs(lab, parameters=None):
    experiment = spec(parameters, kube_proxy_mode=["iptables", "nftables"], probe=["full-sync"])
    block = plan(experiment)[0].of_kind
    with KIND.prepared(lab, experiment, block) as prepared:
        return [prepared.run_trial(trial) for trial in block.trials]


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
        (kept,) = report.invocations
        assert (kept.tool, kept.version) == ("kube-proxy", "v1.34.4")


def test_a_full_sync_that_does_not_end_fails_its_trial(lab):
    lab.answers["switch"] = [ConvergenceError("still not")]
    failed(full_syncs(lab)[0])


def test_where_no_sync_is_called_full_all_of_them_are(fake_lab):
    """As with IPVS."""

    class OfIpvs(fake_lab):
        def _kube_proxy(self, argv):
            output = super()._kube_proxy(argv)
            lines = output.stdout.splitlines(keepends=True)
            kept = [line for line in lines if "_full_" not in line]
            return replace(output, stdout="".join(kept).replace("_sum{", "_sum{", 1))

    lab = OfIpvs()
    assert values(full_syncs(lab)[0])["full_sync"] == pytest.approx(0.1)
    assert values(full_syncs(lab)[1])["full_sync"] == pytest.approx(0.4)


def test_a_run_that_switches_no_mode_restarts_nothing():
    cases = KIND.cases(spec(probe=["full-sync", "qps"], target=["last"]))
    assert {case.get("probe") for case in cases} == {"qps"}


def test_it_is_measured_where_it_is_asked_for_alone():
    cases = KIND.cases(spec(kube_proxy_mode=["iptables", "nftables"]))
    assert "full-sync" not in {case.get("probe") for case in cases}


def test_the_plan_counts_its_restarts_of_kube_proxy():
    asked = spec(kube_proxy_mode=["iptables", "nftables"], probe=["full-sync"])
    (first, *_) = plan(asked)
    assert sorted(KIND.ports_at_switches_in_trials(asked, first.of_kind)) == [10, 40]
    assert KIND.switches_while_measuring(asked) == ("full-sync",)


def test_a_service_is_added_by_a_sync_that_kube_proxy_counts(lab):
    report = only(lab, spec(services=[10], probe=["climb", "service-ready"]), "service-ready")
    assert values(report)["sync"] == pytest.approx(0.1)
    assert values(report)["kube_proxy_memory"] == 63_799_296
    assert [one.tool for one in report.invocations] == ["kube-proxy"] * 2


def test_a_sync_is_waited_for_until_kube_proxy_counts_it(fake_lab):
    class Late(fake_lab):
        looks = 0

        def _kube_proxy(self, argv):
            self.looks += 1
            self._syncs -= self.looks in (2, 3)
            return super()._kube_proxy(argv)

    lab = Late()
    report = only(lab, spec(services=[10], probe=["climb", "service-ready"]), "service-ready")
    assert values(report)["sync"] == pytest.approx(0.1)
    assert lab.looks == 5


def test_a_kube_proxy_that_tells_nothing_is_a_warning_and_no_number(fake_lab):
    class Silent(fake_lab):
        def _kube_proxy(self, argv):
            return replace(super()._kube_proxy(argv), stdout="", stderr="refused", exit_code=7)

    report = only(Silent(), spec(services=[10], probe=["climb", "service-ready"]), "service-ready")
    assert report.status is TrialStatus.COUNTED
    assert "sync" not in values(report)
    assert any("refused" in warning for warning in report.warnings)
    failed(full_syncs(Silent())[0])
