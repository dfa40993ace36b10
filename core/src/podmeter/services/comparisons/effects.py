"""The effects of a comparison's pairs: every metric of every pair, judged together."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from enum import Enum, auto

from pydantic import JsonValue

from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.measurement import Direction, MetricDefinition, Unit
from podmeter.kinds.failed_trials import FAILED_TRIALS
from podmeter.kinds.limits import CaseLimits, LimitedBy, shows_a_rate
from podmeter.results.projected import Key, Projected
from podmeter.services.comparisons.advice import advised
from podmeter.services.comparisons.document import Advice, Tally
from podmeter.services.run_results import effect_rows, same_limits
from podmeter.services.run_results.client_limits import ClientLimits
from podmeter.services.run_results.effect_rows import Effect, Point
from podmeter.services.run_results.families import planned_tests
from podmeter.services.run_results.figures import FASTER_AS_OFFERED, figure, warned, warning
from podmeter.services.run_results.offered import at_offered_rate
from podmeter.services.run_results.runs import MeasuredSample
from podmeter.statistics import (
    Comparison,
    Floors,
    Level,
    NoiseThreshold,
    Pairing,
    Reason,
    Sample,
    Verdict,
    centres,
    compare_all,
    corrected,
    median,
    rounds_needed,
)
from podmeter.statistics import Direction as Way

#: What limited the cases of both sides, the baseline's first.
SideLimits = tuple[CaseLimits | None, CaseLimits | None]


@dataclass(frozen=True, slots=True)
class SamplePair:
    """One metric and subject that both cases of a pair have, the baseline's at the first point.

    `capped` are the sides, baseline first, that got all that was offered; `floors` how far runs
    differ by themselves, where two runs are compared and it is known; `control` what nothing
    that is compared can change, where it was measured beside it; `limits` what limited the trials
    of the sides, where that can be told. `node_pair` is the pair of nodes that both sides were
    measured on, None where there is no only one.
    """

    baseline: MeasuredSample
    contender: MeasuredSample
    points: tuple[Point, Point]
    main: bool
    capped: tuple[bool, bool] = (False, False)
    floors: Floors | None = None
    control: tuple[Sample, Sample] | None = None
    limits: SideLimits = (None, None)
    node_pair: str | None = None

    @property
    def client_limits(self) -> ClientLimits:
        """In how many trials of the sides the client limited it."""
        return ClientLimits.of(self.baseline.metric, self.limits)


def threshold(metric: MetricDefinition, relative: float) -> NoiseThreshold:
    """What counts as noise of a metric: so large a share, or what its kind says of it."""
    return NoiseThreshold(relative, metric.noise)


def sample_pairs(
    baseline: Sequence[MeasuredSample],
    contender: Sequence[MeasuredSample],
    points: tuple[Point, Point],
    main: MeasuredSample | None,
    noise: float,
    floors: Callable[[MeasuredSample], Floors | None],
    controls: Callable[[MeasuredSample], tuple[Sample, Sample] | None],
    limits: SideLimits = (None, None),
    node_pair: str | None = None,
) -> list[SamplePair]:
    """The metrics with a direction that both cases have; `main` is the baseline's."""
    baseline, contender = _with_failures(baseline, contender), _with_failures(contender, baseline)
    theirs = {(one.metric.name, one.subject): one for one in contender}
    found: list[SamplePair] = []
    for one in baseline:
        other = theirs.get((one.metric.name, one.subject))
        if other is not None and one.metric.direction is not Direction.NONE:
            capped = at_offered_rate(one, baseline, noise), at_offered_rate(other, contender, noise)
            is_main = one is main
            found.append(
                SamplePair(
                    one,
                    other,
                    points,
                    is_main,
                    capped,
                    floors(one),
                    controls(one),
                    limits,
                    node_pair,
                )
            )
    return found


def _with_failures(
    samples: Sequence[MeasuredSample], others: Sequence[MeasuredSample]
) -> Sequence[MeasuredSample]:
    """The samples of a case; none of its trials failed where only the other's side tells of it."""
    if not samples or not _tells_of_failures(others) or _tells_of_failures(samples):
        return samples
    rounds = samples[0].sample.rounds
    none = Sample(tuple((0.0,) if one else () for one in rounds), samples[0].sample.groups)
    trials = tuple(one[:1] for one in samples[0].trials)
    return [*samples, MeasuredSample(samples[0].case_id, FAILED_TRIALS, "", none, trials)]


