"""What runs of an article's experiments say beside it. Values are in the metric's base unit."""

import uuid
from dataclasses import dataclass
from enum import StrEnum

from podmeter.domain.axes import AxisValue
from podmeter.domain.messages import Reason
from podmeter.domain.moment import Moment
from podmeter.references.document import ClaimVerdict, How
from podmeter.results.projected import Projected
from podmeter.texts import CatalogText

Point = dict[str, AxisValue]


class OurVerdict(StrEnum):
    """What our figures say of a claim; never more than their comparison does."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does_not_hold"
    CANNOT_BE_TOLD = "cannot_be_told"


class WhyNot(StrEnum):
    """Why it is unknown.

    no_figures: the source shows none for it. own_arithmetic: it is about how the source's figures
    follow from each other. no_metric: they are no metric of Podmeter's. not_measured: no run was
    at these points. two_runs: the two sides were not measured in one run. not_compared: their
    environments differ, or the metric has no better direction. few_trials: there is no interval.
    undecided: so is the comparison. across: the interval has both what the claim allows and
    what it does not.
    """

    NO_FIGURES = "no_figures"
    OWN_ARITHMETIC = "own_arithmetic"
    NO_METRIC = "no_metric"
    NOT_MEASURED = "not_measured"
    TWO_RUNS = "two_runs"
    NOT_COMPARED = "not_compared"
    FEW_TRIALS = "few_trials"
    UNDECIDED = "undecided"
    ACROSS = "across"


@dataclass(frozen=True, slots=True)
class StandIn:
    """What was measured on an axis in the place of the article's own value."""

    axis: str
    published: str
    measured: str


@dataclass(frozen=True, slots=True)
class ReproducingRun:
    """A run whose figures are used; by `shared_host` nodes of its cluster are one machine."""

    run_id: uuid.UUID
    name: str
    kind: str
    state: str
    outcome: str | None
    reason: Reason
    clusters: list[str]
    started_at: Moment | None
    finished_at: Moment | None
    shared_host: bool


@dataclass(frozen=True, slots=True)
class BesideCell:
    """A cell as printed, its value where it is a figure, and ours beside it where we have one.

    Ours is a row with the median of a case, the case named by `run_id` and `case_id`.
    """

    quote: str | None
    value: float | None
    unit: str | None
    ours: Projected | None


@dataclass(frozen=True, slots=True)
class BesideRow:
    """A row with its heading as printed; a cell for each column."""

    id: str
    printed: str
    cells: list[BesideCell]


@dataclass(frozen=True, slots=True)
class BesideColumn:
    """A column with its heading as printed."""

    id: str
    printed: str


@dataclass(frozen=True, slots=True)
class BesideTable:
    """A published table with our figures. `figures` are its figures, `measured` those of ours.

    `why_not` says why none of ours is in it.
    """

    id: str
    title: CatalogText
    where: str
    columns: list[BesideColumn]
    rows: list[BesideRow]
    figures: int
    measured: int
    why_not: WhyNot | None


@dataclass(frozen=True, slots=True)
class OurClaim:
    """A claim of the source: what its own figures say of it (`published`), and what ours do.

    It holds where all that was measured does, and does not where any of it does not. `results` are
    those that could be measured, `asked` how many the claim is about. Each is a row with what the
    claim computes, of our figures: its code is what they say of the claim (an `OurVerdict`), with
    `why_not`; its verdict and interval are the comparison's. `of` and `against` are the places of
    the source's cells; where it shows no figures, at which point of which run ours lie, and their
    metric.
    """

    id: str
    where: str
    quote: str
    said: CatalogText
    how: How | None
    published: ClaimVerdict
    verdict: OurVerdict
    why_not: WhyNot | None
    asked: int
    results: list[Projected]


@dataclass(frozen=True, slots=True)
class Reproduction:
    """An article beside runs of its experiments. `stand_ins` are modes in the place of its own."""

    reference_id: str
    title: str
    language: str
    subject: CatalogText
    url: str | None
    runs: list[ReproducingRun]
    stand_ins: list[StandIn]
    tables: list[BesideTable]
    claims: list[OurClaim]
