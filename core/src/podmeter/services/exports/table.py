"""Tables as the file formats write them."""

from collections.abc import Sequence
from dataclasses import dataclass

#: A number is a measured or computed value, a text never is; None is an empty cell.
Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Table:
    """A header, with units where a column has one, and rows as long as it."""

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