def _tells_of_failures(samples: Sequence[MeasuredSample]) -> bool:
    return any(one.metric is FAILED_TRIALS for one in samples)


def effects(
    pairs: Sequence[SamplePair],
    level: Level,
    noise: float,
    alpha: float,
    spec: ResolvedSpec,
    contenders: int = 1,
    planned: Sequence[Point] = (),
) -> list[Effect]:
    """An effect for each pair, in their order; p are corrected for how many there are.

    What the cases are about is corrected by itself, so that its verdicts are the same whether
    the other metrics are checked or not; so is what setting up a block takes, of which no case of
    a kind is, and so are failures. `spec` is what the baseline's run ran with; alpha is shared by
    so many `contenders`. `planned` are the baseline's cases of all pairs inside a run, measured or
    not: where a run measures them part by part, no part's verdicts depend on the parts after it.
    """
    difference, most_rounds = looked(spec) if level is Level.BLOCK else (None, None)
    pairings = [
        Pairing(
            one.baseline.sample,
            one.contender.sample,
            Way(one.baseline.metric.direction),
            threshold(one.baseline.metric, noise),
            level,
            one.floors,
            one.control,
            difference,
            most_rounds,
        )
        for one in pairs
    ]
    judged = [
        as_far_as_offered(compared, pair.capped)
        for pair, compared in zip(pairs, compare_all(pairings, alpha=alpha), strict=True)
    ]
    compared: dict[int, tuple[Comparison, Advice | None]] = {}
    for name in _Family:
        family = [place for place, one in enumerate(pairs) if _family(one) is name]
        tested = [pairs[place].points[0] for place in family if judged[place].p is not None]
        count = None
        if planned:
            # Each case is about one metric, whether it is measured yet or not.
            of_cases = planned if name is _Family.MAIN else tested
            count = planned_tests(spec, of_cases, planned)
        members = corrected(
            [judged[place] for place in family], alpha=alpha, families=contenders, planned=count
        )
        members = tuple(
            pairs[at].client_limits.judged(one) for at, one in zip(family, members, strict=True)
        )
        samples = [(pairs[at].baseline.sample, pairs[at].contender.sample) for at in family]
        advice: list[Advice | None] = [None] * len(family)
        # How many rounds would have a sporadic metric is not known, and nobody wants failures.
        if name not in (_Family.SPORADIC, _Family.FAILURES):
            advice = advised(members, samples, spec, alpha, contenders, count)
        compared |= zip(family, zip(members, advice, strict=True), strict=True)
    return effect_rows.effects_of(
        row
        for place, one in enumerate(pairs)
        for row in _rows(one, *compared[place], 1 - alpha, difference if one.main else None)
    )


def looked(spec: ResolvedSpec) -> tuple[float | None, int | None]:
    """Where a run looks after each round: the difference that matters, and its most rounds."""
    until = spec.repetition.until_decided
    return (None, None) if until is None else (until.difference, spec.repetition.rounds)


class _Family(Enum):
    """What is corrected together."""

    MAIN = auto()
    SPORADIC = auto()
    FAILURES = auto()
    OTHER = auto()


def _family(pair: SamplePair) -> _Family:
    if pair.baseline.metric.sporadic:
        return _Family.SPORADIC
    if pair.baseline.metric is FAILED_TRIALS:
        return _Family.FAILURES
    return _Family.MAIN if pair.main else _Family.OTHER


def is_side_effect(effect: Effect) -> bool:
    """Whether it is a clear change of what a mode costs in addition to what the case is about.

    Failed trials count as soon as the two sides are not known to be the same in them.
    """
    if effect.key.metric == FAILED_TRIALS.name:
        return effect.verdict != Verdict.SAME and effect.shift is not None
    return effect.judged.holds("cost") and effect.verdict in (Verdict.BETTER, Verdict.WORSE)


def tally(found: Iterable[Effect]) -> Tally:
    """How many have which verdict."""
    counts = dict.fromkeys(Verdict, 0)
    for one in found:
        counts[Verdict(one.verdict)] += 1
    return Tally(**{verdict.value: count for verdict, count in counts.items()})


def as_far_as_offered(comparison: Comparison, capped: tuple[bool, bool]) -> Comparison:
    """What can be said where a side got all that was offered: how much more it would take is open.

    Two such sides say nothing of each other, and one is not the same as a side that got less.
    """
    if comparison.shift is None or not any(capped):
        return comparison
    if all(capped) or comparison.verdict is Verdict.SAME:
        return replace(comparison, verdict=Verdict.UNDECIDED, reason=Reason.AT_OFFERED_RATE)
    return comparison


