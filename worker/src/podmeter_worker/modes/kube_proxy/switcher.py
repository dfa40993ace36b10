"""kube-proxy's mode: its ConfigMap, its DaemonSet, and what the kernels of the nodes hold.

Between iptables and nftables kube-proxy removes what its other mode left. From and to IPVS it
does not: there its pods are taken away, its own --cleanup is run on every node, and they come
back in the new mode.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from podmeter.domain.components.kube_proxy import CONFIGURATIONS, KUBE_PROXY
from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import KubeProxyMode
from podmeter.domain.networks import network_of
from podmeter_worker.kube.facts.cni import identify
from podmeter_worker.kube.facts.component_state import read_component_state
from podmeter_worker.kube.facts.kube_proxy import (
    METRICS_PORT,
    NAMESPACE,
    ConfiguredAt,
    configured_at,
)
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS
from podmeter_worker.modes import daemon_set, kernel, switch_record
from podmeter_worker.modes.changes import rewrite
from podmeter_worker.modes.kube_proxy import cleanup as kube_proxy_cleanup
from podmeter_worker.modes.kube_proxy import nodes as kube_proxy_nodes
from podmeter_worker.modes.kube_proxy import periods as kube_proxy_periods
from podmeter_worker.modes.kube_proxy.effect import (
    Target,
    await_effect,
    observed,
    why_not_in_effect,
)
from podmeter_worker.modes.kube_proxy.text import metrics_port, why_not, with_mode, written_mode
from podmeter_worker.modes.switcher import Switcher, require

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic import JsonValue

    from podmeter.domain.messages import Message
    from podmeter.domain.switching import SyncPeriods
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.facts.component_state import ComponentState
    from podmeter_worker.kube.resources import Object
    from podmeter_worker.modes.switcher import Saved, SwitchContext

_NAMESPACE, _NAME = NAMESPACE, "kube-proxy"
#: The registry of the images that AKS runs.
_AKS = "mcr.microsoft.com/"


class KubeProxySwitcher(Switcher):
    """Switches `kube_proxy_mode` where kubeadm, or something like it, installed kube-proxy."""

    axis = KUBE_PROXY.axis
    component = KUBE_PROXY.name
    supports_per_node = True

    def configurations(self, client: KubeClient) -> tuple[str, ...]:
        """Its ConfigMap, and its DaemonSet, which is paused or kept off nodes."""
        place, running = configured_at(client), DAEMON_SETS.path(_NAMESPACE, _NAME)
        if place is None or client.find(running) is None:
            return ()
        return CONFIG_MAPS.path(_NAMESPACE, place.name), running

    def why_absent(self, context: SwitchContext) -> str | None:
        """Why kube-proxy's mode cannot be changed here, or None."""
        if context.client.find(DAEMON_SETS.path(_NAMESPACE, _NAME)) is None:
            return _elsewhere(context)
        if (place := configured_at(context.client)) is not None:
            return why_not(_text_at(context, place), f"{_NAMESPACE}/{place.name}")
        if _AKS in _container(_daemon_set(context))["image"]:
            return say("proxy_of_provider", provider="AKS")
        name, key = CONFIGURATIONS[0]
        if context.client.find(CONFIG_MAPS.path(_NAMESPACE, name)) is None:
            return say("config_map_missing", name=f"{_NAMESPACE}/{name}")
        return say("config_map_empty", name=f"{_NAMESPACE}/{name}", key=key)

    def values(self, context: SwitchContext) -> dict[str, str | None]:
        """The modes, with why the nodes cannot carry one."""
        image = _container(_daemon_set(context))["image"]
        context = context.here
        reasons: dict[str, str | None] = {
            KubeProxyMode.IPTABLES: None,
            KubeProxyMode.IPVS: kernel.why_no_ipvs(context.shells.values()),
            KubeProxyMode.NFTABLES: why_old(image)
            or kernel.why_no_nftables(context.shells.values()),
        }
        if context.sync_periods is None:
            return reasons
        text = _text(context)
        return {
            mode: why or kube_proxy_periods.why_not(text, mode, context.sync_periods)
            for mode, why in reasons.items()
        }

    def save(self, context: SwitchContext) -> Saved:
        """The mode as it is written, "" being kube-proxy's default; periods where they are set."""
        place = _place(context)
        text = _text_at(context, place)
        if why := why_not(text, f"{_NAMESPACE}/{place.name}"):
            raise PreconditionError(why)
        saved: Saved = {"mode": written_mode(text)}
        if context.sync_periods is not None:
            saved["periods"] = cast("JsonValue", kube_proxy_periods.read(text))
        return saved if context.nodes is None else saved | kube_proxy_nodes.save(context)

    def observe(self, context: SwitchContext) -> str:
        """The mode that both kube-proxy and the kernel of every switched node are in."""
        if context.nodes is not None:
            port = metrics_port(kube_proxy_nodes.configuration(context))
            return observed_everywhere(context.here, port)
        return observed_everywhere(context, metrics_port(_text(context)))

    def component_state(self, context: SwitchContext) -> ComponentState:
        """kube-proxy's DaemonSet, its pods and its ConfigMap."""
        if context.nodes is not None:
            return kube_proxy_nodes.component_state(context)
        return read_component_state(
            context.client,
            DAEMON_SETS.path(_NAMESPACE, _NAME),
            CONFIG_MAPS.path(_NAMESPACE, _place(context).name),
        )

    def switch(self, context: SwitchContext, value: str) -> bool:
        """Switch to a mode and wait until it is in effect on every node that is switched."""
        require(self, context, value)
        kube_proxy_cleanup.end_left(context)
        mode, periods = KubeProxyMode(value), context.sync_periods
        edit = partial(_wanted, context)
        if context.nodes is not None:
            assigned = dict.fromkeys(context.here.shells, mode)
            return kube_proxy_nodes.switch(context, edit, assigned, periods, force_rollout=True)
        if self.begun_per_node(context.client):
            # A restore could not tell its changes of the configuration from the owner's.
            raise PreconditionError(say("begun_on_nodes"))
        return self._apply_mode(context, lambda old: edit(old, mode), mode, periods)

    def assign(self, context: SwitchContext, values: Mapping[str, str]) -> bool:
        """Have each of these nodes in a mode of its own."""
        for node, value in values.items():
            require(self, replace(context, nodes=frozenset({node})), value)
        kube_proxy_cleanup.end_left(context)
        assigned = {node: KubeProxyMode(value) for node, value in values.items()}
        wanted, periods = partial(_wanted, context), context.sync_periods
        return kube_proxy_nodes.switch(context, wanted, assigned, periods, force_rollout=False)

    def restart(self, context: SwitchContext, value: str) -> None:
        """Delete kube-proxy's pods there, and wait for the first sync of their successors."""
        mode, here = KubeProxyMode(value), context.here
        own = kube_proxy_nodes.running_on(here, mode)
        running = _daemon_set(context) if own is None else own
        text = _text(context) if own is None else kube_proxy_nodes.configuration(context)
        daemon_set.restart(here, running, set(here.shells))
        target = Target(mode, metrics_port(text), context.sync_periods, sure=True)
        await_effect(here, running, target)

    def restore(self, context: SwitchContext, saved: Saved) -> None:
        """Switch back to the mode that was written before."""
        text = saved.get("mode")
        if text not in ("", *KubeProxyMode):
            raise PreconditionError(say("saved_unusable", component=self.component))
        written = kube_proxy_periods.usable(saved.get("periods", {}))
        if written is None:
            raise PreconditionError(say("saved_unusable", component=self.component))
        text = str(text)
        kube_proxy_cleanup.end_left(context)
        if "nodes" in saved or kube_proxy_nodes.is_installed(context.client):
            kube_proxy_nodes.undo(context, saved)
        if saved.get(kube_proxy_nodes.ALONE) is True:
            return  # what the cluster's configuration says now is its owner's

        def edit(old: str) -> str:
            return kube_proxy_periods.with_written(with_mode(old, text), written)

        if "nodes" in saved and edit(_text(context)) == _text(context):
            return  # an earlier version did not switch the whole cluster after these nodes

        mode = KubeProxyMode(text or KubeProxyMode.IPTABLES)
        periods = None
        if written:
            periods = kube_proxy_periods.of(edit(_text(context)), mode)
        self._apply_mode(context, edit, mode, periods, force_rollout=False)

    def why_not_per_node(self, client: KubeClient) -> Message | None:
        """Why kube-proxy cannot be switched on single nodes here, or None."""
        return kube_proxy_nodes.why_not(client)

    def begun_per_node(self, client: KubeClient) -> bool:
        """As the note in the cluster says, which is written first of all."""
        place = configured_at(client)
        if place is None:
            return False
        note = switch_record.read(client.get(CONFIG_MAPS.path(_NAMESPACE, place.name)))
        saved_of_nodes = note is not None and "nodes" in note.saved
        return saved_of_nodes or kube_proxy_nodes.is_installed(client)

    def observe_by_hand(self, context: SwitchContext) -> str | None:
        """What kube-proxy tells at its usual port, wherever it runs."""
        return observed_everywhere(context, METRICS_PORT)

    def values_by_hand(self, context: SwitchContext) -> dict[str, str | None]:
        """The modes; a built-in kube-proxy has Kubernetes' own version."""
        shells = list(context.shells.values())
        version = str(context.client.get("/version").get("gitVersion", ""))
        old = why_old(f":{version}")
        return {
            KubeProxyMode.IPTABLES: None,
            KubeProxyMode.IPVS: kernel.why_no_ipvs(shells),
            KubeProxyMode.NFTABLES: old or kernel.why_no_nftables(shells),
        }

    def _apply_mode(
        self,
        context: SwitchContext,
        edit: Callable[[str], str],
        mode: KubeProxyMode,
        periods: SyncPeriods | None,
        *,
        force_rollout: bool = True,
    ) -> bool:
        """Edit the configuration and wait until it is in effect; True if the mode changed.

        Without `force_rollout`, skip the rollout if the mode is configured and in effect.
        """
        before = ""

        def edit_and_note_mode(old: str) -> str:
            nonlocal before
            before = written_mode(old)
            return edit(old)

        place = _place(context)
        path = CONFIG_MAPS.path(_NAMESPACE, place.name)
        written, changed = rewrite(context.client, path, place.key, edit_and_note_mode)
        if changed:
            context.progress(say("step_patched"))
        running = _daemon_set(context)
        target = Target(mode, metrics_port(written), periods, sure=force_rollout)
        if not force_rollout and not changed and why_not_in_effect(context, target) is None:
            daemon_set.resume(context, running)
            return False
        # That of a switch to IPVS that was interrupted may be about to write its rules.
        ipvs = KubeProxyMode.IPVS in (mode, before)
        if ipvs or kube_proxy_cleanup.has_ipvs_rules(context):
            daemon_set.pause(context, running)
            context.progress(say("step_paused"))
            kube_proxy_cleanup.clean(context, _container(running))
            context.progress(say("step_cleaned"))
            daemon_set.resume(context, running)
        else:
            # An interrupted switch may have left it paused.
            daemon_set.resume(context, running)
            daemon_set.restart(context, running)
        context.progress(say("step_rolled"))
        await_effect(context, running, target)
        context.progress(say("step_effective"))
        return (before or KubeProxyMode.IPTABLES) != mode


