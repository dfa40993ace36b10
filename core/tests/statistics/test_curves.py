"""Trends and crossovers of curves over Services."""

import numpy as np
import pytest
from scipy import stats

from podmeter.statistics import (
    Curve,
    Direction,
    Flatness,
    Level,
    NoiseThreshold,
    Sample,
    Shape,
    WarningCode,
    find_crossover,
    trend,
    trend_difference,
)
from podmeter.statistics.sen import sen_slope

SERVICES = (10, 1000, 5000, 10000, 20000, 30000)


def curve(values, noise=0.005, rounds=6, trials=2, seed=1, xs=SERVICES):
    rng = np.random.default_rng(seed)
    return Curve.of(
        {
            x: Sample.of(*(value * (1 + rng.normal(0, noise, (rounds, trials)))).tolist())
            for x, value in zip(xs, values, strict=True)
        }
    )


# Published short-connection rates per second of imroc/tke-guide (80449bd); its single round is
# given a noise of half a percent here.
IPTABLES = (31365, 29000, 22237, 17261, 12916, 9057)
CILIUM = (13826, 13500, 12774, 11895, 11815, 10286)


def test_iptables_falls_and_by_how_much():
    found = trend(curve(IPTABLES))
    assert found.shape is Shape.FALLS
    assert (found.first_x, found.last_x) == (10, 30000)
    assert found.change.interval.contains(9057 / 31365)
    assert found.change.interval.high < 0.3
    assert found.slope.interval.high < 0
    assert found.p < 1e-6


@pytest.mark.parametrize(
    ("values", "noise", "shape"),
    [
        ((100,) * 6, 0.005, Shape.FLAT),
        ((100,) * 6, 0.07, Shape.NEARLY_FLAT),
        ((100,) * 6, 0.2, Shape.UNDECIDED),
        ((100, 101, 103, 105, 108, 120), 0.005, Shape.RISES),
        # Down in the middle, back at the end: neither flat nor falling.
        ((100, 70, 50, 50, 70, 100), 0.005, Shape.UNDECIDED),
        ((100, 99.5, 99, 98.5, 98, 97.5), 0.001, Shape.FLAT),
    ],
)
@pytest.mark.parametrize("rounds", [6, 10])
def test_shapes(values, noise, shape, rounds):
    assert trend(curve(values, noise, rounds, seed=2)).shape is shape


def test_a_fall_is_seen_under_drift_between_rounds():
    # Each round is a fifth slower than the one before; within each the curve falls by a tenth.
    rounds = [0.8**n for n in range(6)]
    falls = Curve.of(
        {
            x: Sample.of(*[[r * v * (1 + d) for d in (-0.002, 0, 0.002)] for r in rounds])
            for x, v in ((10, 100.0), (500, 97.0), (1000, 94.0), (2000, 90.0))
        }
    )
    found = trend(falls)
    assert found.shape is Shape.FALLS
    assert found.change.value == pytest.approx(0.9, abs=0.003)


def test_the_slope_is_scipys_theilslopes():
    rng = np.random.default_rng(4)
    xs = np.repeat([10, 20, 50, 90], 4).astype(float)
    ys = rng.normal(0, 1, 16) - xs / 60
    found = sen_slope(list(zip(xs.tolist(), ys.tolist(), strict=True)))
    assert found == pytest.approx(stats.theilslopes(ys, xs).slope)
    assert sen_slope([]) is None
    assert sen_slope([(1.0, 2.0), (1.0, 3.0)]) is None
    assert sen_slope([(1.0, 5.0), (2.0, 5.0), (3.0, 5.0)]) == 0


@pytest.mark.parametrize("rounds", [1, 3, 5])
def test_fewer_rounds_than_decide_show_no_shape_however_clear_they_are(rounds):
    found = trend(curve(IPTABLES, rounds=rounds, trials=30))
    assert found.shape is Shape.UNDECIDED
    assert found.change.value == pytest.approx(9057 / 31365, rel=0.02)
    assert trend(curve((100,) * 6, 0.0001, rounds=rounds, trials=30)).shape is Shape.UNDECIDED


def test_what_goes_on_beside_the_climb_is_no_fall_when_every_second_one_is_mirrored():
    slower = np.linspace(1, 0.9, 6)
    rounds = {
        x: Sample.of(*([100 * (slower[::-1] if r % 2 else slower)[n]] * 2 for r in range(6)))
        for n, x in enumerate(SERVICES)
    }
    found = trend(Curve.of(rounds))
    assert found.shape not in (Shape.FALLS, Shape.RISES)
    assert found.change.value == pytest.approx(1, abs=0.01)


