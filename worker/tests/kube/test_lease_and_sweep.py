"""The Lease of a cluster, and removing all that a run left, on a real cluster."""

import contextlib
from collections.abc import Iterator

import pytest

from podmeter.domain.ports import (
    Access,
    IngressPolicy,
    IngressRoute,
    PodRequest,
    ServiceBatch,
    ServiceType,
)
from podmeter.domain.rights import Feature
from podmeter.rbac.capabilities import Capability
from podmeter_testbed.shell import wait_for
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.errors import ClusterBusyError
from podmeter_worker.kube.facts.fingerprint import take_fingerprint
from podmeter_worker.kube.facts.refusals import pod_refusals
from podmeter_worker.kube.facts.rights import missing_rights
from podmeter_worker.kube.lease import ClusterLease, Holder
from podmeter_worker.kube.leftovers import run_labels
from podmeter_worker.kube.node_shells import NodeShells
from podmeter_worker.kube.resources import INGRESS_CLASSES
from podmeter_worker.kube.shells import Shells
from podmeter_worker.kube.sweep import Swept, sweep_objects, sweep_rules

from ..labs import IMAGE, RUN, Written
from ..owners import limit_range

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.timeout(300),
    pytest.mark.usefixtures("nothing_left"),
]

RULE = ("-t", "nat", "{}", "POSTROUTING", "-s", "192.0.2.9/32", "-m", "comment", "--comment")


@pytest.fixture(scope="module")
def others(client: KubeClient) -> Iterator[NodeShells]:
    """Node shells of another run."""
    with Shells(client.access) as shells:
        yield NodeShells(client, shells, image=IMAGE, run_label="others")
    sweep_objects(client, "others")


def rule(action: str, run: str) -> tuple[str, ...]:
    words = tuple(word.format(action) for word in RULE)
    return ("iptables", "-w", *words, f"podmeter/{run}", "-j", "MASQUERADE")


def test_one_run_at_a_time(client: KubeClient) -> None:
    mine, theirs = (ClusterLease(client, Holder(label)) for label in ("mine", "theirs"))
    mine.acquire()
    mine.renew()
    with pytest.raises(ClusterBusyError, match="mine"):
        theirs.acquire()
    theirs.release()
    with pytest.raises(ClusterBusyError):
        theirs.acquire()
    mine.release()
    mine.release()
    theirs.acquire()
    with pytest.raises(ClusterBusyError):
        mine.acquire()
    theirs.release()


def test_a_lease_that_ran_out_is_taken(client: KubeClient) -> None:
    ClusterLease(client, Holder("gone"), seconds=1).acquire()
    heir = ClusterLease(client, Holder("heir"))

    def acquired() -> bool:
        with contextlib.suppress(ClusterBusyError):
            heir.acquire()
            return True
        return False

    wait_for("the Lease to run out", acquired, 60)
    heir.release()


#: Nobody sees to it.
IN_NAME = {
    "apiVersion": INGRESS_CLASSES.version,
    "kind": "IngressClass",
    "metadata": {"name": "in-name"},
    "spec": {"controller": "podmeter.io/none"},
}


