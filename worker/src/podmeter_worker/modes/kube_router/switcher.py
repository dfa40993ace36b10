"""kube-router's overlay: its DaemonSet's arguments, and the ways of packets then.

kube-router reads its arguments once, when its pod starts; its peers announce their routes again
then, and it makes or removes its tunnels as they do. Since its second version pods have their
node's MTU with every overlay, so that they are recreated only where that of their bridge is
another than theirs.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from podmeter.domain.components.kube_router import DAEMON_SET, KUBE_ROUTER, NAMESPACE
from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import Encapsulation
from podmeter_worker.kube.facts.component_state import read_component_state
from podmeter_worker.kube.resources import DAEMON_SETS
from podmeter_worker.modes import daemon_set, forbidden, kernel, pod_renewal, routes
from podmeter_worker.modes.changes import change
from podmeter_worker.modes.kube_router import datapath as kube_router_datapath
from podmeter_worker.modes.kube_router import settings as kube_router_settings
from podmeter_worker.modes.switcher import Switcher, read_saved, require
from podmeter_worker.modes.waiting import is_right, wait_until_right

if TYPE_CHECKING:
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.facts.component_state import ComponentState
    from podmeter_worker.kube.resources import Object
    from podmeter_worker.modes.switcher import Saved, SwitchContext

_PATH = DAEMON_SETS.path(NAMESPACE, DAEMON_SET)
#: Until its pods are ready, and any other rollout is done.
_RESTART_SECONDS, _ROLL_SECONDS = 180.0, 300.0
#: Until BGP's sessions stand again: a peer is tried after 5 to 10 s, time after time.
_EFFECTIVE_SECONDS = 120.0
_MTU_SECONDS = 15.0


class Written(BaseModel):
    """What stood before: the arguments as they were written, None where there were none."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    args: tuple[str, ...] | None


class KubeRouterSwitcher(Switcher):
    """Switches `encapsulation` where kube-router is the pod network, by its DaemonSet."""

    axis = KUBE_ROUTER.axis
    component = KUBE_ROUTER.name

    def configurations(self, client: KubeClient) -> tuple[str, ...]:
        """Its DaemonSet, unless it only makes policies on another's network."""
        running = client.find(_PATH)
        settings = None if running is None else kube_router_settings.read(running)
        return (_PATH,) if settings is not None and settings.routes else ()

    def why_absent(self, context: SwitchContext) -> str | None:
        """Why kube-router's overlay cannot be changed here, or None."""
        try:
            settings = _read(context.client)
        except PreconditionError as error:
            return error.said
        if settings.why_not is not None:
            return settings.why_not
        lacking = sorted(shell.node for shell in context.shells.values() if shell.pods is None)
        return say("no_pod_range", nodes=lacking) if lacking else None

    def values(self, context: SwitchContext) -> dict[str, str | None]:
        """The encapsulations, with why the nodes or their network cannot carry one."""
        shells = context.shells.values()
        no_ipip = kernel.why_no_ipip(shells)
        crossing = kube_router_datapath.crossing(context)
        return {
            Encapsulation.NONE: routes.why_not_direct(shells),
            Encapsulation.IPIP: no_ipip,
            Encapsulation.IPIP_CROSS_SUBNET: no_ipip
            or kube_router_datapath.why_no_cross_subnet(context, crossing),
        }

    def save(self, context: SwitchContext) -> Saved:
        """The arguments as they are written."""
        return Written(args=_switchable(context.client).args).model_dump(mode="json")

    def observe(self, context: SwitchContext) -> str:
        """What the arguments say, where packets between all nodes go so.

        Between nodes of one subnet the cross-subnet mode does what `none` does: there it is the
        arguments that tell them apart.
        """
        value = _switchable(context.client).value
        crossing = kube_router_datapath.crossing(context)
        if wrong := kube_router_datapath.why_wrong_route(context, value, crossing):
            raise PreconditionError(wrong)
        return value

    def component_state(self, context: SwitchContext) -> ComponentState:
        """Its DaemonSet and its pods."""
        return read_component_state(context.client, _PATH)

    def switch(self, context: SwitchContext, value: str) -> bool:
        """Switch to an encapsulation."""
        require(self, context, value)
        return self._apply_mode(
            context, _switchable(context.client).wanted(value), value, force_rollout=True
        )

    def restore(self, context: SwitchContext, saved: Saved) -> None:
        """Write back the arguments that stood before, as they were written."""
        written = read_saved(Written, saved, self.component)
        args = None if written.args is None else list(written.args)
        settings = kube_router_settings.parse(args)
        if settings.why_not is not None:
            raise PreconditionError(say("saved_unusable", component=self.component))
        self._apply_mode(context, written.args, settings.value, force_rollout=False)

    def _apply_mode(
        self,
        context: SwitchContext,
        args: tuple[str, ...] | None,
        value: str,
        *,
        force_rollout: bool,
    ) -> bool:
        with forbidden.told_as("kube_router_not_allowed"):
            changed = _write(context.client, args)
        if changed:
            context.progress(say("step_patched"))
        crossing = kube_router_datapath.crossing(context)

        def wrong() -> str | None:
            if _switchable(context.client).value != value:
                return say("kube_router_set_back", name=DAEMON_SET, value=value)
            rolling = daemon_set.why_rolling(context, _PATH)
            return rolling or kube_router_datapath.why_wrong_route(context, value, crossing)

        def settled() -> str | None:
            if told := wrong():
                return told
            kube_router_datapath.clear(context, value)
            return kube_router_datapath.left(context, value)

        def stands() -> str | None:
            return wrong() or kube_router_datapath.left(context, value)

        wrong_mtus = partial(kube_router_datapath.wrong_mtus, context)
        for_mtu = False
        if not changed and not force_rollout and is_right(stands):
            if not wrong_mtus():
                return False
            if pod_renewal.finish(context, context.client.get(_PATH), wrong_mtus, _MTU_SECONDS):
                context.progress(say("step_recreated"))
                return False
            for_mtu = True
        daemon_set.await_seen(context, _PATH)
        daemon_set.restart(context, context.client.get(_PATH), seconds=_RESTART_SECONDS)
        if for_mtu:
            context.count_mtu_restart()
        # A change of its template rolls it as well.
        daemon_set.await_rollout(context, _PATH, _ROLL_SECONDS)
        context.progress(say("step_rolled"))
        what = say("wait_kube_router_mode", value=value)
        wait_until_right(context, what, settled, _EFFECTIVE_SECONDS)
        context.progress(say("step_effective"))
        _renew(context)
        return changed


