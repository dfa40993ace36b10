"""Comparisons between blocks: rounds are the evidence, and trials cannot make up for them."""

import numpy as np
import pytest

from podmeter.statistics import (
    Comparison,
    Direction,
    Level,
    NoiseThreshold,
    Pairing,
    Reason,
    Sample,
    Verdict,
    WarningCode,
    compare_all,
    corrected,
)

THREE_PERCENT = NoiseThreshold(0.03)
DIFFERENT = (Verdict.BETTER, Verdict.WORSE)


def judged(
    baseline: Sample,
    contender: Sample,
    level: Level = Level.BLOCK,
    direction: Direction = Direction.HIGHER,
    threshold: NoiseThreshold = THREE_PERCENT,
) -> Comparison:
    (found,) = compare_all([Pairing(baseline, contender, direction, threshold, level)])
    return found


def rounds(centres: list[float], trials: int = 3) -> Sample:
    return Sample.of(*[[centre * (1 + 0.001 * n) for n in range(trials)] for centre in centres])


STEADY = rounds([100, 103, 98, 101, 99, 102])
SLOWER = rounds([80, 82, 79, 80.5, 81, 83])


def test_six_rounds_that_agree_are_a_verdict() -> None:
    found = judged(STEADY, SLOWER)
    assert (found.verdict, found.reason) == (Verdict.WORSE, Reason.CLEAR_EFFECT)
    assert found.level is Level.BLOCK
    assert found.rounds == len(found.round_shifts) == 6
    assert found.agreement_p == found.least_p == 2 / 64
    assert found.p is not None
    assert found.p < 1e-4
    assert found.ratio is not None
    assert found.ratio.interval is not None
    assert found.ratio.interval.contains(0.8)
    assert judged(STEADY, SLOWER, direction=Direction.LOWER).verdict is Verdict.BETTER


@pytest.mark.parametrize("trials", [1, 5, 500])
def test_one_block_an_arm_decides_nothing_however_many_trials_it_has(trials: int) -> None:
    found = judged(rounds([100], trials), rounds([50], trials))
    assert (found.verdict, found.reason) == (Verdict.INCONCLUSIVE, Reason.ONE_BLOCK)
    assert found.p is None
    assert found.ratio is not None
    assert found.ratio.value == pytest.approx(0.5)
    assert found.ratio.interval is None


@pytest.mark.parametrize("count", [2, 3, 5])
def test_too_few_rounds_decide_nothing_and_say_how_many_it_takes(count: int) -> None:
    found = judged(rounds([100.0] * count), rounds([50.0 + n for n in range(count)]))
    assert (found.verdict, found.reason) == (Verdict.INCONCLUSIVE, Reason.TOO_FEW_ROUNDS)
    (said,) = [one for one in found.warnings if one.code is WarningCode.TOO_FEW_ROUNDS]
    assert (said.needed, said.found) == (6, count)
    # Not even that they are the same.
    assert judged(STEADY_OF[count], STEADY_OF[count]).reason is Reason.TOO_FEW_ROUNDS


STEADY_OF = {count: rounds([100.0] * count) for count in (2, 3, 5)}


def test_a_round_against_the_others_forbids_a_verdict_of_six() -> None:
    found = judged(STEADY, rounds([80, 82, 79, 80.5, 81, 102.5]))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.agreement_p is not None
    assert found.agreement_p > 0.05


def test_rounds_are_paired() -> None:
    """A machine that halves its speed from round to round is slow for both sides."""
    falling = [100 * 0.5**n for n in range(6)]
    found = judged(rounds(falling), rounds([one * 0.9 for one in falling]))
    assert found.verdict is Verdict.INCONCLUSIVE or found.verdict is Verdict.WORSE
    assert found.ratio is not None
    assert found.ratio.value == pytest.approx(0.9)
    assert found.ratio.interval is not None
    assert found.ratio.interval.high < 0.91


def test_same_needs_the_whole_interval_of_the_rounds_inside() -> None:
    near = judged(STEADY, rounds([100.2, 103.1, 98.3, 100.8, 99.1, 102.2]))
    assert (near.verdict, near.reason) == (Verdict.SAME, Reason.WITHIN_THRESHOLD)
    wide = judged(STEADY, rounds([90, 113, 90, 109, 92, 109]))
    assert (wide.verdict, wide.reason) == (Verdict.INCONCLUSIVE, Reason.INTERVAL_TOO_WIDE)


def test_two_rounds_worlds_apart_have_no_interval_that_ends() -> None:
    found = judged(rounds([1e-30, 1e30]), rounds([1e30, 1e-30]))
    assert found.reason is Reason.TOO_FEW_ROUNDS
    assert found.ratio is not None
    assert found.ratio.interval is None


