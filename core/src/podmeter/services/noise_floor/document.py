"""A cluster's noise floor as it is shown. Deviations are shares of the figure, or in its unit."""

import uuid
from dataclasses import dataclass
from typing import Any

from podmeter.domain.axes import AxisValue
from podmeter.domain.experiment import KindName
from podmeter.domain.moment import Moment
from podmeter.services.comparisons.document import FieldDifference
from podmeter.services.measured.figures import SpreadFigure


@dataclass(frozen=True, slots=True)
class FloorFigure:
    """How far one metric of one kind of case differs from itself; null is not known yet.

    `point` is what its cases share besides modes. `within` is of trials of one block, `blocks` of
    blocks of one run, `runs` of whole runs.
    """

    point: dict[str, AxisValue]
    metric: str
    subject: str
    unit: str
    main: bool
    within: SpreadFigure | None
    blocks: SpreadFigure | None
    runs: SpreadFigure | None


@dataclass(frozen=True, slots=True)
class MeasuredFloor:
    """What runs of one thing in one environment say: `runs` of them on so many UTC `days`.

    `seconds` is how long its trials were. `outdated` are the fields in which the cluster is not
    any more what it was then.
    """

    kind: KindName
    name: str
    seconds: int
    run_ids: list[uuid.UUID]
    days: int
    first_at: Moment
    last_at: Moment
    outdated: list[FieldDifference]
    figures: list[FloorFigure]


@dataclass(frozen=True, slots=True)
class FloorToMeasure:
    """A run that measures it: which mode is rolled, if any, and about how long it takes."""

    kind: KindName
    axis: str | None
    mode: str | None
    trials: int
    expected_seconds: float
    document: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ClusterNoiseFloor:
    """All that is known, the latest first, and what would measure it (again).

    `runs_needed` is how many runs it takes before two other runs are judged by it.
    """

    runs_needed: int
    measured: list[MeasuredFloor]
    to_measure: list[FloorToMeasure]
