"""The scripted cluster, asked by the worker's own client: it must be as strict as a real one."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from bench.scripted.cluster import ScriptedCluster
from bench.scripted.lab import FakeLab
from bench.scripted.loop import Loop
from bench.scripted.store import Key

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.credentials.kubeconfig import sanitize
from podmeter.domain.bench_image import BenchImage
from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.messages import Message
from podmeter.domain.modes import KUBE_PROXY_MODE
from podmeter.domain.ports import Access, Command, Lab, PodRequest, ServiceType
from podmeter.domain.trial import TrialStatus
from podmeter.drivers import iperf3, node_room
from podmeter.kinds.nodes import IDLE_ARGV
from podmeter.kinds.registry import KINDS, kind_of, plan, read_spec, resolve
from podmeter.kinds.service_scale.kernel import observe
from podmeter.kinds.service_scale.ladder import Ladder
from podmeter.kinds.service_scale.layout import Layout
from podmeter.version import BENCH_IMAGE
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.errors import ApiRefusedError, ClusterBusyError
from podmeter_worker.kube.lease import ClusterLease, Holder
from podmeter_worker.kube.node_shells import NodeShells
from podmeter_worker.kube.resources import CONFIG_MAPS, PODS, SERVICES
from podmeter_worker.kube.shells import Shells
from podmeter_worker.kube.sweep import sweep_objects
from podmeter_worker.lab.cluster_lab import ClusterLab
from podmeter_worker.modes.control import SwitcherModeControl
from podmeter_worker.modes.switcher import SwitchContext

RUN = "0123456789ab"
IMAGE = BenchImage(BENCH_IMAGE)
PROXY = CONFIG_MAPS.path("kube-system", "kube-proxy")
OPTIONS = iperf3.Options("192.168.77.12", 5201, "tcp", seconds=1, streams=1)


@pytest.fixture
def loop() -> Iterator[Loop]:
    with Loop() as loop:
        yield loop


@pytest.fixture
def cluster(loop: Loop) -> Iterator[ScriptedCluster]:
    cluster = ScriptedCluster("scripted", measuring_seconds=0.0)
    loop.wait(cluster.start())
    yield cluster
    loop.wait(cluster.stop())


@pytest.fixture
def client(cluster: ScriptedCluster) -> Iterator[KubeClient]:
    policy = AddressPolicy.of(["127.0.0.0/8"])
    kubeconfig = cluster.server.kubeconfig("scripted").encode()
    kept = sanitize(kubeconfig, now=datetime.now(UTC), policy=policy).kept_fields()
    with KubeClient(ClusterAccess(kept, policy)) as client:
        yield client


@pytest.fixture
def shells(client: KubeClient) -> Iterator[Shells]:
    with Shells(client.access) as shells:
        yield shells


@pytest.fixture
def nodes(client: KubeClient, shells: Shells) -> NodeShells:
    return NodeShells(client, shells, image=IMAGE, run_label=RUN)


@pytest.fixture
def lab(client: KubeClient, shells: Shells, nodes: NodeShells) -> ClusterLab:
    return ClusterLab(
        client,
        shells,
        nodes,
        run_label=RUN,
        image=IMAGE,
        cancelled=threading.Event(),
        write=lambda level, message: None,
    )


def test_an_object_that_was_changed_meanwhile_is_not_replaced(client: KubeClient) -> None:
    before = client.get(PROXY)
    client.patch(PROXY, {"data": {"more": "x"}})
    with pytest.raises(ApiRefusedError) as raised:
        client.replace(PROXY, before)
    assert (raised.value.status, raised.value.reason) == (409, "Conflict")
    version = before["metadata"]["resourceVersion"]
    with pytest.raises(ApiRefusedError) as raised:
        client.patch(PROXY, {"metadata": {"resourceVersion": version}, "data": {"more": "y"}})
    assert raised.value.status == 409
    assert client.get(PROXY)["data"]["more"] == "x"


def test_its_lease_is_held_by_one(client: KubeClient, cluster: ScriptedCluster) -> None:
    ClusterLease(client, Holder("one")).acquire()
    with pytest.raises(ClusterBusyError):
        ClusterLease(client, Holder("another")).acquire()
    assert "one" in str(cluster.left())
    ClusterLease(client, Holder("one")).release()
    assert cluster.left() == []


def test_a_switch_is_one_of_every_kernel_and_shows_until_it_is_undone(
    client: KubeClient, cluster: ScriptedCluster, nodes: NodeShells
) -> None:
    site = SwitchContext(client, nodes.everywhere(), lambda: None, lambda step: None)
    modes = SwitcherModeControl(site)
    assert modes.observe(KUBE_PROXY_MODE) == "iptables"
    saved = modes.save(KUBE_PROXY_MODE)
    modes.switch(KUBE_PROXY_MODE, "nftables")
    assert modes.observe(KUBE_PROXY_MODE) == "nftables"
    assert cluster.modes() == {"nftables"}
    assert len(cluster.unrestored()) == 3  # the configuration, and both kernels
    modes.restore(KUBE_PROXY_MODE, saved)
    assert cluster.unrestored() == []
    assert modes.why_not(KUBE_PROXY_MODE, "ipvs") is not None
    assert len(cluster.left()) == 2  # the node shells
    sweep_objects(client, RUN)
    assert cluster.left() == []
    assert cluster.unknown_commands() == []


def test_a_measurement_is_acknowledged_by_the_next_on_its_connection(
    lab: ClusterLab, cluster: ScriptedCluster
) -> None:
    (place,) = lab.start_pods([PodRequest("pm-a", "node-1", Access.POD, ("sleep", "infinity"))])
    outputs = [lab.execute(place, iperf3.argv(OPTIONS), timeout_seconds=10) for _ in range(2)]
    assert all(iperf3.parse(output, OPTIONS).received_bits_per_second > 0 for output in outputs)
    first, second = cluster.measured
    assert (first.acknowledged, second.acknowledged) == (True, False)
    assert (first.run_label, first.modes) == (RUN, {"iptables"})
    assert first.cookie in outputs[0].stdout
    assert second.cookie in outputs[1].stdout


def test_requests_are_answered_by_pods_at_their_addresses_and_behind_a_service(
    lab: ClusterLab, cluster: ScriptedCluster
) -> None:
    """A whole block of the kind: it proves who answered each request."""
    spec = {"kind": "request_latency", "repetition": {"trials": 1, "rounds": 1, "warmup": 0}}
    experiment = resolve(read_spec({"name": "x", **spec}))
    (block,) = plan(experiment)
    with kind_of(experiment).prepared(lab, experiment, block) as prepared:
        reports = [prepared.run_trial(trial) for trial in block.trials]
    assert [one.failure for one in reports] == [None] * 6
    assert {"curl_total_mean", "request_parts"} <= {m.metric for m in reports[0].measurements}
    assert cluster.left() == []
    assert cluster.unknown_commands() == []


#: The smallest block of each kind whose output was captured.
SMALLEST: dict[str, dict[str, Any]] = {
    "throughput": {"axes": {"path": ["pod-pod"], "protocol": ["tcp"], "streams": [8]}},
    "transport": {
        "axes": {"path": ["pod-service-pod"], "qperf_test": ["tcp_bw", "conf"]},
        "parameters": {"tcp_bw_seconds": 1},
    },
    "request_latency": {"axes": {"path": ["pod-service-name", "node-pod"]}},
    "service_scale": {
        "axes": {"services": [10], "target": ["last", "pod"]},
        "parameters": {
            "requests": 2000,
            "keepalive_requests": 2000,
            "latency_requests": 10,
            "concurrency": 10,
            "body_bytes": 9,
        },
    },
    "network_policy": {
        "axes": {"policies": [0, 10], "response_size": ["0.5k"]},
        "parameters": {"requests": 100},
    },
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_measures_the_same_as_on_a_lab_in_memory(
    lab: ClusterLab, cluster: ScriptedCluster, kind: str
) -> None:
    repetition = {"trials": 1, "rounds": 1, "warmup": 0}
    document = {"name": "x", "kind": kind, "repetition": repetition, **SMALLEST[kind]}
    spec = resolve(read_spec(document))
    (block,) = plan(spec)

    def measured(lab: Lab) -> dict[str, set[tuple[str, str]]]:
        found = {}
        with kind_of(spec).prepared(lab, spec, block) as prepared:
            for trial in block.trials:
                report = prepared.run_trial(trial)
                assert report.status is TrialStatus.COUNTED, report.failure
                found[trial.case.key] = {(one.metric, one.subject) for one in report.measurements}
        return found

    assert measured(lab) == measured(FakeLab())
    assert cluster.unknown_commands() == []


def test_a_node_tells_what_it_has_left(nodes: NodeShells) -> None:
    for shell in nodes.everywhere().values():
        room = node_room.parse(shell.run(node_room.ARGV), Access.HOST_ADMIN)
        assert (room.memory_available, room.disk_available) == (50 * 1024, 50 * 4096)
        assert (room.conntrack_entries, room.conntrack_limit) == (50, 100)


@pytest.mark.parametrize(("path", "pods"), [("pod-pod", 4), ("node-node", 4)])
def test_each_pair_of_nodes_is_measured_and_one_that_is_gone_is_told(
    lab: ClusterLab, client: KubeClient, cluster: ScriptedCluster, path: str, pods: int
) -> None:
    document = {
        "name": "pairs",
        "kind": "throughput",
        "axes": {
            "node_pair": ["node-1~node-2", "node-2~node-1", "node-1~node-3"],
            "path": [path],
            "protocol": ["tcp"],
            "streams": [1],
        },
        "repetition": {"trials": 2, "rounds": 1, "warmup": 0, "seconds": 1},
    }
    spec = resolve(read_spec(document))
    (block,) = plan(spec)
    with KINDS["throughput"].prepared(lab, spec, block) as prepared:
        assert len([one for one in cluster.left() if one.startswith("pods ")]) == pods
        for trial in block.trials:
            report, pair = prepared.run_trial(trial), trial.case.text("node_pair")
            placed = prepared.placement(trial.case)
            assert f"{placed.client_node}~{placed.server_node}" == pair
            if "node-3" in pair:
                assert report.failure is not None
                assert Message.of(report.failure.message).code == "no_such_node"
            else:
                assert report.status is TrialStatus.COUNTED, report.failure
    assert cluster.left() == []
    assert cluster.unknown_commands() == []


def test_a_pod_that_is_deleted_ends_its_commands(lab: ClusterLab, client: KubeClient) -> None:
    (place,) = lab.start_pods([PodRequest("pm-a", "node-1", Access.POD, ("sleep", "infinity"))])
    (answer,) = lab.execute_all([Command(place, ("true",))], timeout_seconds=10)
    assert answer.exit_code == 0
    lab.remove_pods([place])
    assert client.find(PODS.path("podmeter", "pm-a")) is None


def test_what_a_killed_api_server_did_may_stay_unanswered(
    client: KubeClient, cluster: ScriptedCluster, loop: Loop
) -> None:
    body = {"metadata": {"name": "made"}, "data": {}}
    cluster._lose_an_answer = True
    with pytest.raises(ApiRefusedError) as raised:
        client.create(CONFIG_MAPS.path("podmeter"), body)
    assert raised.value.reason == "AlreadyExists"
    loop.begin(cluster.kill_api_server(0.3, lose_an_answer=False))
    assert client.get(CONFIG_MAPS.path("podmeter", "made"))["metadata"]["uid"]


def services_of(cluster: ScriptedCluster) -> dict[str, int]:
    """How many ports each Service of the run has; its slice has them too."""
    found = {}
    for service in cluster.store.all_of("v1", "services", "podmeter"):
        name = service["metadata"]["name"]
        key = Key("discovery.k8s.io/v1", "endpointslices", "podmeter", name)
        ports = [port["name"] for port in service["spec"]["ports"]]
        slice_ports = cluster.store.get(key)["ports"]
        assert [port["name"] for port in slice_ports] == ports
        assert {port["port"] for port in slice_ports} == {8080}
        found[name] = len(ports)
    return found


def ladder_spec(**parameters: object) -> ResolvedSpec:
    document = {
        "name": "ports",
        "kind": "service_scale",
        "axes": {"services": [10, 1000], "probe": ["climb"]},
        "parameters": {"ports_per_service": 100, **parameters},
        "repetition": {"trials": 1, "rounds": 1, "warmup": 0},
    }
    return resolve(read_spec(document))


def test_a_ladder_of_service_ports_is_created_counted_and_removed(
    lab: ClusterLab, cluster: ScriptedCluster
) -> None:
    """Growing from a rung that is no multiple adds Services, and exactly so many ports."""
    spec = ladder_spec()
    lower, upper = plan(spec)
    stood, facts = [], {}
    for block in (replace(lower, followed=True), upper):
        with KINDS["service_scale"].prepared(lab, spec, block) as prepared:
            for trial in block.trials:
                report = prepared.run_trial(trial)
                assert report.status is TrialStatus.COUNTED, report.failure
                stood.append(services_of(cluster))
                facts = dict(report.facts)
    low, high = stood
    assert list(low.values()) == [10]
    assert list(high.values()) == [10, *[100] * 9, 90]
    assert (facts["services_created"], facts["service_ports_created"]) == ("10", "990")
    assert facts["iptables_rules"].count("4040") == 2
    assert services_of(cluster) == {}
    sweep_objects(lab._client, RUN)
    assert cluster.left() == []
    assert cluster.unknown_commands() == []


def test_a_ladder_goes_on_from_what_an_earlier_block_left(
    lab: ClusterLab, cluster: ScriptedCluster
) -> None:
    def ladder() -> Ladder:
        client, backend = lab.keep_pods(
            [
                PodRequest(f"pm-{RUN}-client", "node-1", Access.POD, IDLE_ARGV),
                PodRequest(f"pm-{RUN}-backend", "node-2", Access.POD, IDLE_ARGV),
            ]
        )
        hosts = lab.node_shells()
        kernel = observe(lab, hosts, "iptables")
        return Ladder(
            lab,
            [kernel],
            client,
            hosts[0],
            [backend],
            deadline_seconds=10,
            layout=Layout((10, 250), ports_per_service=100),
        )

    first = ladder()
    first.reach(ServiceType.CLUSTER_IP, 10)
    stood = first.services
    # In a later block: the rung stands, and is grown from there.
    later = ladder()
    later.adopt(ServiceType.CLUSTER_IP)
    assert (later.services, later.height) == (stood, 10)
    climb = later.reach(ServiceType.CLUSTER_IP, 250)
    assert climb is not None
    assert (climb.created, climb.ports, climb.services_before) == (3, 240, 1)
    assert list(services_of(cluster).values()) == [10, 100, 100, 40]
    assert later.services[0] == stood[0]
    # One that lost a port is not what was left there: it and what is above it are made again.
    name = later.services[1].name
    path = SERVICES.path("podmeter", name)
    ports = lab._client.get(path)["spec"]["ports"]
    lab._client.patch(path, {"spec": {"ports": ports[:99]}})
    again = ladder()
    again.adopt(ServiceType.CLUSTER_IP)
    assert list(services_of(cluster).values()) == [10]
    again.reach(ServiceType.CLUSTER_IP, 250)
    again.reach(ServiceType.CLUSTER_IP, 10)
    assert list(services_of(cluster).values()) == [10]
    again.remove_all()
    sweep_objects(lab._client, RUN)
    assert cluster.left() == []


def test_policies_cost_what_they_do_in_the_article(
    lab: ClusterLab, cluster: ScriptedCluster
) -> None:
    """A whole block of network_policy: more policies cost more, large answers a smaller share."""
    document = {
        "name": "policies",
        "kind": "network_policy",
        "axes": {
            "policies": [0, 200],
            "response_size": ["0.5k", "1M"],
            "keep_alive": ["off", "on"],
        },
        "parameters": {"requests": 500},
        "repetition": {"trials": 1, "rounds": 1, "warmup": 0},
    }
    spec = resolve(read_spec(document))
    (block,) = plan(spec)
    means: dict[tuple[object, ...], float] = {}
    with KINDS["network_policy"].prepared(lab, spec, block) as prepared:
        for trial in block.trials:
            report = prepared.run_trial(trial)
            assert report.status is TrialStatus.COUNTED, report.failure
            point = dict(trial.case.point)
            if "response_size" in point:
                key = tuple(point[axis] for axis in ("policies", "response_size", "keep_alive"))
                found = {one.metric: one.value for one in report.measurements}
                means[key] = found["request_mean"]
                place = dict(report.facts)["position"]
                assert place == ("201 of 201 policies" if key[0] else place)
        assert cluster.left() != []
    cost = {key[1:]: means[200, *key[1:]] / means[0, *key[1:]] - 1 for key in means if key[0]}
    assert cost["0.5k", "off"] > 0.04
    assert cost["0.5k", "on"] < 0.03
    sweep_objects(lab._client, RUN)
    assert cluster.left() == []
    assert cluster.unknown_commands() == []
