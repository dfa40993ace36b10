"""CSV (RFC 4180, UTF-8) that a spreadsheet shows and does not execute."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

from podmeter.domain.untrusted_text import printable
from podmeter.services.exports.table import Cell, Table

_SIGNS = "=+-@＝＋－＠|%"
# What a spreadsheet may take for a formula, or for the end of the cell before one.
_FORMULA = (*_SIGNS, "\t", "\r", "\n")
#: Where a formula begins inside of a text for a spreadsheet that separates cells by semicolons or
#: tabs. Quotes do not keep it from that: it knows them only where a cell begins, and commas begin
#: none for it.
_INSIDE = re.compile(rf'(?<=[;\t\n])(?=(?:[^\S\t\n]|["\ufffd])*[{re.escape(_SIGNS)}])')


def write(table: Table) -> str:
    """The table as CSV text."""
    return lines([table.header, *table.rows])


def lines(rows: Iterable[Sequence[Cell]]) -> str:
    """Some lines of a table as CSV text."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(
        [neutral(cell) for cell in row] for row in rows
    )
    return out.getvalue()


def neutral(cell: Cell) -> str:
    """A cell as it is written: a text that could be a formula gets an apostrophe before it, and so
    does what could be one behind a semicolon, a tab or a line end.

    Numbers are written as they are, in full precision: a negative one is no formula.
    """
    if cell is None:
        return ""
    if not isinstance(cell, str):
        return repr(cell)
    # What is no formula as it is written may be one to who takes such characters away.
    formula = cell.lstrip().startswith(_FORMULA) or cell.startswith(_FORMULA)
    seen = printable(cell)
    formula = formula or seen.lstrip("\ufffd \t\n").startswith(_FORMULA)
    inside = _INSIDE.sub("'", seen)
    return f"'{inside}" if formula else inside
