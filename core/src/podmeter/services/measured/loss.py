"""Derived metrics: how much worse a case is than another one of the same run."""

from dataclasses import dataclass

from podmeter.domain.axes import AxisValue
from podmeter.domain.measurement import Direction, Unit
from podmeter.results.projected import Key, Projected
from podmeter.services.measured.figures import Figure, Note, projected_figure


@dataclass(frozen=True, slots=True)
class Loss:
    """How much worse a case is than the baseline of its metric, a case of the same run.

    `loss` is a share of the baseline, negative where the case is better; `difference` is case
    - baseline in the source's unit. `baseline_case_id` is null where the run has no such case.
    `verdict` is what the case is against it, with its `reason`: both are set up once a round, so
    rounds are compared, and p is corrected for the run's `looked_at` losses. One that was kept
    before there were verdicts has none.
    """

    case_id: int
    key: str
    point: dict[str, AxisValue]
    metric: str
    source: str
    subject: str
    baseline_case_id: int | None
    baseline_point: dict[str, AxisValue]
    loss: Figure | None
    difference: Figure | None
    unit: str
    n: int
    n_baseline: int
    warnings: list[Note]
    direction: str = "higher"
    verdict: str | None = None
    reason: str | None = None
    p: float | None = None
    adjusted_p: float | None = None
    looked_at: int = 1


def projected(one: Loss) -> Projected:
    """A loss as a row; of a share of what it is set against, less is better."""
    unit, direction = Unit.RATIO.value, Direction.LOWER.value
    key = Key(one.metric, one.subject, unit, direction, one.point, one.baseline_point)
    return projected_figure(key, one.loss, one.n, one.verdict, "loss")
