import pytest

from podmeter.domain.comparability import Comparability, Judgement, judge
from podmeter.domain.fingerprint import (
    USER_MODE_LINUX,
    CniFacts,
    Fingerprint,
    KubeProxyFacts,
    NodeFacts,
    Placement,
    flatten,
)
from podmeter.kinds.registry import KINDS


def node(name, **changed):
    facts = {
        "kernel": "6.12.41",
        "os": "Debian GNU/Linux 13",
        "architecture": "amd64",
        "cpu_count": 2,
        "memory_bytes": 4 << 30,
        "mtus": {"eth0": 1500, "cni0": 1450, "flannel.1": 1450},
        "sysctls": {"net.ipv4.tcp_rmem": "4096 131072 6291456"},
    }
    return NodeFacts(name=name, **(facts | changed))


def fingerprint(nodes=None, cni=None, proxy=None, **changed):
    facts = {
        "cluster_uid": "c-1",
        "kubernetes_version": "v1.34.4",
        "shared_host": False,
        "placement": Placement(client_node="n1", server_node="n2"),
        "tool_versions": {"iperf3": "3.18"},
    } | changed
    return Fingerprint(
        nodes=nodes or (node("n1"), node("n2")),
        cni=CniFacts(
            **({"name": "flannel", "encapsulation": "vxlan", "pod_mtu": 1450} | (cni or {}))
        ),
        kube_proxy=KubeProxyFacts(**({"mode": "iptables"} | (proxy or {}))),
        **facts,
    )


#: Of all kinds: the shared ones, and what a kind's own say of where the ends sit.
AXES = {axis.name: axis for kind in KINDS.values() for axis in kind.axes}


def judged_on(baseline, contender, *axes):
    return judge(baseline, contender, [AXES[axis] for axis in axes])


def verdict(contender, *axes):
    return judged_on(fingerprint(), contender, *axes).comparability


def unexplained(judged: Judgement) -> list[str]:
    return [difference.field for difference in judged.differences if difference.axis is None]


def test_the_same_environment_is_comparable_and_nothing_differs():
    assert judge(fingerprint(), fingerprint(), ()).differences == ()
    assert verdict(fingerprint()) is Comparability.COMPARABLE


def test_the_order_of_nodes_does_not_matter():
    assert verdict(fingerprint(nodes=(node("n2"), node("n1")))) is Comparability.COMPARABLE


@pytest.mark.parametrize(
    ("contender", "field"),
    [
        (fingerprint(nodes=(node("n1", kernel="6.1"), node("n2"))), "nodes.n1.kernel"),
        (fingerprint(nodes=(node("n1"), node("n2", mtus={"eth0": 9000}))), "nodes.n2.mtus.eth0"),
        (
            fingerprint(nodes=(node("n1"), node("n2", shaping={"eth0": "tbf 1000 Mbit/s"}))),
            "nodes.n2.shaping.eth0",
        ),
        (fingerprint(kubernetes_version="v1.33.0"), "kubernetes_version"),
        (fingerprint(tool_versions={"iperf3": "3.17"}), "tool_versions.iperf3"),
        (fingerprint(image_digest="sha256:1"), "image_digest"),
        (fingerprint(shared_host=True), "shared_host"),
        (
            fingerprint(placement=Placement(client_node="n2", server_node="n1")),
            "placement.client_node",
        ),
        (fingerprint(cni={"encapsulation": "host-gw"}), "cni.encapsulation"),
        (fingerprint(proxy={"mode": "nftables"}), "kube_proxy.mode"),
    ],
)
def test_any_other_difference_is_named_and_refused(contender, field):
    judged = judge(fingerprint(), contender, ())
    assert judged.comparability is Comparability.REFUSED
    assert field in unexplained(judged)


def test_what_follows_from_the_compared_axis_may_differ():
    host_gw = fingerprint(
        cni={"encapsulation": "host-gw", "pod_mtu": 1500},
        nodes=tuple(node(n, mtus={"eth0": 1500, "cni0": 1500}) for n in ("n1", "n2")),
    )
    judged = judged_on(fingerprint(), host_gw, "encapsulation")
    assert judged.comparability is Comparability.COMPARABLE
    assert {difference.axis for difference in judged.differences} == {"encapsulation"}
    assert verdict(host_gw, "kube_proxy_mode") is Comparability.REFUSED


def test_an_axis_explains_only_its_own_fields():
    contender = fingerprint(
        proxy={"mode": "nftables"}, nodes=(node("n1", kernel="6.1"), node("n2"))
    )
    judged = judged_on(fingerprint(), contender, "kube_proxy_mode")
    assert judged.comparability is Comparability.REFUSED
    assert unexplained(judged) == ["nodes.n1.kernel"]


