"""Figures as documents carry them: plain values with their intervals, in the metric's unit."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from podmeter.statistics import Estimate, Sample, StatisticsWarning
from podmeter.statistics.quantiles import median_interval


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


def median_figure(sample: Sample) -> Figure | None:
    """The median of `statistics.summarize`, alone; None for an empty sample."""
    rounds = sample.filled_rounds
    if not rounds:
        return None
    sorted_rounds = [sorted(one) for one in rounds]
    medians = [_middle(one) for one in sorted_rounds]
    centre = _middle(sorted(medians))
    places = _interval_places(sample.n)
    if places is None:
        return Figure(centre)
    ordered = sorted_rounds[0] if len(rounds) == 1 else sorted(sample.values)
    low, high, confidence = places
    return Figure(centre, min(ordered[low], *medians), max(ordered[high], *medians), confidence)


def _middle(ordered: Sequence[float]) -> float:
    """The median of values in ascending order."""
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


@lru_cache(maxsize=1024)
def _interval_places(n: int) -> tuple[int, int, float] | None:
    """Which of n ordered values bound the median's interval; that depends on n alone."""
    interval = median_interval(range(n))
    return (
        None if interval is None else (int(interval.low), int(interval.high), interval.confidence)
    )
