"""Every switcher. A new one is one line in `SWITCHERS`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.modes.calico_ippool import CalicoPoolSwitcher
from podmeter_worker.modes.cilium_routing import CiliumRoutingSwitcher
from podmeter_worker.modes.flannel_backend import FlannelBackendSwitcher
from podmeter_worker.modes.kube_proxy import KubeProxySwitcher
from podmeter_worker.modes.kube_router_overlay import KubeRouterSwitcher

if TYPE_CHECKING:
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

    Raises PreconditionError with each one's reason where none can.
    """
    reasons = []
    for switcher in SWITCHERS:
        if switcher.axis == axis:
            reason = switcher.why_absent(site)
            if reason is None:
                return switcher
            reasons.append(say("by_component", component=switcher.component, why=reason))
    said = reasons or say("no_switcher")
    raise PreconditionError(say("axis_not_switchable", axis=axis, reasons=said))


def by_component(component: str) -> Switcher:
    """The switcher that saved what is to be restored; KeyError for an unknown one."""
    return {switcher.component: switcher for switcher in SWITCHERS}[component]
