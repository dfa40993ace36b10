"""A request_latency run on the fake lab, which says what curl once printed."""

import json
from dataclasses import replace

import pytest

from podmeter.domain.errors import (
    CommandTimeoutError,
    ConvergenceError,
    InvalidSpecError,
    LabError,
    PreconditionError,
    RunCancelledError,
)
from podmeter.domain.ports import Access, CommandOutput, Place, ServiceType
from podmeter.domain.rights import Feature
from podmeter.domain.trial import TrialStatus
from podmeter.experiments.paths import features_of
from podmeter.experiments.registry import KINDS, plan, read_spec, resolve

KIND = KINDS["request_latency"]
INSIDE = [
    "pod-pod",
    "node-pod",
    "node-service",
    "pod-service-pod",
    "pod-service-name",
    "node-nodeport",
]
OUTSIDE = ["outside-nodeport", "outside-loadbalancer"]
INGRESS = ["pod-ingress", "outside-ingress"]
#: What was captured has 9 bytes.
PARAMETERS = {"body_bytes": 9}
ELSEWHERE = Place("outside", "198.51.100.7", None, Access.OUTSIDE)


def spec(parameters=None, *, trials=1, **axes):
    return resolve(
        read_spec(
            {
                "name": "x",
                "kind": "request_latency",
                "axes": {"path": ["pod-pod"]} | axes,
                "parameters": PARAMETERS | (parameters or {}),
                "repetition": {"trials": trials, "rounds": 1, "warmup": 0},
            }
        )
    )


def run(lab, experiment):
    (block,) = plan(experiment)
    with KIND.prepared(lab, experiment, block) as prepared:
        return {
            trial.case.text("path"): (
                prepared.placement(trial.case),
                prepared.run_trial(trial),
            )
            for trial in block.trials
        }


def only(lab, experiment):
    ((_, report),) = run(lab, experiment).values()
    return report


def values(report):
    assert report.status is TrialStatus.COUNTED, report.failure
    return {(m.metric, m.subject): m.value for m in report.measurements}


def asked(report):
    """The URL of a trial's requests, and how many were made."""
    (invocation,) = report.invocations
    return invocation.argv[-1], int(invocation.argv[4])


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
    assert KIND.access(spec(path=OUTSIDE)) == {Access.POD, Access.OUTSIDE}


NOT_OURS = "something else than pm-ab12cd-server on n2 has answered"


def answering(fake_lab, told):
    """A lab whose trials are answered by what `told` says; what it is reached by is not."""

    class Answering(fake_lab):
        def _answered_by(self, host, port):
            honest = super()._answered_by(host, port)
            return honest | (told if int(self.commands[-1][1][4]) > 1 else {})

    return Answering()


@pytest.mark.parametrize(
    ("path", "complaint"),
    [("pod-pod", NOT_OURS), ("pod-service-pod", "which is none of the Service's replicas")],
)
def test_another_server_voids_the_trial(fake_lab, path, complaint):
    report = only(answering(fake_lab, {"server": "somebody"}), spec(path=[path]))
    assert report.status is TrialStatus.VOID
    assert complaint in report.failure.message
    assert report.measurements == ()


def test_another_replica_is_not_the_pod_that_was_asked(fake_lab):
    lab = answering(fake_lab, {"server": "pm-ab12cd-server-2"})
    report = run(lab, spec(path=["pod-pod", "pod-service-pod"]))["pod-pod"][1]
    assert report.status is TrialStatus.VOID
    assert NOT_OURS in report.failure.message


def test_a_name_that_leads_elsewhere_voids_the_trial(fake_lab):
    lab = answering(fake_lab, {"address": "203.0.113.9"})
    report = only(lab, spec(path=["pod-service-name"]))
    assert report.status is TrialStatus.VOID
    assert "pm-ab12cd-server led to 203.0.113.9" in report.failure.message


