"""Every switcher. A new one is one line in `SWITCHERS`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter_worker.modes.flannel_backend import FlannelBackendSwitcher
from podmeter_worker.modes.kube_proxy import KubeProxySwitcher

if TYPE_CHECKING:
    from podmeter_worker.modes.switcher import Site, Switcher

SWITCHERS: tuple[Switcher, ...] = (KubeProxySwitcher(), FlannelBackendSwitcher())
#: Wherever it may be noted what stood before a switch.
CONFIGURATIONS = tuple(path for switcher in SWITCHERS for path in switcher.configurations)


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
