"""Services in bulk: bodies, and what is done about answers that are not 201."""

import json
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.domain import labels
from podmeter.domain.errors import LabError, PodmeterError, PreconditionError
from podmeter.domain.ports import CreatedServices, ServiceBatch, ServiceType
from podmeter_worker.kube import services
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.errors import ApiUnavailableError
from podmeter_worker.kube.resources import Object

from .api_server import Answer, FakeApiServer

LOCAL = AddressPolicy.of(["127.0.0.0/8"])
BATCH = ServiceBatch(("pm-a",), ServiceType.CLUSTER_IP, 80, ("10.0.0.9",), 8080, ("TCP", "UDP"))
SERVICE = {
    "metadata": {"name": "pm-a", "namespace": "ns", "labels": {"podmeter.io/run": "r1"}},
    "spec": {"clusterIP": "10.96.0.9", "ports": [{"nodePort": 30001}, {"nodePort": 30002}]},
}
SLICE = Answer(201, {"metadata": {"name": "pm-a"}})
CONFLICT = Answer(409, {"reason": "AlreadyExists", "message": "already exists"})


def client_of(api: FakeApiServer, patience: float = 60.0) -> KubeClient:
    return KubeClient(ClusterAccess(api.kept, LOCAL), patience)


def create(api: FakeApiServer) -> CreatedServices:
    with client_of(api) as client:
        return services.create(client, "ns", "r1", BATCH)


def remove(api: FakeApiServer, *names: str) -> None:
    with client_of(api) as client:
        services.remove(client, "ns", names)


def test_the_slice_goes_first_and_belongs_to_its_service(api: FakeApiServer) -> None:
    api.answers = [SLICE, Answer(201, SERVICE)]
    created = create(api)
    assert created.services[0].cluster_ip == "10.96.0.9"
    assert created.services[0].node_port is None
    first, second = (json.loads(asked.body) for asked in api.asked)
    assert (first["kind"], second["kind"]) == ("EndpointSlice", "Service")
    assert first["metadata"]["labels"]["kubernetes.io/service-name"] == "pm-a"
    assert first["endpoints"][0]["addresses"] == ["10.0.0.9"]
    assert "selector" not in second["spec"]
    assert [port["name"] for port in first["ports"]] == [
        port["name"] for port in second["spec"]["ports"]
    ]
    assert all(one["metadata"]["labels"]["podmeter.io/run"] == "r1" for one in (first, second))
    assert api.asked[0].headers["Authorization"] == "Bearer a-secret-token"


def test_a_service_has_the_ports_that_its_batch_counts(api: FakeApiServer) -> None:
    spec = {"clusterIP": "10.96.0.9", "ports": [{"nodePort": 30001 + nth} for nth in range(3)]}
    api.answers = [SLICE, Answer(201, {**SERVICE, "spec": spec})]
    batch = replace(BATCH, type=ServiceType.NODE_PORT, protocols=("TCP",), port_counts={"pm-a": 3})
    with client_of(api) as client:
        (service,) = services.create(client, "ns", "r1", batch).services
    of_slice, of_service = (json.loads(asked.body) for asked in api.asked)
    names = ["tcp", "tcp-81", "tcp-82"]
    assert [port["name"] for port in of_slice["ports"]] == names
    assert {port["port"] for port in of_slice["ports"]} == {8080}
    assert [(port["name"], port["port"]) for port in of_service["spec"]["ports"]] == list(
        zip(names, (80, 81, 82), strict=True)
    )
    assert [(port.number, port.node_port) for port in service.ports] == [
        (80, 30001),
        (81, 30002),
        (82, 30003),
    ]


def test_a_service_that_lost_a_port_is_an_error(api: FakeApiServer) -> None:
    one_port = {"clusterIP": "10.96.0.9", "ports": [{}]}
    api.answers = [SLICE, Answer(201, {**SERVICE, "spec": one_port}), Answer(200, {})]
    with pytest.raises(LabError, match="no address"):
        create(api)