def test_another_server_is_never_measured(fake_lab):
    class Mapped(fake_lab):
        def _answered_by(self, host, port):
            own = self.place.name.endswith("-server")
            return super()._answered_by(host, port) | ({} if own else {"server": "somebody"})

    lab = Mapped()
    with pytest.raises(PreconditionError, match=NOT_OURS):
        run(lab, spec())
    assert not lab.places


def test_a_short_answer_is_a_failed_trial(fake_lab):
    report = only(answering(fake_lab, {"size": 3}), spec())
    assert (report.status, report.measurements) == (TrialStatus.FAILED, ())
    assert "size 3, 9 was asked for" in report.failure.message


def test_a_split_beyond_chance_is_said(fake_lab):
    class Sticky(fake_lab):
        def _serves(self, address, turn=0):
            return super()._serves(address)

    report = only(Sticky(), spec({"requests": 30}, path=["pod-service-pod"]))
    assert values(report)["replica_share", "replica-1"] == 1
    assert "not spread evenly" in report.warnings[0]


@pytest.mark.parametrize("name", ["refused", "not-found", "timeout", "empty-reply"])
def test_a_failure_is_no_number(fake_lab, real, name):
    lab = fake_lab()
    experiment = spec()
    (block,) = plan(experiment)
    with KIND.prepared(lab, experiment, block) as prepared:
        lab.answers["curl"] = [real("curl-8.14.1", name)]
        report = prepared.run_trial(block.trials[0])
    assert (report.status, report.measurements) == (TrialStatus.FAILED, ())
    assert report.failure.code == "tool_failed"
    assert report.invocations[0].stdout == real("curl-8.14.1", name).stdout


def test_a_cut_answer_is_a_failed_trial(fake_lab, real):
    lab, whole = fake_lab(), real("curl-8.14.1", "phases")
    experiment = spec()
    (block,) = plan(experiment)
    with KIND.prepared(lab, experiment, block) as prepared:
        lab.answers["curl"] = [replace(whole, stdout=whole.stdout[:400])]
        report = prepared.run_trial(block.trials[0])
    assert (report.status, report.measurements) == (TrialStatus.FAILED, ())


@pytest.mark.parametrize("error", [LabError("pod is gone"), CommandTimeoutError("killed")])
def test_a_lost_lab_is_a_temporary_failure(fake_lab, error):
    lab = fake_lab()
    experiment = spec()
    (block,) = plan(experiment)
    with KIND.prepared(lab, experiment, block) as prepared:
        lab.answers["curl"] = [error]
        report = prepared.run_trial(block.trials[0])
    assert report.status is TrialStatus.FAILED
    assert report.failure.temporary


def test_a_path_that_never_answers_is_told_and_cleaned_up(fake_lab):
    class Nameless(fake_lab):
        def _curl(self, argv):
            if "pm-ab12cd-server:" in argv[-1]:
                return CommandOutput("", "", 0, 0.1)
            return super()._curl(argv)

    lab = Nameless()
    with pytest.raises(ConvergenceError, match="answers client at pm-ab12cd-server:8000"):
        run(lab, spec(path=["pod-service-name"]))
    assert not lab.places
    assert not lab.services


def test_a_server_that_never_listens_is_told_and_cleaned_up(fake_lab, real):
    lab = fake_lab(answers={"curl": [real("curl-8.14.1", "refused")]})
    with pytest.raises(ConvergenceError, match="server listens on port 8000 of n2"):
        run(lab, spec(path=["node-service"]))
    assert not lab.places
    assert not lab.services


def test_a_cancel_in_a_trial_cleans_up(fake_lab):
    lab = fake_lab(cancel_on="11")
    with pytest.raises(RunCancelledError):
        run(lab, spec(path=INSIDE))
    assert not lab.places
    assert not lab.services


def test_only_paths_that_begin_on_a_node_need_its_network():
    assert KIND.access(spec(path=["pod-pod", "pod-service-name"])) == {Access.POD}
    assert KIND.access(spec(path=["node-service"])) == {Access.POD, Access.HOST}


