"""Changing kube-proxy's mode and how packets cross nodes by hand, as a cluster's owner would.

Podmeter's own switchers do the same with more care, through the API only; this is what they are
compared with, so it uses none of their code.
"""

from __future__ import annotations

import contextlib
import json
import re
import time
from typing import Any

from podmeter_testbed import machines
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.layout import POD_SUBNET, Layout
from podmeter_testbed.shell import wait_for

FLANNEL_DEVICES = {
    "vxlan": "flannel.1",
    "udp": "flannel0",
    "host-gw": "eth0",
    "ipip": "flannel.ipip",
    "wireguard": "flannel-wg",
}
FLANNEL_MTU = {"vxlan": 1450, "udp": 1472, "host-gw": 1500, "ipip": 1480, "wireguard": 1420}
CILIUM_DEVICES = {"vxlan": "cilium_vxlan", "native": "eth0"}
CILIUM_SETTINGS = {
    "vxlan": {"routing-mode": "tunnel", "tunnel-protocol": "vxlan"},
    "native": {"routing-mode": "native", "auto-direct-node-routes": "true"},
}
#: kube-router's arguments; `full` needs a kernel with IP in IP.
KUBE_ROUTER_ARGUMENTS = {
    "none": ("--enable-overlay=false",),
    "subnet": ("--enable-overlay=true", "--overlay-type=subnet"),
    "full": ("--enable-overlay=true", "--overlay-type=full"),
}
#: What a packet between pods of two nodes may have; the pods themselves have their node's MTU.
KUBE_ROUTER_MTU = {"none": 1500, "subnet": 1500, "full": 1480}
_OVERLAY = ("--enable-overlay", "--overlay-type", "--overlay-encap")
#: What a pod's default route says; its device has 1500 in both.
CILIUM_ROUTE_MTU = {"vxlan": 1450, "native": 1500}
WITHIN = 120.0
#: How long kube-proxy's first sync is waited for until it is restarted, time after time.
FIRST_SYNCS_WITHIN = (10.0, 30.0, 60.0)


