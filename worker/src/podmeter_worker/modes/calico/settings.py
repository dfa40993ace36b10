"""What else decides how Calico's packets go: calico-node's environment, Felix, the Installation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.components.calico import CALICO_GROUPS, CONFIG
from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import Encapsulation
from podmeter_worker.kube.resources import CONFIG_MAPS, Resource
from podmeter_worker.modes.optional_kinds import listed

if TYPE_CHECKING:
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object

_CONTAINER = "calico-node"
#: The first Calico whose Felix programs IPIP's routes by itself, unless it is told not to.
_FELIX_ROUTES_IPIP = (3, 33)
#: The first Calico whose Felix goes by the pools (release notes of v3.23.0).
_POOLS_DECIDE = (3, 23)
_TRUE = ("true", "1", "yes", "y", "t")


@dataclass(frozen=True, slots=True)
class Settings:
    """Calico's settings, as far as a mode depends on them.

    `told` are Felix's settings that somebody has set, of one node or of all, by their names in
    FelixConfiguration. `mtu` says that somebody has a say in what pods' MTU is.
    """

    backend: str
    datastore: str
    told: dict[str, frozenset[str]]
    dataplane: str
    plugin: str
    host_local: bool
    mtu: bool
    version: tuple[int, int] | None

    def is_on(self, name: str) -> bool:
        """Whether Felix has this switched on by somebody, on any node."""
        return "true" in self.told.get(name, ())

    def is_off(self, name: str) -> bool:
        """Whether Felix has this switched off by somebody, on any node."""
        return "false" in self.told.get(name, ())

    @property
    def felix_decides(self) -> bool:
        """Whether Felix goes by its own settings for what it wraps packets in, not by the pools."""
        return self.version is not None and self.version < _POOLS_DECIDE

    @property
    def why_not(self) -> str | None:
        """Why no encapsulation of pools decides how packets go here, or None."""
        if self.datastore != "kubernetes":
            return say("calico_etcd")
        if self.plugin != "Calico":
            return say("calico_other_plugin", plugin=self.plugin)
        if self.dataplane == "BPF" or self.is_on("bpfEnabled"):
            return say("calico_bpf")
        if self.dataplane not in ("", "Iptables", "Nftables"):
            return say("calico_dataplane", dataplane=self.dataplane)
        if self.is_on("wireguardEnabled"):
            return say("calico_wireguard")
        if self.backend not in ("bird", "vxlan"):
            return say("calico_no_networking", backend=self.backend)
        return None

    def why_no_routes(self, value: str) -> str | None:
        """Why nobody would write the routes of `none` or IPIP: BGP's, unless Felix does."""
        wrapped = value != Encapsulation.NONE
        by_felix = {"Enabled", "EnabledIPIPOnly" if wrapped else "EnabledNoEncapOnly"}
        told = self.told.get("programClusterRoutes")
        if told is not None:
            felix = told <= by_felix
        else:
            felix = wrapped and self.version is not None and self.version >= _FELIX_ROUTES_IPIP
        if self.backend == "bird" or felix:
            return None
        return say("calico_no_bgp", backend=self.backend)


def group(running: Object, client: KubeClient) -> str:
    """The API group whose objects calico-node reads.

    Where nobody told it, the one that there is; where both are, the first (as its operator does).
    """
    told = _environment(running).get("CALICO_API_GROUP", {}).get("value", "")
    if told:
        return str(told).partition("/")[0]
    first, second = CALICO_GROUPS
    return first if client.find(f"/apis/{first}/v1") is not None else second


def read(client: KubeClient, running: Object, group: str, installation: Object | None) -> Settings:
    """All of it. `running` is calico-node's DaemonSet. Raises ApiRefusedError."""
    metadata = running["metadata"]
    environment = _environment(running)
    installed = (installation or {}).get("spec") or {}
    network, cni = installed.get("calicoNetwork") or {}, installed.get("cni") or {}
    path = CONFIG_MAPS.path(metadata["namespace"], CONFIG)
    config = (client.find(path) or {}).get("data") or {}
    image = str(_container(running)["image"])
    told = _told(client, environment, config, group)
    return Settings(
        backend=_value(environment, "CALICO_NETWORKING_BACKEND", config) or "bird",
        datastore=_value(environment, "DATASTORE_TYPE", config) or "etcdv3",
        told=told,
        dataplane=network.get("linuxDataplane") or "",
        plugin=cni.get("type") or "Calico",
        host_local=(cni.get("ipam") or {}).get("type") == "HostLocal"
        or '"host-local"' in config.get("cni_network_config", ""),
        mtu=bool(network.get("mtu"))
        or config.get("veth_mtu", "0") not in ("", "0")
        or "mtuIfacePattern" in told,
        version=_version(image),
    )


def _told(
    client: KubeClient, environment: dict[str, Object], config: Object, group: str
) -> dict[str, frozenset[str]]:
    """What Felix was told; its environment goes before its objects."""
    version = "v1" if group == CALICO_GROUPS[0] else "v3"
    kind = Resource(f"{group}/{version}", "felixconfigurations", namespaced=False)
    specs = [item.get("spec") or {} for item in listed(client, kind)]
    told: dict[str, frozenset[str]] = {}
    for name, variable in (
        ("bpfEnabled", "FELIX_BPFENABLED"),
        ("wireguardEnabled", "FELIX_WIREGUARDENABLED"),
        ("ipipEnabled", "FELIX_IPINIPENABLED"),
        ("vxlanEnabled", "FELIX_VXLANENABLED"),
        ("programClusterRoutes", "FELIX_PROGRAMCLUSTERROUTES"),
        ("mtuIfacePattern", "FELIX_MTUIFACEPATTERN"),
    ):
        if text := _value(environment, variable, config):
            is_switch = variable.endswith("ENABLED")
            told[name] = frozenset({str(text.lower() in _TRUE).lower() if is_switch else text})
        elif found := [spec[name] for spec in specs if spec.get(name) is not None]:
            told[name] = frozenset(
                str(one).lower() if isinstance(one, bool) else str(one) for one in found
            )
    return told


def _container(running: Object) -> Object:
    containers: list[Object] = running["spec"]["template"]["spec"]["containers"]
    return next((one for one in containers if one["name"] == _CONTAINER), containers[0])


def _environment(running: Object) -> dict[str, Object]:
    return {one["name"]: one for one in _container(running).get("env") or []}


def _value(environment: dict[str, Object], name: str, config: Object) -> str:
    """A variable's value, which may stand in the ConfigMap of Calico's own manifest."""
    variable = environment.get(name) or {}
    reference = (variable.get("valueFrom") or {}).get("configMapKeyRef")
    if reference is None:
        return str(variable.get("value") or "")
    if reference.get("name") != CONFIG:
        where = f"{reference.get('name')}/{reference.get('key')}"
        raise PreconditionError(say("calico_told_elsewhere", name=name, where=where))
    return str(config.get(reference.get("key", "")) or "")


def _version(image: str) -> tuple[int, int] | None:
    found = re.search(r":v([0-9]{1,4})\.([0-9]{1,4})\.", image.partition("@")[0])
    return (int(found[1]), int(found[2])) if found else None
