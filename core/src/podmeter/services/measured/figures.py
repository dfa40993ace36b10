"""Figures as documents carry them: plain values with their intervals, in the metric's unit."""

from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import JsonValue, computed_field

from podmeter.results.projected import Key, Projected
from podmeter.results.spoken import Spoken, spoken
from podmeter.statistics import Estimate, StatisticsWarning, WarningCode


@dataclass(frozen=True, slots=True)
class Figure:
    """A value with its confidence interval; without one (None) there are too few trials."""

    value: float
    low: float | None = None
    high: float | None = None
    confidence: float | None = None


#: Why a loss has no figure, or is not all of it.
NO_BASELINE, TWO_NICS = "no_baseline_case", "two_nics"
BOTH_AS_OFFERED, BASELINE_AS_OFFERED = "both_as_offered", "baseline_as_offered"
_WARNINGS = {
    NO_BASELINE: "the run has no counted trials to relate this case to",
    TWO_NICS: "the two went over different NICs, so their difference is no loss",
    BOTH_AS_OFFERED: "both got all that was offered, so nothing is told",
    BASELINE_AS_OFFERED: (
        "what it is set against got all that was offered: the loss is no smaller"
    ),
}
_OF_STATISTICS = frozenset(one.value for one in WarningCode)


@dataclass(frozen=True, slots=True)
class Note(Spoken):
    """A warning about a figure: a code, the numbers behind it, and in what the API gives a text.

    The text is English.
    """

    code: str
    needed: float | None = None
    found: float | None = None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def text(self) -> str:
        """The warning as a sentence; '' in what is stored."""
        return "" if spoken() is None else self.in_english

    @property
    def in_english(self) -> str:
        """The warning as a sentence; of a code that this version does not know, the code."""
        if self.code in _OF_STATISTICS:
            return StatisticsWarning(WarningCode(self.code), self.needed, self.found).message
        return _WARNINGS.get(self.code, self.code)


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


def figure_of(row: Projected) -> Figure | None:
    """A row's figure with its interval; None where it has none."""
    if row.value is None:
        return None
    return Figure(row.value, row.low, row.high, row.number("confidence"))


def warned(warnings: Iterable[StatisticsWarning]) -> list[JsonValue]:
    """Warnings as a row's parameter."""
    return [{"code": one.code.value, "needed": one.needed, "found": one.found} for one in warnings]


def notes(warnings: Iterable[StatisticsWarning]) -> tuple[Note, ...]:
    """Warnings in a document's shape."""
    return tuple(Note(one.code.value, one.needed, one.found) for one in warnings)
