"""A ladder that stays while modes are switched: what a spec asks for, and what stands against it.

Blocks then walk it up and down in turn. What varies between them is the switch of kube-proxy's
mode alone: pods and Services are the same on both sides of every comparison.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.messages import say
from podmeter.domain.modes import ENCAPSULATION, KUBE_PROXY_MODE
from podmeter.domain.problems import Problem, pointer
from podmeter.experiments.service_scale.axes import SERVICE_TYPE

if TYPE_CHECKING:
    from podmeter.domain.experiment import ResolvedSpec

#: The parameter that asks for it.
SERVICES_STAY = "services_stay"


def wanted(spec: ResolvedSpec) -> bool:
    """Whether a spec's Services stay; of a spec of any kind and version."""
    return spec.parameters.get(SERVICES_STAY) is True


def problems(spec: ResolvedSpec) -> list[Problem]:
    """What stands against it."""
    if not wanted(spec):
        return []
    where = pointer(["parameters", SERVICES_STAY])
    found = []
    if KUBE_PROXY_MODE not in spec.matrix:
        found.append(Problem(where, say("stay_needs_mode", axis=KUBE_PROXY_MODE)))
    if ENCAPSULATION in spec.matrix:
        # Every pod of the pod network is made anew there, the Services' backend too.
        found.append(Problem(where, say("stay_excludes", axis=ENCAPSULATION)))
    if len(spec.matrix[SERVICE_TYPE.name]) > 1:
        found.append(Problem(where, say("stay_needs_one", axis=SERVICE_TYPE.name)))
    return found
