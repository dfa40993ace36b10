"""What request_latency asks on each path, and what it makes of the answers."""

import json

import pytest

from podmeter.domain.errors import InvalidSpecError, PreconditionError
from podmeter.domain.ports import Access, ServiceType
from podmeter.domain.trial import TrialStatus
from podmeter.kinds.registry import access_of, read_spec, resolve

from .request_latency_runs import ELSEWHERE, INSIDE, KIND, OUTSIDE, asked, only, run, spec, values


def test_what_a_plan_without_axes_has():
    """Every path that needs no client outside, as the article's experiment would ask it."""
    experiment = resolve(read_spec({"name": "x", "kind": "request_latency"}))
    assert [case.text("path") for case in KIND.cases(experiment)] == INSIDE
    parameters = experiment.parameters
    assert (parameters["requests"], parameters["replicas"], parameters["port"]) == (10, 3, 8000)


@pytest.mark.parametrize("path", INSIDE)
def test_each_path_has_phases_that_add_up(lab, path):
    ((placement, report),) = run(lab, spec(path=[path])).values()
    found = values(report)
    assert {name for name, _ in found} <= {metric.name for metric in KIND.metrics}
    parts = [value for (name, _), value in found.items() if name == "request_parts"]
    assert len(parts) == 5
    assert min(parts) >= 0
    assert sum(parts) == pytest.approx(found["curl_total_mean", ""])
    order = ("namelookup", "connect", "starttransfer", "total", "process")
    means = [found[f"curl_{phase}_mean", ""] for phase in order]
    assert means == sorted(means)
    assert (placement.client_node, placement.server_node) == ("n1", "n2")
    assert not lab.places
    assert not lab.services


def test_what_each_path_asks(lab):
    reports = {path: report for path, (_, report) in run(lab, spec(path=INSIDE)).items()}
    urls = {path: asked(report)[0] for path, report in reports.items()}
    (batch,) = lab.batches
    assert batch.type is ServiceType.NODE_PORT
    assert len(batch.backend_addresses) == 3
    assert urls["pod-pod"] == urls["node-pod"]
    assert urls["pod-pod"] == f"http://{batch.backend_addresses[0]}:8000/"
    assert urls["node-service"] == urls["pod-service-pod"] == "http://10.96.8.1:8000/"
    assert urls["pod-service-name"] == "http://pm-ab12cd-server:8000/"
    # At the server's node: at the client's own it would be intercepted.
    assert urls["node-nodeport"] == "http://192.168.0.2:30000/"
    places = {path: report.invocations[0].place for path, report in reports.items()}
    assert {path for path, place in places.items() if place.endswith("client-host")} == {
        "node-pod",
        "node-service",
        "node-nodeport",
    }


def test_means_and_percentiles_are_of_the_requests_of_a_trial(lab, real):
    report = only(lab, spec({"requests": 7, "first_counts": True}))
    lines = real("curl-8.14.1", "phases").stdout.split("\n")[1:14:2]
    totals = sorted(json.loads(line)["time_total"] for line in lines)
    assert asked(report)[1] == len(totals) == 7
    found = values(report)
    assert found["curl_total_mean", ""] == pytest.approx(sum(totals) / 7)
    assert found["curl_total_p50", ""] == totals[3]
    assert found["curl_total_p90", ""] == pytest.approx(totals[5] + 0.4 * (totals[6] - totals[5]))


def test_a_first_request_that_does_not_count_is_made_besides(lab):
    assert asked(only(lab, spec({"requests": 5})))[1] == 6


def test_who_answered_and_each_ones_share(lab):
    report = only(lab, spec({"requests": 9, "first_counts": True}, path=["pod-service-name"]))
    found = values(report)
    assert [found["replica_share", f"replica-{n}"] for n in (1, 2, 3)] == [1 / 3] * 3
    names = ["pm-ab12cd-server", "pm-ab12cd-server-2", "pm-ab12cd-server-3"]
    facts = dict(report.facts)
    assert facts["answered"] == ", ".join(f"{name}: 3" for name in names)
    assert all(f"{name} on n2" in facts["server"] for name in names)


