"""Paths of request_latency by an Ingress."""

from dataclasses import replace

import pytest

from podmeter.domain.errors import ConvergenceError, InvalidSpecError, PreconditionError
from podmeter.domain.rights import Feature
from podmeter.kinds.paths import features_of
from podmeter.kinds.registry import KINDS, read_spec, resolve

from .request_latency_runs import ELSEWHERE, INGRESS, INSIDE, OUTSIDE, asked, run, spec, values


def test_paths_by_an_ingress_ask_its_controller_for_its_host(fake_lab):
    lab = fake_lab(outside_place=ELSEWHERE)
    reports = {path: report for path, (_, report) in run(lab, spec(path=INGRESS)).items()}
    for path, report in reports.items():
        assert values(report)
        assert asked(report)[0] == "http://192.0.2.80:80/"
        argv = report.invocations[0].argv
        assert argv[argv.index("--header") + 1] == "Host: pm-ab12cd.podmeter.internal"
        facts = dict(report.facts)
        assert facts["ingress"] == "pm-ab12cd.podmeter.internal by class usual of x/y"
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


def test_a_controller_that_begins_anew_is_waited_for(fake_lab):
    """It answers, takes its listener away and comes back, as one does that is still reading."""
    lab, answered = fake_lab(), []
    execute = lab.execute

    def answer(place, argv, *, timeout_seconds):
        output = execute(place, argv, timeout_seconds=timeout_seconds)
        if not argv[-1].startswith("http://192.0.2.80:"):
            return output
        answered.append(lab.monotonic())
        away = answered[0] + 1 < answered[-1] < answered[0] + 2
        return replace(output, stdout="") if away else output

    lab.execute = answer
    ((_, report),) = run(lab, spec(path=["pod-ingress"])).values()
    assert values(report)
    assert answered[-1] >= answered[0] + 5


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
