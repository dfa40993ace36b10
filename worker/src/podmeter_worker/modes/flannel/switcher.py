"""flannel's backend: its ConfigMap, its DaemonSet, and the ways that packets take then.

flannel leaves its old backend's devices and routes behind, and host-gw's old routes, being
longer, go on carrying the traffic under a udp backend that says it is in effect. So they are
removed on every node, and what is in effect is asked of the kernels.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from podmeter.domain.components.flannel import BACKEND_TYPE, FLANNEL
from podmeter.domain.errors import ConvergenceError, PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import Encapsulation
from podmeter_worker.kube.facts.cni import built_in
from podmeter_worker.kube.facts.component_state import read_component_state
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS, NODES
from podmeter_worker.modes import daemon_set, kernel, pod_renewal, routes
from podmeter_worker.modes.changes import rewrite
from podmeter_worker.modes.flannel import datapath as flannel_datapath
from podmeter_worker.modes.flannel import net_conf
from podmeter_worker.modes.switcher import Switcher, require
from podmeter_worker.modes.waiting import is_right, wait_until_right

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from ipaddress import IPv4Network

    from podmeter.domain.messages import Message
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.facts.component_state import ComponentState
    from podmeter_worker.kube.resources import Object
    from podmeter_worker.modes.switcher import Saved, SwitchContext

#: Where flannel's own manifest puts it, and where it did before 0.20.
_NAMESPACES = ("kube-flannel", "kube-system")
_DAEMON_SET, _CONFIG = "kube-flannel-ds", "kube-flannel-cfg"
_EFFECTIVE_SECONDS, _MTU_SECONDS = 60.0, 15.0


class FlannelBackendSwitcher(Switcher):
    """Switches `encapsulation` where flannel's own manifest installed it."""

    axis = FLANNEL.axis
    component = FLANNEL.name

    def configurations(self, client: KubeClient) -> tuple[str, ...]:
        """Its ConfigMap: the first, where there are two."""
        for namespace in _NAMESPACES:
            path = CONFIG_MAPS.path(namespace, _CONFIG)
            if client.find(path) is not None:
                return (path,)
        return ()

    def why_absent(self, context: SwitchContext) -> str | None:
        """Why flannel's backend cannot be changed here, or None."""
        where = _namespace(context)
        if where is None:
            return _elsewhere(context)
        found = context.client.find(CONFIG_MAPS.path(where, _CONFIG))
        if found is None:
            return say("config_map_missing", name=f"{where}/{_CONFIG}")
        if why := _why_not(found):
            return why
        lacking = sorted(shell.node for shell in context.shells.values() if shell.pods is None)
        if lacking:
            return say("no_pod_range", nodes=lacking)
        return pod_renewal.why_not(context)

    def values(self, context: SwitchContext) -> dict[str, str | None]:
        """The backends, with why the nodes or their network cannot carry one."""
        shells = list(context.shells.values())
        image = _daemon_set(context)["spec"]["template"]["spec"]["containers"][0]["image"]
        return {
            Encapsulation.VXLAN: kernel.why_no_vxlan(shells),
            Encapsulation.HOST_GW: routes.why_not_direct(shells),
            Encapsulation.UDP: kernel.why_no_tun(shells),
            Encapsulation.IPIP: kernel.why_no_ipip(shells),
            Encapsulation.WIREGUARD: why_old(image) or kernel.why_no_wireguard(shells),
        }

    def save(self, context: SwitchContext) -> Saved:
        """Flannel's whole network configuration, as it is written, if it can be restored."""
        found = _configuration(context)
        if why := _why_not(found):
            raise PreconditionError(why)
        return {"net_conf": str(found["data"][net_conf.KEY])}

    def observe(self, context: SwitchContext) -> str:
        """What packets between the nodes' pods really go through."""
        return observed_everywhere(context)

    def component_state(self, context: SwitchContext) -> ComponentState:
        """Flannel's DaemonSet, its pods and its ConfigMap."""
        where = _required_namespace(context)
        return read_component_state(
            context.client,
            DAEMON_SETS.path(where, _DAEMON_SET),
            CONFIG_MAPS.path(where, _CONFIG),
        )

    def switch(self, context: SwitchContext, value: str) -> bool:
        """Switch to a backend, with no settings but its type, and renew the pods."""
        require(self, context, value)
        return self._apply_mode(
            context,
            net_conf.with_backend(_configuration(context)["data"][net_conf.KEY], value),
            force_rollout=True,
        )

    def restore(self, context: SwitchContext, saved: Saved) -> None:
        """Write back the configuration that stood before, whole."""
        text = str(saved.get("net_conf"))
        if net_conf.why_not(text, _CONFIG) is not None:
            raise PreconditionError(say("saved_unusable", component=self.component))
        self._apply_mode(context, text, force_rollout=False)

    def why_built_in(self, client: KubeClient) -> Message | None:
        """As in k3s and RKE2, where it still says on the nodes what it does."""
        backend = _built_in_backend(client)
        if backend is None:
            return None
        version = str(client.get("/version").get("gitVersion", ""))
        return say("flannel_built_in", version=version, backend=backend or "?")

    def observe_by_hand(self, context: SwitchContext) -> str | None:
        """The backend of a flannel that is built into the kubelet's process."""
        return None if _built_in_backend(context.client) is None else observed_everywhere(context)

    def values_by_hand(self, context: SwitchContext) -> dict[str, str | None]:
        """Those that k3s and RKE2 have a flag for."""
        shells = list(context.shells.values())
        return {
            Encapsulation.VXLAN: kernel.why_no_vxlan(shells),
            Encapsulation.HOST_GW: routes.why_not_direct(shells),
            Encapsulation.WIREGUARD: kernel.why_no_wireguard(shells),
        }

    def _apply_mode(self, context: SwitchContext, text: str, *, force_rollout: bool) -> bool:
        backend, network = net_conf.read_backend(text), net_conf.pod_network(text)
        if backend is None or network is None:
            raise PreconditionError(say("saved_unusable", component=self.component))
        path = CONFIG_MAPS.path(_required_namespace(context), _CONFIG)
        _, changed = rewrite(context.client, path, net_conf.KEY, lambda old: text)
        if changed:
            context.progress(say("step_patched"))
        running, wrong_mtus = _daemon_set(context), partial(flannel_datapath.wrong_mtus, context)
        for_mtu = False
        if (
            not changed
            and not force_rollout
            and is_right(lambda: flannel_datapath.why_wrong_route(context, backend))
        ):
            if not wrong_mtus():
                return False
            if pod_renewal.finish(context, running, wrong_mtus, _MTU_SECONDS):
                context.progress(say("step_recreated"))
                return False
            for_mtu = True
        daemon_set.restart(context, running)
        if for_mtu:
            context.count_mtu_restart()
        context.progress(say("step_rolled"))
        wait_until_right(
            context,
            say("wait_flannel_backend", backend=backend),
            lambda: _wrong(context, backend, network),
            _EFFECTIVE_SECONDS,
        )
        context.progress(say("step_effective"))
        _renew(context, running, wrong_mtus)
        context.progress(say("step_recreated"))
        return changed


