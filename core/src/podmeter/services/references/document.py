"""References as they are shown: tables as published, claims beside what their figures give."""

from dataclasses import dataclass

from podmeter.domain.axes import AxisValue
from podmeter.references.document import ClaimVerdict, How

Point = dict[str, AxisValue]


@dataclass(frozen=True, slots=True)
class ClaimTally:
    """How many claims have which verdict."""

    holds: int
    partly: int
    fails: int
    not_recomputable: int


@dataclass(frozen=True, slots=True)
class ReferenceSummary:
    """A published result set in a list. `figures` are its tables' figures.

    `kinds` are the kinds of experiment that measure the same, whether they are offered or not;
    `title` is in `language`, the source's.
    """

    id: str
    title: str
    language: str
    subject: str
    author: str
    published: str
    url: str | None
    kinds: list[str]
    tables: int
    figures: int
    claims: ClaimTally


@dataclass(frozen=True, slots=True)
class PublishedCell:
    """A cell as printed. `value` in the base `unit` where it is a figure; words have none.

    `metric` is the metric of Podmeter's that it is the same thing as, where there is one, `points`
    what it was measured at, `doubts` the places of the doubts about it.
    """

    quote: str | None
    value: float | None
    unit: str | None
    metric: str | None
    points: list[Point]
    doubts: list[int]


@dataclass(frozen=True, slots=True)
class PublishedColumn:
    """A column with its heading as printed."""

    id: str
    printed: str


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A row with its heading as printed; a cell for each column."""

    id: str
    printed: str
    cells: list[PublishedCell]


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table as published; `where` is its place in the source.

    One that `restates` says again what another table says, rounded.
    """

    id: str
    title: str
    where: str
    restates: bool
    columns: list[PublishedColumn]
    rows: list[PublishedRow]


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """One figure that was computed of cells (`table.row.column`), and whether the claim allows it.

    `printed` is the cell that says the same, where the claim is about such cells.
    """

    of: list[str]
    against: list[str]
    value: float
    unit: str
    fits: bool
    printed: str | None


@dataclass(frozen=True, slots=True)
class PublishedClaim:
    """What a source says, and what its own figures say of that.

    `how` is what was computed, `least` to `most` (or `above`, `below`) what the claim allows.
    """

    id: str
    where: str
    quote: str
    said: str
    verdict: ClaimVerdict
    remark: str | None
    how: How | None
    per: float | None
    axis: str | None
    least: float | None
    most: float | None
    above: float | None
    below: float | None
    results: list[ClaimResult]


@dataclass(frozen=True, slots=True)
class ReferenceDocument:
    """A published result set, whole. `repetitions` is how often each figure was measured."""

    id: str
    title: str
    subject: str
    author: str
    published: str
    url: str | None
    revision: str | None
    language: str
    kinds: list[str]
    repetitions: int
    environment: dict[str, str]
    note: str | None
    doubts: list[str]
    tables: list[PublishedTable]
    claims: list[PublishedClaim]
