"""Figures as documents carry them: plain values with their intervals, in the metric's unit."""

from collections.abc import Iterable
from dataclasses import dataclass

from podmeter.statistics import Estimate, StatisticsWarning


@dataclass(frozen=True, slots=True)
class Figure:
    """A value with its confidence interval; without one (None) there are too few trials."""

    value: float
    low: float | None = None
    high: float | None = None
    confidence: float | None = None


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


def notes(warnings: Iterable[StatisticsWarning]) -> tuple[Note, ...]:
    """Warnings in a document's shape."""
    return tuple(Note(one.code.value, one.message, one.needed, one.found) for one in warnings)