def _wanted(context: SwitchContext, old: str, mode: KubeProxyMode) -> str:
    """A configuration with the mode, and with the periods that the run measures."""
    new = with_mode(old, mode)
    if context.sync_periods is None:
        return new
    return kube_proxy_periods.with_periods(new, mode, context.sync_periods)


def observed_everywhere(context: SwitchContext, port: int) -> str:
    """The mode of all nodes, whose kube-proxy tells it at this port.

    Raises PreconditionError where they differ, or kube-proxy and kernel of one do.
    """
    seen = {
        node: observed(shell, port, context.service_ports) for node, shell in context.shells.items()
    }
    if len(set(seen.values())) != 1:
        modes = [f"{node}: {mode}" for node, mode in sorted(seen.items())]
        raise PreconditionError(say("modes_unlike", modes=modes))
    return next(iter(seen.values()))


def why_old(image: str) -> str | None:
    """Why kube-proxy of this image has no nftables mode, which came with 1.31 for general use."""
    match = re.search(r":v?1\.(\d+)", image)
    if match and int(match[1]) < 31:
        return say("proxy_too_old", version=f"1.{match[1]}")
    return None


def _place(context: SwitchContext) -> ConfiguredAt:
    place = configured_at(context.client)
    if place is None:
        raise PreconditionError(say("component_gone", component=KUBE_PROXY.name))
    return place