def test_between_runs_nothing_is_called_different() -> None:
    found = judged(STEADY, SLOWER, Level.RUN)
    assert (found.verdict, found.reason) == (Verdict.INCONCLUSIVE, Reason.NOISE_FLOOR_UNKNOWN)
    assert found.ratio is not None
    assert found.ratio.interval is not None
    assert found.ratio.interval.contains(0.8)
    assert found.round_shifts == ()
    more = judged(STEADY, rounds([80.0, 81.0]), Level.RUN)
    assert more.reason is Reason.NOISE_FLOOR_UNKNOWN
    single = judged(rounds([100]), rounds([80]), Level.RUN)
    assert single.reason is Reason.NOISE_FLOOR_UNKNOWN
    assert single.p is None


@pytest.mark.parametrize("level", [Level.BLOCK, Level.RUN])
def test_nothing_to_compare_is_defined(level: Level) -> None:
    assert judged(Sample.of([]), STEADY, level).reason is Reason.NO_TRIALS
    assert judged(Sample.of(), Sample.of(), level).reason is Reason.NO_TRIALS
    alone = judged(Sample.of([1], []), Sample.of([], [1]))
    assert alone.reason is Reason.NO_COMMON_ROUND


def test_zeros_have_no_ratio_and_constant_figures_are_defined() -> None:
    zero = Sample.of(*[[0.0, 0.0]] * 6)
    same = judged(zero, zero)
    assert (same.verdict, same.ratio) == (Verdict.SAME, None)
    more = judged(zero, Sample.of(*[[5.0, 6.0 + n] for n in range(6)]), direction=Direction.LOWER)
    assert more.verdict is Verdict.WORSE
    counts = judged(Sample.of(*[[7.0, 7.0]] * 6), Sample.of(*[[9.0, 9.0]] * 6))
    assert counts.verdict is Verdict.BETTER


def test_mixed_shapes_keep_their_places() -> None:
    pairings = [
        Pairing(STEADY, SLOWER, Direction.HIGHER, THREE_PERCENT, level)
        for level in (Level.RUN, Level.TRIAL, Level.BLOCK)
    ]
    found = compare_all([*pairings, Pairing(SLOWER, STEADY, Direction.HIGHER, THREE_PERCENT)])
    assert [one.level for one in found] == [Level.RUN, Level.TRIAL, Level.BLOCK, Level.TRIAL]
    assert [one.verdict for one in found[1:]] == [Verdict.WORSE, Verdict.WORSE, Verdict.BETTER]


def test_blocks_that_vary_are_rarely_called_different() -> None:
    rng = np.random.default_rng(5)
    pairings = []
    for _ in range(1000):
        one, two = (
            Sample.of(*(np.exp(rng.normal(0, 0.1, (6, 1)) + rng.normal(0, 0.01, (6, 2)))).tolist())
            for _ in range(2)
        )
        pairings.append(Pairing(one, two, Direction.HIGHER, THREE_PERCENT, Level.BLOCK))
    wrong = sum(one.verdict in DIFFERENT for one in compare_all(pairings))
    assert wrong <= 50
    # One block of each, trial by trial, is what this is for.
    trials = []
    for _ in range(200):
        one, two = (
            Sample.of(np.exp(rng.normal(0, 0.1) + rng.normal(0, 0.01, 5))) for _ in range(2)
        )
        trials.append(Pairing(one, two, Direction.HIGHER, THREE_PERCENT))
    assert sum(one.verdict in DIFFERENT for one in compare_all(trials)) > 140


def test_what_is_clear_alone_may_not_be_among_many() -> None:
    rng = np.random.default_rng(6)

    def sample(centre: float) -> Sample:
        return rounds((centre * np.exp(rng.normal(0, 0.03, 6))).tolist())

    lone = judged(STEADY, rounds([94, 90, 91, 97, 90, 97]))
    assert lone.verdict is Verdict.WORSE
    assert corrected([lone], alpha=0.05) == (lone,)
    others = [judged(sample(100), sample(100)) for _ in range(19)]
    first, *rest = corrected([lone, *others], alpha=0.05)
    assert (first.verdict, first.reason) == (Verdict.INCONCLUSIVE, Reason.MANY_COMPARISONS)
    assert first.p == lone.p
    assert lone.p is not None
    assert first.adjusted_p is not None
    assert first.adjusted_p > lone.p
    assert {one.looked_at for one in (first, *rest)} == {20}
    # A large one is clear among as many.
    large, *_ = corrected([judged(STEADY, SLOWER), *others], alpha=0.05)
    assert large.verdict is Verdict.WORSE


def test_what_was_not_tested_is_not_counted() -> None:
    nothing = judged(Sample.of([]), STEADY)
    found = corrected([nothing, judged(STEADY, SLOWER), judged(STEADY, STEADY)], alpha=0.05)
    assert found[0] == nothing
    assert [one.looked_at for one in found[1:]] == [2, 2]