def with_ipvs_settings(mode, conntrack):
    sysctls = {"net.core.somaxconn": "4096", "net.ipv4.vs.conntrack": conntrack}
    return fingerprint(nodes=(node("n1", sysctls=sysctls),), proxy={"mode": mode})


@pytest.mark.parametrize("mode", ["iptables", "nftables"])
def test_settings_of_ipvs_are_of_no_matter_where_another_mode_serves(mode):
    """Its kube-proxy leaves them so: the second round of a run is as the first one."""
    judged = judge(with_ipvs_settings(mode, "0"), with_ipvs_settings(mode, "1"), ())
    assert judged == Judgement(Comparability.COMPARABLE, ())


@pytest.mark.parametrize("mode", ["ipvs", None])
def test_settings_of_ipvs_count_where_it_serves_or_may(mode):
    judged = judge(with_ipvs_settings(mode, "0"), with_ipvs_settings(mode, "1"), ())
    assert judged.comparability is Comparability.REFUSED
    assert unexplained(judged) == ["nodes.n1.sysctls.net.ipv4.vs.conntrack"]


def test_settings_of_ipvs_follow_from_its_mode():
    baseline, contender = with_ipvs_settings("iptables", "0"), with_ipvs_settings("ipvs", "1")
    judged = judged_on(baseline, contender, "kube_proxy_mode")
    assert judged.comparability is Comparability.COMPARABLE


def test_the_mtu_of_the_physical_device_never_follows_from_a_mode():
    contender = fingerprint(nodes=tuple(node(n, mtus={"eth0": 9000}) for n in ("n1", "n2")))
    assert verdict(contender, "encapsulation", "kube_proxy_mode", "path") is Comparability.REFUSED


def test_other_clusters_are_confounded_unless_they_are_alike():
    other = fingerprint(cluster_uid="c-2")
    assert verdict(other) is Comparability.REFUSED
    assert verdict(other, "cluster") is Comparability.COMPARABLE
    newer = fingerprint(cluster_uid="c-2", kubernetes_version="v1.35.0")
    judged = judged_on(fingerprint(), newer, "cluster")
    assert judged.comparability is Comparability.CONFOUNDED
    assert unexplained(judged) == ["kubernetes_version"]


def test_a_kernel_that_is_a_process_is_compared_with_its_like_alone():
    """Not even beside everything else that differs: its calls take many times as long."""

    def on(uid, hypervisor, **changed):
        nodes = tuple(node(name, hypervisor=hypervisor, **changed) for name in ("n1", "n2"))
        return fingerprint(cluster_uid=uid, nodes=nodes)

    of_a_machine = on("c-1", "unknown")
    of_a_process = on("c-2", USER_MODE_LINUX, cpu_count=1, cpu_model="UML")
    for pair in ((of_a_machine, of_a_process), (of_a_process, of_a_machine)):
        judged = judged_on(*pair, "cluster")
        assert judged.comparability is Comparability.REFUSED
        assert "nodes.n1.hypervisor" in unexplained(judged)
    alike = on("c-3", USER_MODE_LINUX, cpu_count=1, cpu_model="UML")
    assert judged_on(of_a_process, alike, "cluster").comparability is Comparability.COMPARABLE
    newer = on("c-3", USER_MODE_LINUX, cpu_count=1, cpu_model="UML", kernel="7.2")
    assert judged_on(of_a_process, newer, "cluster").comparability is Comparability.CONFOUNDED


def test_unknown_equals_only_unknown():
    assert (
        verdict(fingerprint(nodes=(node("n1", hypervisor="kvm"), node("n2"))))
        is Comparability.REFUSED
    )


def test_patterns_name_fields_that_exist():
    patterns = [one for axis in AXES.values() for one in (*axis.follows, *axis.absent_with)]
    roots = {pattern.split(".")[0] for pattern in patterns}
    assert roots <= {field.split(".")[0] for field in flatten(fingerprint())}


def test_a_mode_without_an_iptables_backend_explains_its_absence_and_no_other_backend():
    def of(mode, backend):
        nodes = (node("n1", iptables_backend=backend), node("n2", iptables_backend=backend))
        return fingerprint(nodes=nodes, proxy={"mode": mode})

    iptables, nftables = of("iptables", "nft"), of("nftables", None)
    axis = "kube_proxy_mode"
    assert judged_on(iptables, nftables, axis).comparability is Comparability.COMPARABLE
    assert judged_on(nftables, iptables, axis).comparability is Comparability.COMPARABLE
    assert judge(iptables, of("iptables", None), ()).comparability is Comparability.REFUSED
    assert judged_on(iptables, of("ipvs", "legacy"), axis).comparability is Comparability.REFUSED
