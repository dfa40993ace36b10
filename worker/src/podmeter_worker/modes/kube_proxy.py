"""kube-proxy's mode: its ConfigMap, its DaemonSet, and what the kernels of the nodes hold.

Between iptables and nftables kube-proxy removes what its other mode left. From and to IPVS it
does not: there its pods are taken away, its own --cleanup is run on every node, and they come
back in the new mode.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from podmeter.domain.components.kube_proxy import KUBE_PROXY
from podmeter.domain.errors import ConvergenceError, PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import KubeProxyMode
from podmeter.drivers.netfilter import backend as backends
from podmeter_worker.kube.facts.standing import take_standing
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS
from podmeter_worker.modes import daemon_set, kernel, kube_proxy_cleanup, kube_proxy_periods
from podmeter_worker.modes.changes import rewrite
from podmeter_worker.modes.switcher import require
from podmeter_worker.modes.waiting import wait_until_right

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import JsonValue

    from podmeter.domain.ports import CommandOutput
    from podmeter.domain.switching import SyncPeriods
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.facts.standing import Standing
    from podmeter_worker.kube.node_shells import NodeShell
    from podmeter_worker.kube.resources import Object
    from podmeter_worker.modes.switcher import Saved, Site

_NAMESPACE, _NAME, _KEY = "kube-system", "kube-proxy", "config.conf"
_MODE = re.compile(r"^mode:[ \t]*(?:\"([^\"]*)\"|'([^']*)'|(\S*))[ \t]*(?:#.*)?$", re.MULTILINE)
_METRICS = re.compile(r"^metricsBindAddress:[ \t]*[\"']?([^\"'\s]*)", re.MULTILINE)
#: How long the mode may take to be in effect before kube-proxy is started anew where it is not.
#: With many Services a first sync takes its time, so each try gets more of it.
_EFFECTIVE_SECONDS = (15.0, 60.0, 180.0)
#: That many more Services are given as much time once more.
_SERVICES_IN_TIME = 1000


@dataclass(frozen=True, slots=True)
class _Target:
    """What kube-proxy is to be in on every node, and the port where it tells so.

    With the periods, if any; one that does not tell these has them unless it is `sure`.
    """

    mode: str
    port: int
    periods: SyncPeriods | None
    sure: bool


class KubeProxySwitcher:
    """Switches `kube_proxy_mode` where kubeadm, or something like it, installed kube-proxy."""

    axis = KUBE_PROXY.axis
    component = KUBE_PROXY.name

    def configurations(self, client: KubeClient) -> tuple[str, ...]:
        """Its ConfigMap."""
        path = CONFIG_MAPS.path(_NAMESPACE, _NAME)
        return (path,) if client.find(path) is not None else ()

    def why_absent(self, site: Site) -> str | None:
        """Why kube-proxy's mode cannot be changed here, or None."""
        if site.client.find(DAEMON_SETS.path(_NAMESPACE, _NAME)) is None:
            return _elsewhere(site)
        found = site.client.find(CONFIG_MAPS.path(_NAMESPACE, _NAME))
        if found is None:
            return say("config_map_missing", name=f"{_NAMESPACE}/{_NAME}")
        if "kind: KubeProxyConfiguration" not in found.get("data", {}).get(_KEY, ""):
            return say("config_map_empty", name=f"{_NAMESPACE}/{_NAME}", key=_KEY)
        return None

    def values(self, site: Site) -> dict[str, str | None]:
        """The modes, with why the nodes cannot carry one."""
        image = _container(_daemon_set(site))["image"]
        found: dict[str, str | None] = {
            KubeProxyMode.IPTABLES: None,
            KubeProxyMode.IPVS: kernel.why_no_ipvs(site.shells.values()),
            KubeProxyMode.NFTABLES: why_old(image) or kernel.why_no_nftables(site.shells.values()),
        }
        if site.sync_periods is None:
            return found
        text = _configuration(site)["data"][_KEY]
        return {
            mode: why or kube_proxy_periods.why_not(text, mode, site.sync_periods)
            for mode, why in found.items()
        }

    def save(self, site: Site) -> Saved:
        """The mode as it is written, "" being kube-proxy's default; periods where they are set."""
        text = _configuration(site)["data"][_KEY]
        saved: Saved = {"mode": written_mode(text)}
        if site.sync_periods is not None:
            saved["periods"] = cast("JsonValue", kube_proxy_periods.read(text))
        return saved

    def observe(self, site: Site) -> str:
        """The mode that both kube-proxy and the kernel of every node are in."""
        port = metrics_port(_configuration(site)["data"][_KEY])
        seen = {node: observed(shell, port) for node, shell in site.shells.items()}
        if len(set(seen.values())) != 1:
            said = [f"{node}: {mode}" for node, mode in sorted(seen.items())]
            raise PreconditionError(say("modes_unlike", modes=said))
        return next(iter(seen.values()))

    def standing(self, site: Site) -> Standing:
        """kube-proxy's DaemonSet, its pods and its ConfigMap."""
        return take_standing(
            site.client,
            DAEMON_SETS.path(_NAMESPACE, _NAME),
            CONFIG_MAPS.path(_NAMESPACE, _NAME),
        )

    def switch(self, site: Site, value: str) -> bool:
        """Switch to a mode and wait until it is in effect on every node."""
        require(self, site, value)

        def wanted(old: str) -> str:
            new = with_mode(old, value)
            if site.sync_periods is None:
                return new
            return kube_proxy_periods.with_periods(new, value, site.sync_periods)

        return self._go(site, wanted, KubeProxyMode(value), site.sync_periods)

    def restore(self, site: Site, saved: Saved) -> None:
        """Switch back to the mode that was written before."""
        text = saved.get("mode")
        if text not in ("", *KubeProxyMode):
            raise PreconditionError(say("saved_unusable", component=self.component))
        written = kube_proxy_periods.usable(saved.get("periods", {}))
        if written is None:
            raise PreconditionError(say("saved_unusable", component=self.component))
        text = str(text)

        def wanted(old: str) -> str:
            return kube_proxy_periods.with_written(with_mode(old, text), written)

        mode = KubeProxyMode(text or KubeProxyMode.IPTABLES)
        periods = None
        if written:
            periods = kube_proxy_periods.of(wanted(_configuration(site)["data"][_KEY]), mode)
        self._go(site, wanted, mode, periods, anew=False)

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

        Not `anew` means that where it is written and in effect already nothing is rolled.
        """
        before = ""

        def noted(old: str) -> str:
            nonlocal before
            before = written_mode(old)
            return wanted(old)

        path = CONFIG_MAPS.path(_NAMESPACE, _NAME)
        written, changed = rewrite(site.client, path, _KEY, noted)
        if changed:
            site.progress(say("step_patched"))
        running = _daemon_set(site)
        target = _Target(mode, metrics_port(written), periods, sure=anew)
        if not anew and not changed and _all_are(site, target) is None:
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
        _await(site, running, target)
        site.progress(say("step_effective"))
        return (before or KubeProxyMode.IPTABLES) != mode


def written_mode(configuration: str) -> str:
    """The mode in a KubeProxyConfiguration, "" where it leaves the choice to kube-proxy."""
    found = _MODE.search(configuration)
    return next((part for part in found.groups() if part), "") if found else ""


def with_mode(configuration: str, mode: str) -> str:
    """The configuration with the mode in it, everything else as it was."""
    if written_mode(configuration) == mode:
        return configuration
    line = f'mode: "{mode}"'
    if _MODE.search(configuration):
        return _MODE.sub(line, configuration, count=1)
    return f"{configuration.rstrip()}\n{line}\n"


def metrics_port(configuration: str) -> int:
    """The port where kube-proxy tells its mode."""
    found = _METRICS.search(configuration)
    _, _, port = found[1].rpartition(":") if found else ("", "", "")
    return int(port) if port.isdigit() else 10249


def why_old(image: str) -> str | None:
    """Why kube-proxy of this image has no nftables mode, which came with 1.31 for general use."""
    found = re.search(r":v?1\.(\d+)", image)
    if found and int(found[1]) < 31:
        return say("proxy_too_old", version=f"1.{found[1]}")
    return None


def observed(shell: NodeShell, port: int) -> str:
    """The mode of one node; PreconditionError where kube-proxy and kernel disagree."""
    told = _told(shell, port)
    if told.exit_code != 0:
        raise PreconditionError(say("proxy_silent", node=shell.node, said=told.stderr.strip()))
    in_kernel = backends.parse_probe(shell.run(backends.PROBE_ARGV)).mode
    if told.stdout.strip() != in_kernel:
        raise PreconditionError(
            say("proxy_and_kernel", node=shell.node, told=told.stdout.strip(), held=in_kernel)
        )
    if in_kernel is KubeProxyMode.IPVS and kube_proxy_cleanup.iptables_left(shell):
        raise PreconditionError(say("iptables_left", node=shell.node))
    return str(in_kernel)


def _told(shell: NodeShell, port: int) -> CommandOutput:
    return shell.run(("curl", "-sS", "--max-time", "10", f"http://127.0.0.1:{port}/proxyMode"))


def _await(site: Site, running: Object, target: _Target) -> None:
    """Wait until it is in effect on every node.

    kube-proxy whose first sync fails (another component restored an older copy of a table at
    that moment) does not mend it by itself: 1.34 announces a retry that does not come. It is
    started anew there. One that does not tell its mode yet is still starting, which takes a
    minute on a busy node, and would only begin again.
    """
    what = say("wait_proxy_mode", mode=target.mode)
    longer = 1 + site.added / _SERVICES_IN_TIME
    *tries, last = (seconds * longer for seconds in _EFFECTIVE_SECONDS)
    for seconds in tries:
        try:
            wait_until_right(site, what, lambda: _all_are(site, target), seconds)
        except ConvergenceError:
            failed = {
                node
                for node, shell in site.shells.items()
                if _wrong(shell, target) is not None and _told(shell, target.port).exit_code == 0
            }
            if failed:
                daemon_set.restart(site, running, failed)
                site.progress(say("step_started_anew", nodes=sorted(failed)))
        else:
            return
    wait_until_right(site, what, lambda: _all_are(site, target), last)


def _all_are(site: Site, target: _Target) -> str | None:
    for shell in site.shells.values():
        if wrong := _wrong(shell, target):
            return wrong
    return None


def _wrong(shell: NodeShell, target: _Target) -> str | None:
    try:
        seen = observed(shell, target.port)
    except PreconditionError as error:
        return error.said
    if seen != target.mode:
        return say("node_in_mode", node=shell.node, mode=seen)
    if target.periods is None:
        return None
    return kube_proxy_periods.why_not_in_effect(
        shell, target.port, target.periods, sure=target.sure
    )


def _configuration(site: Site) -> Object:
    return site.client.get(CONFIG_MAPS.path(_NAMESPACE, _NAME))


def _daemon_set(site: Site) -> Object:
    return site.client.get(DAEMON_SETS.path(_NAMESPACE, _NAME))


def _container(running: Object) -> Object:
    container: Object = running["spec"]["template"]["spec"]["containers"][0]
    return container


def _elsewhere(site: Site) -> str:
    """What takes kube-proxy's place, as far as it shows."""
    for item in site.client.list_all(DAEMON_SETS.path()).items:
        metadata = item["metadata"]
        images = [one["image"] for one in item["spec"]["template"]["spec"]["containers"]]
        if any("kube-proxy" in image for image in images):
            where = f"{metadata['namespace']}/{metadata['name']}"
            return say("proxy_elsewhere", where=where)
    version = site.client.get("/version").get("gitVersion", "")
    if "k3s" in version or "rke2" in version:
        return say("proxy_built_in", version=version)
    cilium = site.client.find(CONFIG_MAPS.path("kube-system", "cilium-config"))
    if cilium and cilium.get("data", {}).get("kube-proxy-replacement") in ("true", "strict"):
        return say("proxy_replaced")
    return say("proxy_absent", name=f"{_NAMESPACE}/{_NAME}")
