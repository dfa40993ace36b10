"""What would decide a comparison inside a run that is undecided: more rounds, longer trials.

If the rounds to come are as these were, and the difference is what it looked like. A new run with
more rounds is judged by itself: nothing is put together with the rounds that there are.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import log, log1p, pi, sqrt
from statistics import fmean

from podmeter.statistics.comparison import Comparison
from podmeter.statistics.family import p_needed
from podmeter.statistics.power import clear_shift, same_shift
from podmeter.statistics.sample import Sample, Stratum, middle
from podmeter.statistics.verdict import Level, NoiseThreshold, Reason, Verdict, rounds_needed
from podmeter.statistics.warnings import WarningCode

#: Nothing of these is about how much evidence there is.
_NOT_OF_EVIDENCE = (
    Reason.NO_TRIALS,
    Reason.NO_COMMON_ROUND,
    Reason.AT_OFFERED_RATE,
    Reason.CLIENT_LIMITED,
)
#: So many times as long trials are thought of.
_LONGER = (2, 4, 8)


class Remedy(StrEnum):
    """What would decide.

    least
        As many rounds as a verdict takes; of fewer it is not known by how much they vary.
    rounds
        More rounds.
    longer
        Longer trials, or more in each round, and these rounds: more rounds of the same trials are
        not enough.
    groups
        Other groups of rounds, such as more pairs of nodes: those that there are differ.
    none
        Nothing that one run can do: what is set up again varies by too much.
    """

    LEAST = "least"
    ROUNDS = "rounds"
    LONGER = "longer"
    GROUPS = "groups"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Advice:
    """What a new run needs to decide with 80 % probability.

    rounds
        How many rounds it has; None where no run would.
    longer
        How many times as long each trial lasts, or as many there are in each round.
    same
        Whether it would be called `same`, as the difference is within the noise threshold.
    """

    remedy: Remedy
    rounds: int | None = None
    longer: int = 1
    same: bool = False


def advise(
    found: Sequence[Comparison],
    samples: Sequence[tuple[Sample, Sample]],
    *,
    alpha: float,
    most_rounds: int,
    families: int = 1,
    planned: int | None = None,
) -> list[Advice | None]:
    """What would decide each comparison of those that were corrected together.

    None if it is decided, is between runs, or more evidence does not help.
    A run has `most_rounds` rounds at most; alpha is shared by so many `families`, and by all that
    are `planned`, as `corrected` has it.
    """
    p = p_needed(found, alpha=alpha, families=families, planned=planned)
    return [
        _advice(one, *arms, alpha=alpha, p=p, most=most_rounds)
        for one, arms in zip(found, samples, strict=True)
    ]


def _advice(
    found: Comparison, baseline: Sample, contender: Sample, *, alpha: float, p: float, most: int
) -> Advice | None:
    open_ = found.verdict is Verdict.UNDECIDED and found.level is Level.BLOCK
    if not open_ or found.reason in _NOT_OF_EVIDENCE:
        return None
    least = rounds_needed(alpha)
    if least > most:
        return Advice(Remedy.NONE)
    if found.rounds < least:
        return Advice(Remedy.LEAST, least)
    if any(one.code is WarningCode.GROUPS_DIFFER for one in found.warnings):
        # More rounds on the same groups tell no more of what other groups would give.
        return Advice(Remedy.GROUPS)
    strata = found.strata(baseline, contender)
    seen = _Seen.of(strata, found.threshold, logs=found.ratio is not None)
    if seen.deviation == 0:
        return None

    def decided(deviation: float, least: int) -> int | None:
        decides = _decides(seen, deviation, alpha, p)
        if least > most or not decides(most):
            return None
        return least + bisect_left(range(least, most), True, key=decides)

    rounds = decided(seen.deviation, found.rounds + 1)
    if rounds is not None:
        return Advice(Remedy.ROUNDS, rounds, same=seen.within)
    for times in _LONGER:
        shorter = seen.with_trials(times)
        rounds = decided(shorter, found.rounds) if shorter else None
        if rounds is not None:
            return Advice(Remedy.LONGER, rounds, times, same=seen.within)
    return Advice(Remedy.NONE, same=seen.within)


def _decides(seen: "_Seen", deviation: float, alpha: float, p: float) -> Callable[[int], bool]:
    """Whether so many rounds whose shifts have this deviation decide."""
    if seen.within:
        return lambda rounds: seen.size <= same_shift(rounds, deviation, seen.noise, p_needed=p)
    return lambda rounds: (
        seen.size >= clear_shift(rounds, deviation, seen.noise, alpha=alpha, p_needed=p)
    )


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the rounds looked like: of logarithms where there is a ratio, else in the unit.

    `size` and `noise` are of the mean shift and of what is nothing on its side of zero;
    `deviation` is of the rounds' shifts, `own` that part of its variance that the trials within a
    round would give alone.
    """

    size: float
    noise: float
    deviation: float
    own: float

    @property
    def within(self) -> bool:
        """Whether the difference is within the noise threshold."""
        return self.size <= self.noise

    def with_trials(self, times: int) -> float:
        """The deviation with so many times as much measuring in each round; 0 where none is."""
        rest: float = max(self.deviation**2 - self.own, 0.0) + self.own / times
        return rest**0.5 if self.own else 0.0

    @classmethod
    def of(cls, strata: Sequence[Stratum], threshold: NoiseThreshold, *, logs: bool) -> "_Seen":
        """Of rounds that have trials of both sides, two at least."""
        sides = [[one for one, _ in strata], [two for _, two in strata]]
        centres = [[middle(sorted(trials)) for trials in side] for side in sides]
        usual = abs(fmean(centres[0]))
        if logs:
            centres = [[log(one) for one in side] for side in centres]
            sides = [[tuple(map(log, trials)) for trials in side] for side in sides]
        shifts = [two - one for one, two in zip(*centres, strict=True)]
        mean = fmean(shifts)
        if logs:
            relative = log1p(threshold.relative) if mean > 0 else -log1p(-threshold.relative)
            noise = max(relative, log1p(threshold.absolute / usual))
        else:
            noise = threshold.without_ratio(middle(sorted(centres[0]))).absolute
        own = sum(_of_centre(side) for side in sides)
        return cls(abs(mean), noise, sqrt(_squares(shifts) / (len(shifts) - 1)), own)


def _of_centre(side: Sequence[Sequence[float]]) -> float:
    """The variance that trials which vary as these do give their round's centre, a median."""
    several = [trials for trials in side if len(trials) > 1]
    freedom = sum(len(trials) - 1 for trials in several)
    if not freedom:
        return 0.0
    squares = sum(map(_squares, several))
    # Of normal values: exact for one and for two, within 4 % for three and more.
    count = sum(map(len, side)) / len(side)
    share = 1 / count if count <= 2 else (pi / 2) / (count + pi / 2 - 1)
    return squares / freedom * share


def _squares(values: Sequence[float]) -> float:
    mean = fmean(values)
    return sum((one - mean) ** 2 for one in values)