@pytest.mark.smoke
def test_all_that_a_run_left_is_removed_and_nothing_else(
    written: Written, client: KubeClient, admin: KubeClient, others: NodeShells
) -> None:
    lab = written.lab
    node, idle = lab.nodes()[0].name, ("sleep", "infinity")
    accesses = (Access.POD, Access.HOST_ADMIN)
    lab.start_pods(
        [PodRequest(f"pm-{RUN}-{n}", node, access, idle) for n, access in enumerate(accesses)]
    )
    names = tuple(f"pm-{RUN}-left-{number}" for number in range(5))
    lab.create_services(ServiceBatch(names, ServiceType.CLUSTER_IP, 80, ("192.0.2.1",), 80))
    server, client_pod = f"pm-{RUN}-0", f"pm-{RUN}-none"
    lab.create_policies([IngressPolicy(f"pm-{RUN}-policy", server, client_pod, 80)])
    admin.create(INGRESS_CLASSES.path(), IN_NAME)
    try:
        lab.create_ingress(
            IngressRoute(
                f"pm-{RUN}-in", f"pm-{RUN}.podmeter.internal", names[0], 80, "in-name", "192.0.2.80"
            )
        )
    finally:
        admin.delete(INGRESS_CLASSES.path(name="in-name"))
    assert RUN in run_labels(client)
    shells = others.everywhere().values()
    for shell in shells:
        for run in (RUN, "others"):
            assert shell.run(rule("-A", run)).exit_code == 0
    try:
        for shell in shells:
            assert sweep_rules(shell.run, RUN) == 1
            assert sweep_rules(shell.run, RUN) == 0
    finally:
        kept = [shell.run(rule("-D", "others")).exit_code for shell in shells]
    assert set(kept) == {0}
    assert sweep_objects(client, RUN) == Swept(2, 5, 5, 1, 1)
    assert sweep_objects(client, RUN) == Swept(0, 0, 0, 0)
    # The node shells are of another run and still there.
    assert all(shell.run(("true",)).exit_code == 0 for shell in shells)


def test_an_element_of_kube_proxys_map_is_swept(others: NodeShells) -> None:
    """The map is made here, so that the test needs no switch to nftables."""
    shell = next(iter(others.everywhere().values()))
    table = ("nft", "list", "table", "ip", "kube-proxy")
    assert shell.run(table).exit_code != 0, "kube-proxy left its table: iptables is what stands"
    made = (
        "add table ip kube-proxy; add map ip kube-proxy service-ips "
        "{ type ipv4_addr . inet_proto . inet_service : verdict; }; "
        "add element ip kube-proxy service-ips { 192.0.2.9 . tcp . 9 "
        f'comment "podmeter/{RUN}" : drop, 192.0.2.8 . tcp . 8 : drop }}'
    )
    try:
        assert shell.run(("nft", made)).exit_code == 0
        rules = sweep_rules(shell.run, RUN)
        left = shell.run(("nft", "list", "map", "ip", "kube-proxy", "service-ips")).stdout
    finally:
        shell.run(("nft", "delete table ip kube-proxy"))
    assert rules == 1
    assert "192.0.2.9" not in left
    assert "192.0.2.8" in left


def test_the_manifest_grants_all_that_is_needed(client: KubeClient) -> None:
    for capability in Capability:
        assert missing_rights(client, capability, tuple(Feature)) == ()
    assert pod_refusals(client, Access, IMAGE) == []


def test_what_the_cluster_would_change_is_known_before_a_pod_is_made(
    client: KubeClient, admin: KubeClient
) -> None:
    with limit_range(admin, {"memory": "64Mi"}):
        (found,) = pod_refusals(client, [Access.POD], IMAGE)
    assert "memory 64Mi" in found.what
    assert found.mend == "remove the default limits from the LimitRange of namespace podmeter"


@pytest.mark.smoke
def test_a_fingerprint_sees_the_nodes_and_leaves_nothing(
    client: KubeClient, others: NodeShells
) -> None:
    # Of another run, so that what the fingerprint itself leaves would be seen.
    seen = take_fingerprint(client, image=IMAGE, run_label=RUN, node_shells=others)
    assert seen.kube_proxy.mode is not None
    assert seen.cni.pod_mtu is not None
    assert seen.cni.encapsulation is not None
    assert seen.tool_versions.keys() >= {"iperf3", "ab", "curl"}
    assert seen.image_digest is not None
    assert all(node.sysctls and node.mtus for node in seen.nodes)
    assert sweep_objects(client, RUN) == Swept(0, 0, 0, 0)
    without = take_fingerprint(client, image=IMAGE, run_label=RUN, node_shells=None)
    assert without.cni.pod_mtu == seen.cni.pod_mtu
    assert without.kube_proxy.mode is None
    assert without.nodes[0].sysctls == {}
