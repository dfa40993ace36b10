"""The effects of a comparison's pairs: every metric of every pair, judged together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from podmeter.domain.measurement import Direction, Unit
from podmeter.services.comparisons.document import Arm, Effect, Tally
from podmeter.services.measured.figures import figure, notes
from podmeter.services.measured.runs import MeasuredSample
from podmeter.statistics import (
    Comparison,
    Level,
    NoiseThreshold,
    Pairing,
    Sample,
    Verdict,
    compare_all,
    corrected,
    median,
)
from podmeter.statistics import Direction as Way

#: A share such as CPU or loss is noise within one percentage point, however small it is.
_RATIO_POINTS = 0.01


@dataclass(frozen=True, slots=True)
class SamplePair:
    """One metric and subject that both cases of a pair have."""

    baseline: MeasuredSample
    contender: MeasuredSample
    main: bool


def threshold(unit: Unit, relative: float) -> NoiseThreshold:
    """What counts as noise in a unit."""
    return NoiseThreshold(relative, _RATIO_POINTS if unit is Unit.RATIO else 0.0)


def sample_pairs(
    baseline: Sequence[MeasuredSample],
    contender: Sequence[MeasuredSample],
    main: MeasuredSample | None,
) -> list[SamplePair]:
    """The metrics with a direction that both cases have; `main` is the baseline's."""
    theirs = {(one.metric.name, one.subject): one for one in contender}
    found: list[SamplePair] = []
    for one in baseline:
        other = theirs.get((one.metric.name, one.subject))
        if other is not None and one.metric.direction is not Direction.NONE:
            found.append(SamplePair(one, other, main=one is main))
    return found


def effects(pairs: Sequence[SamplePair], level: Level, noise: float, alpha: float) -> list[Effect]:
    """An effect for each pair, in their order; p are corrected for how many there are.

    What the cases are about is corrected by itself, so that its verdicts are the same whether
    the other metrics are looked at or not.
    """
    pairings = [
        Pairing(
            one.baseline.sample,
            one.contender.sample,
            Way(one.baseline.metric.direction),
            threshold(one.baseline.metric.unit, noise),
            level,
        )
        for one in pairs
    ]
    judged = compare_all(pairings, alpha=alpha)
    found: dict[int, Comparison] = {}
    for main in (True, False):
        family = [place for place, one in enumerate(pairs) if one.main is main]
        members = corrected([judged[place] for place in family], alpha=alpha)
        found |= zip(family, members, strict=True)
    return [_effect(one, found[place]) for place, one in enumerate(pairs)]


def tally(found: Iterable[Effect]) -> Tally:
    """How many have which verdict."""
    counts = dict.fromkeys(Verdict, 0)
    for one in found:
        counts[Verdict(one.verdict)] += 1
    return Tally(**{verdict.value: count for verdict, count in counts.items()})


def _effect(pair: SamplePair, found: Comparison) -> Effect:
    metric = pair.baseline.metric
    return Effect(
        metric=metric.name,
        subject=pair.baseline.subject,
        unit=metric.unit.value,
        direction=metric.direction.value,
        main=pair.main,
        verdict=found.verdict.value,
        reason=found.reason.value,
        baseline=_arm(pair.baseline.sample),
        contender=_arm(pair.contender.sample),
        shift=figure(found.shift),
        ratio=figure(found.ratio),
        p=found.p,
        least_p=found.least_p,
        method=None if found.method is None else found.method.value,
        rounds=found.rounds,
        round_shifts=list(found.round_shifts),
        warnings=list(notes(found.warnings)),
        level=found.level.value,
        agreement_p=found.agreement_p,
        adjusted_p=found.adjusted_p,
        looked_at=found.looked_at,
    )


def _arm(sample: Sample) -> Arm:
    return Arm(sample.n, figure(median(sample)), [list(one) for one in sample.rounds])
