"""IPVS switched to and from, where the kernel has it: each kernel's own word after every step."""

import re

import pytest

from podmeter.domain.modes import KUBE_PROXY_MODE, KubeProxyMode
from podmeter.domain.ports import CommandOutput
from podmeter.drivers.netfilter import ipvs
from podmeter.drivers.reading import succeeded
from podmeter_testbed.shell import wait_for
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.facts.fingerprint import take_fingerprint
from podmeter_worker.kube.node_shells import NodeShell, NodeShells
from podmeter_worker.kube.resources import CONFIG_MAPS, SERVICES, Object
from podmeter_worker.modes.control import SwitcherModeControl
from podmeter_worker.modes.switcher import SwitchContext

from ..labs import IMAGE, RUN
from .contexts import Open
from .interruptions import KilledError, killed_at

pytestmark = [pytest.mark.cluster, pytest.mark.kernel("uml"), pytest.mark.timeout(1800)]

AXIS = KUBE_PROXY_MODE
IPTABLES, IPVS, NFTABLES = KubeProxyMode.IPTABLES, KubeProxyMode.IPVS, KubeProxyMode.NFTABLES
#: So many that kube-proxy, which starts a process for each entry of a set, is met at it.
MANY = 60
#: Every mode after every other one, and back.
TOUR = (IPVS, IPTABLES, NFTABLES, IPVS, NFTABLES, IPTABLES, IPVS)


def said(shell: NodeShell, *argv: str) -> str:
    return succeeded(argv[0], shell.run(argv))


def held(shell: NodeShell) -> dict[str, int]:
    """What a node's kernel holds of each mode, counted without the product's own drivers."""
    rules = said(shell, "iptables-save", "-t", "nat")
    tables = said(shell, "nft", "list", "tables")
    virtual = re.findall(r"^(?:TCP|UDP|SCTP) ", said(shell, "cat", "/proc/net/ip_vs"), re.M)
    devices = said(shell, "ls", "/sys/class/net").split()
    return {
        IPTABLES: len(re.findall(r"^:KUBE-SVC-", rules, re.M)),
        NFTABLES: len(re.findall(r"^table ip6? kube-proxy$", tables, re.M)),
        IPVS: len(virtual),
        "kube-ipvs0": devices.count("kube-ipvs0"),
    }


def service_ports(admin: KubeClient) -> int:
    """How many virtual servers the Services ask for: one for each address, port and protocol."""
    found = 0
    for service in admin.list_all(SERVICES.path()).items:
        ports = service["spec"]["ports"]
        addresses = [one for one in service["spec"].get("clusterIPs", ()) if one != "None"]
        found += len(ports) * len(addresses)
    return found


def assert_alone(context: SwitchContext, mode: str, admin: KubeClient) -> None:
    """The kernel of every node holds this mode's rules, and nothing of another mode."""
    for shell in context.shells.values():
        counts = held(shell)
        assert counts.pop(mode) > 0
        assert counts.pop("kube-ipvs0") == (mode == IPVS)
        assert set(counts.values()) == {0}, f"{shell.node} kept rules of another mode: {counts}"
        if mode == IPVS:
            virtual, real = ipvs.parse_sizes(shell.run(ipvs.LIST_ARGV))
            assert virtual == held(shell)[IPVS] == service_ports(admin)
            assert real >= 1
        answers(shell, admin)


def answers(shell: NodeShell, admin: KubeClient) -> None:
    """The API server's Service is reached from the node through the rules that stand."""
    service: Object = admin.get(SERVICES.path("default", "kubernetes"))
    url = f"https://{service['spec']['clusterIP']}/healthz"
    # It knows nobody here, and that is its answer.
    argv = ("curl", "-sk", "--max-time", "10", "-o", "/dev/null", "-w", "%{http_code}", url)
    wait_for(
        f"the API server's Service to answer {shell.node}",
        lambda: shell.run(argv).stdout in ("401", "403"),
        90,
    )


def configuration(admin: KubeClient) -> str:
    return str(admin.get(CONFIG_MAPS.path("kube-system", "kube-proxy"))["data"]["config.conf"])


def test_this_kernel_carries_every_mode(stood: str, open_here: Open) -> None:
    modes = SwitcherModeControl(open_here())
    assert {mode: modes.why_not(AXIS, mode) for mode in KubeProxyMode} == dict.fromkeys(
        KubeProxyMode
    )


def test_every_mode_after_every_other(stood: str, open_here: Open, admin: KubeClient) -> None:
    before = configuration(admin)
    context = open_here()
    modes = SwitcherModeControl(context)
    saved = modes.save(AXIS)
    for mode in TOUR:
        modes.switch(AXIS, mode)
        assert modes.observe(AXIS) == mode
        assert_alone(context, mode, admin)
    modes.restore(AXIS, saved)
    assert modes.observe(AXIS) == stood
    assert_alone(context, stood, admin)
    assert configuration(admin) == before


