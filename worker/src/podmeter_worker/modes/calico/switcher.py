"""Calico's encapsulation: its IPPools, or the Installation that owns them, and how packets go then.

Felix, calico-node's agent, restarts itself when a pool wraps packets otherwise, writes its routes
again or leaves them to BIRD, and removes vxlan.calico where no pool needs it any more. Pods keep
the MTU that they were born with.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from podmeter.domain.components.calico import CALICO, CALICO_GROUPS, OPERATOR_GROUP, STATUSES
from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import Encapsulation
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.facts.component_state import read_component_state
from podmeter_worker.kube.resources import DAEMON_SETS, Resource
from podmeter_worker.modes import daemon_set, forbidden, kernel, pod_renewal, routes
from podmeter_worker.modes.calico import bgp as calico_bgp
from podmeter_worker.modes.calico import datapath as calico_datapath
from podmeter_worker.modes.calico import pools as calico_pools
from podmeter_worker.modes.calico import settings as calico_settings
from podmeter_worker.modes.switcher import Switcher, read_saved, require
from podmeter_worker.modes.waiting import is_right, wait_until_right

if TYPE_CHECKING:
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.facts.component_state import ComponentState
    from podmeter_worker.kube.resources import Object
    from podmeter_worker.modes.switcher import Saved, SwitchContext

#: Where the operator puts it, and where Calico's own manifest does.
_NAMESPACES, _DAEMON_SET = ("calico-system", "kube-system"), "calico-node"
_STATUSES = Resource(f"{OPERATOR_GROUP}/v1", "tigerastatuses", namespaced=False)
#: Calico's own API server, or its objects as CustomResourceDefinitions.
_V3 = f"/apis/{CALICO_GROUPS[1]}/v3"
#: For the operator to apply its configuration, and for DaemonSets that it rolls out.
_FOLLOW_SECONDS, _ROLL_SECONDS = 180.0, 300.0
#: Until calico-node is ready, BGP's sessions included.
_RESTART_SECONDS = 180.0
#: BIRD and Felix do away with the routes of before in their own time, and write new ones: after a
#: switch there and back one has been seen missing for 94 s.
_EFFECTIVE_SECONDS = 240.0
_MTU_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class _Calico:
    """Calico in a cluster."""

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


class CalicoPoolSwitcher(Switcher):
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

    def why_absent(self, context: SwitchContext) -> str | None:
        """Why Calico's encapsulation cannot be changed here, or None."""
        try:
            calico = _read(context.client)
            why = calico.settings.why_not or calico_pools.why_not(calico.pools, calico.installation)
        except PreconditionError as error:
            return error.said
        if why is not None:
            return why
        if calico.pools.owned and context.client.find(_V3) is None:
            # Without it the operator changes no pool that is there.
            return say("operator_no_api", group=CALICO_GROUPS[1])
        return pod_renewal.why_not(context)

    def values(self, context: SwitchContext) -> dict[str, str | None]:
        """The encapsulations, with why Calico, the nodes or their network cannot carry one."""
        calico = _read(context.client)
        pairs = calico_datapath.pairs(context, calico.pools.networks)
        vxlan, ipip = _why_no_vxlan(context, calico), _why_no_ipip(context, calico)
        crossing = {
            value: calico_datapath.why_no_cross_subnet(pairs, value)
            for value in (Encapsulation.VXLAN_CROSS_SUBNET, Encapsulation.IPIP_CROSS_SUBNET)
        }
        return {
            Encapsulation.NONE: _why_not_unwrapped(context, calico),
            Encapsulation.VXLAN: vxlan,
            Encapsulation.VXLAN_CROSS_SUBNET: vxlan or crossing[Encapsulation.VXLAN_CROSS_SUBNET],
            Encapsulation.IPIP: ipip,
            Encapsulation.IPIP_CROSS_SUBNET: ipip or crossing[Encapsulation.IPIP_CROSS_SUBNET],
        }

    def save(self, context: SwitchContext) -> Saved:
        """The pools' modes as they are written, wherever they are."""
        calico = _read(context.client)
        if why := calico_pools.why_not(calico.pools, calico.installation):
            raise PreconditionError(why)
        return calico_pools.stands(calico.pools, calico.installation).model_dump(mode="json")

    def observe(self, context: SwitchContext) -> str:
        """What the pools say, where packets between all nodes' pods go so.

        Between nodes of one subnet a cross-subnet mode does what `none` does: there it is the
        pools that tell them apart, and pods' MTU.
        """
        calico = _read(context.client)
        value = calico.pools.value
        pairs = calico_datapath.pairs(context, calico.pools.networks)
        if wrong := calico_datapath.why_wrong_route(pairs, value):
            raise PreconditionError(wrong)
        return value

    def component_state(self, context: SwitchContext) -> ComponentState:
        """calico-node's DaemonSet, its pods, the pools and their Installation."""
        calico = _read(context.client)
        names = [pool["metadata"]["name"] for pool in calico.pools.used]
        pools = [calico.pools.resource.path(name=name) for name in names]
        paths = sorted({*calico.pools.paths, *pools})
        return read_component_state(context.client, calico.path, *paths)

    def switch(self, context: SwitchContext, value: str) -> bool:
        """Switch all pools to an encapsulation, and renew the pods."""
        require(self, context, value)
        calico = _read(context.client)
        now = calico_pools.stands(calico.pools, calico.installation)
        return self._apply_mode(context, calico_pools.wanted(now, value), value, force_rollout=True)

    def restore(self, context: SwitchContext, saved: Saved) -> None:
        """Write back the modes that stood before, as they were written."""
        written = read_saved(calico_pools.Written, saved, self.component)
        value = calico_pools.value_of(written)
        if value is None:
            raise PreconditionError(say("saved_unusable", component=self.component))
        self._apply_mode(context, written, value, force_rollout=False)

    def _apply_mode(
        self,
        context: SwitchContext,
        written: calico_pools.Written,
        value: str,
        *,
        force_rollout: bool,
    ) -> bool:
        calico = _read(context.client)
        with forbidden.told_as("calico_not_allowed"):
            changed = calico_pools.write(context.client, calico.pools.resource, written)
        if changed:
            context.progress(say("step_patched"))
        _await_pools(context, calico.pools.resource.group, written, value)
        pairs: tuple[calico_datapath.Pair, ...] = ()
        networks = calico.pools.of(written).networks

        def wrong() -> str | None:
            nonlocal pairs
            pairs = pairs or calico_datapath.pairs(context, networks)
            return calico_datapath.why_wrong_route(pairs, value) or calico_datapath.left(
                context, value, calico.kept
            )

        told = calico.settings.mtu
        wrong_mtus = partial(calico_datapath.wrong_mtus, context, value, told=told)
        running = context.client.get(calico.path)
        for_mtu = False
        if not changed and not force_rollout and is_right(wrong):
            if not wrong_mtus():
                return False
            if pod_renewal.finish(context, running, wrong_mtus, _MTU_SECONDS):
                context.progress(say("step_recreated"))
                return False
            for_mtu = True
        # The operator may roll it out as well, because its configuration changed.
        daemon_set.await_rollout(context, calico.path, _ROLL_SECONDS)
        daemon_set.restart(context, context.client.get(calico.path), seconds=_RESTART_SECONDS)
        if for_mtu:
            context.count_mtu_restart()
        context.progress(say("step_rolled"))
        what = say("wait_calico_mode", value=value)
        wait_until_right(context, what, wrong, _EFFECTIVE_SECONDS)
        context.progress(say("step_effective"))
        pod_renewal.renew(context)
        pod_renewal.await_mtu(context, running, wrong_mtus, _MTU_SECONDS)
        context.progress(say("step_recreated"))
        return changed


