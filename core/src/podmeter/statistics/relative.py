"""What a path costs against node→node of the same run."""

from dataclasses import dataclass

from podmeter.statistics import hodges_lehmann
from podmeter.statistics.interval import Estimate, Interval
from podmeter.statistics.sample import Sample, common_rounds
from podmeter.statistics.verdict import Direction
from podmeter.statistics.warnings import StatisticsWarning, WarningCode


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
    n_path: int
    n_node: int
    warnings: tuple[StatisticsWarning, ...]


def relative_loss(
    node: Sample, path: Sample, *, direction: Direction | str, confidence: float = 0.95
) -> RelativeLoss:
    """Give the loss of a path against node→node of the same run, paired by round.

    The estimate is the Hodges-Lehmann ratio, so a round that was slow for both is no loss.
    Raises ValueError for a direction other than higher or lower.
    """
    direction = Direction(direction)
    strata, alone = common_rounds(node, path)
    warnings = []
    if alone:
        warnings.append(StatisticsWarning(WarningCode.ROUND_WITHOUT_COUNTERPART, found=alone))
    if not strata:
        empty = node.n == 0 or path.n == 0
        code = WarningCode.NO_TRIALS if empty else WarningCode.NO_COMMON_ROUND
        return RelativeLoss(None, None, 0, 0, (StatisticsWarning(code), *warnings))
    difference = hodges_lehmann.shift(strata, confidence)
    ratio = hodges_lehmann.ratio(strata, confidence)
    n_node, n_path = (sum(len(stratum[arm]) for stratum in strata) for arm in (0, 1))
    if ratio is None:
        warnings.append(StatisticsWarning(WarningCode.RATIO_UNDEFINED))
    if difference.interval is None:
        found = min(n_node, n_path)
        warnings.append(StatisticsWarning(WarningCode.TOO_FEW_TRIALS, found=found))
    loss = None if ratio is None else loss_of(ratio, direction)
    return RelativeLoss(loss, difference, n_path, n_node, tuple(warnings))


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