def observed_everywhere(context: SwitchContext) -> str:
    """The backend of all nodes. Raises PreconditionError where they differ."""
    seen = {
        node: flannel_datapath.observed(shell, context) for node, shell in context.shells.items()
    }
    if len(set(seen.values())) != 1:
        said = [f"{node}: {value}" for node, value in sorted(seen.items())]
        raise PreconditionError(say("backends_unlike", backends=said))
    return str(next(iter(seen.values())))


def _renew(
    context: SwitchContext, running: Object, wrong_mtus: Callable[[], Mapping[str, str]]
) -> None:
    """Recreate the pods: again on nodes where some came before Flannel had written the new MTU.

    Of udp nothing that the kernel shows comes after that.
    """
    pod_renewal.renew(context)
    try:
        pod_renewal.await_mtu(context, running, wrong_mtus, _MTU_SECONDS)
    except ConvergenceError:
        pod_renewal.renew(context, pod_renewal.renewable(context, wrong_mtus()))
        pod_renewal.await_mtu(context, running, wrong_mtus, _MTU_SECONDS)


def why_old(image: str) -> str | None:
    """Why flannel of this image has no WireGuard backend, which came with 0.16."""
    found = re.search(r":v?0\.(\d+)", image)
    if found and int(found[1]) < 16:
        return say("flannel_too_old", version=f"0.{found[1]}")
    return None


def _wrong(context: SwitchContext, backend: str, network: IPv4Network) -> str | None:
    """What still stands against a backend; what others left is removed once flannel has gone on."""
    told = _told(context, backend)
    if told is not None:
        return told
    flannel_datapath.clear(context, backend, network)
    return flannel_datapath.why_wrong_route(context, backend)


def _told(context: SwitchContext, backend: str) -> str | None:
    """Whether flannel itself has announced the backend on every node; for udp it writes ""."""
    expected = "" if backend == Encapsulation.UDP else backend
    for item in context.client.list_all(NODES.path()).items:
        name = item["metadata"]["name"]
        told = item["metadata"].get("annotations", {}).get(BACKEND_TYPE)
        if name in context.shells and told != expected:
            return say("flannel_says", node=name, told=repr(told))
    return None


def _built_in_backend(client: KubeClient) -> str | None:
    """What flannel says that it does, "" where nodes differ; None where it is not built in."""
    found = built_in(client)
    return None if found is None or found[0] != FLANNEL.name else found[1]


def _namespace(context: SwitchContext) -> str | None:
    path = daemon_set.found_in(context.client, _NAMESPACES, _DAEMON_SET)
    return None if path is None else path.split("/")[-3]


def _required_namespace(context: SwitchContext) -> str:
    where = _namespace(context)
    if where is None:
        raise PreconditionError(_elsewhere(context))
    return where


def _configuration(context: SwitchContext) -> Object:
    return context.client.get(CONFIG_MAPS.path(_required_namespace(context), _CONFIG))


def _why_not(found: Object) -> Message | None:
    """Why what the ConfigMap says could not be restored, or None."""
    metadata = found["metadata"]
    text = (found.get("data") or {}).get(net_conf.KEY, "")
    return net_conf.why_not(text, f"{metadata['namespace']}/{metadata['name']}")


def _daemon_set(context: SwitchContext) -> Object:
    return context.client.get(DAEMON_SETS.path(_required_namespace(context), _DAEMON_SET))


def _elsewhere(context: SwitchContext) -> str:
    for item in context.client.list_all(DAEMON_SETS.path()).items:
        images = [one["image"] for one in item["spec"]["template"]["spec"]["containers"]]
        if any("flannel" in image for image in images):
            where = f"{item['metadata']['namespace']}/{item['metadata']['name']}"
            return say("flannel_elsewhere", where=where)
    return say("flannel_absent", name=_DAEMON_SET)
