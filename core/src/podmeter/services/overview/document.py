"""The overview as it is shown. Values are in base units."""

import uuid
from dataclasses import dataclass

from podmeter.domain.moment import Moment
from podmeter.results.projected import Projected
from podmeter.services.headlines.document import Headline


@dataclass(frozen=True, slots=True)
class ClearCurves:
    """A metric over a ladder's axis, a curve for each of the run's modes.

    The rows are the centres that the modes' differences are computed from, as on the run's own page
    (`centre`), or the medians of the cases where they are not compared (`median`).

    `rows` that agree on all axes but `axis` are one curve; they lie in its order. `crossing` is the
    row of where the second of the two curves that cross overtakes or falls behind the first.
    """

    axis: str
    rows: list[Projected]
    crossing: Projected | None


@dataclass(frozen=True, slots=True)
class FoundRun:
    """A run that ended with something measured, and what is clearest of what it found.

    `losses` are what cases surely lose, or add, against another one: a share of that. Its headline
    recommends nothing, as it is of main metrics alone.
    """

    run_id: uuid.UUID
    name: str
    kind: str
    finished_at: Moment | None
    headline: Headline
    losses: list[Projected]
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