def test_the_plan_knows_how_long_a_trial_lasts():
    (case,) = KIND.cases(spec())
    few, many = (KIND.trial_seconds(case, spec({"requests": n})) for n in (10, 1000))
    assert few < 2 < 10 < many < 60


def test_latency_is_held_against_pod_to_pod_of_the_same_run():
    derived = {one.name: one.derivation for one in KIND.metrics if one.derivation}
    added = derived.pop("request_latency_added")
    assert not derived
    assert (added.source, added.axis, added.baseline) == ("curl_total_mean", "path", "pod-pod")


def test_paths_by_an_ingress_ask_its_controller_for_its_host(fake_lab):
    lab = fake_lab(outside_place=ELSEWHERE)
    reports = {path: report for path, (_, report) in run(lab, spec(path=INGRESS)).items()}
    for path, report in reports.items():
        assert values(report)
        assert asked(report)[0] == "http://192.0.2.80:80/"
        argv = report.invocations[0].argv
        assert argv[argv.index("--header") + 1] == "Host: pm-ab12cd.internal"
        facts = dict(report.facts)
        assert facts["ingress"] == "pm-ab12cd.internal by class usual of x/y"
        assert report.invocations[0].place == (
            "outside" if path == "outside-ingress" else "pm-ab12cd-client"
        )
        shares = [m.value for m in report.measurements if m.metric == "replica_share"]
        assert sum(shares) == pytest.approx(1)
    assert not lab.ingresses
    assert not lab.services


def test_an_ingress_is_made_as_the_parameters_say(fake_lab):
    lab, made = fake_lab(), []
    create = lab.create_ingress
    lab.create_ingress = lambda route: made.append(route) or create(route)
    parameters = {
        "host_name": "Web.Test",
        "ingress_class": "traefik",
        "ingress_address": "192.0.2.9",
        "ingress_port": 8080,
    }
    reports = run(lab, spec(parameters, path=["pod-ingress", "pod-service-pod"]))
    by_ingress, by_service = (reports[path][1] for path in ("pod-ingress", "pod-service-pod"))
    (route,) = made
    assert (route.host, route.class_name, route.address) == ("web.test", "traefik", "192.0.2.9")
    assert (route.service, route.port) == ("pm-ab12cd-server", 8000)
    assert asked(by_ingress)[0] == "http://192.0.2.9:8080/"
    headers = [one.invocations[0].argv for one in (by_ingress, by_service)]
    names = [argv[argv.index("--header") + 1] for argv in headers]
    assert names == ["Host: web.test", "Host: Web.Test"]


def test_what_the_controller_answers_itself_is_no_path(fake_lab, real):
    """No route leads there yet: 404 of its own, until the deadline."""
    lab = fake_lab(answers={"curl": [real("curl-8.14.1", "not-found")]})
    lab.answers["curl"][0] = replace(lab.answers["curl"][0], stdout="")
    with pytest.raises(ConvergenceError):
        run(lab, spec(path=["pod-ingress"]))
    assert not lab.ingresses
    assert not lab.places


def test_without_a_controller_nothing_is_left(fake_lab):
    lab = fake_lab(controller=PreconditionError("no IngressClass"))
    with pytest.raises(PreconditionError, match="no IngressClass"):
        run(lab, spec(path=["pod-pod", "pod-ingress"]))
    assert not lab.places
    assert not lab.services


@pytest.mark.parametrize(
    "parameters",
    [
        {"ingress_address": "nowhere"},
        {"ingress_address": "::1"},
        {"ingress_class": "No Class"},
        {"ingress_port": 0},
    ],
)
def test_how_an_ingress_cannot_be_asked(parameters):
    with pytest.raises(InvalidSpecError):
        spec(parameters)


def test_an_ingress_takes_rights_of_its_own():
    assert features_of(spec(path=["pod-pod", "pod-ingress"])) == {Feature.INGRESS}
    assert features_of(spec(path=[*INSIDE, *OUTSIDE])) == frozenset()
    for kind in KINDS:
        assert features_of(resolve(read_spec({"name": "x", "kind": kind}))) == frozenset()
