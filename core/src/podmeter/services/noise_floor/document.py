"""A cluster's noise floor as it is shown. Deviations are shares of the figure, or in its unit."""

import uuid
from dataclasses import dataclass
from typing import Any

from podmeter.domain.experiment import KindName
from podmeter.domain.moment import Moment
from podmeter.results.projected import Projected
from podmeter.services.comparisons.document import FieldDifference


@dataclass(frozen=True, slots=True)
class MeasuredFloor:
    """What runs of one thing in one environment say: `runs` of them on so many UTC `days`.

    `seconds` is how long its trials were, null where they ran by count. `outdated` are the fields
    in which the cluster is not any more what it was then. `figures` are standard deviations, as a
    share (unit `ratio`) or in the metric's unit, of a main metric of the cases at a point besides
    modes: by their code of trials of one block (`within`), of blocks of one run (`blocks`), of
    whole runs (`runs`). An unknown level has no row.
    """

    kind: KindName
    name: str
    seconds: int | None
    run_ids: list[uuid.UUID]
    days: int
    first_at: Moment
    last_at: Moment
    outdated: list[FieldDifference]
    figures: list[Projected]


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