def test_no_trend_is_found_where_there_is_none_about_as_often_as_promised():
    rng = np.random.default_rng(21)
    wrong = 0
    for _ in range(1000):
        one = Curve.of(
            {x: Sample.of(*rng.normal(100, 5, (6, 2)).tolist()) for x in (10, 500, 1000, 2000)}
        )
        wrong += trend(one, flatness=Flatness(0, 0)).shape in (Shape.FALLS, Shape.RISES)
    assert wrong / 1000 <= 0.05


@pytest.mark.parametrize("xs", [(), (10,)])
def test_a_curve_of_one_point_has_no_trend(xs):
    found = trend(curve([100] * len(xs), xs=xs))
    assert found.shape is Shape.UNDECIDED
    assert (found.change, found.slope, found.p) == (None, None, None)
    assert found.warnings[0].code is WarningCode.TOO_FEW_TRIALS


def test_points_without_trials_are_left_out():
    assert Curve.of({10: Sample.of([1]), 20: Sample.of([])}).xs == (10,)
    with pytest.raises(ValueError, match="ascend"):
        Curve(((2, Sample.of([1])), (1, Sample.of([1]))))


def test_a_single_trial_in_each_round_is_enough():
    assert trend(curve(IPTABLES, trials=1)).shape is Shape.FALLS


def test_flatness_is_checked():
    with pytest.raises(ValueError, match="flatness"):
        Flatness(flat=0.2, nearly=0.1)


def crossing(baseline, contender, direction=Direction.HIGHER, level=Level.BLOCK):
    return find_crossover(
        baseline, contender, direction=direction, threshold=NoiseThreshold(0.03), level=level
    )


def steeper(baseline, contender, level=Level.BLOCK):
    return trend_difference(baseline, contender, level=level).steeper


def test_iptables_falls_by_more_than_cilium():
    found = trend_difference(curve(IPTABLES), curve(CILIUM, seed=2), level=Level.BLOCK)
    assert found.steeper == "baseline"
    truth = (10286 / 13826) / (9057 / 31365)
    assert found.ratio.interval.contains(truth)
    assert found.ratio.interval.confidence >= 0.95
    assert steeper(curve(CILIUM, seed=2), curve(IPTABLES)) == "contender"
    assert steeper(curve(CILIUM), curve(CILIUM, seed=5)) is None
    assert steeper(curve(IPTABLES, rounds=5), curve(CILIUM, rounds=5)) is None
    lone = trend_difference(curve([1], xs=(10,)), curve(CILIUM), level=Level.BLOCK)
    assert lone.ratio is None


def test_between_runs_curves_neither_cross_nor_differ():
    baseline, contender = curve(IPTABLES), curve(CILIUM, seed=2)
    assert crossing(baseline, contender, level=Level.RUN) is None
    found = trend_difference(baseline, contender, level=Level.RUN)
    assert found.steeper is None
    assert found.ratio.interval.contains((10286 / 13826) / (9057 / 31365))


def test_cilium_overtakes_iptables_between_20k_and_30k_services():
    found = crossing(curve(IPTABLES), curve(CILIUM, seed=2))
    assert (found.last_before, found.first_after) == (20000, 30000)
    assert found.contender_leads_after
    # 12916 - 11815 = 1101 before, 9057 - 10286 = -1229 after, over log x.
    assert found.estimate == pytest.approx(20000 * 1.5 ** (1101 / 2330), rel=0.02)
    assert found.before.p <= 0.05
    assert found.after.p <= 0.05
    assert found.warnings == ()


def test_curves_that_do_not_differ_cross_seldom():
    """Crossings are of the corrected family of rungs (fault 6)."""
    rng = np.random.default_rng(3)
    crossed = 0
    for _ in range(200):
        sides = [
            Curve.of({x: Sample.of(*np.exp(rng.normal(0, 0.05, (6, 1)))) for x in SERVICES})
            for _ in range(2)
        ]
        crossed += crossing(*sides) is not None
    assert crossed <= 2


def test_where_lower_is_better_the_leader_is_the_other_one():
    found = crossing(curve(IPTABLES), curve(CILIUM, seed=2), Direction.LOWER)
    assert not found.contender_leads_after


