"""In which order the rungs of a ladder are measured, and what modes side by side exclude.

A ladder is climbed once: all rounds of a rung come before the next rung, and a round is every mode
once. What a new block finds there are the Services and their backend, which stays because its
address is in all of them; the client is a new pod. With several modes each block switches on its
rung; with one mode, or none that is switched, each block is a round; side by side nothing is
switched between blocks.

Two axes leave no Services that a next block could use: `encapsulation`, whose switch takes the
backend's address away, and several values of `service_type`. With these each block climbs the whole
ladder, from no Service on: rounds by rungs would create all Services of each rung in each block.
`climb`, the probe, is measured within its rung all the same: its block goes down to the rung below,
then up again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.messages import say
from podmeter.domain.modes import ENCAPSULATION, KUBE_PROXY_MODE
from podmeter.domain.planning import LadderOrder
from podmeter.domain.problems import Problem, pointer
from podmeter.kinds.nodes import seat_count
from podmeter.kinds.service_scale.axes import CLIENT, SERVICE_TYPE, SERVICES, Client
from podmeter.kinds.service_scale.parameters import ASSIGNMENT, SIDE_BY_SIDE, side_by_side

if TYPE_CHECKING:
    from collections.abc import Mapping

    from podmeter.domain.axes import AxisValue
    from podmeter.domain.experiment import ResolvedSpec

#: The kind's version since which every ladder is climbed once; before, two parameters said so.
_ALWAYS_ONCE = 12
SERVICES_STAY, RUNG_BY_RUNG = "services_stay", "rung_by_rung"
#: The kind's version since which a rung's verdicts are corrected for all rungs.
_FAMILY_OF_RUNGS = 8
#: Side by side, on rungs up to so many Services nodes keep their modes for at most so many rounds.
#: A swap is a full sync of each node: on the testbed of 1 s with 1,000 Services, 18 s with 5,000,
#: minutes above. Of the six rounds that decide at least, three are half.
_ROUNDS_IN_PLACE = ((1_000, 1), (5_000, 3))


def ladder_order(spec: ResolvedSpec) -> LadderOrder:
    """How its blocks come to their rungs; of a spec of any version."""
    if spec.kind_version < _ALWAYS_ONCE:
        return _order_as_asked(spec)
    if side_by_side(spec):
        return LadderOrder.SIDE_BY_SIDE
    if ENCAPSULATION in spec.matrix or len(spec.matrix[SERVICE_TYPE.name]) > 1:
        return LadderOrder.RESTART
    return LadderOrder.STEP_BY_STEP


def _order_as_asked(spec: ResolvedSpec) -> LadderOrder:
    """Of earlier versions. Where Services stayed but not rung by rung, a block has all rungs, too:
    it went down where it found the top, which its stored trials tell.
    """
    if spec.parameters.get(SERVICES_STAY) is not True:
        return LadderOrder.RESTART
    if side_by_side(spec):
        return LadderOrder.SIDE_BY_SIDE
    by_rung = spec.parameters.get(RUNG_BY_RUNG) is True
    return LadderOrder.STEP_BY_STEP if by_rung else LadderOrder.RESTART


def whole_ladder_stays(parameters: Mapping[str, object]) -> bool:
    """Whether a run of before has all rungs in a block, and left the last one to the next block."""
    by_rung = parameters.get(RUNG_BY_RUNG) is True or parameters.get(ASSIGNMENT) == SIDE_BY_SIDE
    return parameters.get(SERVICES_STAY) is True and not by_rung


def rounds_in_place(spec: ResolvedSpec, point: Mapping[str, AxisValue]) -> int | None:
    """For how many rounds nodes keep their modes on a rung, None for all of them.

    Where they swap, they do at least once, however few rounds there are.
    """
    height = int(point[SERVICES.name])
    in_place = next((rounds for most, rounds in _ROUNDS_IN_PLACE if height <= most), None)
    if in_place is None or spec.kind_version < _ALWAYS_ONCE:
        return in_place
    return min(in_place, max(1, spec.repetition.rounds // 2))


def parts_axis(spec: ResolvedSpec) -> str | None:
    """The ladder, where it is climbed once.

    Otherwise none: each round measures the whole ladder, as it did in stored runs of before.
    """
    once = ladder_order(spec).climbs_once and spec.kind_version >= _FAMILY_OF_RUNGS
    return SERVICES.name if once else None


def problems(spec: ResolvedSpec) -> list[Problem]:
    """Obstacles to modes side by side."""
    if not side_by_side(spec):
        return []
    where = pointer(["parameters", ASSIGNMENT])
    found = []
    if KUBE_PROXY_MODE not in spec.matrix:
        found.append(Problem(where, say("beside_needs_mode", axis=KUBE_PROXY_MODE)))
    if ENCAPSULATION in spec.matrix:
        # Every pod of the pod network is recreated there, the Services' backends too.
        found.append(Problem(where, say("beside_recreates", axis=ENCAPSULATION)))
    if len(spec.matrix[SERVICE_TYPE.name]) > 1:
        found.append(Problem(where, say("beside_needs_one", axis=SERVICE_TYPE.name)))
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