class Modes:
    """The modes of a running testbed."""

    def __init__(self, layout: Layout) -> None:
        self.kubectl = Kubectl(layout)
        self.nodes = {name: machines.require(layout, name) for name in layout.nodes}

    def kube_proxy_mode(self, node: str) -> str:
        """What kube-proxy on a node says of itself."""
        try:
            return self.nodes[node].run("curl", "--silent", "127.0.0.1:10249/proxyMode")
        except TestbedError:
            return ""

    def service_rules(self, node: str) -> dict[str, int]:
        """Rules, map elements and virtual servers of Services, by mode, counted in the kernel."""
        saved = self._in_kube_proxy(node, "iptables-save", "--table", "nat")
        listed = ""
        if "table ip kube-proxy" in self._in_kube_proxy(node, "nft", "list", "tables"):
            name = ("ip", "kube-proxy", "service-ips")
            listed = self._in_kube_proxy(node, "nft", "list", "map", *name)
        # A kernel without IPVS has no such file.
        served = self.nodes[node].run("sh", "-c", "cat /proc/net/ip_vs 2>/dev/null || true")
        return {
            "iptables": len(re.findall(r"^-A KUBE-SERVICES .*-j KUBE-SVC-", saved, re.M)),
            "nftables": listed.count(": goto "),
            "ipvs": len(re.findall(r"^(?:TCP|UDP|SCTP) ", served, re.M)),
        }

    def _in_kube_proxy(self, node: str, *argv: str) -> str:
        """Run a command in kube-proxy's pod: its tools read what it wrote, an older nft may not."""
        pods = self._kube_proxy_pods(node)
        alive = [pod["metadata"] for pod in pods if "deletionTimestamp" not in pod["metadata"]]
        if not alive:
            raise TestbedError(f"no kube-proxy runs on {node}")
        words = ("exec", alive[0]["name"], "--", *argv)
        return self.kubectl.run("--namespace", "kube-system", *words)

    def _kube_proxy_pods(self, node: str) -> list[dict[str, Any]]:
        found = self.kubectl.get(
            *("--namespace", "kube-system", "pods", "--selector=k8s-app=kube-proxy"),
            f"--field-selector=spec.nodeName={node},status.phase=Running",
        )
        pods: list[dict[str, Any]] = found["items"]
        return pods

    def set_kube_proxy_mode(self, mode: str, rolled_within: float = WITHIN) -> None:
        """Change the ConfigMap and roll the DaemonSet; returns when all nodes have the mode."""
        config = self._config("kube-system", "kube-proxy")
        text = re.sub(r"(?m)^mode: .*$", f'mode: "{mode}"', config["config.conf"])
        self._patch("kube-system", "kube-proxy", {"config.conf": text})
        self._roll("kube-system", "kube-proxy", rolled_within)
        for node in self.nodes:
            self._wait_until_served(node, mode)

    def _wait_until_served(self, node: str, mode: str) -> None:
        """Return once the kernel of a node holds the mode's rules and no other's.

        Raises TestbedError with kube-proxy's own words where it ends each time it is started.
        """
        what = f"kube-proxy on {node} to be in mode {mode}"
        with contextlib.suppress(TestbedError):
            wait_for(what, lambda: self._serves(node, mode), FIRST_SYNCS_WITHIN[0])
            return
        for seconds in (*FIRST_SYNCS_WITHIN[1:], WITHIN):
            # kube-proxy 1.34 does not repeat a first sync that failed, as it does when kube-router
            # changes the same table at that moment; its owner would restart it.
            selector = ("--selector=k8s-app=kube-proxy", f"--field-selector=spec.nodeName={node}")
            self.kubectl.run("--namespace", "kube-system", "delete", "pod", *selector)
            deadline = time.monotonic() + seconds
            while time.monotonic() < deadline:
                if self._serves(node, mode):
                    return
                if said := self._last_words(node):
                    raise TestbedError(f"kube-proxy on {node} ends in mode {mode}: {said}")
                time.sleep(0.1)
        raise TestbedError(f"waited in vain for {what}")

    def _last_words(self, node: str) -> str:
        """What kube-proxy said last, where it ended more than once; else nothing."""
        for pod in self._kube_proxy_pods(node):
            for container in pod["status"].get("containerStatuses", ()):
                if container["state"].get("waiting", {}).get("reason") == "CrashLoopBackOff":
                    words = ("logs", pod["metadata"]["name"], "--tail=5")
                    with contextlib.suppress(TestbedError):  # it is being replaced
                        return self.kubectl.run("--namespace", "kube-system", *words)
        return ""

    def _serves(self, node: str, mode: str) -> bool:
        try:
            rules = self.service_rules(node)
        except TestbedError:  # its pod is being replaced
            return False
        others = sum(count for name, count in rules.items() if name != mode)
        return self.kube_proxy_mode(node) == mode and rules[mode] > 0 and others == 0

    def path_to(self, node: str, pod_address: str) -> tuple[str, int]:
        """Device and MTU that a packet from `node` to another node's pod takes, by the kernel."""
        machine = self.nodes[node]
        (route,) = json.loads(machine.run("ip", "-json", "route", "get", pod_address))
        (link,) = json.loads(machine.run("ip", "-json", "link", "show", route["dev"]))
        return route["dev"], int(route.get("metrics", [{}])[0].get("mtu", link["mtu"]))

    def set_flannel_backend(self, backend: str) -> None:
        """Change the ConfigMap, roll the DaemonSet, remove what the old backend left."""
        config = self._config("kube-flannel", "kube-flannel-cfg")
        network = json.loads(config["net-conf.json"])
        network["Backend"] = {"Type": backend}
        self._patch("kube-flannel", "kube-flannel-cfg", {"net-conf.json": json.dumps(network)})
        self._roll("kube-flannel", "kube-flannel-ds")
        # An old route is longer than the new one and would still carry the traffic; the host-gw
        # backend would have reverted it every 10 s.
        for machine in self.nodes.values():
            self._remove_leftovers(machine, FLANNEL_DEVICES[backend])
        for node in self.nodes:
            wait_for(
                f"flannel on {node} to use {FLANNEL_DEVICES[backend]}",
                lambda node=node: self._routed_by(node, backend),  # type: ignore[misc]
                WITHIN,
            )

    def _remove_leftovers(self, machine: machines.Machine, used: str) -> None:
        machine.run(
            *("sh", "-c"),
            "for device in flannel.1 flannel0 flannel.ipip flannel-wg; do "
            '  [ $device = "$1" ] || ! ip link show $device >/dev/null 2>&1 || '
            "  ip link delete $device; done; "
            f"ip route show root {POD_SUBNET} | grep ' via ' | grep -v \" dev $1 \" | "
            "while read -r route; do ip route delete $route; done; true",
            *("sh", used),
        )

    def _routed_by(self, node: str, backend: str) -> bool:
        machine = self.nodes[node]
        other = next(name for name in self.nodes if name != node)
        subnet = self.kubectl.get("node", other)["spec"]["podCIDR"]
        address = subnet.replace(".0/24", ".200")
        try:
            # Before the routes flannel writes this; pods made earlier have the old backend's MTU.
            written = machine.run("cat", "/run/flannel/subnet.env")
            # While there is no route to the pods, the default one looks like host-gw's.
            (entry,) = json.loads(machine.run("ip", "-json", "route", "get", "fibmatch", address))
            path = self.path_to(node, address)
        except TestbedError:
            return False
        mtu = FLANNEL_MTU[backend]
        own = f"FLANNEL_MTU={mtu}" in written.split() and entry["dst"] != "default"
        return own and path == (FLANNEL_DEVICES[backend], mtu)

    def set_cilium_routing(self, mode: str) -> None:
        """Change the ConfigMap and roll the DaemonSet; returns when all nodes do so."""
        settings = {"auto-direct-node-routes": "false", **CILIUM_SETTINGS[mode]}
        self._patch("kube-system", "cilium-config", settings)
        self._roll("kube-system", "cilium")
        for node in self.nodes:
            what = f"Cilium on {node} to use {CILIUM_DEVICES[mode]}"
            wait_for(what, lambda node=node: self.cilium_uses(node) == mode, WITHIN)  # type: ignore[misc]

    def cilium_uses(self, node: str) -> str | None:
        """What Cilium's devices and a node's routes say; None while they say two things."""
        links = json.loads(self.nodes[node].run("ip", "-json", "link"))
        tunnel = CILIUM_DEVICES["vxlan"] in {link["ifname"] for link in links}
        other = next(name for name in self.nodes if name != node)
        subnet = self.kubectl.get("node", other)["spec"]["podCIDR"]
        (route,) = json.loads(self.nodes[node].run("ip", "-json", "route", "show", subnet)) or [{}]
        direct = route.get("dev") == CILIUM_DEVICES["native"] and "gateway" in route
        if not route or direct == tunnel:
            return None
        return "native" if direct else "vxlan"

    def set_kube_router_overlay(self, mode: str) -> None:
        """Change the DaemonSet's arguments; returns when all nodes' packets go so.

        Raises TestbedError for `full` where the nodes' kernel has no IP in IP.
        """
        if mode == "full" and not all(map(self._has_ipip, self.nodes)):
            raise TestbedError(
                "the kernel of the nodes has no IP in IP, which kube-router's overlay full is made "
                "of; `make testbed-up CNI=kube-router KERNEL=uml` starts a kernel that has it"
            )
        words = ("--namespace", "kube-system")
        found = self.kubectl.get(*words, "daemonset", "kube-router")
        (container,) = found["spec"]["template"]["spec"]["containers"]
        kept = [one for one in container["args"] if one.partition("=")[0] not in _OVERLAY]
        changed = [{"name": container["name"], "args": [*kept, *KUBE_ROUTER_ARGUMENTS[mode]]}]
        patch = {"spec": {"template": {"spec": {"containers": changed}}}}
        self.kubectl.run(*words, "patch", "daemonset/kube-router", "--patch", json.dumps(patch))
        self._await_rollout("kube-system", "kube-router", WITHIN)
        for node in self.nodes:
            what = f"kube-router on {node} to have overlay {mode}"
            wait_for(what, lambda node=node: self.kube_router_uses(node) == mode, WITHIN)  # type: ignore[misc]

    def _has_ipip(self, node: str) -> bool:
        return "ipip" in self.nodes[node].run("ls", "/sys/module").split()

    def kube_router_uses(self, node: str) -> str | None:
        """What a node's rules and routes say; None while BGP has brought none yet."""
        machine = self.nodes[node]
        own, other = (
            self.kubectl.get("node", name)["spec"]["podCIDR"]
            for name in (node, next(name for name in self.nodes if name != node))
        )
        routes = json.loads(machine.run("ip", "-json", "route", "show", other)) or [{}]
        if len(routes) != 1 or "dev" not in routes[0]:
            return None
        if routes[0]["dev"].startswith("tun-"):
            return "full"
        # Where nodes are in one subnet, an overlay between subnets shows in a rule alone.
        return "subnet" if f"from {own} " in machine.run("ip", "rule", "show") else "none"

    def _config(self, namespace: str, name: str) -> dict[str, str]:
        data: dict[str, str] = self.kubectl.get("--namespace", namespace, "configmap", name)["data"]
        return data

    def _patch(self, namespace: str, name: str, data: dict[str, str]) -> None:
        patch: dict[str, Any] = {"data": data}
        words = ("configmap", name, "--patch", json.dumps(patch))
        self.kubectl.run("--namespace", namespace, "patch", *words)

    def _roll(self, namespace: str, daemon_set: str, within: float = WITHIN) -> None:
        words = ("--namespace", namespace, "rollout", "restart", f"daemonset/{daemon_set}")
        self.kubectl.run(*words)
        self._await_rollout(namespace, daemon_set, within)

    def _await_rollout(self, namespace: str, daemon_set: str, within: float) -> None:
        words = ("rollout", "status", f"daemonset/{daemon_set}", f"--timeout={within:.0f}s")
        self.kubectl.run(
            *("--namespace", namespace, *words),
            timeout=within + 5,
        )
