"""Calico's encapsulation: its IPPools, or the Installation that owns them, and how packets go then.

Felix, calico-node's agent, restarts itself when a pool wraps packets otherwise, writes its routes
anew or leaves them to BIRD, and removes vxlan.calico where no pool needs it any more. Pods keep the
MTU that they were born with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from podmeter.domain.components.calico import CALICO, CALICO_GROUPS, OPERATOR_GROUP, STATUSES
from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import Encapsulation
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.facts.standing import take_standing
from podmeter_worker.kube.resources import DAEMON_SETS, Resource
from podmeter_worker.modes import daemon_set, forbidden, kernel, pod_renewal, routes
from podmeter_worker.modes.calico import bgp as calico_bgp
from podmeter_worker.modes.calico import pools as calico_pools
from podmeter_worker.modes.calico import settings as calico_settings
from podmeter_worker.modes.calico import ways as calico_ways
from podmeter_worker.modes.switcher import require
from podmeter_worker.modes.waiting import is_right, wait_until_right

if TYPE_CHECKING:
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.facts.standing import Standing
    from podmeter_worker.kube.resources import Object
    from podmeter_worker.modes.switcher import Saved, Site

#: Where the operator puts it, and where Calico's own manifest does.
_NAMESPACES, _DAEMON_SET = ("calico-system", "kube-system"), "calico-node"
_STATUSES = Resource(f"{OPERATOR_GROUP}/v1", "tigerastatuses", namespaced=False)
#: Calico's own API server, or its objects as CustomResourceDefinitions.
_V3 = f"/apis/{CALICO_GROUPS[1]}/v3"
#: For the operator to take over what it was told, and for DaemonSets that it rolls.
_FOLLOW_SECONDS, _ROLL_SECONDS = 180.0, 300.0
#: Until calico-node is ready, BGP's sessions included.
_RESTART_SECONDS = 180.0
#: BIRD and Felix do away with the routes of before in their own time, and write new ones: after a
#: switch there and back one has been seen missing for 94 s.
_EFFECTIVE_SECONDS = 240.0
_MTU_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class _Calico:
    """Calico as it stands in a cluster."""

    path: str
    group: str
    pools: calico_pools.Pools
    installation: Object | None
    settings: calico_settings.Settings

    @property
    def kept(self) -> frozenset[str]:
        """What is wrapped in, or could be, whatever the pools that are switched say."""
        told = {Encapsulation.IPIP: "ipipEnabled", Encapsulation.VXLAN: "vxlanEnabled"}
        on = {value for value, name in told.items() if self.settings.is_on(name)}
        return frozenset({*on, *self.pools.kept})


class CalicoPoolSwitcher:
    """Switches `encapsulation` where Calico is the pod network, by its operator or its manifest."""

    axis = CALICO.axis
    component = CALICO.name

    def configurations(self, client: KubeClient) -> tuple[str, ...]:
        """The Installation where that owns the pools, the pools themselves where nobody does."""
        path = daemon_set.found_in(client, _NAMESPACES, _DAEMON_SET)
        if path is None:
            return ()
        group = calico_settings.group(client.get(path), client)
        return calico_pools.read(client, group).paths

    def why_absent(self, site: Site) -> str | None:
        """Why Calico's encapsulation cannot be changed here, or None."""
        if daemon_set.found_in(site.client, _NAMESPACES, _DAEMON_SET) is None:
            return _elsewhere(site.client)
        try:
            found = _read(site.client)
            why = found.settings.why_not or calico_pools.why_not(found.pools, found.installation)
        except PreconditionError as error:
            return error.said
        if why is not None:
            return why
        if found.pools.owned and site.client.find(_V3) is None:
            # Without it the operator changes no pool that is there.
            return say("operator_no_api", group=CALICO_GROUPS[1])
        return pod_renewal.why_not(site)

    def values(self, site: Site) -> dict[str, str | None]:
        """The encapsulations, with why Calico, the nodes or their network cannot carry one."""
        found = _read(site.client)
        pairs = calico_ways.pairs(site, found.pools.networks)
        vxlan, ipip = _why_no_vxlan(site, found), _why_no_ipip(site, found)
        crossing = {
            value: calico_ways.why_no_cross_subnet(pairs, value)
            for value in (Encapsulation.VXLAN_CROSS_SUBNET, Encapsulation.IPIP_CROSS_SUBNET)
        }
        return {
            Encapsulation.NONE: _why_not_unwrapped(site, found),
            Encapsulation.VXLAN: vxlan,
            Encapsulation.VXLAN_CROSS_SUBNET: vxlan or crossing[Encapsulation.VXLAN_CROSS_SUBNET],
            Encapsulation.IPIP: ipip,
            Encapsulation.IPIP_CROSS_SUBNET: ipip or crossing[Encapsulation.IPIP_CROSS_SUBNET],
        }

    def save(self, site: Site) -> Saved:
        """The pools' modes as they are written, wherever they are."""
        found = _read(site.client)
        return calico_pools.stands(found.pools, found.installation).model_dump(mode="json")

    def observe(self, site: Site) -> str:
        """What the pools say, where packets between all nodes' pods go so.

        Between nodes of one subnet a cross-subnet mode does what `none` does: there it is the
        pools that tell them apart, and pods' MTU.
        """
        found = _read(site.client)
        value = found.pools.value
        pairs = calico_ways.pairs(site, found.pools.networks)
        if wrong := calico_ways.wrong_way(pairs, value):
            raise PreconditionError(wrong)
        return value

    def standing(self, site: Site) -> Standing:
        """calico-node's DaemonSet, its pods, the pools and their Installation."""
        found = _read(site.client)
        names = [pool["metadata"]["name"] for pool in found.pools.used]
        pools = [found.pools.resource.path(name=name) for name in names]
        paths = sorted({*found.pools.paths, *pools})
        return take_standing(site.client, found.path, *paths)

    def switch(self, site: Site, value: str) -> bool:
        """Switch all pools to an encapsulation, and renew the pods."""
        require(self, site, value)
        found = _read(site.client)
        now = calico_pools.stands(found.pools, found.installation)
        return self._go(site, calico_pools.wanted(now, value), value, anew=True)

    def restore(self, site: Site, saved: Saved) -> None:
        """Write back the modes that stood before, as they were written."""
        try:
            written = calico_pools.Written.model_validate(saved)
        except ValidationError as error:
            raise PreconditionError(say("saved_unusable", component=self.component)) from error
        value = calico_pools.value_of(written)
        if value is None:
            raise PreconditionError(say("saved_unusable", component=self.component))
        self._go(site, written, value, anew=False)

    def _go(self, site: Site, written: calico_pools.Written, value: str, *, anew: bool) -> bool:
        found = _read(site.client)
        with forbidden.told_as("calico_not_allowed"):
            changed = calico_pools.write(site.client, found.pools.resource, written)
        if changed:
            site.progress(say("step_patched"))
        _await_pools(site, found.pools.resource.group, written, value)
        pairs: tuple[calico_ways.Pair, ...] = ()
        networks = found.pools.of(written).networks

        def wrong() -> str | None:
            nonlocal pairs
            pairs = pairs or calico_ways.pairs(site, networks)
            return calico_ways.wrong_way(pairs, value) or calico_ways.left(site, value, found.kept)

        def wrong_mtu() -> str | None:
            return calico_ways.wrong_mtu(site, value, told=found.settings.mtu)

        if not changed and not anew and is_right(lambda: wrong() or wrong_mtu()):
            return False
        # The operator may roll it as well, at what it was told.
        daemon_set.await_rollout(site, found.path, _ROLL_SECONDS)
        daemon_set.restart(site, site.client.get(found.path), seconds=_RESTART_SECONDS)
        site.progress(say("step_rolled"))
        what = say("wait_calico_mode", value=value)
        wait_until_right(site, what, wrong, _EFFECTIVE_SECONDS)
        site.progress(say("step_effective"))
        pod_renewal.renew(site)
        wait_until_right(site, say("wait_pod_mtu"), wrong_mtu, _MTU_SECONDS)
        site.progress(say("step_recreated"))
        return changed


