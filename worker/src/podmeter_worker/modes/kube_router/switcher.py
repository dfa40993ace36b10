"""kube-router's overlay: its DaemonSet's arguments, and the ways of packets then.

kube-router reads its arguments once, when its pod is made; its peers tell it their routes anew
then, and it makes or removes its tunnels as they do. Since its second version pods have their
node's MTU with every overlay, so that they are created anew only where that of their bridge is
another than theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from podmeter.domain.components.kube_router import DAEMON_SET, KUBE_ROUTER, NAMESPACE
from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import Encapsulation
from podmeter_worker.kube.facts.standing import take_standing
from podmeter_worker.kube.resources import DAEMON_SETS
from podmeter_worker.modes import daemon_set, forbidden, kernel, pod_renewal, routes
from podmeter_worker.modes.changes import change
from podmeter_worker.modes.kube_router import settings as kube_router_settings
from podmeter_worker.modes.kube_router import ways as kube_router_ways
from podmeter_worker.modes.switcher import require
from podmeter_worker.modes.waiting import is_right, wait_until_right

if TYPE_CHECKING:
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.facts.standing import Standing
    from podmeter_worker.kube.resources import Object
    from podmeter_worker.modes.switcher import Saved, Site

_PATH = DAEMON_SETS.path(NAMESPACE, DAEMON_SET)
#: Until its pods are ready, and until whoever rolls it too is done.
_RESTART_SECONDS, _ROLL_SECONDS = 180.0, 300.0
#: Until BGP's sessions stand again: a peer is tried after 5 to 10 s, time after time.
_EFFECTIVE_SECONDS = 120.0
_MTU_SECONDS = 15.0


class Written(BaseModel):
    """What stood before: the arguments as they were written, None where there were none."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    args: tuple[str, ...] | None


class KubeRouterSwitcher:
    """Switches `encapsulation` where kube-router is the pod network, by its DaemonSet."""

    axis = KUBE_ROUTER.axis
    component = KUBE_ROUTER.name

    def configurations(self, client: KubeClient) -> tuple[str, ...]:
        """Its DaemonSet, unless it only makes policies on another's network."""
        running = client.find(_PATH)
        settings = None if running is None else kube_router_settings.read(running)
        return (_PATH,) if settings is not None and settings.routes else ()

    def why_absent(self, site: Site) -> str | None:
        """Why kube-router's overlay cannot be changed here, or None."""
        try:
            settings = _read(site.client)
        except PreconditionError as error:
            return error.said
        if settings.why_not is not None:
            return settings.why_not
        lacking = sorted(shell.node for shell in site.shells.values() if shell.pods is None)
        return say("no_pod_range", nodes=lacking) if lacking else None

    def values(self, site: Site) -> dict[str, str | None]:
        """The encapsulations, with why the nodes or their network cannot carry one."""
        shells = site.shells.values()
        no_ipip = kernel.why_no_ipip(shells)
        crossing = kube_router_ways.crossing(site)
        return {
            Encapsulation.NONE: routes.why_not_direct(shells),
            Encapsulation.IPIP: no_ipip,
            Encapsulation.IPIP_CROSS_SUBNET: no_ipip
            or kube_router_ways.why_no_cross_subnet(site, crossing),
        }

    def save(self, site: Site) -> Saved:
        """The arguments as they are written."""
        return Written(args=_switchable(site.client).args).model_dump(mode="json")

    def observe(self, site: Site) -> str:
        """What the arguments say, where packets between all nodes go so.

        Between nodes of one subnet the cross-subnet mode does what `none` does: there it is the
        arguments that tell them apart.
        """
        value = _switchable(site.client).value
        crossing = kube_router_ways.crossing(site)
        if wrong := kube_router_ways.wrong_way(site, value, crossing):
            raise PreconditionError(wrong)
        return value

    def standing(self, site: Site) -> Standing:
        """Its DaemonSet and its pods."""
        return take_standing(site.client, _PATH)

    def switch(self, site: Site, value: str) -> bool:
        """Switch to an encapsulation."""
        require(self, site, value)
        return self._go(site, _switchable(site.client).wanted(value), value, anew=True)

    def restore(self, site: Site, saved: Saved) -> None:
        """Write back the arguments that stood before, as they were written."""
        try:
            written = Written.model_validate(saved)
        except ValidationError as error:
            raise PreconditionError(say("saved_unusable", component=self.component)) from error
        args = None if written.args is None else list(written.args)
        settings = kube_router_settings.parse(args)
        if settings.why_not is not None:
            raise PreconditionError(say("saved_unusable", component=self.component))
        self._go(site, written.args, settings.value, anew=False)

    def _go(self, site: Site, args: tuple[str, ...] | None, value: str, *, anew: bool) -> bool:
        with forbidden.told_as("kube_router_not_allowed"):
            changed = _write(site.client, args)
        if changed:
            site.progress(say("step_patched"))
        crossing = kube_router_ways.crossing(site)

        def wrong() -> str | None:
            if _switchable(site.client).value != value:
                return say("kube_router_set_back", name=DAEMON_SET, value=value)
            rolling = daemon_set.why_rolling(site, _PATH)
            return rolling or kube_router_ways.wrong_way(site, value, crossing)

        def settled() -> str | None:
            if told := wrong():
                return told
            kube_router_ways.clear(site, value)
            return kube_router_ways.left(site, value)

        def stands() -> str | None:
            why = wrong() or kube_router_ways.left(site, value)
            return why or kube_router_ways.wrong_mtu(site)

        if not changed and not anew and is_right(stands):
            return False
        daemon_set.await_seen(site, _PATH)
        daemon_set.restart(site, site.client.get(_PATH), seconds=_RESTART_SECONDS)
        # A change of its template rolls it as well.
        daemon_set.await_rollout(site, _PATH, _ROLL_SECONDS)
        site.progress(say("step_rolled"))
        what = say("wait_kube_router_mode", value=value)
        wait_until_right(site, what, settled, _EFFECTIVE_SECONDS)
        site.progress(say("step_effective"))
        _renew(site)
        return changed


def _renew(site: Site) -> None:
    """Create the pods anew, where their bridge has another MTU than they were born with."""
    if kube_router_ways.wrong_mtu(site) is None:
        return
    if why := pod_renewal.why_not(site):
        raise PreconditionError(why)
    pod_renewal.renew(site)
    what = say("wait_pod_mtu")
    wait_until_right(site, what, lambda: kube_router_ways.wrong_mtu(site), _MTU_SECONDS)
    site.progress(say("step_recreated"))


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
