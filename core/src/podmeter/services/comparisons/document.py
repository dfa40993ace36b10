"""A comparison as it is kept, shown, exported and shared. Values are in the metric's base unit."""

import uuid
from dataclasses import dataclass, field, fields

from pydantic import JsonValue

from podmeter.domain.axes import AxisValue
from podmeter.domain.messages import Reason
from podmeter.domain.moment import Moment
from podmeter.results.projected import Projected
from podmeter.services.headlines.document import Headline
from podmeter.services.run_results.facts import AxisFacts

Point = dict[str, AxisValue]


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """The run that a side is of, and which part of it.

    A baseline may be a reference instead: it has a `reference_id`, no run and no time. Its name is
    the reference's title, and anyone who shows it says that it is published, as of an `imported`
    run that it is imported. Names of older imported runs end with this in English instead.
    """

    run_id: uuid.UUID | None
    name: str
    label: str
    where: Point
    case_id: int | None
    clusters: list[str]
    outcome: str | None
    created_at: Moment | None
    reference_id: str | None = None
    imported: bool = False


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """A field of environment or parameters that differs.

    `axis` is the compared axis that it follows from; None: it stands against the comparison.
    """

    field: str
    baseline: JsonValue
    contender: JsonValue
    axis: str | None


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether the two may be compared: `comparable`, `confounded` or `refused`, and why.

    `unknown` where no case was measured on both sides.
    """

    verdict: str
    differences: list[FieldDifference]


@dataclass(frozen=True, slots=True)
class FloorUsed:
    """The noise floor that two runs were held against: of so many other runs, and when they were.

    `thin` says that they are too few, or lie closer together in time than the two do, so that
    nothing is decided by them. `outdated` are the fields of the environment in which these runs
    are not what the floor was measured in (`baseline` then, `contender` now).
    """

    runs: int
    first_at: Moment
    last_at: Moment
    thin: bool
    outdated: list[FieldDifference]


@dataclass(frozen=True, slots=True)
class Advice:
    """What a new run of the same would need to decide an effect that is undecided.

    With 80 % probability, from the variation of the existing rounds, if the difference is as it
    appears. `code`: `least` (as many rounds as a verdict takes), `rounds` (more of them), `longer`
    (longer trials too, or more in each round), `none` (no run would). `rounds`, `seconds` and
    `trials` are of that run's repetition, null what is to stay as it was. `same` says that it
    would be called the same.
    """

    code: str
    rounds: int | None
    seconds: int | None
    trials: int | None
    same: bool


@dataclass(frozen=True, slots=True)
class NextRun:
    """A new run of the same that would decide `decides` of the `undecided` main effects.

    `code` and its repetition are as in `Advice`; of `least` it is not known what it decides, only
    that with less it would be nothing.
    """

    code: str
    rounds: int | None
    seconds: int | None
    trials: int | None
    decides: int
    undecided: int


@dataclass(frozen=True, slots=True)
class CaseRef:
    """A case of one side."""

    case_id: int
    key: str
    point: Point
    status: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class Pair:
    """Two cases that agree on every axis but the compared ones; `shared` is what they share.

    `effects` are rows as `services.run_results.effect_rows` has them. A refused pair has none. One
    of which a side has no counted trial has none but that of failed trials: its cases say why.
    Where a side has no trial at all the comparability is null.
    """

    shared: Point
    baseline: CaseRef
    contender: CaseRef
    comparability: str | None
    effects: list[Projected]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many effects have which verdict."""

    better: int
    worse: int
    same: int
    undecided: int


@dataclass(frozen=True, slots=True)
class Contender:
    """One contender against the baseline.

    `compared_axes` are the axes that differ on purpose. `tally` counts main metrics alone,
    `tally_all` all. `curves` are rows as `services.run_results.curve_rows` has them. `unpaired`
    are cases that the other side has no counterpart of. `noise_floor` is what two runs of one
    cluster were held against; None where there is none. `next_run` is what would decide main
    effects that are not clear, where a new run of the same would.
    """

    side: ComparedRun
    compared_axes: list[str]
    gate: Gate
    tally: Tally
    tally_all: Tally
    pairs: list[Pair]
    unpaired_baseline: list[CaseRef]
    unpaired_contender: list[CaseRef]
    curves: list[Projected]
    noise_floor: FloorUsed | None = None
    next_run: NextRun | None = None


@dataclass(frozen=True, slots=True)
class RunLosses:
    """What the compared cases of a run lose against another case of the same run.

    `losses` are rows as in the run's report.
    """

    run_id: uuid.UUID
    losses: list[Projected]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A whole comparison, frozen when it was made; of the `main` metrics or of `all`.

    `axis_facts` are the axes of its runs; one that was made before there were any has none.
    `method_version` says which method computed all of it (`podmeter.statistics.method`); the same
    request, posted again, makes a new one by today's. `losses` are what the runs themselves found,
    `shared_host` that nodes they were measured on are one machine, `services_by_cni` and
    `one_assignment` as in a run's report. One that was made before there were headlines has none.
    """

    id: uuid.UUID
    created_at: Moment
    kind: str
    metrics: str
    noise_threshold: float
    alpha: float
    method_version: int
    baseline: ComparedRun
    contenders: list[Contender]
    axis_facts: list[AxisFacts] = field(default_factory=list)
    losses: list[RunLosses] = field(default_factory=list)
    shared_host: bool = False
    services_by_cni: bool = False
    one_assignment: list[Point] = field(default_factory=list)
    headline: Headline | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownComparison(Comparison):
    """A comparison as it is read again; `outdated` where an older method than today's made it."""

    outdated: bool

    @classmethod
    def of(cls, found: Comparison, method_version: int) -> "ShownComparison":
        """A stored one, with today's method."""
        told = {one.name: getattr(found, one.name) for one in fields(found)}
        return cls(**told, outdated=found.method_version < method_version)


@dataclass(frozen=True, slots=True)
class Outline:
    """What lists show of a comparison: its sides, and whether each contender may be compared.

    `gates` has a contender's `comparable`, `confounded`, `refused` or `unknown` at its place.
    """

    baseline: ComparedRun
    contenders: list[ComparedRun]
    gates: list[str]

    @classmethod
    def of(cls, found: Comparison) -> "Outline":
        """A whole comparison's."""
        gates = [one.gate.verdict for one in found.contenders]
        return cls(found.baseline, [one.side for one in found.contenders], gates)


@dataclass(frozen=True, slots=True)
class ComparisonSummary:
    """A comparison as lists show it: its sides, and whether each contender may be compared.

    `name` is its sides' labels, as far as a name goes. `gates` has a contender's `comparable`,
    `confounded`, `refused` or `unknown` at its place. Where a comparison's stored form cannot be
    read, `baseline` is null and there are no contenders.
    """

    id: uuid.UUID
    name: str
    created_at: Moment
    kind: str
    baseline: ComparedRun | None
    contenders: list[ComparedRun]
    gates: list[str]
