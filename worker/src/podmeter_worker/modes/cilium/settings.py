"""What Cilium's ConfigMap says of how packets cross nodes, in the words of either generation.

Until 1.13 `tunnel` says it (vxlan, geneve, disabled), since 1.14 `routing-mode` and
`tunnel-protocol` do; 1.14 still takes `tunnel`, 1.15 knows it no more. Direct routes to other
nodes' pods are `auto-direct-node-routes` in both, with which an agent that wraps packets ends.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import TYPE_CHECKING

from podmeter.domain.components.cilium import (
    DIRECT_ROUTES,
    KEYS,
    NATIVE_CIDR,
    ROUTING_MODE,
    TUNNEL,
    TUNNEL_PROTOCOL,
)
from podmeter.domain.messages import say
from podmeter.domain.modes import Encapsulation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from podmeter_worker.kube.resources import Object

_TRUE = ("true", "1", "t")
#: The version that `tunnel` was replaced in, and that which does not know it.
_REPLACED, _REMOVED = (1, 14), (1, 15)
_TUNNELS = (Encapsulation.VXLAN, Encapsulation.GENEVE)
#: Where pods' addresses come from when each node has a range of its own, as direct routes take.
_BY_RANGES = ("kubernetes", "cluster-pool", "cluster-pool-v2beta")
#: What gives some packets a tunnel in native routing too.
_KEEPING = ("enable-ipv4-egress-gateway", "enable-egress-gateway", "enable-high-scale-ipcache")
_BIG_TCP = ("enable-ipv4-big-tcp", "enable-ipv6-big-tcp")


@dataclass(frozen=True, slots=True)
class Settings:
    """The ConfigMap's settings; the version of the agent that reads them, if its image tells."""

    told: Mapping[str, str]
    version: tuple[int, int] | None

    def text(self, key: str, otherwise: str = "") -> str:
        """A setting as it is written."""
        return self.told.get(key) or otherwise

    def is_on(self, key: str, *, otherwise: bool = False) -> bool:
        """Whether a switch is on."""
        text = self.told.get(key)
        return text.lower() in _TRUE if text else otherwise

    @property
    def is_old(self) -> bool:
        """Whether it is `tunnel` that says how packets cross nodes."""
        if self.version is not None and self.version < _REPLACED:
            return True
        if self.version is not None and self.version >= _REMOVED:
            return False
        return TUNNEL in self.told and ROUTING_MODE not in self.told

    @property
    def value(self) -> str | None:
        """The encapsulation that is set; None for a word that Cilium does not know."""
        if self.is_old:
            tunnel = self.text(TUNNEL, Encapsulation.VXLAN)
        elif self.text(ROUTING_MODE, "tunnel") == "tunnel":
            tunnel = self.text(TUNNEL_PROTOCOL, Encapsulation.VXLAN)
        else:
            tunnel = "disabled" if self.text(ROUTING_MODE) == "native" else ""
        return Encapsulation.NATIVE if tunnel == "disabled" else _tunnel(tunnel)

    @property
    def by_ranges_of_nodes(self) -> bool:
        """Whether each node's pods have addresses of the range that Kubernetes gave the node."""
        return self.text("ipam") == "kubernetes"

    def saved(self) -> dict[str, str | None]:
        """All that a switch may change, as it is written."""
        return {key: self.told.get(key) for key in KEYS}

    def wanted(self, value: str) -> dict[str, str]:
        """What is to be written for a value; nothing where that is said already."""
        native = value == Encapsulation.NATIVE
        wanted: dict[str, str] = {}
        if self.value != value:
            if self.is_old:
                wanted[TUNNEL] = "disabled" if native else value
            else:
                wanted[ROUTING_MODE] = "native" if native else "tunnel"
                if not native:
                    wanted[TUNNEL_PROTOCOL] = value
        if self.is_on(DIRECT_ROUTES) != native:
            wanted[DIRECT_ROUTES] = str(native).lower()
        if native and self._wants_cidr and not self.text(NATIVE_CIDR):
            wanted[NATIVE_CIDR] = self.pool or ""
        return wanted

    @property
    def pool(self) -> str | None:
        """The one range that Cilium's own pool gives nodes theirs from, if there is one."""
        ranges = re.split(r"[\s,]+", self.text("cluster-pool-ipv4-cidr").strip())
        pooled = self.text("ipam", "cluster-pool").startswith("cluster-pool")
        return ranges[0] if pooled and len(ranges) == 1 and ranges[0] else None

    @property
    def cidr(self) -> IPv4Network | None:
        """The range to which addresses are not translated in native routing; None for no say.

        Raises ValueError for what is no range.
        """
        text = self.text(NATIVE_CIDR) or (self.pool if self._wants_cidr else None)
        return IPv4Network(text, strict=False) if text else None

    @property
    def _wants_cidr(self) -> bool:
        """Whether an agent that routes natively ends without that range (its option/config.go)."""
        masquerades = self.is_on("enable-ipv4-masquerade", otherwise=True)
        return masquerades and not self.is_on("enable-ip-masq-agent")

    @property
    def why_not(self) -> str | None:
        """Why these settings alone do not decide how packets go here, or None."""
        if (ipam := self.text("ipam", "cluster-pool")) not in _BY_RANGES:
            return say("cilium_ipam", ipam=ipam)
        if not self.is_on("enable-ipv4", otherwise=True):
            return say("cilium_no_ipv4")
        if (chained := self.text("cni-chaining-mode", "none")) not in ("none", "portmap"):
            return say("cilium_chained", mode=chained)
        if self.text("cluster-id", "0") != "0":
            return say("cilium_mesh", id=self.text("cluster-id"))
        for key in ("enable-ipsec", "enable-wireguard", "enable-ztunnel"):
            if self.is_on(key):
                return say("cilium_encrypted", key=key)
        for key in _KEEPING:
            if self.is_on(key):
                return say("cilium_keeps_tunnel", key=key)
        if self._dsr and self.text("bpf-lb-dsr-dispatch") == "geneve":
            return say("cilium_keeps_tunnel", key="bpf-lb-dsr-dispatch")
        if self.version == _REPLACED and {TUNNEL, ROUTING_MODE} <= self.told.keys():
            return say("cilium_both", keys=[TUNNEL, ROUTING_MODE])
        if self.value is None:
            keys = [TUNNEL] if self.is_old else [ROUTING_MODE, TUNNEL_PROTOCOL]
            said = [f"{key}: {self.text(key)}" for key in keys if key in self.told]
            return say("cilium_unknown", settings=said)
        if self.value == Encapsulation.NATIVE and not self.is_on(DIRECT_ROUTES):
            return say("cilium_routed_elsewhere", key=DIRECT_ROUTES)
        return None

    def why_no_tunnel(self, value: str) -> str | None:
        """Why an agent with these settings would end that wraps packets in this, or None."""
        for key in ("install-no-conntrack-iptables-rules", "local-router-ipv4"):
            if self.is_on(key) or (key == "local-router-ipv4" and self.text(key)):
                return say("cilium_native_alone", key=key)
        for key in _BIG_TCP:
            if self.is_on(key) and not self.is_on("enable-tunnel-big-tcp"):
                return say("cilium_native_alone", key=key)
        if self._dsr:
            return say("cilium_native_alone", key="bpf-lb-mode")
        if self.is_on("enable-vtep") and value != Encapsulation.VXLAN:
            return say("cilium_vxlan_alone", key="enable-vtep")
        return None

    @property
    def why_not_native(self) -> str | None:
        """Why an agent with these settings would end that routes natively, or None."""
        if self.is_on("enable-vtep"):
            return say("cilium_vxlan_alone", key="enable-vtep")
        try:
            cidr = self.cidr
        except ValueError:
            return say("cilium_cidr_unreadable", key=NATIVE_CIDR, text=self.text(NATIVE_CIDR))
        if cidr is None and self._wants_cidr:
            return say("cilium_no_cidr", key=NATIVE_CIDR)
        six = "ipv6-native-routing-cidr"
        masquerades = self.is_on("enable-ipv6-masquerade", otherwise=True)
        translates = masquerades and not self.is_on("enable-ip-masq-agent")
        if self.is_on("enable-ipv6") and translates and not self.text(six):
            return say("cilium_no_cidr", key=six)
        return None

    @property
    def _dsr(self) -> bool:
        """Whether Cilium answers for Services past the node that was asked."""
        serves = self.text("kube-proxy-replacement", "false") not in ("false", "disabled")
        serves = serves or self.is_on("enable-node-port")
        return serves and self.text("bpf-lb-mode", "snat") != "snat"