@pytest.mark.parametrize(
    ("placement", "nodes"),
    [
        ("server-node", ["n2", "n2", "n2", "n2"]),
        ("client-node", ["n1", "n1", "n1", "n1"]),
        ("all-nodes", ["n2", "n1", "n3", "n2"]),
    ],
)
def test_where_the_servers_sit(fake_lab, placement, nodes):
    lab = fake_lab(node_names=("n1", "n2", "n3"))
    experiment = spec({"placement": placement, "replicas": 4}, path=["pod-service-pod"])
    ((placed, report),) = run(lab, experiment).values()
    said = dict(report.facts)["server"]
    names = ["pm-ab12cd-server", *(f"pm-ab12cd-server-{n}" for n in (2, 3, 4))]
    expected = ", ".join(f"{name} on {node}" for name, node in zip(names, nodes, strict=True))
    assert said.startswith(expected)
    assert (placed.client_node, placed.server_node) == ("n1", nodes[0])


def test_one_node_will_do_where_client_and_servers_share_it(fake_lab):
    experiment = spec({"placement": "client-node"}, path=["pod-pod", "pod-service-pod"])
    reports = run(fake_lab(node_names=("n1",)), experiment)
    assert {report.status for _, report in reports.values()} == {TrialStatus.COUNTED}
    with pytest.raises(PreconditionError, match="two nodes"):
        run(fake_lab(node_names=("n1",)), spec(path=["pod-pod"]))


def test_a_host_name_is_asked_for(lab):
    report = only(lab, spec({"host_name": "shop.example.org"}))
    argv = report.invocations[0].argv
    assert argv[argv.index("--header") + 1] == "Host: shop.example.org"
    for name in ("a\r\nX-Evil: 1", "-x", "a b", ""):
        with pytest.raises(InvalidSpecError):
            spec({"host_name": name})


@pytest.mark.parametrize("path", OUTSIDE)
def test_a_path_from_outside_needs_a_client_there(lab, path):
    with pytest.raises(PreconditionError, match="no worker is declared as one"):
        run(lab, spec(path=[path]))
    assert not lab.places
    assert not lab.batches


def test_from_outside(fake_lab):
    lab = fake_lab(outside_place=ELSEWHERE)
    reports = run(lab, spec(path=OUTSIDE))
    (batch,) = lab.batches
    assert batch.type is ServiceType.LOAD_BALANCER
    urls = {path: asked(report)[0] for path, (_, report) in reports.items()}
    # Servers sit on the node that is asked; with nothing else inside, one is enough.
    assert urls == {
        "outside-nodeport": "http://192.168.0.1:30000/",
        "outside-loadbalancer": "http://192.0.2.100:8000/",
    }
    for placement, report in reports.values():
        values(report)
        assert (placement.client_node, placement.nic) == (None, None)
        assert dict(report.facts)["client"] == "outside"
        assert report.invocations[0].place == "outside"
    assert access_of(spec(path=OUTSIDE)) == {Access.POD, Access.OUTSIDE}


def test_only_paths_that_begin_on_a_node_need_its_network():
    assert access_of(spec(path=["pod-pod", "pod-service-name"])) == {Access.POD}
    assert access_of(spec(path=["node-service"])) == {Access.POD, Access.HOST}


def test_the_plan_knows_how_long_a_trial_lasts():
    (case,) = KIND.cases(spec())
    few, many = (KIND.trial_seconds(case, spec({"requests": n})) for n in (10, 1000))
    assert few < 2 < 10 < many < 60


def test_latency_is_held_against_pod_to_pod_of_the_same_run():
    derived = {one.name: one.derivation for one in KIND.metrics if one.derivation}
    added = derived.pop("request_latency_added")
    assert not derived
    assert (added.source, added.axis, added.baseline) == ("curl_total_mean", "path", "pod-pod")