def _renew(context: SwitchContext) -> None:
    """Recreate the pods whose bridge has another MTU than when they were created."""
    wrong_mtus = partial(kube_router_datapath.wrong_mtus, context)
    if not wrong_mtus():
        return
    if why := pod_renewal.why_not(context):
        raise PreconditionError(why)
    pod_renewal.renew(context)
    pod_renewal.await_mtu(context, context.client.get(_PATH), wrong_mtus, _MTU_SECONDS)
    context.progress(say("step_recreated"))


def _write(client: KubeClient, args: tuple[str, ...] | None) -> bool:
    def patch(found: Object) -> Object | None:
        containers = found["spec"]["template"]["spec"]["containers"]
        made = [_told(one, args) if one["name"] == DAEMON_SET else one for one in containers]
        if made == containers:
            return None
        return {"spec": {"template": {"spec": {"containers": made}}}}

    return change(client, _PATH, patch)[1]


def _told(container: Object, args: tuple[str, ...] | None) -> Object:
    others = {key: value for key, value in container.items() if key != "args"}
    return others if args is None else {**others, "args": list(args)}


def _read(client: KubeClient) -> kube_router_settings.Settings:
    """Raises PreconditionError where there is none of its manifests' DaemonSet."""
    running = client.find(_PATH)
    settings = None if running is None else kube_router_settings.read(running)
    if settings is None:
        raise PreconditionError(_elsewhere(client))
    return settings


def _switchable(client: KubeClient) -> kube_router_settings.Settings:
    """Raises PreconditionError also where its arguments do not decide how packets go."""
    settings = _read(client)
    if settings.why_not is not None:
        raise PreconditionError(settings.why_not)
    return settings


def _elsewhere(client: KubeClient) -> str:
    for item in client.list_all(DAEMON_SETS.path()).items:
        where = f"{item['metadata']['namespace']}/{item['metadata']['name']}"
        containers = item["spec"]["template"]["spec"]["containers"]
        if any("kube-router" in one["image"].rpartition("/")[2] for one in containers):
            return say("kube_router_elsewhere", where=where)
    return say("kube_router_absent", name=DAEMON_SET)
