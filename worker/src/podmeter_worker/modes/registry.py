"""Every switcher. A new one is one line in `_REGISTERED`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import Message, say
from podmeter.domain.modes import ENCAPSULATION
from podmeter.domain.networks import component_of, network_of
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.facts.cni import identify
from podmeter_worker.kube.resources import DAEMON_SETS
from podmeter_worker.modes.calico.switcher import CalicoPoolSwitcher
from podmeter_worker.modes.cilium.switcher import CiliumRoutingSwitcher
from podmeter_worker.modes.flannel.switcher import FlannelBackendSwitcher
from podmeter_worker.modes.kube_proxy.switcher import KubeProxySwitcher
from podmeter_worker.modes.kube_router.switcher import KubeRouterSwitcher

if TYPE_CHECKING:
    from collections.abc import Mapping

    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.modes.switcher import SwitchContext, Switcher

_REGISTERED: tuple[Switcher, ...] = (
    KubeProxySwitcher(),
    FlannelBackendSwitcher(),
    CalicoPoolSwitcher(),
    CiliumRoutingSwitcher(),
    KubeRouterSwitcher(),
)
SWITCHERS = {switcher.component: switcher for switcher in _REGISTERED}


def switchers_of(axis: str) -> tuple[Switcher, ...]:
    """Those that switch an axis."""
    return tuple(switcher for switcher in SWITCHERS.values() if switcher.axis == axis)


def supports_per_node(client: KubeClient) -> bool:
    """Whether anything here can be switched on some nodes alone."""
    return any(
        switcher.supports_per_node and switcher.why_not_per_node(client) is None
        for switcher in SWITCHERS.values()
    )


def begun_per_node(client: KubeClient) -> bool:
    """Whether anything here is switched on some nodes alone, and has not been restored since."""
    return any(switcher.begun_per_node(client) for switcher in SWITCHERS.values())


def configurations(client: KubeClient) -> tuple[str, ...]:
    """The paths of all that modes are set by here: there it is noted what stood before a switch.

    What may not be looked for is left out: nothing can be noted there either.
    """
    found: list[str] = []
    for switcher in SWITCHERS.values():
        try:
            found += switcher.configurations(client)
        except ApiRefusedError as error:
            if error.status != 403:
                raise
    return tuple(found)


def switcher_for(context: SwitchContext, axis: str) -> Switcher:
    """The switcher of an axis that can act here.

    Raises PreconditionError with why not: that of the pod network that is there, where it is known,
    else each one's reason.
    """
    reasons: dict[str, Message] = {}
    for switcher in switchers_of(axis):
        reason = switcher.why_absent(context)
        if reason is None:
            return switcher
        component = switcher.component
        reasons[component] = say("by_component", component=component, why=reason)
    said = [*reasons.values()] or say("no_switcher")
    if axis == ENCAPSULATION:
        said = _of_network_there(context.client, reasons) or said
    raise PreconditionError(say("axis_not_switchable", axis=axis, reasons=said))


def _of_network_there(client: KubeClient, reasons: Mapping[str, Message]) -> list[Message]:
    """Why the pod network that is there is not switched; nothing where it is not known."""
    name, _ = identify(client.list_all(DAEMON_SETS.path()).items)
    component = component_of(name)
    if component is not None and component.name in reasons:
        return [reasons[component.name]]
    network = network_of(name)
    if network is not None and network.wraps is not None:
        return [say("network_fixed", network=network.title, wraps=network.wraps)]
    if network is not None:
        return []
    found = (switcher.why_built_in(client) for switcher in switchers_of(ENCAPSULATION))
    return [why for why in found if why is not None]


def by_component(component: str) -> Switcher:
    """The switcher that saved a mode, to restore it; KeyError for an unknown component."""
    return SWITCHERS[component]
