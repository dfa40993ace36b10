"""Toynet's wrapping: its ConfigMap, its DaemonSet, and the ways of packets then."""

from __future__ import annotations

from core.tests.toynet.component import CONFIG, DAEMON_SET, DEVICE, KEY, NAMESPACE, TOY, TOYNET

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import Encapsulation
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.facts.component_state import ComponentState, read_component_state
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS
from podmeter_worker.modes import daemon_set, kernel, routes
from podmeter_worker.modes.changes import rewrite
from podmeter_worker.modes.switcher import Saved, SwitchContext, Switcher, require
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

    def why_absent(self, context: SwitchContext) -> str | None:
        """Why it cannot be changed here, or None."""
        for path in (_RUNNING, _CONFIGURED):
            if context.client.find(path) is None:
                return say("config_map_missing", name=path)
        return None

    def values(self, context: SwitchContext) -> dict[str, str | None]:
        """Toys take what tun devices take."""
        return {Encapsulation.NONE: None, TOY: kernel.why_no_tun(context.shells.values())}

    def save(self, context: SwitchContext) -> Saved:
        """What is written."""
        if why := self.why_absent(context):
            raise PreconditionError(why)
        return {KEY: context.client.get(_CONFIGURED)["data"][KEY]}

    def observe(self, context: SwitchContext) -> str:
        """What packets between all nodes' pods go through."""
        for value in _WRITTEN:
            if _wrong(context, value) is None:
                return value
        raise PreconditionError(_wrong(context, TOY) or "")

    def component_state(self, context: SwitchContext) -> ComponentState:
        """Its DaemonSet, its pods and its ConfigMap."""
        return read_component_state(context.client, _RUNNING, _CONFIGURED)

    def switch(self, context: SwitchContext, value: str) -> bool:
        """Switch to a value."""
        require(self, context, value)
        return self._apply_mode(context, _WRITTEN[value], value, force_rollout=True)

    def restore(self, context: SwitchContext, saved: Saved) -> None:
        """Write back what was written."""
        values = {text: value for value, text in _WRITTEN.items()}
        text = str(saved.get(KEY))
        if text not in values:
            raise PreconditionError(say("saved_unusable", component=self.component))
        self._apply_mode(context, text, values[text], force_rollout=False)

    def _apply_mode(
        self, context: SwitchContext, text: str, value: str, *, force_rollout: bool
    ) -> bool:
        _, changed = rewrite(context.client, _CONFIGURED, KEY, lambda old: text)
        if changed:
            context.progress(say("step_patched"))
        if not force_rollout and not changed and is_right(lambda: _wrong(context, value)):
            return False
        daemon_set.restart(context, context.client.get(_RUNNING))
        daemon_set.await_rollout(context, _RUNNING, _ROLL_SECONDS)
        context.progress(say("step_rolled"))
        what = say("wait_pod_mtu")
        wait_until_right(context, what, lambda: _wrong(context, value), _EFFECTIVE_SECONDS)
        context.progress(say("step_effective"))
        return changed


def _wrong(context: SwitchContext, value: str) -> str | None:
    for shell in context.shells.values():
        for peer, way in routes.routes_to_pods(shell, context.shells.values()).items():
            if (way.device == DEVICE) != (value == TOY):
                node, device = shell.node, way.device
                return say("way_unlike", node=node, peer=peer, device=device, value=value)
    return None