@pytest.mark.parametrize("step", ["patched", "paused", "cleaned", "rolled", "effective"])
@pytest.mark.parametrize("start", [IPTABLES, IPVS])
def test_a_switch_is_undone_wherever_it_was_interrupted(
    stood: str, open_here: Open, admin: KubeClient, start: str, step: str
) -> None:
    """To IPVS and from it, interrupted right after each step."""

    context = open_here()
    if start != stood:
        SwitcherModeControl(context).switch(AXIS, start)
    before = configuration(admin)
    saved = SwitcherModeControl(context).save(AXIS)
    with pytest.raises(KilledError):
        SwitcherModeControl(open_here(killed_at(step))).switch(
            AXIS, NFTABLES if start == IPVS else IPVS
        )
    context = open_here()
    SwitcherModeControl(context).restore(AXIS, saved)
    assert SwitcherModeControl(context).observe(AXIS) == start
    assert_alone(context, start, admin)
    assert configuration(admin) == before


def test_a_real_server_is_added_and_deleted_and_the_settings_are_recorded(
    stood: str, open_here: Open, admin: KubeClient, client: KubeClient, node_shells: NodeShells
) -> None:
    """What an experiment measures of IPVS, and what its environment says of it."""
    context = open_here()
    modes = SwitcherModeControl(context)
    saved = modes.save(AXIS)
    modes.switch(AXIS, IPVS)
    service: Object = admin.get(SERVICES.path("default", "kubernetes"))
    address, port = service["spec"]["clusterIP"], service["spec"]["ports"][0]["port"]
    for shell in context.shells.values():
        before = ipvs.parse_sizes(shell.run(ipvs.LIST_ARGV))
        output: CommandOutput = shell.run(ipvs.change_argv(address, port, 20))
        succeeded("ipvsadm", output)
        assert ipvs.parse_sizes(shell.run(ipvs.LIST_ARGV)) == before
        lines = said(shell, "ipvsadm", "-S", "-n").splitlines()
        assert f"-A -t {address}:{port} -s rr" in [line.strip() for line in lines]
    seen = take_fingerprint(client, image=IMAGE, run_label=RUN, node_shells=node_shells)
    assert seen.kube_proxy.mode == IPVS
    assert seen.kube_proxy.ipvs_scheduler == "rr"
    for node in seen.nodes:
        assert node.hypervisor == "User Mode Linux"
        assert node.sysctls["net.ipv4.vs.conn_reuse_mode"] in ("0", "1")
        assert node.sysctls["net.ipv4.vs.conntrack"] == "1"
    modes.restore(AXIS, saved)
    assert modes.observe(AXIS) == stood
    # kube-proxy leaves what it set for its virtual servers, of which there are none any more.
    after = take_fingerprint(client, image=IMAGE, run_label=RUN, node_shells=node_shells)
    for node in after.nodes:
        assert not [name for name in node.sysctls if name.startswith("net.ipv4.vs.")]


def test_a_service_is_held_once_kube_proxys_sets_have_it(
    stood: str, open_here: Open, admin: KubeClient
) -> None:
    """And it is gone once neither they nor the virtual servers have it."""
    context = open_here()
    modes = SwitcherModeControl(context)
    saved = modes.save(AXIS)
    modes.switch(AXIS, IPVS)
    spec = {"ports": [{"port": 80}]}
    try:
        made = [
            admin.create(
                SERVICES.path("default"),
                {"metadata": {"name": f"held-{number}", "labels": {"app": "held"}}, "spec": spec},
            )
            for number in range(MANY)
        ]
        addresses = {one["spec"]["clusterIP"] for one in made}
        assert_held(context, addresses, (MANY, 0))
        for shell in context.shells.values():
            assert {f"{one},tcp:80" for one in addresses} <= entries(shell, "KUBE-CLUSTER-IP")
            assert addresses <= entries(shell, "KUBE-IPVS-IPS")
    finally:
        admin.delete_all(SERVICES.path("default"), "app=held")
    assert_held(context, addresses, (0, 0))
    for shell in context.shells.values():
        assert not addresses & entries(shell, "KUBE-IPVS-IPS")
        servers = said(shell, "ipvsadm", "-S", "-n").split()
        assert not {f"{one}:80" for one in addresses} & set(servers)
    modes.restore(AXIS, saved)


def assert_held(context: SwitchContext, addresses: set[str], wanted: tuple[int, int]) -> None:
    expected = [(address, 80, None) for address in addresses]
    for shell in context.shells.values():
        wait_for(
            f"{shell.node} to hold {wanted} of {len(addresses)} Services",
            lambda one=shell: ipvs.parse_held(one.run(ipvs.HELD_ARGV), expected) == wanted,  # type: ignore[misc]
            120,
        )


def entries(shell: NodeShell, name: str) -> set[str]:
    """A set's entries, by the tool's own list."""
    return set(said(shell, "ipset", "list", name).partition("Members:\n")[2].split())
