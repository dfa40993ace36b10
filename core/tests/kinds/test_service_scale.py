"""What service_scale measures on each rung."""

from dataclasses import replace

import pytest

from podmeter.domain.trial import TrialStatus

from .service_scale_runs import KIND, failed, only, run, spec, values

#: What is measured by default, and the climb.
EVERY = ["climb", "qps", "qps-keepalive", "latency", "rule-change", "service-ready"]


@pytest.mark.parametrize("backend", ["iptables-nft", "iptables-legacy", "nftables"])
def test_everything_on_every_rung(fake_lab, backend):
    lab = fake_lab(backend=backend)
    reports = run(lab, spec(probe=EVERY))
    assert len(reports) == 2 * (3 + 3 * 3)
    for key, report in reports.items():
        assert report.status is TrialStatus.COUNTED, (key, report.failure)
        assert values(report).keys() <= {metric.name for metric in KIND.metrics}
    assert not lab.places
    assert not lab.services


def test_what_each_probe_measures(lab):
    measured = {}
    for key, report in run(lab, spec(services=[10], target=["first"], probe=EVERY)).items():
        probe = key.split("probe=")[1].split(",")[0]
        measured[probe] = values(report).keys()
    assert measured == {
        "climb": {
            "convergence",
            "rules_convergence",
            "convergence_resolution",
            "service_create_rate",
            "services_total",
        },
        "qps": {"requests_per_second", "ab_request_mean"},
        "qps-keepalive": {"requests_per_second", "ab_request_mean"},
        "latency": {
            "curl_process_mean",
            "curl_namelookup_mean",
            "curl_connect_mean",
            "curl_starttransfer_mean",
            "curl_total_mean",
            "curl_total_p50",
            "curl_total_p90",
        },
        "rule-change": {"rule_add", "rule_delete"},
        "service-ready": {
            "service_ready",
            "service_convergence",
            "convergence_resolution",
            "service_gone",
            "service_removal_convergence",
            "removal_resolution",
        },
    }


def test_the_lock_is_apart_in_legacy(fake_lab):
    legacy = only(fake_lab(backend="iptables-legacy"), spec(services=[10]), "rule-change")
    assert values(legacy)["xtables_lock_wait"] < values(legacy)["rule_add"]


@pytest.mark.parametrize(
    ("backend", "counted"),
    [
        ("iptables-nft", {"iptables_rules": (73, 80)}),
        ("nftables", {"nftables_rules": (80, 80), "nftables_map_elements": (11, 11)}),
        ("ipvs", {"ipvs_virtual_servers": (11, 11), "ipvs_real_servers": (12, 12)}),
    ],
)
def test_what_kernels_hold_is_counted_on_every_node_by_names_of_its_own(fake_lab, backend, counted):
    class Uneven(fake_lab):
        """One node of three has fewer rules of its own."""

        def execute(self, place, argv, *, timeout_seconds):
            output = super().execute(place, argv, timeout_seconds=timeout_seconds)
            rules = "73 73 end" if place.node == "n2" else "80 80 end"
            return replace(output, stdout=output.stdout.replace("80 80 end", rules))

    lab = Uneven(backend=backend, node_names=("n1", "n2", "n3"))
    report = only(lab, spec(services=[10], probe=["climb"]), "climb")
    found = {
        metric: tuple(
            next(m.value for m in report.measurements if (m.metric, m.subject) == (metric, which))
            for which in ("least", "most")
        )
        for metric in {m.metric for m in report.measurements if m.subject == "most"}
    }
    assert found == counted
    facts = dict(report.facts)
    assert all(facts[metric].count("n") >= 3 for metric in counted)
    if backend == "iptables-nft":
        assert facts["iptables_rules"] == "n1: 80, n2: 73, n3: 80"


def test_virtual_servers_listed_while_they_change_are_looked_at_again(fake_lab):
    """On a cluster others add Services too; then the kernel lists one twice."""

    class Torn(fake_lab):
        """Each of the two commands that list them finds the table changing at first."""

        def __init__(self, **options):
            super().__init__(**options)
            self.torn = []

        def execute(self, place, argv, *, timeout_seconds):
            output = super().execute(place, argv, timeout_seconds=timeout_seconds)
            if "ipvs-servers" not in argv or argv in self.torn or "\n" not in output.stdout:
                return output
            first, _, _ = output.stdout.partition("\n")
            if not first.startswith("-t"):
                return output
            self.torn.append(argv)
            return replace(output, stdout=f"{first}\n{output.stdout}")

    torn = Torn(backend="ipvs")
    facts = dict(only(torn, spec(services=[10], probe=["climb"]), "climb").facts)
    assert len(torn.torn) == 2
    assert facts["ipvs_virtual_servers"] == "n1: 11, n2: 11"


