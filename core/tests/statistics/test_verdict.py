"""Verdicts at the noise threshold, their inputs' limits, and what holds of every comparison."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podmeter.statistics import (
    Comparison,
    Direction,
    FloorRun,
    Floors,
    Level,
    NoiseThreshold,
    Pairing,
    Reason,
    Sample,
    Verdict,
    compare_all,
    noise_floor,
)

THREE_PERCENT = NoiseThreshold(0.03)
OPPOSITE = {Verdict.BETTER: Verdict.WORSE, Verdict.WORSE: Verdict.BETTER}
#: By what share each of six rounds is above or below the mean; together they cancel.
SPREAD = (-0.015, 0.015, -0.01, 0.01, -0.005, 0.005)


def sample(*centres: float) -> Sample:
    return Sample.of(*[[centre] for centre in centres])


def spread(centre: float) -> Sample:
    return sample(*[centre * (1 + share) for share in SPREAD])


def quiet_floors() -> Floors:
    """Of a cluster whose runs differ from each other by 0.1 % at most."""
    runs = [
        FloorRun.of(number, sample(*[centre] * 6))
        for number, centre in enumerate((100, 100.1, 99.9, 100, 100.05, 99.95))
    ]
    absolute = noise_floor([runs], relative=False)
    assert absolute is not None
    return Floors(noise_floor([runs], relative=True), absolute)


FLOORS = quiet_floors()


def judged(
    baseline: Sample,
    contender: Sample,
    direction: Direction = Direction.HIGHER,
    threshold: NoiseThreshold = THREE_PERCENT,
    level: Level = Level.BLOCK,
) -> Comparison:
    floors = FLOORS if level is Level.RUN else None
    (comparison,) = compare_all([Pairing(baseline, contender, direction, threshold, level, floors)])
    return comparison


@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize(
    ("threshold", "near", "beyond"),
    [(THREE_PERCENT, 102.5, 103.5), (NoiseThreshold(0, absolute=3), 102.5, 103.5)],
    ids=["share", "value"],
)
def test_a_clear_effect_within_the_noise_is_undecided(
    level: Level, threshold: NoiseThreshold, near: float, beyond: float
) -> None:
    """Its interval excludes no effect and reaches beyond the threshold, which it does not pass."""
    comparison = judged(sample(*[100.0] * 6), spread(near), threshold=threshold, level=level)
    assert comparison.p is not None
    assert comparison.p <= 0.05
    assert (comparison.verdict, comparison.reason) == (Verdict.UNDECIDED, Reason.NEAR_THRESHOLD)
    comparison = judged(sample(*[100.0] * 6), spread(beyond), threshold=threshold, level=level)
    assert (comparison.verdict, comparison.reason) == (Verdict.BETTER, Reason.CLEAR_EFFECT)


@pytest.mark.parametrize("share", [-0.1, 1.0, float("nan")])
def test_a_threshold_is_a_share(share: float) -> None:
    with pytest.raises(ValueError, match="noise threshold"):
        NoiseThreshold(share)


@pytest.mark.parametrize("value", [-0.1, float("inf"), float("nan")])
def test_an_absolute_threshold_is_a_finite_value(value: float) -> None:
    with pytest.raises(ValueError, match="noise threshold"):
        NoiseThreshold(0.03, absolute=value)


@pytest.mark.parametrize("level", list(Level))
def test_a_metric_without_a_direction_has_no_verdict(level: Level) -> None:
    baseline, contender = spread(100), spread(50)
    plain: tuple[Direction, Direction] = ("higher", "none")  # type: ignore[assignment]
    assert judged(baseline, contender, plain[0], level=level).verdict is Verdict.WORSE
    with pytest.raises(ValueError, match="none"):
        judged(baseline, contender, plain[1], level=level)
    with pytest.raises(ValueError, match="none"):
        judged(Sample.of(), contender, plain[1], level=level)


def test_negative_values_are_compared_by_shift() -> None:
    below, above = sample(-5, -4, -6, -5.5, -4.5, -5), sample(5, 4, 6, 5.5, 4.5, 5)
    comparison = judged(below, above)
    assert (comparison.verdict, comparison.reason, comparison.ratio) == (
        Verdict.BETTER,
        Reason.CLEAR_EFFECT,
        None,
    )
    assert comparison.shift is not None
    assert comparison.shift.value == pytest.approx(10)
    assert judged(above, below).verdict is Verdict.WORSE
    assert judged(below, above, Direction.LOWER).verdict is Verdict.WORSE
    # Nearer to zero is higher; a share of -100 is a share of 100.
    assert judged(spread(-100), spread(-90)).verdict is Verdict.BETTER
    near = judged(sample(*[-100.0] * 6), sample(-99, -99.1, -98.9, -99, -99, -99))
    assert (near.verdict, near.reason) == (Verdict.SAME, Reason.SMALL_EFFECT)


@st.composite
def arms(draw: st.DrawFn) -> tuple[Sample, Sample]:
    """Rounds of a baseline, and of a contender that is off by an effect, and noise if any."""
    rounds = draw(st.sampled_from((1, 5, 6, 9)))
    effect = draw(st.sampled_from((0.5, 0.965, 0.98, 1.0, 1.025, 1.04)))
    noise = draw(st.sampled_from((0.0, 0.01, 0.03, 0.3)))
    centres = draw(st.lists(st.floats(0.5, 1e6), min_size=rounds, max_size=rounds))
    off = np.random.default_rng(draw(st.integers(0, 1000))).normal(0, noise, rounds)
    factors = (effect * np.exp(off)).tolist()
    return sample(*centres), sample(*[a * b for a, b in zip(centres, factors, strict=True)])


@pytest.mark.parametrize("level", list(Level))
@given(arms())
def test_what_holds_of_every_comparison(level: Level, pair: tuple[Sample, Sample]) -> None:
    comparison = judged(*pair, level=level)
    mirrored = judged(*pair, Direction.LOWER, level=level)
    assert mirrored.verdict is OPPOSITE.get(comparison.verdict, comparison.verdict)
    assert (mirrored.reason, mirrored.p, mirrored.shift, mirrored.ratio) == (
        comparison.reason,
        comparison.p,
        comparison.shift,
        comparison.ratio,
    )
    assert comparison.shift is not None
    assert comparison.ratio is not None
    if comparison.p is None:
        assert comparison.rounds == 1
    else:
        # Rounds that are off by exactly the same leave chance nothing.
        assert 0 <= comparison.p <= 1
    if comparison.verdict is Verdict.SAME:
        assert comparison.ratio.interval is not None
        assert comparison.ratio.interval.lies_within(0.97, 1.03)
    if comparison.verdict in OPPOSITE:
        assert comparison.p is not None
        assert comparison.p <= 0.05
        assert comparison.ratio.interval is not None
        ends = (comparison.ratio.interval.low, comparison.ratio.interval.high)
        assert min(ends) >= 1 if comparison.verdict is Verdict.BETTER else max(ends) <= 1
        assert comparison.ratio.interval.contains(comparison.ratio.value)
        assert (comparison.shift.value > 0) is (comparison.verdict is Verdict.BETTER)


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize(
    ("contender", "absolute", "amount"),
    [(110.0, 30.0, 30.0), (100.0, 30.0, None), (110.0, 0.0, None)],
)
def test_the_same_by_the_metrics_own_threshold_alone_keeps_it(
    level: Level, contender: float, absolute: float, amount: float | None
) -> None:
    found = judged(
        spread(100), spread(contender), threshold=NoiseThreshold(0.03, absolute), level=level
    )
    assert (found.verdict is Verdict.SAME) is (absolute > 0)
    assert found.same_amount == amount
