"""The centres that stand beside an effect never contradict it."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podmeter.statistics import (
    Estimator,
    Level,
    NoiseThreshold,
    Pairing,
    Sample,
    centres,
    compare_all,
    median,
)
from podmeter.statistics.verdict import Direction


def compared(baseline: Sample, contender: Sample, level: Level):
    (found,) = compare_all(
        [Pairing(baseline, contender, Direction.HIGHER, NoiseThreshold(0.03), level)]
    )
    return found


def test_medians_may_lie_the_other_way_round_and_the_centres_do_not() -> None:
    """27 against 27.4 Gbit/s beside a change of -1.1 %, as it was seen."""
    one = Sample.of(*[[value] for value in (24.0, 26.0, 27.0, 27.0, 30.0, 33.0)])
    two = Sample.of(*[[value] for value in (22.0, 23.5, 27.4, 27.4, 31.0, 33.5)])
    found = compared(one, two, Level.BLOCK)
    assert found.ratio is not None
    medians = median(one), median(two)
    assert medians[0] is not None
    assert medians[1] is not None
    assert medians[1].value > medians[0].value
    assert found.ratio.value < 1
    shown = centres(one, two, found)
    assert shown is not None
    assert shown.estimator is Estimator.GEOMETRIC_ROUNDS
    assert shown.contender.value < shown.baseline.value


rounds = st.lists(st.lists(st.floats(0.1, 1000), min_size=1, max_size=3), min_size=1, max_size=8)


@given(rounds, rounds, st.sampled_from(Level))
def test_the_ratio_is_that_of_the_centres(
    one: list[list[float]], two: list[list[float]], level: Level
) -> None:
    baseline, contender = Sample.of(*one), Sample.of(*two)
    found = compared(baseline, contender, level)
    shown = centres(baseline, contender, found)
    assert shown is not None
    assert found.ratio is not None
    assert shown.contender.value / shown.baseline.value == pytest.approx(found.ratio.value)
    for side in (shown.baseline, shown.contender):
        if side.interval is not None:
            assert side.interval.low <= side.value * (1 + 1e-9)
            assert side.value <= side.interval.high * (1 + 1e-9)


@given(st.integers(0, 100), st.sampled_from(Level))
def test_where_a_ratio_has_no_meaning_the_shift_is_that_of_the_centres(
    seed: int, level: Level
) -> None:
    draw = random.Random(seed)
    one, two = (
        Sample.of(*[[float(draw.randint(-3, 3)) for _ in range(2)] for _ in range(6)])
        for _ in range(2)
    )
    found = compared(one, two, level)
    if found.ratio is not None or found.shift is None:
        return
    shown = centres(one, two, found)
    assert shown is not None
    assert shown.contender.value - shown.baseline.value == pytest.approx(found.shift.value)


def test_nothing_is_tested_of_a_single_round() -> None:
    assert compared(Sample.of([1.0, 1.1]), Sample.of([2.0, 2.1]), Level.BLOCK).p is None


def test_there_are_none_of_nothing() -> None:
    empty = Sample.of([])
    assert centres(empty, empty, compared(empty, empty, Level.BLOCK)) is None
