"""Services that stay while modes are switched: how a spec asks for them, and obstacles.

Blocks then walk it up and down in turn, or all rounds of a rung are measured before the next one.
What varies between them is the switch of kube-proxy's mode alone: pods and Services are the same on
both sides of every comparison.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from podmeter.domain.messages import say
from podmeter.domain.modes import ENCAPSULATION, KUBE_PROXY_MODE
from podmeter.domain.planning import Walk
from podmeter.domain.problems import Problem, pointer
from podmeter.experiments.service_scale.axes import SERVICE_TYPE, SERVICES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from podmeter.domain.axes import AxisValue
    from podmeter.domain.experiment import ResolvedSpec

#: The parameters that ask for it.
SERVICES_STAY, RUNG_BY_RUNG = "services_stay", "rung_by_rung"
#: The kind's version since which such a ladder is climbed once; before, each round climbed it.
_CLIMBED_ONCE = 8


def wanted(spec: ResolvedSpec) -> bool:
    """Whether a spec's Services stay; of a spec of any kind and version."""
    return spec.parameters.get(SERVICES_STAY) is True


def walk(spec: ResolvedSpec) -> Walk:
    """How its blocks come to their rungs; of a spec of any kind and version."""
    if not wanted(spec):
        return Walk.ANEW
    return Walk.BY_RUNG if spec.parameters.get(RUNG_BY_RUNG) is True else Walk.ON


def share_measured(spec: ResolvedSpec, points: Iterable[Mapping[str, AxisValue]]) -> Fraction:
    """Which share of the planned rungs these points are on, where the ladder is climbed once.

    Otherwise all: each round measures the whole ladder, as it did in stored runs of before.
    """
    there = {point[SERVICES.name] for point in points if SERVICES.name in point}
    once = walk(spec) is Walk.BY_RUNG and spec.kind_version >= _CLIMBED_ONCE
    if not once or not there:
        return Fraction(1)
    return Fraction(len(there), max(len(there), len(spec.matrix[SERVICES.name])))


def problems(spec: ResolvedSpec) -> list[Problem]:
    """Obstacles to such a ladder."""
    if not wanted(spec):
        if spec.parameters.get(RUNG_BY_RUNG) is not True:
            return []
        needed = say("rungs_need_stay", parameter=SERVICES_STAY)
        return [Problem(pointer(["parameters", RUNG_BY_RUNG]), needed)]
    where = pointer(["parameters", SERVICES_STAY])
    found = []
    if KUBE_PROXY_MODE not in spec.matrix:
        found.append(Problem(where, say("stay_needs_mode", axis=KUBE_PROXY_MODE)))
    if ENCAPSULATION in spec.matrix:
        # Every pod of the pod network is recreated there, the Services' backend too.
        found.append(Problem(where, say("stay_excludes", axis=ENCAPSULATION)))
    if len(spec.matrix[SERVICE_TYPE.name]) > 1:
        found.append(Problem(where, say("stay_needs_one", axis=SERVICE_TYPE.name)))
    return found
