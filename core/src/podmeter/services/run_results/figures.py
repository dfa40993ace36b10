"""Figures as documents carry them: plain values with their intervals, in the metric's unit."""

from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import JsonValue

from podmeter.results.projected import Key, Projected
from podmeter.statistics import Estimate, StatisticsWarning, Verdict, WarningCode


@dataclass(frozen=True, slots=True)
class Figure:
    """A value with its confidence interval; without one (None) there are too few trials."""

    value: float
    low: float | None = None
    high: float | None = None
    confidence: float | None = None


#: The code of a row that is one sample's, without a verdict.
MEDIAN, MEAN = "median", "mean"
#: Why a loss has no figure, or is not all of it.
NO_BASELINE, TWO_NICS = "no_baseline_case", "two_nics"
BOTH_AS_OFFERED, BASELINE_AS_OFFERED = "both_as_offered", "baseline_as_offered"
#: Why a clear difference may be larger.
FASTER_AS_OFFERED = "faster_as_offered"
_WARNINGS = {
    NO_BASELINE: "the run has no counted trials to relate this case to",
    TWO_NICS: "the two used different NICs, so their difference is not a loss",
    BOTH_AS_OFFERED: "both reached the offered rate, so there is no difference to report",
    BASELINE_AS_OFFERED: "the baseline reached the offered rate: the loss is at least this large",
    FASTER_AS_OFFERED: (
        "the faster side reached the offered rate, so the difference is at least this large"
    ),
}
_OF_STATISTICS = frozenset(one.value for one in WarningCode)


def warning_text(code: str, needed: float | None = None, found: float | None = None) -> str:
    """A warning about a figure in English; of a code that this version does not know, the code."""
    if code in _OF_STATISTICS:
        return StatisticsWarning(WarningCode(code), needed, found).message
    return _WARNINGS.get(code, code)


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


def warning(code: str) -> JsonValue:
    """A warning without numbers behind it, as a row's parameter has it."""
    return {"code": code, "needed": None, "found": None}


def is_least(row: Projected) -> bool:
    """Whether a clear difference may be larger: its better side got all that was offered."""
    codes = {one["code"] for one in row.warnings}
    of_loss = BASELINE_AS_OFFERED in codes and row.verdict == Verdict.WORSE
    return of_loss or FASTER_AS_OFFERED in codes


def warned(warnings: Iterable[StatisticsWarning]) -> list[JsonValue]:
    """Warnings as a row's parameter."""
    return [{"code": one.code.value, "needed": one.needed, "found": one.found} for one in warnings]
