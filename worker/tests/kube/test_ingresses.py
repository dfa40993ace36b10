"""An Ingress: which class it is for, and where its controller is asked."""

import json
from dataclasses import replace
from typing import Any

import pytest

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.domain.errors import PreconditionError, RunCancelledError
from podmeter.domain.ports import Ingress, IngressRoute
from podmeter_worker.kube import ingresses
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient

from .api_server import Answer, FakeApiServer

LOCAL = AddressPolicy.of(["127.0.0.0/8"])
ROUTE = IngressRoute("pm-r1-server", "pm-r1.internal", "pm-r1-server", 8000)
PATH = "/apis/networking.k8s.io/v1/namespaces/podmeter/ingresses"
GONE = Answer(200, {"kind": "Status"})


def a_class(name: str, *, default: bool = False) -> dict[str, Any]:
    annotations = {ingresses.DEFAULT_CLASS: "true"} if default else {}
    metadata = {"name": name, "annotations": annotations}
    return {"metadata": metadata, "spec": {"controller": f"example.com/{name}"}}


def classes(*found: dict[str, Any]) -> Answer:
    return Answer(200, {"metadata": {"resourceVersion": "1"}, "items": list(found)})


def at(*told: dict[str, str]) -> Answer:
    """The Ingress after its controller has written its address."""
    body = {"metadata": {"name": ROUTE.name}, "status": {"loadBalancer": {"ingress": list(told)}}}
    return Answer(200, body)


MADE = Answer(201, {"metadata": {"name": ROUTE.name}})


def create(api: FakeApiServer, route: IngressRoute = ROUTE, seconds: float = 0.2) -> Ingress:
    with KubeClient(ClusterAccess(api.kept, LOCAL), 0.5) as client:
        return ingresses.create(client, "r1", route, seconds=seconds)


def methods(api: FakeApiServer) -> list[str]:
    return [asked.method for asked in api.asked]


def test_it_is_of_the_default_class_and_asked_where_its_status_says(api: FakeApiServer) -> None:
    api.answers = [classes(a_class("other"), a_class("web", default=True)), MADE, at()]
    api.answers += [at({"ip": "fd00::1"}, {"ip": "192.0.2.80"})]
    assert create(api, seconds=30) == Ingress(
        ROUTE.name, ROUTE.host, "web", "example.com/web", "192.0.2.80"
    )
    assert methods(api) == ["GET", "POST", "GET", "GET"]
    body = json.loads(api.asked[1].body)
    assert body["spec"]["ingressClassName"] == "web"
    (rule,) = body["spec"]["rules"]
    assert rule["host"] == "pm-r1.internal"
    (path,) = rule["http"]["paths"]
    assert path["backend"]["service"] == {"name": "pm-r1-server", "port": {"number": 8000}}
    assert body["metadata"]["labels"]["podmeter.io/run"] == "r1"


def test_where_its_address_is_given_nobody_waits_for_a_status(api: FakeApiServer) -> None:
    api.answers = [classes(a_class("a"), a_class("b")), MADE]
    made = create(api, replace(ROUTE, class_name="b", address="192.0.2.9"))
    assert (made.class_name, made.address) == ("b", "192.0.2.9")
    assert methods(api) == ["GET", "POST"]


@pytest.mark.parametrize(
    ("found", "asked", "why"),
    [
        ([], None, "has no IngressClass"),
        ([], "web", "has no IngressClass"),
        ([a_class("b"), a_class("a")], None, "set ingress_class to one of a, b"),
        ([a_class("a")], "web", "IngressClass web does not exist; available: a"),
        (
            [a_class("a", default=True), a_class("b", default=True)],
            None,
            "several default IngressClasses",
        ),
    ],
)
def test_without_a_class_nothing_is_made(
    api: FakeApiServer, found: list[dict[str, Any]], asked: str | None, why: str
) -> None:
    api.answers = [classes(*found)]
    with pytest.raises(PreconditionError, match=why):
        create(api, replace(ROUTE, class_name=asked))
    assert methods(api) == ["GET"]


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ([], r"example.com/a wrote no address .* set ingress_address"),
        ([{"hostname": "lb.example.com"}], "has the address lb.example.com, which is not IPv4"),
        ([{"ip": "fd00::1"}], "has the address fd00::1, which is not IPv4"),
    ],
)
def test_without_an_address_it_is_taken_away_again(
    api: FakeApiServer, told: list[dict[str, str]], why: str
) -> None:
    api.answers = [classes(a_class("a", default=True)), MADE, at(*told)]
    with pytest.raises(PreconditionError, match=why):
        create(api)
    assert methods(api)[-1] == "DELETE"
    assert api.asked[-1].path == f"{PATH}/{ROUTE.name}"


def test_a_cancel_while_it_is_waited_for_takes_it_away(api: FakeApiServer) -> None:
    api.answers = [classes(a_class("a", default=True)), MADE, at()]

    def cancelled() -> None:
        raise RunCancelledError("by ada")

    with (
        KubeClient(ClusterAccess(api.kept, LOCAL), 0.5) as client,
        pytest.raises(RunCancelledError),
    ):
        ingresses.create(client, "r1", ROUTE, cancelled)
    assert methods(api)[-1] == "DELETE"


def test_what_the_cluster_refuses_is_said(api: FakeApiServer) -> None:
    refused = Answer(403, {"reason": "Forbidden", "message": "cannot create ingresses"})
    api.answers = [classes(a_class("a", default=True)), refused]
    with pytest.raises(PreconditionError, match=r"cannot create ingresses.* apply it again"):
        create(api)
    assert "DELETE" not in methods(api)
