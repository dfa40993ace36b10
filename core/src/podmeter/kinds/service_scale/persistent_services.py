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
from podmeter.domain.planning import LadderOrder
from podmeter.domain.problems import Problem, pointer
from podmeter.kinds.nodes import seat_count
from podmeter.kinds.service_scale.axes import CLIENT, SERVICE_TYPE, SERVICES, Client
from podmeter.kinds.service_scale.parameters import SIDE_BY_SIDE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from podmeter.domain.axes import AxisValue
    from podmeter.domain.experiment import ResolvedSpec

#: The parameters that ask for it.
SERVICES_STAY, RUNG_BY_RUNG, ASSIGNMENT = "services_stay", "rung_by_rung", "assignment"
#: The kind's version since which such a ladder is climbed once; before, each round climbed it.
_CLIMBED_ONCE = 8
#: Side by side, on rungs up to so many Services nodes keep their modes for so many rounds. A swap
#: is a full sync of each node: on the testbed of 1 s with 1,000 Services, 18 s with 5,000, minutes
#: above. Of the six rounds that decide at least, three are half.
_ROUNDS_IN_PLACE = ((1_000, 1), (5_000, 3))


def are_requested(spec: ResolvedSpec) -> bool:
    """Whether a spec's Services stay; of a spec of any kind and version."""
    return spec.parameters.get(SERVICES_STAY) is True


def ladder_order(spec: ResolvedSpec) -> LadderOrder:
    """How its blocks come to their rungs; of a spec of any kind and version."""
    if not are_requested(spec):
        return LadderOrder.RESTART
    if side_by_side(spec):
        return LadderOrder.SIDE_BY_SIDE
    return (
        LadderOrder.STEP_BY_STEP
        if spec.parameters.get(RUNG_BY_RUNG) is True
        else LadderOrder.CONTINUE
    )


def side_by_side(spec: ResolvedSpec) -> bool:
    """Whether each mode is on nodes of its own; of a spec of any kind and version."""
    return spec.parameters.get(ASSIGNMENT) == SIDE_BY_SIDE


def rounds_in_place(point: Mapping[str, AxisValue]) -> int | None:
    """For how many rounds nodes keep their modes on a rung, None for all of them."""
    height = int(point[SERVICES.name])
    return next((rounds for most, rounds in _ROUNDS_IN_PLACE if height <= most), None)


def share_measured(spec: ResolvedSpec, points: Iterable[Mapping[str, AxisValue]]) -> Fraction:
    """Which share of the planned rungs these points are on, where the ladder is climbed once.

    Otherwise all: each round measures the whole ladder, as it did in stored runs of before.
    """
    there = {point[SERVICES.name] for point in points if SERVICES.name in point}
    once = ladder_order(spec).climbs_once and spec.kind_version >= _CLIMBED_ONCE
    if not once or not there:
        return Fraction(1)
    return Fraction(len(there), max(len(there), len(spec.matrix[SERVICES.name])))


def problems(spec: ResolvedSpec) -> list[Problem]:
    """Obstacles to such a ladder."""
    beside = _beside_problems(spec) if side_by_side(spec) else []
    if not are_requested(spec):
        if beside:
            return beside
        if spec.parameters.get(RUNG_BY_RUNG) is not True:
            return []
        needed = say("rungs_need_stay", parameter=SERVICES_STAY)
        return [Problem(pointer(["parameters", RUNG_BY_RUNG]), needed)]
    where = pointer(["parameters", SERVICES_STAY])
    obstacles = []
    if KUBE_PROXY_MODE not in spec.matrix:
        obstacles.append(Problem(where, say("stay_needs_mode", axis=KUBE_PROXY_MODE)))
    if ENCAPSULATION in spec.matrix:
        # Every pod of the pod network is recreated there, the Services' backend too.
        obstacles.append(Problem(where, say("stay_excludes", axis=ENCAPSULATION)))
    if len(spec.matrix[SERVICE_TYPE.name]) > 1:
        obstacles.append(Problem(where, say("stay_needs_one", axis=SERVICE_TYPE.name)))
    return obstacles + beside


def _beside_problems(spec: ResolvedSpec) -> list[Problem]:
    """Obstacles to modes side by side."""
    where = pointer(["parameters", ASSIGNMENT])
    if spec.parameters.get(RUNG_BY_RUNG) is not True:
        needed = [SERVICES_STAY, RUNG_BY_RUNG]
        return [Problem(where, say("beside_needs_rungs", parameters=needed))]
    found = []
    for parameter in ("client_node", "backend_node"):
        if spec.parameters.get(parameter) is not None:
            problem = say("beside_places_ends", parameter=parameter)
            found.append(Problem(pointer(["parameters", parameter]), problem))
    lowest, modes = min(map(int, spec.matrix[SERVICES.name])), seat_count(spec.matrix)
    if lowest < modes:
        problem = say("beside_lowest_rung", rung=lowest, least=modes)
        found.append(Problem(pointer(["axes", SERVICES.name]), problem))
    if spec.parameters.get("mode_switch_from") is not None:
        problem = say("beside_switches_nothing", parameter="mode_switch_from")
        found.append(Problem(pointer(["parameters", "mode_switch_from"]), problem))
    if Client.OUTSIDE in spec.matrix[CLIENT.name]:
        problem = say("beside_excludes", axis=CLIENT.name, value=Client.OUTSIDE)
        found.append(Problem(pointer(["axes", CLIENT.name]), problem))
    return found
