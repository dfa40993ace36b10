"""Toynet's wrapping: its ConfigMap, its DaemonSet, and the ways of packets then."""

from __future__ import annotations

from core.tests.toynet.component import CONFIG, DAEMON_SET, DEVICE, KEY, NAMESPACE, TOY, TOYNET

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import Encapsulation
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.facts.standing import Standing, take_standing
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS
from podmeter_worker.modes import daemon_set, kernel, routes
from podmeter_worker.modes.changes import rewrite
from podmeter_worker.modes.switcher import Saved, Site, Switcher, require
from podmeter_worker.modes.waiting import is_right, wait_until_right

_RUNNING = DAEMON_SETS.path(NAMESPACE, DAEMON_SET)
_CONFIGURED = CONFIG_MAPS.path(NAMESPACE, CONFIG)
_ROLL_SECONDS, _EFFECTIVE_SECONDS = 60.0, 60.0
#: What is written for each value.
_WRITTEN = {Encapsulation.NONE: "no", TOY: "yes"}


class ToynetSwitcher(Switcher):
    """Switches `encapsulation` where Toynet is the pod network."""

    axis = TOYNET.axis
    component = TOYNET.name

    def configurations(self, client: KubeClient) -> tuple[str, ...]:
        """Its ConfigMap."""
        return () if client.find(_CONFIGURED) is None else (_CONFIGURED,)

    def why_absent(self, site: Site) -> str | None:
        """Why it cannot be changed here, or None."""
        for path in (_RUNNING, _CONFIGURED):
            if site.client.find(path) is None:
                return say("config_map_missing", name=path)
        return None

    def values(self, site: Site) -> dict[str, str | None]:
        """Toys take what tun devices take."""
        return {Encapsulation.NONE: None, TOY: kernel.why_no_tun(site.shells.values())}

    def save(self, site: Site) -> Saved:
        """What is written."""
        if why := self.why_absent(site):
            raise PreconditionError(why)
        return {KEY: site.client.get(_CONFIGURED)["data"][KEY]}

    def observe(self, site: Site) -> str:
        """What packets between all nodes' pods go through."""
        for value in _WRITTEN:
            if _wrong(site, value) is None:
                return value
        raise PreconditionError(_wrong(site, TOY) or "")

    def standing(self, site: Site) -> Standing:
        """Its DaemonSet, its pods and its ConfigMap."""
        return take_standing(site.client, _RUNNING, _CONFIGURED)

    def switch(self, site: Site, value: str) -> bool:
        """Switch to a value."""
        require(self, site, value)
        return self._go(site, _WRITTEN[value], value, anew=True)

    def restore(self, site: Site, saved: Saved) -> None:
        """Write back what was written."""
        values = {text: value for value, text in _WRITTEN.items()}
        text = str(saved.get(KEY))
        if text not in values:
            raise PreconditionError(say("saved_unusable", component=self.component))
        self._go(site, text, values[text], anew=False)

    def _go(self, site: Site, text: str, value: str, *, anew: bool) -> bool:
        _, changed = rewrite(site.client, _CONFIGURED, KEY, lambda old: text)
        if changed:
            site.progress(say("step_patched"))
        if not anew and not changed and is_right(lambda: _wrong(site, value)):
            return False
        daemon_set.restart(site, site.client.get(_RUNNING))
        daemon_set.await_rollout(site, _RUNNING, _ROLL_SECONDS)
        site.progress(say("step_rolled"))
        what = say("wait_pod_mtu")
        wait_until_right(site, what, lambda: _wrong(site, value), _EFFECTIVE_SECONDS)
        site.progress(say("step_effective"))
        return changed


def _wrong(site: Site, value: str) -> str | None:
    for shell in site.shells.values():
        for peer, way in routes.ways_to_pods(shell, site.shells.values()).items():
            if (way.device == DEVICE) != (value == TOY):
                node, device = shell.node, way.device
                return say("way_unlike", node=node, peer=peer, device=device, value=value)
    return None
