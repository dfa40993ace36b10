"""The centres that stand beside an effect never contradict it."""

import random
from statistics import geometric_mean

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


def compared(
    baseline: Sample,
    contender: Sample,
    level: Level,
    control: tuple[Sample, Sample] | None = None,
):
    pairing = Pairing(
        baseline, contender, Direction.HIGHER, NoiseThreshold(0.03), level, control=control
    )
    (found,) = compare_all([pairing])
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


def test_rounds_that_their_control_leaves_out_are_in_no_centre() -> None:
    """In the first round the control has no value above zero, and the case itself is zero."""
    control = Sample.of([0], *[[value] for value in (10, 11, 10, 12, 11)])
    baseline = Sample.of([0], *[[value] for value in (20, 22, 21, 25, 20)])
    contender = Sample.of([0], *[[value] for value in (30, 31, 33, 36, 30)])
    found = compared(baseline, contender, Level.BLOCK, (control, control))
    assert found.round_numbers == (1, 2, 3, 4, 5)
    assert found.ratio is not None
    shown = centres(baseline, contender, found)
    assert shown is not None
    assert shown.baseline.value == pytest.approx(geometric_mean([20, 22, 21, 25, 20]))
    assert shown.contender.value / shown.baseline.value == pytest.approx(found.ratio.value)


def test_a_round_without_its_control_is_in_no_centre() -> None:
    control = Sample.of([], *[[value] for value in (10, 11, 10, 12, 11)])
    baseline = Sample.of([900], *[[value] for value in (20, 22, 21, 25, 20)])
    contender = Sample.of([31], *[[value] for value in (30, 31, 33, 36, 30)])
    found = compared(baseline, contender, Level.BLOCK, (control, control))
    shown = centres(baseline, contender, found)
    assert shown is not None
    assert shown.baseline.value == pytest.approx(geometric_mean([20, 22, 21, 25, 20]))


def test_nothing_is_tested_of_a_single_round() -> None:
    assert compared(Sample.of([1.0, 1.1]), Sample.of([2.0, 2.1]), Level.BLOCK).p is None


def test_there_are_none_of_nothing() -> None:
    empty = Sample.of([])
    assert centres(empty, empty, compared(empty, empty, Level.BLOCK)) is None