def test_convergence_is_told_without_the_api_and_how_finely(lab):
    """The fake API takes a second, the kernels are found wanting once, half a second before."""
    found = values(only(lab, spec(services=[10], probe=["climb"]), "climb"))
    assert found["convergence"] == pytest.approx(found["rules_convergence"] + 1.0)
    assert 0.5 < found["convergence_resolution"] <= found["rules_convergence"]


def test_a_rung_of_ipvs_is_reached_once_its_sets_are_filled_too(fake_lab):
    """Its virtual servers stand as soon as iptables' rules do, kube-proxy's sets a look later."""
    iptables, with_sets = (
        values(only(fake_lab(backend=one), spec(services=[10], probe=["climb"]), "climb"))
        for one in ("iptables-nft", "ipvs")
    )
    assert with_sets["rules_convergence"] >= iptables["rules_convergence"] + 0.5


def test_a_new_service_is_told_without_the_api_and_how_finely(lab):
    probes = spec(services=[10], probe=["climb", "service-ready"])
    found = values(only(lab, probes, "service-ready"))
    assert found["service_ready"] == pytest.approx(found["service_convergence"] + 1.0)
    assert found["convergence_resolution"] == pytest.approx(0.062, abs=1e-3)


def test_a_removed_service_is_told_without_the_api_and_how_finely(fake_lab):
    """The API takes half a second, and 52 ms later nothing answers for the first time."""

    class Slow(fake_lab):
        def remove_services(self, names, progress=None):
            self.now += 0.5
            return super().remove_services(names)

    lab = Slow()
    found = values(
        only(lab, spec(services=[10], probe=["climb", "service-ready"]), "service-ready")
    )
    # The command took 62 ms and 50 of the lab's, its last 10 after the first attempt in vain.
    assert found["service_removal_convergence"] == pytest.approx(0.102, abs=1e-3)
    assert found["service_gone"] == pytest.approx(0.602, abs=1e-3)
    assert found["removal_resolution"] == pytest.approx(0.020, abs=1e-3)
    assert not lab.services


def test_a_removed_service_that_goes_on_answering_is_a_failure_not_a_number(fake_lab):
    class Sticky(fake_lab):
        def _until_silent(self, argv):
            return replace(super()._until_silent(argv), stdout="", exit_code=1)

    probes = spec(services=[10], probe=["climb", "service-ready", "qps"])
    reports = run(Sticky(), probes)
    for key, report in reports.items():
        if "probe=service-ready" in key:
            assert "still responds" in failed(report).message
        else:
            assert report.status is TrialStatus.COUNTED, report.failure


def test_one_that_answered_at_once_may_have_done_so_all_along(fake_lab):
    class Prompt(fake_lab):
        def _until_answered(self, argv):
            return replace(super()._until_answered(argv), stdout="0 0 end\n")

    probes = spec(services=[10], probe=["climb", "service-ready"])
    found = values(only(Prompt(), probes, "service-ready"))
    assert found["convergence_resolution"] == found["service_convergence"]


def test_the_control_asks_the_backend_itself_on_every_rung(fake_lab):
    lab = fake_lab()
    reports = run(lab, spec(probe=["qps", "qps-keepalive", "latency"], target=["last", "pod"]))
    control = {key: report for key, report in reports.items() if "target=pod" in key}
    assert len(control) == 2 * 3
    address = "10.244.0.3"  # the second pod's, after the client's
    for report in control.values():
        assert report.status is TrialStatus.COUNTED, report.failure
        facts = dict(report.facts)
        assert facts["service"] == f"pm-ab12cd-backend at http://{address}:8080/"
        assert facts["position"] == "not applicable: no Service is asked"
    forgotten = [" ".join(argv) for _, argv in lab.commands if "conntrack" in " ".join(argv)]
    assert any(f"--orig-dst {address} --dport 8080" in one for one in forgotten)


def test_the_control_does_not_mind_a_service_that_moves(fake_lab):
    class Resyncing(fake_lab):
        def _ab(self, argv):
            self.order = lambda names: sorted(names, reverse=True)
            return super()._ab(argv)

    report = only(Resyncing(), spec(services=[10], probe=["qps"], target=["pod"]), "qps")
    assert report.status is TrialStatus.COUNTED


def test_what_a_request_costs_in_cpu_and_single_requests_cost_none(lab):
    reports = run(lab, spec(services=[10], target=["last"]))
    metrics = {
        key.split("probe=")[1].split(",")[0]: {m.metric for m in report.measurements}
        for key, report in reports.items()
    }
    for probe, measured in metrics.items():
        assert ("node_cpu_per_request" in measured) == (probe in ("qps", "qps-keepalive"))
        single = probe in ("latency", "rule-change", "service-ready")
        assert ("node_cpu" in measured) != single


def test_the_ladder_creates_only_the_difference(lab):
    created = {
        k: dict(r.facts)["services_created"]
        for k, r in run(lab, spec(probe=["climb"], services=[10, 40, 90])).items()
    }
    assert sorted(created.values()) == ["10", "30", "50"]
