"""Requests for comparisons."""

import uuid
from dataclasses import dataclass, field

from podmeter.domain.axes import AxisValue
from podmeter.domain.errors import InvalidSpecError
from podmeter.services.run_results.runs import MetricChoice


class InvalidComparisonError(InvalidSpecError):
    """What was asked cannot be compared; every fault is named by its JSON pointer."""

    code = "invalid_comparison"


@dataclass(frozen=True)
class Side:
    """A run, its cases that have the axis values of `where`, or one of its cases."""

    run_id: uuid.UUID
    case_id: int | None = None
    where: dict[str, AxisValue] = field(default_factory=dict)


@dataclass(frozen=True)
class PublishedSide:
    """A reference, or its figures that have the axis values of `where`; only as a baseline."""

    reference_id: str
    where: dict[str, AxisValue] = field(default_factory=dict)


@dataclass(frozen=True)
class Request:
    """One baseline and its contenders.

    `noise_threshold` is the share of the baseline up to which an effect is noise; `alpha` the
    risk of a rank test, its intervals have the confidence 1 - alpha. `metrics` are what the
    cases are about, or all that have a direction.
    """

    baseline: Side | PublishedSide
    contenders: tuple[Side, ...]
    metrics: MetricChoice = MetricChoice.MAIN
    noise_threshold: float = 0.03
    alpha: float = 0.05