def _await_pools(site: Site, group: str, written: calico_pools.Written, value: str) -> None:
    """Wait until the operator has changed the pools it owns."""

    def look() -> str | None:
        pools = calico_pools.read(site.client, group).of(written)
        wrong = calico_pools.why_unlike(pools, value)
        return wrong and (_degraded(site.client) or wrong)

    wait_until_right(site, say("wait_pools", value=value), look, _FOLLOW_SECONDS)


def _why_no_vxlan(site: Site, found: _Calico) -> str | None:
    if found.settings.host_local:
        return say("calico_host_local")
    off = _why_felix_off(found, "vxlanEnabled", Encapsulation.VXLAN)
    return off or kernel.why_no_vxlan(site.shells.values())


def _why_no_ipip(site: Site, found: _Calico) -> str | None:
    return (
        _why_felix_off(found, "ipipEnabled", Encapsulation.IPIP)
        or _why_mtu(found, Encapsulation.VXLAN)
        or found.settings.why_no_routes(Encapsulation.IPIP)
        or kernel.why_no_ipip(site.shells.values())
    )


def _why_not_unwrapped(site: Site, found: _Calico) -> str | None:
    return (
        _why_mtu(found, Encapsulation.VXLAN)
        or _why_mtu(found, Encapsulation.IPIP)
        or found.settings.why_no_routes(Encapsulation.NONE)
        or routes.why_not_direct(site.shells.values())
        or (calico_bgp.why_nobody_routes(site.client, found.group) if _by_bgp(found) else None)
    )


