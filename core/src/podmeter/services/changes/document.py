"""What changed, as it is shown. Values are in base units."""

import uuid
from dataclasses import dataclass
from typing import Literal

from podmeter.domain.axes import AxisValue
from podmeter.domain.moment import Moment
from podmeter.services.comparisons.document import FieldDifference, FloorUsed, Tally
from podmeter.services.measured.figures import Figure

Point = dict[str, AxisValue]


@dataclass(frozen=True, slots=True)
class ChangedRun:
    """One of the two runs."""

    run_id: uuid.UUID
    name: str
    finished_at: Moment | None


@dataclass(frozen=True, slots=True)
class TurnedVerdict:
    """What each run says of a case against another one of its own, where the two runs differ.

    `of` is a `loss` or what a mode does, an `effect`; `point` is what was judged and
    `baseline_point` what against: the same cases in both runs. Both verdicts are decided, and they
    alone are told: whether the figures of the two runs differ is for their comparison to say.
    """

    of: Literal["loss", "effect"]
    metric: str
    subject: str
    point: Point
    baseline_point: Point
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Turns:
    """The verdicts that turned, of so many that both runs have of the same cases.

    `undecided` of these are inconclusive in one of the runs or in both.
    """

    turned: list[TurnedVerdict]
    both: int
    undecided: int


@dataclass(frozen=True, slots=True)
class MovedFigure:
    """A case whose figure in the later run is surely another, by the cluster's noise floor."""

    metric: str
    subject: str
    point: Point
    unit: str
    direction: str
    verdict: str
    ratio: Figure | None
    shift: Figure | None


@dataclass(frozen=True, slots=True)
class Moved:
    """The later run against the one before, case by case, as their comparison says it."""

    gate: str
    tally: Tally
    figures: list[MovedFigure]
    noise_floor: FloorUsed | None


@dataclass(frozen=True, slots=True)
class RunChanges:
    """What changed in a run `since` an earlier one of its experiment; None where there is none.

    `environment` is what differs between the two besides what the runs switched themselves,
    parameters included. `moved` is None where no case of one is a case of the other.
    """

    run: ChangedRun
    since: ChangedRun | None
    turns: Turns
    environment: list[FieldDifference]
    moved: Moved | None


@dataclass(frozen=True, slots=True)
class KindChanges:
    """What changed on a cluster in its latest run of a kind since the one before it."""

    kind: str
    run: ChangedRun
    since: ChangedRun
    turns: Turns
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
