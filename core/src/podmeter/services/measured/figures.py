"""Figures as documents carry them: plain values with their intervals, in the metric's unit."""

from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import JsonValue

from podmeter.results.projected import Key, Projected
from podmeter.statistics import Estimate, Spread, StatisticsWarning


@dataclass(frozen=True, slots=True)
class Figure:
    """A value with its confidence interval; without one (None) there are too few trials."""

    value: float
    low: float | None = None
    high: float | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class SpreadFigure:
    """A standard deviation with its 95 % interval, and how many figures it is of.

    `relative` says that it is a share of the figure, else it is in the metric's unit.
    """

    deviation: float
    low: float
    high: float
    n: int
    relative: bool


@dataclass(frozen=True, slots=True)
class Note:
    """A warning about a figure: a code for programs, a sentence, the numbers behind it."""

    code: str
    message: str
    needed: float | None = None
    found: float | None = None


def figure(estimate: Estimate | None) -> Figure | None:
    """An estimate as a figure; None stays None."""
    if estimate is None:
        return None
    interval = estimate.interval
    if interval is None:
        return Figure(estimate.value)
    return Figure(estimate.value, interval.low, interval.high, interval.confidence)


def projected_figure(
    key: Key, found: Figure | None, n: int, verdict: str | None, code: str, **parameters: JsonValue
) -> Projected:
    """A figure as a projected row, with its interval's `confidence`; an unknown one has none."""
    if found is None:
        return Projected(key, None, None, None, n, verdict, code, parameters)
    told = parameters | {"confidence": found.confidence}
    return Projected(key, found.value, found.low, found.high, n, verdict, code, told)


def spread_figure(found: Spread | None, *, relative: bool) -> SpreadFigure | None:
    """A spread as a figure; None stays None."""
    if found is None:
        return None
    ends = found.interval
    return SpreadFigure(found.deviation, ends.low, ends.high, found.n, relative)


def notes(warnings: Iterable[StatisticsWarning]) -> tuple[Note, ...]:
    """Warnings in a document's shape."""
    return tuple(Note(one.code.value, one.message, one.needed, one.found) for one in warnings)