def test_curves_that_do_not_cross_or_are_not_clear_have_no_crossover():
    assert crossing(curve(IPTABLES), curve([2 * one for one in IPTABLES])) is None
    assert crossing(curve(IPTABLES, 0.5), curve(CILIUM, 0.5, seed=2)) is None
    assert crossing(curve(IPTABLES, rounds=5), curve(CILIUM, rounds=5)) is None
    assert crossing(Curve(()), curve(CILIUM)) is None


def test_unclear_points_widen_the_crossing():
    baseline = curve((100, 100, 100), xs=(0, 10, 20))
    contender = curve((50, 100, 150), xs=(0, 10, 20), seed=3)
    found = crossing(baseline, contender)
    assert (found.last_before, found.first_after) == (0, 20)
    assert found.estimate == pytest.approx(10, abs=0.5)


def test_a_second_crossing_and_missing_points_are_said():
    baseline = curve((100, 100, 100), xs=(10, 20, 30))
    contender = curve((50, 150, 50, 50), xs=(10, 20, 30, 40), seed=3)
    found = crossing(baseline, contender)
    assert found.first_after == 20
    assert {one.code for one in found.warnings} == {
        WarningCode.CURVES_CROSS_AGAIN,
        WarningCode.POINT_MISSING,
    }


def test_what_slows_the_control_as_well_is_no_fall():
    """Services and time rise together, and the machine slows by a tenth in every climb."""
    slower = np.linspace(1, 0.9, 6)
    asked = curve(3000 * slower, 0.005, seed=5)
    control = curve(9000 * slower, 0.005, seed=6)
    assert trend(asked).shape is Shape.FALLS
    found = trend(asked, control=control)
    assert found.shape is Shape.FLAT
    assert found.controlled
    assert found.change.value == pytest.approx(1, abs=0.01)


def test_what_the_control_does_not_show_is_a_fall():
    control = curve([9000] * 6, 0.005, seed=6)
    found = trend(curve(IPTABLES, seed=5), control=control)
    assert (found.shape, found.controlled) == (Shape.FALLS, True)
    assert found.change.interval.contains(9057 / 31365)
    # A control that falls alone makes a rise of it, as it should.
    rising = trend(curve([100] * 6), control=curve(IPTABLES, seed=6))
    assert rising.shape is Shape.RISES


def test_rounds_are_related_to_their_own_control():
    """A round that is slow for both is slow for neither."""
    rounds = [1.0, 0.5, 0.8, 0.3, 0.9, 0.6]
    asked, control = (
        Curve.of(
            {
                x: Sample.of(*[[r * value * f for f in (0.999, 1, 1.001)] for r in rounds])
                for x in (10, 500)
            }
        )
        for value in (30.0, 90.0)
    )
    ratios = asked.against(control)
    assert [round(y, 6) for climb in ratios.by_round() for _, y in climb] == [0.333333] * 12
    assert trend(asked, control=control).shape is Shape.FLAT


def test_a_round_or_rung_without_its_control_is_left_out():
    asked = Curve.of({x: Sample.of([2.0], [3.0], [4.0]) for x in (10, 500, 1000)})
    control = Curve.of({10: Sample.of([1.0], [], [0.0]), 500: Sample.of([1.0])})
    ratios = asked.against(control)
    assert ratios.xs == (10, 500)
    assert [sample.rounds for _, sample in ratios.points] == [((2.0,), (), ())] * 2
    lone = Curve.of({10: Sample.of(*[[1.0]] * 6)})
    assert not trend(curve(IPTABLES), control=lone).controlled


def test_who_is_steeper_is_told_by_the_controls_of_both():
    """One mode's climbs slowed down, and it lost nothing by itself."""
    slower = np.linspace(1, 0.8, 6)
    before, after = curve([100] * 6, seed=7), curve(100 * slower, seed=8)
    controls = curve([300] * 6, seed=9), curve(300 * slower, seed=10)
    assert trend_difference(before, after, level=Level.BLOCK).steeper == "contender"
    found = trend_difference(before, after, level=Level.BLOCK, controls=controls)
    assert found.steeper is None
    assert found.ratio.value == pytest.approx(1, abs=0.01)
    half = trend_difference(before, after, level=Level.BLOCK, controls=(controls[0], None))
    assert half.steeper == "contender"
