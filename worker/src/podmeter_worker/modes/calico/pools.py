"""Where Calico's encapsulation is written: on IPPools, or in the Installation that owns them.

Since its 1.34 (Calico 3.28) the operator holds the IPPools that its Installation lists to what that
says, and labels them as its own: there the Installation is what is changed. Others, and those of an
older operator, which made them once and let them be, are changed themselves.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict

from podmeter.domain.components.calico import CALICO_GROUPS, INSTALLATION, OPERATOR_GROUP
from podmeter.domain.errors import PreconditionError
from podmeter.domain.labels import UNRESTORED_SWITCH
from podmeter.domain.messages import say
from podmeter.domain.modes import Encapsulation
from podmeter_worker.kube.resources import Resource
from podmeter_worker.modes.changes import change
from podmeter_worker.modes.optional_kinds import listed

if TYPE_CHECKING:
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object

INSTALLATIONS = Resource(f"{OPERATOR_GROUP}/v1", "installations", namespaced=False)
#: Who holds a pool to what it says.
_OWNER = ("app.kubernetes.io/managed-by", "tigera-operator")
#: Where Calico's own API server keeps the labels of what is stored as crd.projectcalico.org.
_METADATA = "projectcalico.org/metadata"

Mode = Literal["", "Never", "Always", "CrossSubnet"]
Installed = Literal["", "None", "IPIP", "IPIPCrossSubnet", "VXLAN", "VXLANCrossSubnet"]
#: Encapsulation -> ipipMode, vxlanMode, and what an Installation calls both.
_WRITTEN: dict[str, tuple[Mode, Mode, Installed]] = {
    Encapsulation.NONE: ("Never", "Never", "None"),
    Encapsulation.VXLAN: ("Never", "Always", "VXLAN"),
    Encapsulation.VXLAN_CROSS_SUBNET: ("Never", "CrossSubnet", "VXLANCrossSubnet"),
    Encapsulation.IPIP: ("Always", "Never", "IPIP"),
    Encapsulation.IPIP_CROSS_SUBNET: ("CrossSubnet", "Never", "IPIPCrossSubnet"),
}


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PoolModes(_Part):
    """Both modes of an IPPool as they are written; None where one is not."""

    ipip: Mode | None
    vxlan: Mode | None


class Written(_Part):
    """What is written: modes of pools by their names, encapsulations of an Installation by CIDR."""

    pools: dict[str, PoolModes] = {}
    installation: dict[str, Installed | None] = {}


def resource(group: str) -> Resource:
    """The IPPools of a group."""
    return Resource(f"{group}/{'v1' if group == CALICO_GROUPS[0] else 'v3'}", "ippools", False)


@dataclass(frozen=True, slots=True)
class Pools:
    """The IPv4 pools that pods get their addresses from by themselves, and the other ones."""

    resource: Resource
    used: tuple[Object, ...]
    others: tuple[Object, ...]

    def of(self, written: Written) -> Pools:
        """Those alone that something is written of; others may have come since."""
        ranges = {IPv4Network(one, strict=False) for one in written.installation}
        named = [
            pool
            for pool in (*self.used, *self.others)
            if pool["metadata"]["name"] in written.pools
            or (":" not in pool["spec"]["cidr"] and _range(pool["spec"]) in ranges)
        ]
        others = [pool for pool in (*self.used, *self.others) if pool not in named]
        return Pools(self.resource, tuple(named), tuple(others))

    @property
    def owned(self) -> tuple[Object, ...]:
        """Those that the operator holds to its Installation."""
        return tuple(pool for pool in self.used if _is_owned(pool))

    @property
    def paths(self) -> tuple[str, ...]:
        """The objects that the encapsulation is changed on."""
        free = [pool for pool in self.used if not _is_owned(pool)]
        paths = [self.resource.path(name=pool["metadata"]["name"]) for pool in free]
        return (*([INSTALLATIONS.path(name=INSTALLATION)] if self.owned else []), *paths)

    @property
    def networks(self) -> tuple[IPv4Network, ...]:
        """The ranges of the used ones."""
        return tuple(_range(pool["spec"]) for pool in self.used)

    @property
    def value(self) -> str:
        """The encapsulation that all used ones are set to.

        Raises PreconditionError where they differ: packets would go one way to some pods, another
        to others, and no one mode could be said to be measured.
        """
        encapsulations = {
            pool["metadata"]["name"]: encapsulation(pool["spec"]) for pool in self.used
        }
        if len(set(encapsulations.values())) != 1:
            said = [f"{name}: {value or '?'}" for name, value in sorted(encapsulations.items())]
            raise PreconditionError(say("pools_unlike", pools=said))
        value = next(iter(encapsulations.values()))
        if value is None:
            raise PreconditionError(say("pool_modes_both", pool=next(iter(encapsulations))))
        return value

    @property
    def kept(self) -> dict[str, str]:
        """What pools that are not switched keep wrapping, in each encapsulation: one's name."""
        names: dict[str, str] = {}
        for pool in self.others:
            spec = pool["spec"]
            if ":" in spec["cidr"]:
                continue
            for key, value in (
                ("ipipMode", Encapsulation.IPIP),
                ("vxlanMode", Encapsulation.VXLAN),
            ):
                if spec.get(key, "") not in ("", "Never"):
                    names[value] = pool["metadata"]["name"]
        return names


