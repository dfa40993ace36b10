"""Modes where no switcher can act: what the nodes themselves show of one, and could carry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import KUBE_PROXY_MODE, Encapsulation, KubeProxyMode
from podmeter_worker.kube.facts.cni import built_in_flannel
from podmeter_worker.kube.facts.kube_proxy import METRICS_PORT
from podmeter_worker.modes import kernel, routes
from podmeter_worker.modes.flannel import switcher as flannel_backend
from podmeter_worker.modes.kube_proxy import switcher as kube_proxy

if TYPE_CHECKING:
    from podmeter_worker.modes.switcher import Site


class LeftByHandError(PreconditionError):
    """A mode that somebody switched by hand is not what it was before."""


def observe(site: Site, axis: str) -> str:
    """The mode in effect on every node, asked of the nodes.

    Raises PreconditionError where they differ, tell nothing, or nothing of them would show it.
    """
    if axis == KUBE_PROXY_MODE:
        return kube_proxy.observed_everywhere(site, METRICS_PORT)
    if built_in_flannel(site.client) is not None:
        return flannel_backend.observed_everywhere(site)
    raise PreconditionError(say("no_switcher"))


def values(site: Site, axis: str) -> dict[str, str | None]:
    """Each value that somebody could switch to, with why the nodes cannot carry it."""
    shells = list(site.shells.values())
    if axis == KUBE_PROXY_MODE:
        # kube-proxy that is built in has Kubernetes' own version.
        version = str(site.client.get("/version").get("gitVersion", ""))
        old = kube_proxy.why_old(f":{version}")
        return {
            KubeProxyMode.IPTABLES: None,
            KubeProxyMode.IPVS: kernel.why_no_ipvs(shells),
            KubeProxyMode.NFTABLES: old or kernel.why_no_nftables(shells),
        }
    return {
        Encapsulation.VXLAN: kernel.why_no_vxlan(shells),
        Encapsulation.HOST_GW: routes.why_not_direct(shells),
        Encapsulation.WIREGUARD: kernel.why_no_wireguard(shells),
    }
