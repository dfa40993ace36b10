"""The shape of a data file: a published result set, its tables as printed, its claims.

What Podmeter itself says of them is in the catalog, below `reference.<id>`: the subject, a note,
the titles of tables, doubts by their place, what claims say, and remarks on them.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    model_validator,
)

from podmeter.domain.axes import AxisValue

Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,63}$")]
#: "rows.columns" of a table, "table.rows.columns" of a reference: ids parted by commas, or "*".
Selector = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9,*-]+(\.[A-Za-z0-9,*-]+){1,2}$")]
Point = dict[str, AxisValue]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Header(_Frozen):
    """A row or a column: its heading as printed, and what it says of its cells.

    `unit` is as the source writes it, for cells that print none. `points` are several where one
    printed row stands for several points.
    """

    id: Id
    printed: str = ""
    unit: str | None = None
    point: Point = {}
    points: tuple[Point, ...] = ()


class Column(Header):
    """A column; one of `words` has no figures."""

    words: bool = False


class Row(Header):
    """A row with its cells as printed; None is a blank."""

    cells: tuple[str | None, ...]


class Table(_Frozen):
    """A table as published, and where it stands.

    `metrics` says of which cells a metric of Podmeter's is the same thing; other cells are figures
    all the same; `subjects` of which subject of it, where it has several (a node by its role), and
    where none is said it is of none. One that `restates` says again, rounded, what another table
    of the source says.
    """

    id: Id
    where: str = Field(min_length=1)
    unit: str | None = None
    point: Point = {}
    restates: bool = False
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    metrics: dict[Selector, str] = {}
    subjects: dict[Selector, str] = {}

    @model_validator(mode="after")
    def _whole(self) -> Self:
        for headers in (self.rows, self.columns):
            ids = [one.id for one in headers]
            if len(set(ids)) != len(ids):
                raise ValueError(f"{self.id}: an id stands twice")
        for row in self.rows:
            if len(row.cells) != len(self.columns):
                raise ValueError(f"{self.id}.{row.id}: {len(row.cells)} cells")
        return self


class Doubt(_Frozen):
    """Why some cells are not to be relied on."""

    cells: tuple[Selector, ...] = Field(min_length=1)


class How(StrEnum):
    """What is computed; `against` where there are two sides."""

    RATIO = "ratio"
    CHANGE = "change"
    LOSS = "loss"
    DIFFERENCE = "difference"
    MEAN = "mean"
    NEXT = "next"
    SLOPE = "slope"


class Recomputation(_Frozen):
    """A claim as arithmetic on the source's own cells, and which results make it true.

    ratio: of / against; change: that less 1; loss: 1 less that; difference: of - against; mean: of
    all cells of each selector; next: each cell / the one before it; slope: the step to the next
    cell over that of `axis`, for each `per` of it. Every result has to lie between `least` and
    `most`, or `above` and `below`, or, within its rounding, to be what the cell in `printed` says.
    """

    how: How
    of: tuple[Selector, ...] = Field(min_length=1)
    against: tuple[Selector, ...] = ()
    printed: tuple[Selector, ...] = ()
    axis: str | None = None
    per: float = 1.0
    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None

    @model_validator(mode="after")
    def _decides(self) -> Self:
        if not self.printed and {self.least, self.most, self.above, self.below} == {None}:
            raise ValueError("nothing says which results make the claim true")
        two = self.how in (How.RATIO, How.CHANGE, How.LOSS, How.DIFFERENCE)
        if two != bool(self.against):
            raise ValueError(f"{self.how.value} and `against` do not fit")
        if (self.how is How.SLOPE) != (self.axis is not None):
            raise ValueError("a slope, and nothing else, is over an axis")
        return self


class Shrinks(_Frozen):
    """What it costs, `since` one point `to` another, is said to be less at `of` than `against`."""

    since: Point
    to: Point
    of: Point
    against: Point

    @property
    def sides(self) -> tuple[Point, Point]:
        """Where it is said to be less, and where more."""
        return self.of, self.against


class OurMeasure(_Frozen):
    """How runs of ours tell a claim that the source shows no figures of: by a kind's metric.

    Either it is `most` so much at all points, or a cost in it `shrinks`; of runs with these
    `parameters`.
    """

    metric: str
    parameters: dict[str, JsonValue] = {}
    most: float | None = None
    shrinks: Shrinks | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.most is None) == (self.shrinks is None):
            raise ValueError("either a limit or a cost that shrinks")
        return self


class ClaimVerdict(StrEnum):
    """What a source's own figures say of its claim; `partly`: some of them do."""

    HOLDS = "holds"
    PARTLY = "partly"
    FAILS = "fails"
    NOT_RECOMPUTABLE = "not_recomputable"


class Claim(_Frozen):
    """A sentence of the source, what it says, and how its figures are held against it.

    `verdict` is given where there is nothing to compute, with the reason in its remark; `measured`
    says how runs of ours tell it then.
    """

    id: Id
    where: str
    quote: str = Field(min_length=1)
    recomputed: Recomputation | None = None
    verdict: ClaimVerdict | None = None
    measured: OurMeasure | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.recomputed is None) == (self.verdict is None):
            raise ValueError(f"{self.id}: either recomputed or a verdict")
        if self.recomputed is not None and self.measured is not None:
            raise ValueError(f"{self.id}: told of its own figures already")
        return self


class Reference(_Frozen):
    """A published result set with its citation. `repetitions` is how often each was measured."""

    id: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
    title: str = Field(min_length=1)
    author: str
    published: str
    url: str | None = None
    revision: str | None = None
    language: str
    kinds: tuple[str, ...] = Field(min_length=1)
    repetitions: int = Field(ge=1)
    environment: dict[str, str] = {}
    tables: tuple[Table, ...] = Field(min_length=1)
    doubts: tuple[Doubt, ...] = ()
    claims: tuple[Claim, ...] = ()