def more_if_offered(comparison: Comparison, capped: tuple[bool, bool]) -> list[JsonValue]:
    """The warning of a clear difference whose better side got all that was offered."""
    if comparison.verdict not in (Verdict.BETTER, Verdict.WORSE):
        return []
    better = comparison.verdict is Verdict.BETTER
    return [warning(FASTER_AS_OFFERED)] if capped[better] else []


def _rows(
    pair: SamplePair,
    comparison: Comparison,
    advice: Advice | None,
    confidence: float,
    budget: float | None,
) -> list[Projected]:
    metric, samples = pair.baseline.metric, (pair.baseline.sample, pair.contender.sample)
    between = centres(*samples, comparison, confidence=confidence)
    known = (None, None) if between is None else (between.baseline, between.contender)
    rows = effect_rows.of_pair(
        _key(pair),
        [sample.rounds for sample in samples],
        [figure(median(sample)) for sample in samples],
        [figure(one) for one in known],
        ratio=figure(comparison.ratio),
        difference=figure(comparison.shift),
        verdict=comparison.verdict.value,
        reason=comparison.reason.value,
        main=pair.main,
        cost=metric.cost,
        level=comparison.level.value,
        method=None if comparison.method is None else comparison.method.value,
        p=comparison.p,
        least_p=comparison.least_p,
        agreement_p=comparison.agreement_p,
        adjusted_p=comparison.adjusted_p,
        looked_at=comparison.looked_at,
        rounds=comparison.rounds,
        round_shifts=list(comparison.round_shifts),
        round_node_pairs=list(pair.baseline.sample.groups) or None,
        node_pair=pair.node_pair,
        estimator=None if between is None else between.estimator.value,
        correlation=comparison.correlation,
        advice=None if advice is None else asdict(advice),
        within_budget=(
            None
            if budget is None
            else _within(comparison, budget, may_hide=pair.client_limits.hide)
        ),
        limited_by=_codes(pair),
        **pair.client_limits.parameters,
        **same_limits.parameters(comparison),
        warnings=warned(comparison.warnings) + more_if_offered(comparison, pair.capped),
    )
    return rows if pair.floors is None else [*rows, *_floor(_key(pair), pair.floors)]


def _codes(pair: SamplePair) -> list[JsonValue] | None:
    """What limited most trials of each side of a rate, or of a time that the client may hide.

    None where it is known of neither.
    """
    most = [None if one is None else one.most for one in pair.limits]
    asked = shows_a_rate(pair.baseline.metric) or pair.client_limits.hide
    if not asked or all(one in (None, LimitedBy.UNKNOWN) for one in most):
        return None
    return [None if one is None else one.value for one in most]


def _key(pair: SamplePair) -> Key:
    metric, (against, point) = pair.baseline.metric, map(dict, pair.points)
    unit, direction = metric.unit.value, metric.direction.value
    return Key(metric.name, pair.baseline.subject, unit, direction, point, against)


def _within(comparison: Comparison, budget: float, *, may_hide: bool) -> str:
    """Whether the contender costs at most the share `budget` of the baseline, by the interval.

    What a client at its limit measured may hide a part of it.
    """
    ends = None if comparison.ratio is None else comparison.ratio.interval
    enough = comparison.rounds >= rounds_needed()
    if ends is None or not enough or comparison.reason is Reason.AT_OFFERED_RATE:
        return "open"
    higher = comparison.direction is Way.HIGHER
    least, most = (1 - ends.high, 1 - ends.low) if higher else (ends.low - 1, ends.high - 1)
    if most <= budget:
        return "open" if may_hide else "yes"
    return "no" if least > budget else "open"


def _floor(key: Key, floors: Floors) -> Iterator[Projected]:
    """How much whole runs differ by themselves; the effect must exceed it."""
    floor = floors.relative or floors.absolute
    unit = Unit.RATIO.value if floor.relative else key.unit
    spread, code = floor.runs, effect_rows.NOISE_FLOOR
    if spread is not None:
        of, ends = replace(key, unit=unit, against=None), spread.interval
        parameters: dict[str, JsonValue] = {"relative": floor.relative}
        yield Projected(of, spread.deviation, ends.low, ends.high, spread.n, None, code, parameters)