def read(client: KubeClient, group: str) -> Pools:
    """The current pools. Raises ApiRefusedError."""
    pools = listed(client, resource(group))
    items = sorted(pools, key=lambda pool: str(pool["metadata"]["name"]))
    used = [pool for pool in items if _is_used(pool["spec"])]
    others = [pool for pool in items if not _is_used(pool["spec"])]
    return Pools(resource(group), tuple(used), tuple(others))


def installation(client: KubeClient) -> Object | None:
    """The operator's Installation, if there is one. Raises ApiRefusedError."""
    return client.find(INSTALLATIONS.path(name=INSTALLATION))


def encapsulation(spec: Object) -> str | None:
    """The encapsulation of a pool; None for modes that exclude each other. Unset is Never."""
    ipip, vxlan = (spec.get(key) or "Never" for key in ("ipipMode", "vxlanMode"))
    for value, (of_ipip, of_vxlan, _) in _WRITTEN.items():
        if (of_ipip, of_vxlan) == (ipip, vxlan):
            return value
    return None


def why_not(pools: Pools, installation: Object | None) -> str | None:
    """Why the encapsulation of these cannot be written here, or restored afterwards, or None."""
    if not pools.used:
        return say("no_pools")
    listed = {_range(one): one for one in _listed(installation) if ":" not in one["cidr"]}
    for pool in pools.owned:
        if _range(pool["spec"]) not in listed:
            name = pool["metadata"]["name"]
            return say("pool_not_installed", pool=name, cidr=pool["spec"]["cidr"])
    if any(UNRESTORED_SWITCH in _annotations(one) for one in (*pools.used, installation or {})):
        # Those of which only some are switched yet may differ; what stood is saved.
        return None
    try:
        value = pools.value
    except PreconditionError as error:
        return error.said
    for pool in pools.owned:
        one = listed[_range(pool["spec"])]
        if one.get("encapsulation") != _WRITTEN[value][2]:
            told = one.get("encapsulation") or "?"
            return say("installation_unlike", cidr=one["cidr"], encapsulation=told, mode=value)
    return None


def stands(pools: Pools, installation: Object | None) -> Written:
    """What is written where the encapsulation would be changed."""
    networks = {_range(pool["spec"]) for pool in pools.owned}
    return Written(
        pools={
            pool["metadata"]["name"]: PoolModes(
                ipip=pool["spec"].get("ipipMode"), vxlan=pool["spec"].get("vxlanMode")
            )
            for pool in pools.used
            if not _is_owned(pool)
        },
        installation={
            one["cidr"]: one.get("encapsulation")
            for one in _listed(installation)
            if ":" not in one["cidr"] and _range(one) in networks
        },
    )


