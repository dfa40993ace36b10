"""What a plan will be able to see. Apart from the plan: an idle worker need not hold numpy."""

from dataclasses import dataclass

from podmeter.domain.axes import BLOCK_AXES
from podmeter.domain.experiment import ResolvedSpec
from podmeter.statistics import rounds_needed, visible_effect

#: An assumption: how far a figure moves from one setting up to the next, as a share of it.
BLOCK_DEVIATION = 0.05


@dataclass(frozen=True)
class Sight:
    """What a plan's rounds will be able to see between its modes or clusters.

    `effect` is the least difference, as a share of the baseline, that is found four times in
    five where blocks that nothing tells apart have the standard deviation `block_deviation`;
    None with fewer rounds than a verdict needs.
    """

    rounds: int
    rounds_needed: int
    block_deviation: float
    effect: float | None


def sight(spec: ResolvedSpec) -> Sight | None:
    """What a spec's rounds will see; None where nothing is compared between blocks."""
    if all(len(spec.matrix.get(axis, ())) < 2 for axis in BLOCK_AXES):
        return None
    rounds = spec.repetition.rounds
    effect = visible_effect(rounds, BLOCK_DEVIATION)
    return Sight(rounds, rounds_needed(), BLOCK_DEVIATION, effect)
