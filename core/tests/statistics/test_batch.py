import random

import pytest

from podmeter.statistics import (
    Comparison,
    Direction,
    Estimate,
    Level,
    NoiseThreshold,
    Pairing,
    Sample,
    Verdict,
    compare,
    compare_all,
    corrected,
)
from podmeter.statistics.rank_test import Method

SHAPES = (((5, 5),), ((7, 7), (7, 7), (7, 7)), ((5, 4), (3, 5)), ((2, 2),), ((30, 30),), ((1, 3),))


def same_estimate(one: Estimate | None, two: Estimate | None) -> None:
    if one is None or two is None:
        assert one is two
        return
    assert one.value == pytest.approx(two.value, rel=1e-12, abs=1e-12)
    if one.interval is None or two.interval is None:
        assert one.interval is two.interval
        return
    assert one.interval.low == pytest.approx(two.interval.low, rel=1e-12, abs=1e-12)
    assert one.interval.high == pytest.approx(two.interval.high, rel=1e-12, abs=1e-12)
    assert one.interval.confidence == two.interval.confidence


def same(one: Comparison, two: Comparison) -> None:
    for name in ("verdict", "reason", "method", "n_baseline", "n_contender", "rounds", "warnings"):
        assert getattr(one, name) == getattr(two, name), name
    assert one.p == (None if two.p is None else pytest.approx(two.p, rel=1e-9))
    assert one.least_p == two.least_p
    assert one.round_shifts == pytest.approx(two.round_shifts)
    same_estimate(one.shift, two.shift)
    same_estimate(one.ratio, two.ratio)


def pairings(draw: random.Random) -> list[Pairing]:
    found = []
    for _ in range(120):
        shape = draw.choice(SHAPES)
        whole = draw.random() < 0.3
        shifted, centre = draw.choice((0.8, 0.99, 1, 1.3)), draw.choice((0.0, 1.0, 1e9))

        def arm(n: int, factor: float, whole: bool = whole, centre: float = centre) -> list[float]:
            values = [draw.gauss(centre * factor, max(centre, 1) * 0.05) for _ in range(n)]
            # Whole numbers have ties, and zeros have no ratio.
            return [float(round(value)) for value in values] if whole else values

        found.append(
            Pairing(
                Sample.of(*[arm(one, 1) for one, _ in shape]),
                Sample.of(*[arm(two, shifted) for _, two in shape]),
                draw.choice(list(Direction)),
                NoiseThreshold(0.03),
            )
        )
    return found


@pytest.mark.parametrize("seed", range(5))
def test_each_is_what_compare_gives(seed: int) -> None:
    asked = pairings(random.Random(seed))
    for pairing, found in zip(asked, compare_all(asked), strict=True):
        same(
            found,
            compare(
                pairing.baseline,
                pairing.contender,
                direction=pairing.direction,
                threshold=pairing.threshold,
            ),
        )


def test_what_cannot_be_compared_keeps_its_place() -> None:
    threshold = NoiseThreshold(0.03)
    empty = Pairing(Sample.of([]), Sample.of([1, 2]), Direction.HIGHER, threshold)
    full = Pairing(Sample.of(range(1, 9)), Sample.of(range(21, 29)), Direction.LOWER, threshold)
    alone = Pairing(Sample.of([1], []), Sample.of([], [1]), Direction.HIGHER, threshold)
    first, second, third = compare_all([empty, full, alone])
    assert first.reason == "no_trials"
    assert second.verdict == "worse"
    assert third.reason == "no_common_round"
    assert compare_all([]) == ()


def sides(*shifts: float, trials: int = 1) -> Pairing:
    """Rounds of so many trials a side, the second side faster by each shift."""
    spread = [0.5 * number for number in range(trials)]
    return Pairing(
        Sample.of(*[[100 + one for one in spread] for _ in shifts]),
        Sample.of(*[[100 + shift + one for one in spread] for shift in shifts]),
        Direction.HIGHER,
        NoiseThreshold(0.03),
    )


def test_what_each_round_has_one_trial_of_is_compared_by_its_rounds() -> None:
    clear = sides(31, 30, 32, 29, 30, 31)
    (alone,) = compare_all([clear])

    assert (alone.level, alone.method, alone.rounds) == (Level.BLOCK, Method.PAIRED_T, 6)
    assert alone.p is not None
    assert alone.p < 0.0001
    # By six signs p is 0.03 at best, and nothing would be left of it among so many.
    among = corrected(compare_all([clear, *[sides(1, -1, 2, -2, 1, -1)] * 9]), alpha=0.05)
    assert [one.verdict for one in among[:2]] == [Verdict.BETTER, Verdict.INCONCLUSIVE]


def test_several_trials_a_round_and_a_single_trial_are_compared_by_trials() -> None:
    several, single = compare_all([sides(31, 30, 32, 29, trials=2), sides(31)])

    assert (several.level, several.method) == (Level.TRIAL, Method.EXACT)
    assert (single.level, single.p) == (Level.TRIAL, None)
