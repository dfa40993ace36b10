"""What changed, as it is shown. Values are in base units."""

import uuid
from dataclasses import dataclass

from podmeter.domain.moment import Moment
from podmeter.results.projected import Projected
from podmeter.services.comparisons.document import FieldDifference, FloorUsed, Tally


@dataclass(frozen=True, slots=True)
class ChangedRun:
    """One of the two runs."""

    run_id: uuid.UUID
    name: str
    finished_at: Moment | None


@dataclass(frozen=True, slots=True)
class VerdictChanges:
    """The verdicts that turned, of so many that both runs have of the same cases.

    A row of `turned` has the later run's verdict, and the earlier one's as parameter `before`. Its
    code is `loss`, or `effect` of what a mode does. Its figure is the later run's own: whether the
    figures of the two runs differ is for their comparison to say. `undecided` of the verdicts are
    undecided in one of the runs or in both.
    """

    turned: list[Projected]
    both: int
    undecided: int


@dataclass(frozen=True, slots=True)
class Moved:
    """The later run against the one before, case by case, as their comparison says it.

    `figures` are the cases whose figure in the later run is surely another, by the cluster's noise
    floor: the later / the earlier (code `ratio`), or later - earlier where a side is 0 (`shift`).
    """

    gate: str
    tally: Tally
    figures: list[Projected]
    noise_floor: FloorUsed | None


@dataclass(frozen=True, slots=True)
class RunChanges:
    """What changed in a run `since` an earlier one of its experiment; None where there is none.

    `environment` is what differs between the two in addition to what the runs switched themselves,
    parameters included. `moved` is None where no case of one is a case of the other.
    """

    run: ChangedRun
    since: ChangedRun | None
    turns: VerdictChanges
    environment: list[FieldDifference]
    moved: Moved | None


@dataclass(frozen=True, slots=True)
class KindChanges:
    """What changed on a cluster in its latest run of a kind since the one before it."""

    kind: str
    run: ChangedRun
    since: ChangedRun
    turns: VerdictChanges
    environment: list[FieldDifference]


@dataclass(frozen=True, slots=True)
class ClusterChanges:
    """A registered cluster; `since_measured` is how it differs from what its latest run met.

    As it was seen at `seen_at`, after that run, modes aside; None where nobody looked since.
    """

    cluster_id: uuid.UUID
    name: str
    kinds: list[KindChanges]
    latest: ChangedRun | None
    seen_at: Moment | None
    since_measured: list[FieldDifference]


@dataclass(frozen=True, slots=True)
class LatestChanges:
    """The organization's clusters of which there is something to tell, by name."""

    clusters: list[ClusterChanges]