def test_a_service_with_another_number_of_ports_is_unlike(api: FakeApiServer) -> None:
    batch = replace(BATCH, names=("pm-a", "pm-b"), port_counts={"pm-a": 3, "pm-b": 2})
    of_a, a = as_made("pm-a", batch)
    of_b, b = as_made("pm-b", replace(batch, port_counts={}))
    api.answers = [listed(of_a, of_b), listed(a, b)]
    with client_of(api) as client:
        found = services.existing_services(client, "ns", "r1", batch)
    assert [(one.name, len(one.ports)) for one in found.alike] == [("pm-a", 6)]
    assert found.others == ("pm-b",)


def test_one_that_this_run_made_in_a_lost_try_is_taken(api: FakeApiServer) -> None:
    api.answers = [SLICE, Answer(503, {}), CONFLICT, Answer(200, SERVICE)]
    assert create(api).services[0].name == "pm-a"


def test_one_of_somebody_else_is_refused(api: FakeApiServer) -> None:
    theirs = {**SERVICE, "metadata": {"name": "pm-a", "labels": {"podmeter.io/run": "r2"}}}
    api.answers = [SLICE, CONFLICT, Answer(200, theirs)]
    with pytest.raises(PreconditionError, match="already exists"):
        create(api)


def test_no_room_is_a_precondition_and_what_was_made_is_removed(api: FakeApiServer) -> None:
    full = Answer(422, {"reason": "Invalid", "message": "range is full"})
    api.answers = [SLICE, full, Answer(200, {"status": "Success"})]
    with pytest.raises(PreconditionError, match="range is full"):
        create(api)
    assert [asked.method for asked in api.asked] == ["POST", "POST", "DELETE", "DELETE"]


def test_what_was_never_asked_for_is_not_removed(api: FakeApiServer) -> None:
    api.answers = [Answer(404, {"reason": "NotFound", "message": "no such namespace"})]
    names = tuple(f"pm-{number}" for number in range(2000))
    with client_of(api) as client, pytest.raises(PodmeterError, match="no such namespace"):
        services.create(client, "ns", "r1", replace(BATCH, names=names))
    created = {
        json.loads(asked.body)["metadata"]["name"] for asked in api.asked if asked.method == "POST"
    }
    deleted = {asked.path.rpartition("/")[2] for asked in api.asked if asked.method == "DELETE"}
    assert deleted == created
    assert len(created) < len(names)


def test_a_service_without_an_address_is_an_error(api: FakeApiServer) -> None:
    api.answers = [SLICE, Answer(201, {**SERVICE, "spec": {"ports": []}}), Answer(200, {})]
    with pytest.raises(LabError, match="no address"):
        create(api)


def test_patience_ends(api: FakeApiServer) -> None:
    api.answers = [Answer(429, {"message": "slow down"}, headers={"Retry-After": "0"})]
    with client_of(api, 0.5) as client, pytest.raises(ApiUnavailableError, match="slow down"):
        services.remove(client, "ns", ["pm-a"])


def test_a_redirect_is_not_followed(api: FakeApiServer) -> None:
    away = Answer(307, {}, headers={"Location": "https://127.0.0.1:1/stolen"})
    api.answers = [away, Answer(200, {})]
    with pytest.raises(Exception, match="responds with the redirect 307"):
        create(api)
    assert "stolen" not in [asked.path for asked in api.asked]


def test_a_name_is_connected_to_at_its_checked_address(named_api: FakeApiServer) -> None:
    named_api.answers = [Answer(200, {})]
    port = named_api.kept["server"].rpartition(":")[2]
    named_api.kept["server"] = f"https://cluster.example:{port}"
    access = ClusterAccess(named_api.kept, LOCAL, lambda host, port: ["127.0.0.1"])
    with KubeClient(access) as client:
        services.remove(client, "ns", ["pm-a"])
    assert {asked.headers["Host"] for asked in named_api.asked} == {f"cluster.example:{port}"}


