"""flannel's backend: its ConfigMap, its DaemonSet, and the ways that packets take then.

flannel leaves its old backend's devices and routes behind, and host-gw's old routes, being
longer, go on carrying the traffic under a udp backend that says it is in effect. So they are
removed on every node, and what is in effect is asked of the kernels.
"""

from __future__ import annotations

import json
import re
from functools import partial
from ipaddress import IPv4Network
from typing import TYPE_CHECKING

from podmeter.domain.components.flannel import FLANNEL, PRE_SHARED_KEY
from podmeter.domain.errors import ConvergenceError, PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import Encapsulation
from podmeter_worker.kube.facts.standing import take_standing
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS, NODES
from podmeter_worker.modes import daemon_set, kernel, pod_renewal, routes
from podmeter_worker.modes.changes import rewrite
from podmeter_worker.modes.flannel import ways as flannel_ways
from podmeter_worker.modes.switcher import require
from podmeter_worker.modes.waiting import wait_until_right

if TYPE_CHECKING:
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.facts.standing import Standing
    from podmeter_worker.kube.resources import Object
    from podmeter_worker.modes.switcher import Saved, Site

#: Where flannel's own manifest puts it, and where it did before 0.20.
_NAMESPACES = ("kube-flannel", "kube-system")
_DAEMON_SET, _CONFIG, _KEY = "kube-flannel-ds", "kube-flannel-cfg", "net-conf.json"
_BACKEND_TYPE = "flannel.alpha.coreos.com/backend-type"
_EFFECTIVE_SECONDS, _MTU_SECONDS = 60.0, 15.0


class FlannelBackendSwitcher:
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

    def why_absent(self, site: Site) -> str | None:
        """Why flannel's backend cannot be changed here, or None."""
        where = _namespace(site)
        if where is None:
            return _elsewhere(site)
        found = site.client.find(CONFIG_MAPS.path(where, _CONFIG))
        if found is None:
            return say("config_map_missing", name=f"{where}/{_CONFIG}")
        text = found.get("data", {}).get(_KEY, "")
        if read_backend(text) is None:
            return say("config_map_no_backend", name=f"{where}/{_CONFIG}", key=_KEY)
        if has_secret(text):
            return say("flannel_pre_shared_key", name=f"{where}/{_CONFIG}")
        lacking = sorted(shell.node for shell in site.shells.values() if shell.pods is None)
        if lacking:
            return say("no_pod_range", nodes=lacking)
        return pod_renewal.why_not(site)

    def values(self, site: Site) -> dict[str, str | None]:
        """The backends, with why the nodes or their network cannot carry one."""
        shells = list(site.shells.values())
        image = _daemon_set(site)["spec"]["template"]["spec"]["containers"][0]["image"]
        return {
            Encapsulation.VXLAN: kernel.why_no_vxlan(shells),
            Encapsulation.HOST_GW: routes.why_not_direct(shells),
            Encapsulation.UDP: kernel.why_no_tun(shells),
            Encapsulation.IPIP: kernel.why_no_ipip(shells),
            Encapsulation.WIREGUARD: why_old(image) or kernel.why_no_wireguard(shells),
        }

    def save(self, site: Site) -> Saved:
        """Flannel's whole network configuration, as it is written."""
        return {"net_conf": str(_configuration(site)["data"][_KEY])}

    def observe(self, site: Site) -> str:
        """What packets between the nodes' pods really go through."""
        return observed_everywhere(site)

    def standing(self, site: Site) -> Standing:
        """Flannel's DaemonSet, its pods and its ConfigMap."""
        where = _required_namespace(site)
        return take_standing(
            site.client,
            DAEMON_SETS.path(where, _DAEMON_SET),
            CONFIG_MAPS.path(where, _CONFIG),
        )

    def switch(self, site: Site, value: str) -> bool:
        """Switch to a backend, with no settings but its type, and renew the pods."""
        require(self, site, value)
        return self._go(site, with_backend(_configuration(site)["data"][_KEY], value), anew=True)

    def restore(self, site: Site, saved: Saved) -> None:
        """Write back the configuration that stood before, whole."""
        text = str(saved.get("net_conf"))
        if read_backend(text) not in list(Encapsulation):
            raise PreconditionError(say("saved_unusable", component=self.component))
        self._go(site, text, anew=False)

    def _go(self, site: Site, text: str, *, anew: bool) -> bool:
        backend = Encapsulation(read_backend(text) or "")
        path = CONFIG_MAPS.path(_required_namespace(site), _CONFIG)
        _, changed = rewrite(site.client, path, _KEY, lambda old: text)
        if changed:
            site.progress(say("step_patched"))
        stands = (
            not changed
            and flannel_ways.wrong_way(site, backend) is None
            and flannel_ways.wrong_mtu(site) is None
        )
        if stands and not anew:
            return False
        daemon_set.restart(site, _daemon_set(site))
        site.progress(say("step_rolled"))
        wait_until_right(
            site,
            say("wait_flannel_backend", backend=backend),
            lambda: _wrong(site, backend, text),
            _EFFECTIVE_SECONDS,
        )
        site.progress(say("step_effective"))
        _renew(site)
        site.progress(say("step_recreated"))
        return changed


