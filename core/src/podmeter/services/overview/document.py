"""The overview as it is shown. Values are in base units."""

import uuid
from dataclasses import dataclass

from podmeter.domain.axes import AxisValue
from podmeter.domain.moment import Moment
from podmeter.services.comparisons.document import Crossing
from podmeter.services.headlines.document import Headline
from podmeter.services.measured.figures import Figure

Point = dict[str, AxisValue]


@dataclass(frozen=True, slots=True)
class ClearLoss:
    """What a case surely loses, or adds, against the one at `baseline_point`; a share of that."""

    metric: str
    point: Point
    baseline_point: Point
    loss: Figure
    verdict: str


@dataclass(frozen=True, slots=True)
class CurveSpot:
    """The median of a case and how many trials it is of."""

    x: float
    value: Figure | None
    n: int


@dataclass(frozen=True, slots=True)
class ModeCurve:
    """One curve; `modes` tell it from the others."""

    modes: Point
    spots: list[CurveSpot]


@dataclass(frozen=True, slots=True)
class ClearCurves:
    """A metric over a ladder's axis, a curve for each of the run's modes; `point` they share.

    `crossing` is where the second of the two that cross overtakes or falls behind the first.
    """

    metric: str
    subject: str
    unit: str
    direction: str
    axis: str
    point: Point
    curves: list[ModeCurve]
    crossing: Crossing | None


@dataclass(frozen=True, slots=True)
class FoundRun:
    """A run that ended with something measured, and what is clearest of what it found."""

    run_id: uuid.UUID
    name: str
    kind: str
    finished_at: Moment | None
    headline: Headline
    losses: list[ClearLoss]
    curves: list[ClearCurves]


@dataclass(frozen=True, slots=True)
class ClusterCosts:
    """A registered cluster with its latest run of each kind; one that measured it alone."""

    cluster_id: uuid.UUID
    name: str
    runs: list[FoundRun]


@dataclass(frozen=True, slots=True)
class Overview:
    """All of the organization's clusters, by name."""

    clusters: list[ClusterCosts]