def _by_bgp(found: _Calico) -> bool:
    """Whether it is BGP that tells the nodes each other's pods, and not Felix itself."""
    return "programClusterRoutes" not in found.settings.told


def _why_felix_off(found: _Calico, name: str, value: str) -> str | None:
    """Why Felix would not wrap packets so, whatever the pools say."""
    settings = found.settings
    if settings.felix_decides:
        return None if settings.is_on(name) else say("felix_decides", name=name, value=value)
    return say("felix_off", name=name) if settings.is_off(name) else None


def _why_mtu(found: _Calico, tunnel: Encapsulation) -> str | None:
    """Why pods would keep the smaller MTU of a tunnel that stands whatever is switched."""
    if pool := found.pools.kept.get(tunnel):
        return say("pool_keeps_tunnel", pool=pool, tunnel=tunnel)
    name = "ipipEnabled" if tunnel is Encapsulation.IPIP else "vxlanEnabled"
    if not found.settings.is_on(name):
        return None
    # An older Calico writes that by itself, and does not go by its pools without it.
    code = "felix_keeps_tunnel_itself" if found.settings.felix_decides else "felix_keeps_tunnel"
    return say(code, name=name)


def _degraded(client: KubeClient) -> str | None:
    """What the operator complains of, if it does and that may be read."""
    for name in STATUSES:
        try:
            status = client.find(_STATUSES.path(name=name)) or {}
        except ApiRefusedError:
            continue
        for one in status.get("status", {}).get("conditions") or []:
            if (one.get("type"), one.get("status")) == ("Degraded", "True"):
                return say("operator_degraded", name=name, said=str(one.get("message") or ""))
    return None


def _read(client: KubeClient) -> _Calico:
    path = daemon_set.found_in(client, _NAMESPACES, _DAEMON_SET)
    if path is None:
        raise PreconditionError(_elsewhere(client))
    running = client.get(path)
    with forbidden.told_as("calico_not_allowed"):
        group = calico_settings.group(running, client)
        installation = calico_pools.installation(client)
        return _Calico(
            path,
            group,
            calico_pools.read(client, group),
            installation,
            calico_settings.read(client, running, group, installation),
        )


def _elsewhere(client: KubeClient) -> str:
    for item in client.list_all(DAEMON_SETS.path()).items:
        where = f"{item['metadata']['namespace']}/{item['metadata']['name']}"
        if item["metadata"]["name"] == "canal":
            return say("calico_canal", where=where)
        containers = item["spec"]["template"]["spec"]["containers"]
        if any(one["name"] == _DAEMON_SET for one in containers):
            return say("calico_elsewhere", where=where)
    return say("calico_absent", name=_DAEMON_SET)
