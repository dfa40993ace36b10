"""What a plan will be able to see. Apart from the plan: an idle worker need not hold numpy."""

from dataclasses import dataclass

from podmeter.domain.axes import BLOCK_AXES
from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.moment import Moment
from podmeter.kinds.registry import cases_of
from podmeter.statistics import rounds_needed, visible_effect

#: An assumption: how far a figure moves from one setting up to the next, as a share of it.
BLOCK_DEVIATION = 0.05


@dataclass(frozen=True)
class KnownNoise:
    """How far blocks of a plan differ by themselves on a cluster, as its noise floor has it.

    `deviation` is the largest of the figures that are known, of `cases` of the plan's `of_cases`.
    It is of so many `runs`, the last of them at `last_at`; `outdated` names the fields in which
    the cluster is not what it was then.
    """

    deviation: float
    runs: int
    last_at: Moment
    cases: int
    of_cases: int
    outdated: list[str]


@dataclass(frozen=True)
class DetectableEffect:
    """What a plan's rounds will be able to see between its modes or clusters, in each of its cases.

    `effect` is the least difference, as a share of the baseline, that is detected with 80 %
    probability if equal blocks have the standard deviation `block_deviation`;
    None with fewer rounds than a verdict needs. That deviation is `noise_floor`'s, or an
    assumption where there is none.
    """

    rounds: int
    rounds_needed: int
    block_deviation: float
    effect: float | None
    noise_floor: KnownNoise | None = None


def detectable_effect(
    spec: ResolvedSpec, known: KnownNoise | None = None
) -> DetectableEffect | None:
    """What a spec's rounds will see; None where nothing is compared between blocks."""
    if all(len(spec.matrix.get(axis, ())) < 2 for axis in BLOCK_AXES):
        return None
    rounds = spec.repetition.rounds
    deviation = BLOCK_DEVIATION if known is None else known.deviation
    looks = spec.repetition.until_decided is not None
    effect = visible_effect(rounds, deviation, verdicts=_verdicts(spec), looks=looks)
    return DetectableEffect(rounds, rounds_needed(), deviation, effect, known)


def _verdicts(spec: ResolvedSpec) -> int:
    """How many verdicts there will be of what the cases are about: they are one family."""
    cases = [case for case in cases_of(spec) if not case.sets_up]
    sets = len({case.modes for case in cases})
    further = sum(
        len(axis.values) - 1 for axis in spec.axes if axis.name in BLOCK_AXES and axis.values
    )
    return max(1, further * len(cases) // max(1, sets))
