"""Which sample is the worst of all: what is called so, and how often by chance."""

import random
from itertools import product

import pytest
from core.tests.sampling import sampled

from podmeter.statistics import (
    Direction,
    NoiseThreshold,
    Reason,
    Sample,
    Verdict,
    median,
    outlying_group,
    worst_first,
)

NOISE = NoiseThreshold(0.03)


def drawn(rng, centre, rounds=8, trials=2, deviation=0.05):
    return Sample.of(
        *([centre * rng.gauss(1, deviation) for _ in range(trials)] for _ in range(rounds))
    )


def judged(samples, members=None, direction=Direction.HIGHER):
    if members is None:
        members = {worst_first([median(one) for one in samples], direction)[0]}
    return outlying_group(samples, members, direction=direction, threshold=NOISE)


@pytest.mark.parametrize(("direction", "factor"), [(Direction.HIGHER, 0.5), (Direction.LOWER, 2)])
def test_one_that_is_far_worse_than_all_is_found(direction, factor):
    rng = random.Random(1)
    samples = [drawn(rng, 10e9 * (factor if place == 4 else 1)) for place in range(12)]
    found = judged(samples, direction=direction)
    assert found.member == 4
    assert found.comparison.verdict is Verdict.WORSE
    # Against each of the others, so by the largest p of all.
    assert found.comparison.p <= 0.05
    assert found.comparison.ratio.value == pytest.approx(factor, rel=0.1)


def test_of_two_that_are_slow_alike_neither_is_the_slowest_and_both_are_slower_than_the_rest():
    rng = random.Random(2)
    samples = [drawn(rng, 5e9 if place < 2 else 10e9) for place in range(6)]
    alone = judged(samples)
    assert alone.comparison.verdict is Verdict.UNDECIDED
    assert {alone.member, alone.other} == {0, 1}
    both = judged(samples, {0, 1})
    assert both.comparison.verdict is Verdict.WORSE


def test_too_few_rounds_tell_nothing():
    samples = [Sample.of([1.0], [1.0]), Sample.of([10.0], [10.0])]
    found = judged(samples)
    assert found.comparison.verdict is Verdict.UNDECIDED
    assert found.comparison.reason is Reason.TOO_FEW_ROUNDS


@pytest.mark.parametrize("members", [set(), {0, 1}])
def test_both_sides_need_a_sample(members):
    with pytest.raises(ValueError, match="both sides"):
        judged([Sample.of([1.0]), Sample.of([2.0])], members)


#: So many links, with so many rounds and trials of each.
ALIKE = list(product([2, 6, 30], [(8, 2), (6, 1)]))


@pytest.mark.parametrize(("links", "size"), sampled(ALIKE, 2))
def test_where_nothing_differs_something_is_named_seldom(links, size):
    """The worst is chosen by its figures, and yet named in no more than alpha of the runs."""
    rng = random.Random(links)
    runs = 200
    named = sum(
        judged([drawn(rng, 10e9, *size) for _ in range(links)]).comparison.verdict is Verdict.WORSE
        for _ in range(runs)
    )
    assert named / runs <= 0.05


@pytest.mark.parametrize(("rounds", "trials"), [(8, 2), (6, 1)])
def test_where_one_other_is_as_bad_something_is_named_seldom(rounds, trials):
    """The least favourable case: two alike, and the rest far away."""
    rng = random.Random(7)
    runs, named = 200, 0
    for _ in range(runs):
        samples = [drawn(rng, 1e9 if place < 2 else 10e9, rounds, trials) for place in range(8)]
        named += judged(samples).comparison.verdict is Verdict.WORSE
    assert named / runs <= 0.05
