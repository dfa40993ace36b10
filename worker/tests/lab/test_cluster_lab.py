"""The Lab on a real cluster, with no more rights than the manifest gives."""

import pytest

from podmeter.domain import labels
from podmeter.domain.errors import LabError, PreconditionError, RunCancelledError
from podmeter.domain.ports import (
    HOST_NAMESPACE,
    POD_NAMESPACE,
    Access,
    PodRequest,
    ServiceBatch,
    ServiceType,
)
from podmeter.drivers import proc
from podmeter.drivers.netfilter import backend
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.resources import (
    ENDPOINT_SLICES,
    PODS,
    SERVICES,
)
from podmeter_worker.lab.cluster_lab import ClusterLab

from ..labs import RUN, Written, lab_of
from ..owners import limit_range, quota
from ..relay import Relay

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.timeout(300),
    pytest.mark.usefixtures("nothing_left"),
]

IDLE = ("sleep", "infinity")


def request(lab: ClusterLab, name: str, access: Access = Access.POD, node: int = 0) -> PodRequest:
    return PodRequest(f"pm-{RUN}-{name}", lab.nodes()[node].name, access, IDLE)


def batch(count: int, type_: ServiceType = ServiceType.CLUSTER_IP) -> ServiceBatch:
    names = tuple(f"pm-{RUN}-{number}" for number in range(count))
    return ServiceBatch(names, type_, 80, ("192.0.2.10",), 8080, ("TCP", "UDP"))


def left(client: KubeClient) -> list[str]:
    """Everything of the run that is in the cluster."""
    found = []
    for resource, namespace in (
        (PODS, POD_NAMESPACE),
        (PODS, HOST_NAMESPACE),
        (SERVICES, POD_NAMESPACE),
        (ENDPOINT_SLICES, POD_NAMESPACE),
    ):
        items = client.list_all(resource.path(namespace), labels=labels.selector(RUN)).items
        found += [f"{resource.plural}/{item['metadata']['name']}" for item in items]
    return found


def test_pods_of_every_access_run_where_they_should(written: Written, client: KubeClient) -> None:
    lab = written.lab
    accesses = (Access.POD, Access.HOST, Access.HOST_ADMIN)
    places = lab.start_pods([request(lab, one.value.replace("_", "-"), one) for one in accesses])
    try:
        assert [place.access for place in places] == list(accesses)
        pod, host, admin = places
        node = lab.nodes()[0]
        assert pod.address != node.address
        assert host.address == admin.address == node.address
        users = [lab.execute(place, ("id", "-u"), timeout_seconds=10).stdout for place in places]
        assert users == ["65534\n", "65534\n", "0\n"]
        environment = lab.execute(pod, ("env",), timeout_seconds=10).stdout
        # Only the API server's own Service, which no setting leaves out.
        services = {line.split("_SERVICE")[0] for line in environment.split() if "_SERVICE" in line}
        assert services <= {"KUBERNETES"}
        lab.execute(admin, backend.PROBE_ARGV, timeout_seconds=20)
        backend.parse_probe(lab.execute(admin, backend.PROBE_ARGV, timeout_seconds=20))
        proc.parse_counters(lab.execute(host, proc.COUNTERS_ARGV, timeout_seconds=20))
    finally:
        lab.remove_pods(places)
    assert left(client) == []
    lab.remove_pods(places)


def test_a_pod_of_an_earlier_try_is_not_reused(written: Written, client: KubeClient) -> None:
    lab = written.lab
    (first,) = lab.start_pods([request(lab, "again")])
    lab.execute(first, ("touch", "/tmp/earlier"), timeout_seconds=10)
    (second,) = lab.start_pods([request(lab, "again")])
    found = lab.execute(second, ("ls", "/tmp/earlier"), timeout_seconds=10)
    lab.remove_pods([second])
    assert found.exit_code != 0


def test_all_pods_or_none(written: Written, client: KubeClient) -> None:
    lab = written.lab
    # One that never runs: `false` does for a moment, and on a busy machine is seen doing so.
    argv = ("/no/such/program",)
    failing = PodRequest(f"pm-{RUN}-failing", lab.nodes()[0].name, Access.POD, argv)
    with pytest.raises(LabError, match="ended"):
        lab.start_pods([request(lab, "fine"), failing])
    assert left(client) == []


def test_a_limit_range_that_would_change_the_pods_is_refused(
    written: Written, client: KubeClient, admin: KubeClient
) -> None:
    refused = pytest.raises(PreconditionError, match="LimitRange")
    with limit_range(admin, {"cpu": "500m"}), refused:
        written.lab.start_pods([request(written.lab, "limited")])
    assert left(client) == []


def test_a_quota_that_refuses_the_pods_is_said(
    written: Written, client: KubeClient, admin: KubeClient
) -> None:
    refused = pytest.raises(PreconditionError, match="quota")
    with quota(admin, {"pods": "0"}), refused:
        written.lab.start_pods([request(written.lab, "over")])
    assert left(client) == []


def test_services_are_made_counted_and_removed(written: Written, client: KubeClient) -> None:
    lab = written.lab
    before = lab.service_room()
    created = lab.create_services(batch(30, ServiceType.NODE_PORT))
    try:
        assert [service.name for service in created.services] == list(batch(30).names)
        assert len({service.node_port for service in created.services}) == 30
        assert created.seconds > 0
        room = lab.service_room()
        assert (room.total, room.of_run, room.endpoint_slices) == (before.total + 30, 30, 30)
        # The run's own have their room already.
        assert room.free_cluster_ips == before.free_cluster_ips
        assert room.free_node_ports == before.free_node_ports
    finally:
        seconds = lab.remove_services(batch(30).names)
    assert seconds > 0
    assert left(client) == []
    lab.remove_services(batch(30).names)
    assert lab.service_room() == before


def test_services_over_a_quota_leave_none_behind(
    written: Written, client: KubeClient, admin: KubeClient
) -> None:
    refused = pytest.raises(PreconditionError, match="no more Services")
    with quota(admin, {"services": "5"}), refused:
        written.lab.create_services(batch(20))
    assert left(client) == []


def test_services_survive_a_connection_that_is_cut(
    relayed: KubeClient, relay: Relay, client: KubeClient
) -> None:
    lab = lab_of(relayed).lab
    relay.cut_after(50_000)  # bytes, in the middle of it
    created = lab.create_services(batch(60))
    assert relay.cuts == 1
    lab.remove_services([service.name for service in created.services])
    assert len(created.services) == 60
    assert left(client) == []


def test_after_a_cancel_nothing_begins_and_cleaning_goes_through(
    written: Written, client: KubeClient
) -> None:
    lab = written.lab
    (place,) = lab.start_pods([request(lab, "cancelled")])
    created = lab.create_services(batch(3))
    written.cancelled.set()
    with pytest.raises(RunCancelledError):
        lab.start_pods([request(lab, "late")])
    with pytest.raises(RunCancelledError):
        lab.create_services(
            ServiceBatch(("pm-late",), ServiceType.CLUSTER_IP, 80, ("192.0.2.1",), 1)
        )
    with pytest.raises(RunCancelledError):
        lab.sleep(60)
    lab.remove_services([service.name for service in created.services])
    lab.remove_pods([place])
    assert left(client) == []