def wanted(now: Written, value: str) -> Written:
    """The changes for a value. Settings that already have the same effect are left."""
    ipip, vxlan, installed = _WRITTEN[value]
    modes = PoolModes(ipip=ipip, vxlan=vxlan)
    return Written(
        pools={
            name: one if encapsulation(_modes(one)) == value else modes
            for name, one in now.pools.items()
        },
        installation=dict.fromkeys(now.installation, installed),
    )


def write(client: KubeClient, resource: Resource, written: Written) -> bool:
    """Write it; whether anything was written otherwise. Raises PreconditionError."""
    changed = False
    if written.installation:

        def installed(installation: Object) -> Object | None:
            pools = _with(installation, written.installation)
            same = pools == _listed(installation)
            # The whole list: a merge patch knows no parts of one.
            return None if same else {"spec": {"calicoNetwork": {"ipPools": pools}}}

        path = INSTALLATIONS.path(name=INSTALLATION)
        changed = change(client, path, installed)[1]
    for name, modes in written.pools.items():

        def pooled(pool: Object, modes: PoolModes = modes) -> Object | None:
            spec = _modes(modes)
            same = all(pool["spec"].get(key) == value for key, value in spec.items())
            return None if same else {"spec": spec}

        changed = change(client, resource.path(name=name), pooled)[1] or changed
    return changed


def why_unlike(pools: Pools, value: str) -> str | None:
    """Which of the pools is not set to a value."""
    for pool in pools.used:
        current = encapsulation(pool["spec"])
        if current != value:
            return say("pool_in_mode", pool=pool["metadata"]["name"], mode=current or "?")
    return None


def value_of(written: Written) -> str | None:
    """The encapsulation that is written; None where there is not one alone."""
    names = {installed: value for value, (_, _, installed) in _WRITTEN.items()}
    values: set[str | None] = {names.get(one or "") for one in written.installation.values()}
    values |= {encapsulation(_modes(one)) for one in written.pools.values()}
    return values.pop() if len(values) == 1 else None


def _modes(modes: PoolModes) -> Object:
    return {"ipipMode": modes.ipip, "vxlanMode": modes.vxlan}


def _with(installation: Object, installed: dict[str, Installed | None]) -> list[Object]:
    pools = [dict(one) for one in _listed(installation)]
    if missing := sorted(installed.keys() - {one["cidr"] for one in pools}):
        raise PreconditionError(say("installation_changed", cidrs=missing))
    for one in pools:
        if one["cidr"] in installed:
            one.pop("encapsulation", None)
            if (encapsulation := installed[one["cidr"]]) is not None:
                one["encapsulation"] = encapsulation
    return pools


def _listed(installation: Object | None) -> list[Object]:
    network = ((installation or {}).get("spec") or {}).get("calicoNetwork") or {}
    pools: list[Object] = network.get("ipPools") or []
    return pools


def _is_used(spec: Object) -> bool:
    """Whether pods get addresses from it that did not ask for it by name."""
    uses: Iterable[str] = spec.get("allowedUses") or ("Workload",)
    return (
        ":" not in spec["cidr"]
        and not spec.get("disabled", False)
        and "Workload" in uses
        and spec.get("assignmentMode", "Automatic") != "Manual"
        and (spec.get("nodeSelector") or "").replace(" ", "") != "!all()"
    )


def _annotations(item: Object) -> Object:
    annotations: Object = (item.get("metadata") or {}).get("annotations") or {}
    return annotations


def _is_owned(pool: Object) -> bool:
    metadata = pool["metadata"]
    labels = dict(metadata.get("labels") or {})
    stored = _annotations(pool).get(_METADATA)
    if stored is not None:
        try:
            labels |= json.loads(stored).get("labels") or {}
        except (ValueError, AttributeError, TypeError) as error:
            name = metadata["name"]
            raise PreconditionError(say("pool_unreadable", pool=name, key=_METADATA)) from error
    key, value = _OWNER
    return labels.get(key) == value


def _range(spec: Object) -> IPv4Network:
    return IPv4Network(spec["cidr"], strict=False)
