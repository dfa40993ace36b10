"""What a path costs against node→node of the same run."""

from dataclasses import dataclass

from podmeter.statistics.by_rounds import compare_all
from podmeter.statistics.comparison import Pairing
from podmeter.statistics.interval import Estimate, Interval
from podmeter.statistics.sample import Sample
from podmeter.statistics.verdict import Direction, NoiseThreshold
from podmeter.statistics.warnings import StatisticsWarning


@dataclass(frozen=True)
class RelativeLoss:
    """How much worse a path is than node→node.

    loss
        As a share of node→node: 0.08 is 8 % worse. Of a metric that is better when higher
        1 - path / node, when lower path / node - 1. Negative where the path is the better one.
        None where a value is zero or negative, or no round has both.
    difference
        path - node→node in the metric's unit, whichever direction is good.
    """

    loss: Estimate | None
    difference: Estimate | None
    warnings: tuple[StatisticsWarning, ...]


def relative_loss(
    node: Sample, path: Sample, *, direction: Direction | str, confidence: float = 0.95
) -> RelativeLoss:
    """Give the loss of a path against node→node of the same run, paired by round.

    By the rounds' mean ratio, so a round that was slow for both is no loss; a single round has no
    interval. Raises ValueError for a direction other than higher or lower.
    """
    pairing = Pairing(node, path, Direction(direction), NoiseThreshold(0))
    (found,) = compare_all([pairing], alpha=1 - confidence)
    loss = None if found.ratio is None else loss_of(found.ratio, pairing.direction)
    return RelativeLoss(loss, found.shift, found.warnings)


def loss_of(ratio: Estimate, direction: Direction) -> Estimate:
    """A ratio to the baseline as the share that is lost of it."""
    interval = ratio.interval
    if direction is Direction.LOWER:
        if interval is not None:
            interval = Interval(interval.low - 1, interval.high - 1, interval.confidence)
        return Estimate(ratio.value - 1, interval)
    if interval is not None:
        interval = Interval(1 - interval.high, 1 - interval.low, interval.confidence)
    return Estimate(1 - ratio.value, interval)
