"""A reference's cells: what each prints, as a figure, and what it is about."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from podmeter.references.quotes import Quoted, read_quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from podmeter.references.document import Column, Point, Reference, Row, Table


class InvalidReferenceError(ValueError):
    """A data file says something that does not fit together."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure with its place, ids of table, row and column; `quote` is what is printed there.

    `subject` is that of the metric. `points` are what it was measured at, several where a row
    stands for several; `doubts` the places of the reference's doubts about it.
    """

    table: str
    row: str
    column: str
    quote: str
    figure: Quoted
    metric: str | None
    points: tuple[Point, ...]
    restates: bool
    doubts: tuple[int, ...]
    subject: str = ""

    @property
    def place(self) -> str:
        """`table.row.column`."""
        return f"{self.table}.{self.row}.{self.column}"


class Cells:
    """Every figure of a reference, in the order of its tables, rows and columns."""

    def __init__(self, reference: Reference) -> None:
        """Raises InvalidReferenceError, or UnreadableQuoteError for a cell that is no figure."""
        self._tables = {table.id: table for table in reference.tables}
        if len(self._tables) != len(reference.tables):
            raise InvalidReferenceError(f"{reference.id}: a table's id stands twice")
        self._found = {cell.place: cell for table in reference.tables for cell in _cells(table)}
        for number, doubt in enumerate(reference.doubts):
            for cell in self.select(doubt.cells):
                self._found[cell.place] = replace(cell, doubts=(*cell.doubts, number))

    def __iter__(self) -> Iterator[Cell]:
        return iter(self._found.values())

    def __len__(self) -> int:
        return len(self._found)

    def at(self, table: str, row: str, column: str) -> Cell | None:
        """The figure at a place; None where there are words, or a blank."""
        return self._found.get(f"{table}.{row}.{column}")

    def select(self, selectors: Sequence[str]) -> list[Cell]:
        """The figures that selectors name; InvalidReferenceError where one names none."""
        return [cell for one in selectors for cell in self._selected(one)]

    def _selected(self, selector: str) -> list[Cell]:
        tables, rows, columns = selector.split(".")
        found = [
            cell
            for table in _ids(tables, self._tables)
            for row in _ids(rows, [one.id for one in self._tables[table].rows])
            for column in _ids(columns, [one.id for one in self._tables[table].columns])
            if (cell := self.at(table, row, column)) is not None
        ]
        if not found:
            raise InvalidReferenceError(f"{selector} names no figure")
        return found


def _cells(table: Table) -> Iterator[Cell]:
    metrics, subjects = _selected(table, table.metrics), _selected(table, table.subjects)
    for row in table.rows:
        for column, quote in zip(table.columns, row.cells, strict=True):
            if quote is None or column.words:
                continue
            figure = read_quote(quote, row.unit or column.unit or table.unit)
            yield Cell(
                table=table.id,
                row=row.id,
                column=column.id,
                quote=quote,
                figure=figure,
                metric=metrics.get((row.id, column.id)),
                points=_points(table, row, column),
                restates=table.restates,
                doubts=(),
                subject=subjects.get((row.id, column.id), ""),
            )


def _selected(table: Table, told: Mapping[str, str]) -> dict[tuple[str, str], str]:
    found = {}
    for selector, said in told.items():
        rows, columns = selector.split(".")
        for row in _ids(rows, [one.id for one in table.rows]):
            for column in _ids(columns, [one.id for one in table.columns]):
                found[row, column] = said
    return found


def _points(table: Table, row: Row, column: Column) -> tuple[Point, ...]:
    return tuple(
        {**table.point, **row.point, **of_row, **column.point} for of_row in row.points or ({},)
    )


def _ids(part: str, known: Sequence[str] | dict[str, Table]) -> list[str]:
    """Ids of a selector's part, in its order; InvalidReferenceError for a missing one."""
    if part == "*":
        return list(known)
    found = part.split(",")
    for one in found:
        if one not in known:
            raise InvalidReferenceError(f"there is no {one}")
    return found
