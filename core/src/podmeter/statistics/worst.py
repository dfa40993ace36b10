"""Which of many samples is worse than all the others, if any is.

The candidate is chosen by its figures, which alone would make it look worse than it is. Testing the
worst candidate against each of the others by a two-sided test nevertheless keeps alpha,
however many there are: S. Gutmann and Z. Maymin, Is the selected population the best?, The Annals
of Statistics 15 (1987); for other families K. Hung and W. Fithian, Rank verification for
exponential families, The Annals of Statistics 47 (2019). That it is worse than *every* other one
takes all the tests (an intersection-union test), so the largest p is that of the whole.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import isnan, log
from statistics import fmean

import numpy as np

from podmeter.statistics import round_tests
from podmeter.statistics.by_rounds import compare_all
from podmeter.statistics.comparison import Comparison, Method, Pairing
from podmeter.statistics.interval import Estimate
from podmeter.statistics.sample import Sample
from podmeter.statistics.summary import median
from podmeter.statistics.verdict import Direction, NoiseThreshold, Reason, Verdict


@dataclass(frozen=True)
class OutlyingGroup:
    """Whether some samples are all worse than each of the others.

    `member` and `other` are the two, one of each side, that are closest to each other, by their
    places; `comparison` is of the first against the second, and speaks for the whole: `worse` only
    where all are.
    """

    member: int
    other: int
    comparison: Comparison


def worst_first(medians: Sequence[Estimate], direction: Direction) -> list[int]:
    """The places of samples by their medians, the worst one's first."""
    better = direction is Direction.HIGHER
    return sorted(
        range(len(medians)),
        key=lambda place: medians[place].value if better else -medians[place].value,
    )


def outlying_rounds(
    samples: Sequence[Sample],
    members: Collection[int],
    *,
    direction: Direction,
    threshold: NoiseThreshold,
    alpha: float = 0.05,
) -> OutlyingGroup:
    """The same of samples that share no round, as those of pairs of nodes that rounds take in turn.

    Their rounds are not paired, and each sample has few: the medians of the rounds are compared by
    t with the variance within all samples. `undecided` where no sample has two rounds. Raises
    ValueError as `outlying_group` does.
    """
    pairs = _compared(samples, members, direction)
    logs = all(min(sample.values) > 0 for sample in samples)
    values = [
        np.array([log(one) for one in sample.medians] if logs else sample.medians)
        for sample in samples
    ]
    between = round_tests.pooled(values, 1 - alpha)
    compared = [
        _unpaired(between(other, member), samples, (other, member), direction, threshold, logs=logs)
        for member, other in pairs
    ]
    return _hardest(pairs, compared)


def _unpaired(
    tested: round_tests.Means,
    samples: Sequence[Sample],
    places: tuple[int, int],
    direction: Direction,
    threshold: NoiseThreshold,
    *,
    logs: bool,
) -> Comparison:
    baseline, contender = (samples[place] for place in places)
    mean, p = tested.estimate(0), float(tested.p[0])
    ratio = round_tests.as_ratio(mean) if logs else None
    one, two = (fmean(sample.medians) for sample in (baseline, contender))
    noise = threshold if ratio else threshold.without_ratio(one)
    verdict, reason = Verdict.UNDECIDED, Reason.INTERVAL_TOO_WIDE
    if isnan(p):
        reason = Reason.TOO_FEW_ROUNDS
    elif p <= 1 - tested.confidence:
        verdict, reason = _beyond(two - one, ratio, direction, noise)
    return Comparison(
        verdict=verdict,
        reason=reason,
        direction=direction,
        threshold=threshold,
        shift=Estimate(two - one, None) if logs else mean,
        ratio=ratio,
        p=None if isnan(p) else p,
        least_p=None,
        method=Method.POOLED_T,
        rounds=len(baseline.medians) + len(contender.medians),
        round_shifts=(),
        warnings=(),
    )


def _beyond(
    shift: float, ratio: Estimate | None, direction: Direction, noise: NoiseThreshold
) -> tuple[Verdict, Reason]:
    """A clear difference as a verdict; one within what is noise is not apart."""
    small = abs(shift) <= noise.absolute
    if small or (ratio is not None and abs(ratio.value - 1) <= noise.relative):
        return Verdict.UNDECIDED, Reason.NEAR_THRESHOLD
    better = (shift > 0) is (direction is Direction.HIGHER)
    return (Verdict.BETTER if better else Verdict.WORSE), Reason.CLEAR_EFFECT


def outlying_group(
    samples: Sequence[Sample],
    members: Collection[int],
    *,
    direction: Direction,
    threshold: NoiseThreshold,
    alpha: float = 0.05,
) -> OutlyingGroup:
    """Tell whether the `members`, places among samples of the same blocks, are the worst of all.

    Each member is compared with the nearest of the others, and each of the others with the nearest
    member. Raises ValueError where one side is empty, or a sample is.
    """
    pairs = _compared(samples, members, direction)
    compared = compare_all(
        [Pairing(samples[other], samples[member], direction, threshold) for member, other in pairs],
        alpha=alpha,
    )
    return _hardest(pairs, compared)


def _compared(
    samples: Sequence[Sample], members: Collection[int], direction: Direction
) -> list[tuple[int, int]]:
    """Which member is compared with which other one, by their places."""
    inside = sorted(set(members))
    outside = sorted(set(range(len(samples))) - set(inside))
    if not inside or not outside:
        raise ValueError("both sides need a sample")
    medians = []
    for sample in samples:
        estimate = median(sample)
        if estimate is None:
            raise ValueError("an empty sample has no median")
        medians.append(estimate)
    order = worst_first(medians, direction)
    best_member = max(inside, key=order.index)
    worst_other = min(outside, key=order.index)
    pairs = [(one, worst_other) for one in inside]
    return pairs + [(best_member, one) for one in outside if one != worst_other]


def _hardest(pairs: Sequence[tuple[int, int]], compared: Sequence[Comparison]) -> OutlyingGroup:
    hardest = max(range(len(pairs)), key=lambda place: _doubt(compared[place]))
    member, other = pairs[hardest]
    found = compared[hardest]
    return OutlyingGroup(member, other, found)


def _doubt(one: Comparison) -> tuple[bool, float]:
    """What is not worse is the hardest to call so, then what has the largest p."""
    return one.verdict is not Verdict.WORSE, 1.0 if one.p is None else one.p