def observed_everywhere(site: Site) -> str:
    """The backend of all nodes. Raises PreconditionError where they differ."""
    seen = {node: flannel_ways.observed(shell, site) for node, shell in site.shells.items()}
    if len(set(seen.values())) != 1:
        said = [f"{node}: {value}" for node, value in sorted(seen.items())]
        raise PreconditionError(say("backends_unlike", backends=said))
    return str(next(iter(seen.values())))


def _renew(site: Site) -> None:
    """Create the pods anew: twice where some were born before flannel had written the new MTU.

    Of udp nothing that the kernel shows comes after that.
    """

    def renew() -> None:
        pod_renewal.renew(site)
        wrong_mtu = partial(flannel_ways.wrong_mtu, site)
        wait_until_right(site, say("wait_pod_mtu"), wrong_mtu, _MTU_SECONDS)

    try:
        renew()
    except ConvergenceError:
        renew()


def read_backend(net_conf: str) -> str | None:
    """The backend's type in a net-conf.json; flannel's default is udp. None if it is no JSON."""
    try:
        document = json.loads(net_conf)
        return str(document.get("Backend", {}).get("Type") or Encapsulation.UDP)
    except (ValueError, AttributeError):
        return None


def has_secret(net_conf: str) -> bool:
    """Whether a net-conf.json that has a backend holds a pre-shared key."""
    return any(name.lower() == PRE_SHARED_KEY for name in json.loads(net_conf).get("Backend", {}))


def why_old(image: str) -> str | None:
    """Why flannel of this image has no WireGuard backend, which came with 0.16."""
    found = re.search(r":v?0\.(\d+)", image)
    if found and int(found[1]) < 16:
        return say("flannel_too_old", version=f"0.{found[1]}")
    return None


def with_backend(net_conf: str, value: str) -> str:
    """The configuration with this backend; unchanged where it is that one already.

    Settings of the old backend are left out: they mean nothing to another one.
    """
    if read_backend(net_conf) == value:
        return net_conf
    document = json.loads(net_conf)
    document["Backend"] = {"Type": value}
    return json.dumps(document, indent=2) + "\n"


def _wrong(site: Site, backend: str, text: str) -> str | None:
    """What still stands against a backend; what others left is removed once flannel has gone on."""
    told = _told(site, backend)
    if told is not None:
        return told
    flannel_ways.clear(site, backend, IPv4Network(json.loads(text)["Network"]))
    return flannel_ways.wrong_way(site, backend)


def _told(site: Site, backend: str) -> str | None:
    """Whether flannel itself has announced the backend on every node; for udp it writes ""."""
    expected = "" if backend == Encapsulation.UDP else backend
    for item in site.client.list_all(NODES.path()).items:
        name = item["metadata"]["name"]
        told = item["metadata"].get("annotations", {}).get(_BACKEND_TYPE)
        if name in site.shells and told != expected:
            return say("flannel_says", node=name, told=repr(told))
    return None


def _namespace(site: Site) -> str | None:
    path = daemon_set.found_in(site.client, _NAMESPACES, _DAEMON_SET)
    return None if path is None else path.split("/")[-3]


def _required_namespace(site: Site) -> str:
    where = _namespace(site)
    if where is None:
        raise PreconditionError(_elsewhere(site))
    return where


def _configuration(site: Site) -> Object:
    return site.client.get(CONFIG_MAPS.path(_required_namespace(site), _CONFIG))


def _daemon_set(site: Site) -> Object:
    return site.client.get(DAEMON_SETS.path(_required_namespace(site), _DAEMON_SET))


def _elsewhere(site: Site) -> str:
    for item in site.client.list_all(DAEMON_SETS.path()).items:
        images = [one["image"] for one in item["spec"]["template"]["spec"]["containers"]]
        if any("flannel" in image for image in images):
            where = f"{item['metadata']['namespace']}/{item['metadata']['name']}"
            return say("flannel_elsewhere", where=where)
    return say("flannel_absent", name=_DAEMON_SET)