def _await_pools(
    context: SwitchContext, group: str, written: calico_pools.Written, value: str
) -> None:
    """Wait until the operator has changed the pools it owns."""

    def look() -> str | None:
        pools = calico_pools.read(context.client, group).of(written)
        wrong = calico_pools.why_unlike(pools, value)
        return wrong and (_degraded(context.client) or wrong)

    wait_until_right(context, say("wait_pools", value=value), look, _FOLLOW_SECONDS)


def _why_no_vxlan(context: SwitchContext, calico: _Calico) -> str | None:
    if calico.settings.host_local:
        return say("calico_host_local")
    off = _why_felix_off(calico, "vxlanEnabled", Encapsulation.VXLAN)
    return off or kernel.why_no_vxlan(context.shells.values())


def _why_no_ipip(context: SwitchContext, calico: _Calico) -> str | None:
    return (
        _why_felix_off(calico, "ipipEnabled", Encapsulation.IPIP)
        or _why_mtu(calico, Encapsulation.VXLAN)
        or calico.settings.why_no_routes(Encapsulation.IPIP)
        or kernel.why_no_ipip(context.shells.values())
    )


def _why_not_unwrapped(context: SwitchContext, calico: _Calico) -> str | None:
    return (
        _why_mtu(calico, Encapsulation.VXLAN)
        or _why_mtu(calico, Encapsulation.IPIP)
        or calico.settings.why_no_routes(Encapsulation.NONE)
        or routes.why_not_direct(context.shells.values())
        or (calico_bgp.why_nobody_routes(context.client, calico.group) if _by_bgp(calico) else None)
    )


def _by_bgp(calico: _Calico) -> bool:
    """Whether it is BGP that tells the nodes each other's pods, and not Felix itself."""
    return "programClusterRoutes" not in calico.settings.told


def _why_felix_off(calico: _Calico, name: str, value: str) -> str | None:
    """Why Felix would not wrap packets so, whatever the pools say."""
    settings = calico.settings
    if settings.felix_decides:
        return None if settings.is_on(name) else say("felix_decides", name=name, value=value)
    return say("felix_off", name=name) if settings.is_off(name) else None


def _why_mtu(calico: _Calico, tunnel: Encapsulation) -> str | None:
    """Why pods would keep the smaller MTU of a tunnel that stands whatever is switched."""
    if pool := calico.pools.kept.get(tunnel):
        return say("pool_keeps_tunnel", pool=pool, tunnel=tunnel)
    name = "ipipEnabled" if tunnel is Encapsulation.IPIP else "vxlanEnabled"
    if not calico.settings.is_on(name):
        return None
    # An older Calico writes that by itself, and does not go by its pools without it.
    code = "felix_keeps_tunnel_itself" if calico.settings.felix_decides else "felix_keeps_tunnel"
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
