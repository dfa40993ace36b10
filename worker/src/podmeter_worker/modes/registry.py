"""Every switcher. A new one is one line in `SWITCHERS`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import Message, say
from podmeter.domain.modes import ENCAPSULATION
from podmeter.domain.networks import network_of
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.facts.cni import built_in_flannel, identify
from podmeter_worker.kube.resources import DAEMON_SETS
from podmeter_worker.modes.calico.switcher import CalicoPoolSwitcher
from podmeter_worker.modes.cilium.switcher import CiliumRoutingSwitcher
from podmeter_worker.modes.flannel.switcher import FlannelBackendSwitcher
from podmeter_worker.modes.kube_proxy.switcher import KubeProxySwitcher
from podmeter_worker.modes.kube_router.switcher import KubeRouterSwitcher

if TYPE_CHECKING:
    from collections.abc import Mapping

    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.modes.switcher import Site, Switcher

SWITCHERS: tuple[Switcher, ...] = (
    KubeProxySwitcher(),
    FlannelBackendSwitcher(),
    CalicoPoolSwitcher(),
    CiliumRoutingSwitcher(),
    KubeRouterSwitcher(),
)


def configurations(client: KubeClient) -> tuple[str, ...]:
    """The paths of all that modes are set by here: there it is noted what stood before a switch.

    What may not be looked for is left out: nothing can be noted there either.
    """
    found: list[str] = []
    for switcher in SWITCHERS:
        try:
            found += switcher.configurations(client)
        except ApiRefusedError as error:
            if error.status != 403:
                raise
    return tuple(found)


def switcher_for(site: Site, axis: str) -> Switcher:
    """The switcher of an axis that can act here.

    Raises PreconditionError with why not: that of the pod network that is there, where it is known,
    else each one's reason.
    """
    reasons: dict[str, Message] = {}
    for switcher in SWITCHERS:
        if switcher.axis == axis:
            reason = switcher.why_absent(site)
            if reason is None:
                return switcher
            component = switcher.component
            reasons[component] = say("by_component", component=component, why=reason)
    said = [*reasons.values()] or say("no_switcher")
    if axis == ENCAPSULATION:
        said = _of_network_there(site.client, reasons) or said
    raise PreconditionError(say("axis_not_switchable", axis=axis, reasons=said))


def _of_network_there(client: KubeClient, reasons: Mapping[str, Message]) -> list[Message]:
    """Why the pod network that is there is not switched; nothing where it is not known."""
    name, _ = identify(client.list_all(DAEMON_SETS.path()).items)
    # Canal is Calico's policies on flannel's network.
    switched = "flannel" if name == "canal" else name
    if switched in reasons:
        return [reasons[switched]]
    network = network_of(name)
    if network is not None and network.wraps is not None:
        return [say("network_fixed", network=network.title, wraps=network.wraps)]
    backend = built_in_flannel(client) if network is None else None
    if backend is None:
        return []
    version = str(client.get("/version").get("gitVersion", ""))
    return [say("flannel_built_in", version=version, backend=backend or "?")]


def by_component(component: str) -> Switcher:
    """The switcher that saved what is to be restored; KeyError for an unknown one."""
    return {switcher.component: switcher for switcher in SWITCHERS}[component]
