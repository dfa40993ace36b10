"""Loss against node→node, by hand and against the articles."""

from math import exp, log

import pytest

from podmeter.statistics import Direction, Sample, WarningCode, relative_loss


def test_qperfs_article_bandwidth_and_latency():
    # node→node 331 MB/s and 125 µs; pod→pod 170 MB/s and 154 µs.
    bandwidth = relative_loss(Sample.of([331]), Sample.of([170]), direction=Direction.HIGHER)
    assert bandwidth.loss.value == pytest.approx(0.4864, abs=1e-4)
    assert bandwidth.difference.value == -161
    latency = relative_loss(Sample.of([125e-6]), Sample.of([154e-6]), direction=Direction.LOWER)
    assert latency.loss.value == pytest.approx(0.232)
    assert latency.loss.interval is None
    assert latency.warnings[0].code is WarningCode.TOO_FEW_ROUNDS


def test_the_interval_by_hand():
    node, path = Sample.of([100], [100]), Sample.of([90], [80])
    loss = relative_loss(node, path, direction=Direction.HIGHER).loss
    # The mean of two logarithms, and Student's t of one degree: 12.706.
    mean, reach = log(0.9 * 0.8) / 2, 12.706 * log(0.9 / 0.8) / 2
    assert loss.value == pytest.approx(1 - exp(mean))
    assert loss.interval.low == pytest.approx(1 - exp(mean + reach), rel=1e-4)
    assert loss.interval.high == pytest.approx(1 - exp(mean - reach), rel=1e-4)


def test_a_path_may_be_better_than_node_to_node():
    node = Sample.of([100], [101], [102], [103], [104])
    path = Sample.of([110], [111], [112], [113], [114])
    found = relative_loss(node, path, direction=Direction.HIGHER)
    assert found.loss.value < 0
    assert found.loss.interval.high < 0
    slower = relative_loss(node, path, direction=Direction.LOWER)
    assert slower.loss.value > 0


def test_a_round_slow_for_both_is_no_loss():
    node = Sample.of([100, 101, 102], [50, 50.5, 51], [10, 10.1, 10.2])
    found = relative_loss(node, node, direction=Direction.HIGHER)
    assert found.loss.value == 0
    assert found.loss.interval.low > -0.03
    assert found.loss.interval.high < 0.03


@pytest.mark.parametrize(
    ("node", "path", "code"),
    [
        (Sample.of(), Sample.of([1]), WarningCode.NO_TRIALS),
        (Sample.of([1], []), Sample.of([], [1]), WarningCode.NO_COMMON_ROUND),
    ],
)
def test_nothing_to_relate_is_none(node, path, code):
    found = relative_loss(node, path, direction=Direction.HIGHER)
    assert (found.loss, found.difference) == (None, None)
    assert found.warnings[0].code is code


def test_a_zero_node_to_node_has_no_loss_but_a_difference():
    found = relative_loss(Sample.of([0, 0]), Sample.of([1, 2]), direction=Direction.LOWER)
    assert found.loss is None
    assert found.difference.value == 1.5
    assert WarningCode.RATIO_UNDEFINED in {one.code for one in found.warnings}
