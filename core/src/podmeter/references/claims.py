"""What a source claims, recomputed from its own cells."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import inf
from statistics import fmean
from typing import TYPE_CHECKING

from podmeter.domain.measurement import Unit
from podmeter.references.cells import InvalidReferenceError
from podmeter.references.document import ClaimVerdict, How

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from podmeter.references.cells import Cell, Cells
    from podmeter.references.document import Claim, Recomputation

    #: The cells on both sides, the value and its unit.
    _Computed = tuple[Sequence[Cell], Sequence[Cell], float, Unit]


@dataclass(frozen=True, slots=True)
class Result:
    """One figure that was computed of the cells in `of` and `against`, and whether it fits.

    `printed` is the cell that says the same in the source, where there is one.
    """

    of: tuple[str, ...]
    against: tuple[str, ...]
    value: float
    unit: Unit
    fits: bool
    printed: str | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim with what its source's figures say of it."""

    claim: Claim
    verdict: ClaimVerdict
    results: tuple[Result, ...]


def judge(claim: Claim, cells: Cells) -> Judged:
    """The claim against the cells. Raises InvalidReferenceError for one that names no cells."""
    if claim.recomputed is None:
        return Judged(claim, claim.verdict or ClaimVerdict.NOT_RECOMPUTABLE, ())
    results = tuple(_results(claim.recomputed, cells))
    fitting = sum(one.fits for one in results)
    verdict = ClaimVerdict.PARTLY
    if fitting in (0, len(results)):
        verdict = ClaimVerdict.HOLDS if fitting else ClaimVerdict.FAILS
    return Judged(claim, verdict, results)


def _results(asked: Recomputation, cells: Cells) -> Iterator[Result]:
    printed = cells.select(asked.printed) if asked.printed else []
    found = list(_computed(asked, cells))
    if printed and len(printed) != len(found):
        raise InvalidReferenceError(f"{len(found)} results, {len(printed)} printed")
    for index, (of, against, value, unit) in enumerate(found):
        said = printed[index] if printed else None
        fits = _within(value, asked) if said is None else _said(value, said)
        places = tuple(one.place for one in of), tuple(one.place for one in against)
        yield Result(*places, value, unit, fits, None if said is None else said.place)


def _within(value: float, asked: Recomputation) -> bool:
    least, most = (-inf if asked.least is None else asked.least), asked.most
    inside = least <= value <= (inf if most is None else most)
    beyond = asked.above is None or value > asked.above
    return inside and beyond and (asked.below is None or value < asked.below)


def _said(value: float, cell: Cell) -> bool:
    """Whether the cell is the value, rounded; a hair more, for what a float loses."""
    return abs(value - cell.figure.value) <= cell.figure.slack * (1 + 1e-6)


def _computed(asked: Recomputation, cells: Cells) -> Iterator[_Computed]:
    match asked.how:
        case How.MEAN:
            for selector in asked.of:
                of = cells.select([selector])
                yield of, (), fmean(one.figure.value for one in of), of[0].figure.unit
        case How.NEXT:
            for selector in asked.of:
                for before, after in pairwise(cells.select([selector])):
                    ratio = after.figure.value / before.figure.value
                    yield (after,), (before,), ratio, Unit.RATIO
        case How.SLOPE:
            for selector in asked.of:
                for before, after in pairwise(cells.select([selector])):
                    step = after.figure.value - before.figure.value
                    run = _along(after, asked.axis) - _along(before, asked.axis)
                    yield (after,), (before,), asked.per * step / run, after.figure.unit
        case _:
            yield from _against(asked, cells)


def _against(asked: Recomputation, cells: Cells) -> Iterator[_Computed]:
    of, against = cells.select(asked.of), cells.select(asked.against)
    if len(against) == 1:
        against = against * len(of)
    if len(of) != len(against):
        raise InvalidReferenceError(f"{len(of)} cells against {len(against)}")
    for one, other in zip(of, against, strict=True):
        if one.figure.unit is not other.figure.unit:
            raise InvalidReferenceError(f"{one.place} and {other.place} have two units")
        left, right = one.figure.value, other.figure.value
        unit = Unit.RATIO
        match asked.how:
            case How.DIFFERENCE:
                value, unit = left - right, one.figure.unit
            case How.CHANGE:
                value = left / right - 1
            case How.LOSS:
                value = 1 - left / right
            case _:
                value = left / right
        yield (one,), (other,), value, unit


def _along(cell: Cell, axis: str | None) -> float:
    """Where the cell lies on the axis."""
    found = cell.points[0].get(axis or "")
    if not isinstance(found, int):
        raise InvalidReferenceError(f"{cell.place} is nowhere on {axis}")
    return float(found)