def test_removing_nothing_asks_nothing(api: FakeApiServer) -> None:
    remove(api)
    assert api.asked == []


def balanced(*addresses: dict[str, str]) -> dict[str, object]:
    return {**SERVICE, "status": {"loadBalancer": {"ingress": list(addresses)}}}


def test_a_load_balancers_address_is_waited_for(
    api: FakeApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "_LOOK_SECONDS", 0.0)
    named = balanced({"hostname": "lb.example.org"})
    given = balanced({"ip": "fd00::9"}, {"ip": "192.0.2.9"})
    api.answers = [SLICE, *(Answer(200, one) for one in (SERVICE, SERVICE, named, given))]
    with client_of(api) as client:
        made = services.create(client, "ns", "r1", replace(BATCH, type=ServiceType.LOAD_BALANCER))
    (service,) = made.services
    assert (service.load_balancer, service.node_port) == ("192.0.2.9", 30001)


def test_a_cluster_that_gives_no_load_balancer_is_told_and_cleaned_up(
    api: FakeApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "_BALANCER_SECONDS", -1.0)
    api.answers = [SLICE, Answer(201, SERVICE), Answer(200, SERVICE), Answer(200, {})]
    with (
        client_of(api) as client,
        pytest.raises(PreconditionError, match=r"Service pm-a.* got no IPv4 address"),
    ):
        services.create(client, "ns", "r1", replace(BATCH, type=ServiceType.LOAD_BALANCER))
    assert [asked.method for asked in api.asked[-2:]] == ["DELETE", "DELETE"]


def listed(*items: dict[str, object]) -> Answer:
    return Answer(200, {"metadata": {"resourceVersion": "1"}, "items": list(items)})


def as_made(name: str, batch: ServiceBatch = BATCH, **spec: object) -> tuple[Object, Object]:
    """A slice and a Service as the API server gives them back."""
    (_, of_slice), (_, service) = services.bodies("ns", "r1", batch, name)
    service["spec"] |= {"clusterIP": "10.96.0.9", **spec}
    return of_slice, service


def test_services_that_stand_are_found_and_what_is_unlike_them_is_named(
    api: FakeApiServer,
) -> None:
    elsewhere = replace(BATCH, backend_addresses=("10.0.0.8",))
    of_b, b = as_made("pm-b")
    of_a, a = as_made("pm-a")
    of_moved, moved = as_made("pm-moved", elsewhere)
    of_port, port = as_made("pm-port", replace(BATCH, port=81))
    of_type, typed = as_made("pm-type", type="NodePort")
    _, without = as_made("pm-without-slice")
    going_slice, going = as_made("pm-going")
    going["metadata"]["deletionTimestamp"] = "2026-11-24T00:00:00Z"
    alone, _ = as_made("pm-slice-alone")
    api.answers = [
        listed(of_b, of_a, of_moved, of_port, of_type, going_slice, alone),
        listed(b, a, moved, port, typed, without, going),
    ]
    with client_of(api) as client:
        found = services.existing_services(client, "ns", "r1", replace(BATCH, names=()))
    assert [one.name for one in found.alike] == ["pm-a", "pm-b"]
    assert found.alike[0].cluster_ip == "10.96.0.9"
    assert found.others == (
        "pm-going",
        "pm-moved",
        "pm-port",
        "pm-slice-alone",
        "pm-type",
        "pm-without-slice",
    )
    asked = [parse_qs(urlsplit(one.path).query)["labelSelector"] for one in api.asked]
    assert asked == [[labels.selector("r1")]] * 2


def test_a_slice_whose_backend_is_not_ready_is_unlike(api: FakeApiServer) -> None:
    of_slice, service = as_made("pm-a")
    of_slice["endpoints"][0]["conditions"]["ready"] = False
    api.answers = [listed(of_slice), listed(service)]
    with client_of(api) as client:
        assert services.existing_services(client, "ns", "r1", BATCH).others == ("pm-a",)