def _tunnel(text: str) -> str | None:
    return text if text in _TUNNELS else None


def read(config: Object, running: Object) -> Settings:
    """The settings of a ConfigMap, and the version of the agents of a DaemonSet."""
    told = {str(key): str(text) for key, text in (config.get("data") or {}).items()}
    return Settings(told, _version(str(agent(running)["image"])))


def agent(running: Object) -> Object:
    """The container of the agent."""
    containers: list[Object] = running["spec"]["template"]["spec"]["containers"]
    return next((one for one in containers if one["name"] == "cilium-agent"), containers[0])


def told_by_flags(running: Object) -> str | None:
    """What the agent is told of this past its ConfigMap: a flag or a variable's name."""
    container = agent(running)
    words = [*(container.get("command") or []), *(container.get("args") or [])]
    for key in KEYS:
        if any(re.search(rf"(^|\s)--{key}(=|\s|$)", str(word)) for word in words):
            return f"--{key}"
        variable = f"CILIUM_{key.upper().replace('-', '_')}"
        if any(one["name"] == variable for one in container.get("env") or []):
            return variable
    return None


def _version(image: str) -> tuple[int, int] | None:
    found = re.search(r":v?([0-9]{1,4})\.([0-9]{1,4})(\.|$)", image.partition("@")[0])
    return (int(found[1]), int(found[2])) if found else None
