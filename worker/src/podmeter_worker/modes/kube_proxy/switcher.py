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
from podmeter_worker.kube.facts.kube_proxy import (
    METRICS_PORT,
    NAMESPACE,
    ConfiguredAt,
    configured_at,
)
from podmeter_worker.kube.facts.standing import take_standing
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS
from podmeter_worker.modes import daemon_set, kernel
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
from podmeter_worker.modes.kube_proxy.text import metrics_port, with_mode, written_mode
from podmeter_worker.modes.switcher import Switcher, require

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic import JsonValue

    from podmeter.domain.messages import Message
    from podmeter.domain.switching import SyncPeriods
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.facts.standing import Standing
    from podmeter_worker.kube.resources import Object
    from podmeter_worker.modes.switcher import Saved, Site

_NAMESPACE, _NAME = NAMESPACE, "kube-proxy"
#: The registry of the images that AKS runs.
_AKS = "mcr.microsoft.com/"


class KubeProxySwitcher(Switcher):
    """Switches `kube_proxy_mode` where kubeadm, or something like it, installed kube-proxy."""

    axis = KUBE_PROXY.axis
    component = KUBE_PROXY.name
    spares_nodes = True

    def configurations(self, client: KubeClient) -> tuple[str, ...]:
        """Its ConfigMap, and its DaemonSet, which is paused or kept off nodes."""
        place, running = configured_at(client), DAEMON_SETS.path(_NAMESPACE, _NAME)
        if place is None or client.find(running) is None:
            return ()
        return CONFIG_MAPS.path(_NAMESPACE, place.name), running

    def why_absent(self, site: Site) -> str | None:
        """Why kube-proxy's mode cannot be changed here, or None."""
        if site.client.find(DAEMON_SETS.path(_NAMESPACE, _NAME)) is None:
            return _elsewhere(site)
        if configured_at(site.client) is not None:
            return None
        if _AKS in _container(_daemon_set(site))["image"]:
            return say("proxy_of_provider", provider="AKS")
        name, key = CONFIGURATIONS[0]
        if site.client.find(CONFIG_MAPS.path(_NAMESPACE, name)) is None:
            return say("config_map_missing", name=f"{_NAMESPACE}/{name}")
        return say("config_map_empty", name=f"{_NAMESPACE}/{name}", key=key)

    def values(self, site: Site) -> dict[str, str | None]:
        """The modes, with why the nodes cannot carry one."""
        image = _container(_daemon_set(site))["image"]
        site = site.here
        found: dict[str, str | None] = {
            KubeProxyMode.IPTABLES: None,
            KubeProxyMode.IPVS: kernel.why_no_ipvs(site.shells.values()),
            KubeProxyMode.NFTABLES: why_old(image) or kernel.why_no_nftables(site.shells.values()),
        }
        if site.sync_periods is None:
            return found
        text = _text(site)
        return {
            mode: why or kube_proxy_periods.why_not(text, mode, site.sync_periods)
            for mode, why in found.items()
        }

    def save(self, site: Site) -> Saved:
        """The mode as it is written, "" being kube-proxy's default; periods where they are set."""
        text = _text(site)
        saved: Saved = {"mode": written_mode(text)}
        if site.sync_periods is not None:
            saved["periods"] = cast("JsonValue", kube_proxy_periods.read(text))
        return saved if site.nodes is None else saved | kube_proxy_nodes.save(site)

    def observe(self, site: Site) -> str:
        """The mode that both kube-proxy and the kernel of every switched node are in."""
        if site.nodes is not None:
            port = metrics_port(kube_proxy_nodes.configuration(site))
            return observed_everywhere(site.here, port)
        return observed_everywhere(site, metrics_port(_text(site)))

    def standing(self, site: Site) -> Standing:
        """kube-proxy's DaemonSet, its pods and its ConfigMap."""
        if site.nodes is not None:
            return kube_proxy_nodes.standing(site)
        return take_standing(
            site.client,
            DAEMON_SETS.path(_NAMESPACE, _NAME),
            CONFIG_MAPS.path(_NAMESPACE, _place(site).name),
        )

    def switch(self, site: Site, value: str) -> bool:
        """Switch to a mode and wait until it is in effect on every node that is switched."""
        require(self, site, value)
        mode, periods = KubeProxyMode(value), site.sync_periods
        wanted = partial(_wanted, site)
        if site.nodes is not None:
            assigned = dict.fromkeys(site.here.shells, mode)
            return kube_proxy_nodes.switch(site, wanted, assigned, periods, anew=True)
        return self._go(site, lambda old: wanted(old, mode), mode, periods)

    def assign(self, site: Site, values: Mapping[str, str]) -> bool:
        """Have each of these nodes in a mode of its own."""
        for node, value in values.items():
            require(self, replace(site, nodes=frozenset({node})), value)
        assigned = {node: KubeProxyMode(value) for node, value in values.items()}
        wanted, periods = partial(_wanted, site), site.sync_periods
        return kube_proxy_nodes.switch(site, wanted, assigned, periods, anew=False)

    def restore(self, site: Site, saved: Saved) -> None:
        """Switch back to the mode that was written before."""
        text = saved.get("mode")
        if text not in ("", *KubeProxyMode):
            raise PreconditionError(say("saved_unusable", component=self.component))
        written = kube_proxy_periods.usable(saved.get("periods", {}))
        if written is None:
            raise PreconditionError(say("saved_unusable", component=self.component))
        text = str(text)
        if "nodes" in saved or kube_proxy_nodes.stands(site.client):
            kube_proxy_nodes.undo(site, saved)

        def wanted(old: str) -> str:
            return kube_proxy_periods.with_written(with_mode(old, text), written)

        if "nodes" in saved and wanted(_text(site)) == _text(site):
            return  # it was never switched as a whole

        mode = KubeProxyMode(text or KubeProxyMode.IPTABLES)
        periods = None
        if written:
            periods = kube_proxy_periods.of(wanted(_text(site)), mode)
        self._go(site, wanted, mode, periods, anew=False)

    def why_everywhere(self, client: KubeClient) -> Message | None:
        """Why kube-proxy cannot be switched on single nodes here, or None."""
        return kube_proxy_nodes.why_not(client)

    def observe_by_hand(self, site: Site) -> str | None:
        """What kube-proxy tells at its usual port, wherever it runs."""
        return observed_everywhere(site, METRICS_PORT)

    def values_by_hand(self, site: Site) -> dict[str, str | None]:
        """The modes; a built-in kube-proxy has Kubernetes' own version."""
        shells = list(site.shells.values())
        version = str(site.client.get("/version").get("gitVersion", ""))
        old = why_old(f":{version}")
        return {
            KubeProxyMode.IPTABLES: None,
            KubeProxyMode.IPVS: kernel.why_no_ipvs(shells),
            KubeProxyMode.NFTABLES: old or kernel.why_no_nftables(shells),
        }

    def _go(
        self,
        site: Site,
        wanted: Callable[[str], str],
        mode: KubeProxyMode,
        periods: SyncPeriods | None,
        *,
        anew: bool = True,
    ) -> bool:
        """Write what is `wanted` of the configuration, and have it in effect; whether the mode was
        another one.

        Without `anew` nothing is rolled out if the mode is already configured and in effect.
        """
        before = ""

        def noted(old: str) -> str:
            nonlocal before
            before = written_mode(old)
            return wanted(old)

        place = _place(site)
        path = CONFIG_MAPS.path(_NAMESPACE, place.name)
        written, changed = rewrite(site.client, path, place.key, noted)
        if changed:
            site.progress(say("step_patched"))
        running = _daemon_set(site)
        target = Target(mode, metrics_port(written), periods, sure=anew)
        if not anew and not changed and why_not_in_effect(site, target) is None:
            daemon_set.resume(site, running)
            return False
        # That of a switch to IPVS that was interrupted may be about to write its rules.
        ipvs = KubeProxyMode.IPVS in (mode, before)
        if ipvs or kube_proxy_cleanup.ipvs_stands(site):
            daemon_set.pause(site, running)
            site.progress(say("step_paused"))
            kube_proxy_cleanup.clean(site, _container(running))
            site.progress(say("step_cleaned"))
            daemon_set.resume(site, running)
        else:
            # An interrupted switch may have left it paused.
            daemon_set.resume(site, running)
            daemon_set.restart(site, running)
        site.progress(say("step_rolled"))
        await_effect(site, running, target)
        site.progress(say("step_effective"))
        return (before or KubeProxyMode.IPTABLES) != mode