def _text(context: SwitchContext) -> str:
    """kube-proxy's configuration, as it is written."""
    return _text_at(context, _place(context))


def _text_at(context: SwitchContext, place: ConfiguredAt) -> str:
    text: str = context.client.get(CONFIG_MAPS.path(_NAMESPACE, place.name))["data"][place.key]
    return text


def _daemon_set(context: SwitchContext) -> Object:
    return context.client.get(DAEMON_SETS.path(_NAMESPACE, _NAME))


def _container(running: Object) -> Object:
    container: Object = running["spec"]["template"]["spec"]["containers"][0]
    return container


def _elsewhere(context: SwitchContext) -> str:
    """What takes kube-proxy's place, as far as it shows."""
    sets = context.client.list_all(DAEMON_SETS.path()).items
    for item in sets:
        metadata = item["metadata"]
        images = [one["image"] for one in item["spec"]["template"]["spec"]["containers"]]
        if any("kube-proxy" in image for image in images):
            where = f"{metadata['namespace']}/{metadata['name']}"
            return say("proxy_elsewhere", where=where)
    version = context.client.get("/version").get("gitVersion", "")
    if "k3s" in version or "rke2" in version:
        return say("proxy_built_in", version=version)
    network = network_of(identify(sets)[0])
    if network is not None and network.in_proxys_place:
        return say("proxy_replaced", by=network.title)
    cilium = context.client.find(CONFIG_MAPS.path("kube-system", "cilium-config"))
    if cilium and cilium.get("data", {}).get("kube-proxy-replacement") in ("true", "strict"):
        return say("proxy_replaced", by="Cilium")
    if "-gke." in version:
        return say("proxy_static", provider="GKE")
    return say("proxy_absent", name=f"{_NAMESPACE}/{_NAME}")