def _wanted(site: Site, old: str, mode: KubeProxyMode) -> str:
    """A configuration with the mode, and with the periods that the run measures."""
    new = with_mode(old, mode)
    if site.sync_periods is None:
        return new
    return kube_proxy_periods.with_periods(new, mode, site.sync_periods)


def observed_everywhere(site: Site, port: int) -> str:
    """The mode of all nodes, whose kube-proxy tells it at this port.

    Raises PreconditionError where they differ, or kube-proxy and kernel of one do.
    """
    seen = {node: observed(shell, port) for node, shell in site.shells.items()}
    if len(set(seen.values())) != 1:
        said = [f"{node}: {mode}" for node, mode in sorted(seen.items())]
        raise PreconditionError(say("modes_unlike", modes=said))
    return next(iter(seen.values()))


def why_old(image: str) -> str | None:
    """Why kube-proxy of this image has no nftables mode, which came with 1.31 for general use."""
    found = re.search(r":v?1\.(\d+)", image)
    if found and int(found[1]) < 31:
        return say("proxy_too_old", version=f"1.{found[1]}")
    return None


def _place(site: Site) -> ConfiguredAt:
    place = configured_at(site.client)
    if place is None:
        raise PreconditionError(say("component_gone", component=KUBE_PROXY.name))
    return place


def _text(site: Site) -> str:
    """kube-proxy's configuration, as it is written."""
    place = _place(site)
    text: str = site.client.get(CONFIG_MAPS.path(_NAMESPACE, place.name))["data"][place.key]
    return text


def _daemon_set(site: Site) -> Object:
    return site.client.get(DAEMON_SETS.path(_NAMESPACE, _NAME))


def _container(running: Object) -> Object:
    container: Object = running["spec"]["template"]["spec"]["containers"][0]
    return container


def _elsewhere(site: Site) -> str:
    """What takes kube-proxy's place, as far as it shows."""
    sets = site.client.list_all(DAEMON_SETS.path()).items
    for item in sets:
        metadata = item["metadata"]
        images = [one["image"] for one in item["spec"]["template"]["spec"]["containers"]]
        if any("kube-proxy" in image for image in images):
            where = f"{metadata['namespace']}/{metadata['name']}"
            return say("proxy_elsewhere", where=where)
    version = site.client.get("/version").get("gitVersion", "")
    if "k3s" in version or "rke2" in version:
        return say("proxy_built_in", version=version)
    network = network_of(identify(sets)[0])
    if network is not None and network.in_proxys_place:
        return say("proxy_replaced", by=network.title)
    cilium = site.client.find(CONFIG_MAPS.path("kube-system", "cilium-config"))
    if cilium and cilium.get("data", {}).get("kube-proxy-replacement") in ("true", "strict"):
        return say("proxy_replaced", by="Cilium")
    if "-gke." in version:
        return say("proxy_static", provider="GKE")
    return say("proxy_absent", name=f"{_NAMESPACE}/{_NAME}")
