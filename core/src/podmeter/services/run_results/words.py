"""Figures in words: what summaries, comparisons and their exports say of them in English."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from podmeter.domain.axes import AxisValue
from podmeter.domain.measurement import Unit
from podmeter.domain.node_pairs import NODE_PAIR, PAIR_SIGN
from podmeter.kinds.registry import axes_of, names
from podmeter.results.projected import Projected
from podmeter.services.run_results.figures import Figure, warning_text
from podmeter.statistics import (
    format_change,
    format_figure,
    format_quantity,
)
from podmeter.texts import ENGLISH, Language, catalog, render

SHAPES = {
    "falls": "falls",
    "rises": "rises",
    "flat": "is flat",
    "nearly_flat": "is nearly flat",
    "undecided": "shows no clear shape",
}
VERDICTS = ("better", "worse", "same", "undecided")


def reason(code: str) -> str:
    """Why a verdict is what it is."""
    return catalog(ENGLISH)[f"reason.{code}"]


def not_counted(code: str) -> str:
    """Why an effect has no say; '' where it has one."""
    return catalog(ENGLISH)[f"not_counted.{code}"] if code else ""


def limit(code: str) -> str:
    """What limited a trial."""
    return catalog(ENGLISH)[f"limited_by.{code}"]


def warnings(row: Projected) -> str:
    """Caveats for reading a row's value."""
    return "; ".join(warning_text(**one) for one in row.warnings)


def change(ratio: Figure | None) -> str:
    """A ratio as a change with its interval: −12.3 % [−14.1 to −10.2 %]."""
    if ratio is None:
        return "–"
    less = [None if one is None else one - 1 for one in (ratio.low, ratio.high)]
    return _or_none(*format_change(ratio.value - 1, *less))


def against(controlled: bool) -> str:
    """What a curve's change is of, where it is not of the figures themselves."""
    return " against the control of each rung" if controlled else ""


def share(found: Figure | None) -> str:
    """A share of a whole with its interval: 8.1 % [7.0 to 9.3 %]; negative with a true minus."""
    return quantity(found, Unit.RATIO)


def quantity(found: Figure | None, unit: str) -> str:
    """A figure in its unit with its interval: 2.65 Gbit/s [2.60 to 2.71 Gbit/s]."""
    if found is None:
        return "–"
    return _or_none(*format_figure(found.value, found.low, found.high, unit))


def difference(found: Figure | None, unit: str) -> str:
    """A difference in a metric's unit with its interval: 46 percentage points [40 to 52 …]."""
    if found is None:
        return "–"
    return _or_none(*difference_texts(found.value, found.low, found.high, unit))


def difference_texts(
    value: float,
    low: float | None,
    high: float | None,
    unit: str,
    language: Language = ENGLISH,
) -> tuple[str, str, str]:
    """As `format_figure`, but that of shares is in percentage points, not in percent of one."""
    value_text, low_text, high_text = format_figure(value, low, high, unit)
    if unit != Unit.RATIO:
        return value_text, low_text, high_text
    points = catalog(language)["phrase.percentage_points"]
    return value_text.replace("%", points), low_text, high_text.replace("%", points)


def p_value(p: float | None) -> str:
    """A p value: p = 0.008, p < 0.001, or a dash."""
    if p is None:
        return "–"
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def in_order(axes: Iterable[str]) -> list[str]:
    """Axes as their kinds list them, outermost first; the database does not keep an order."""
    order = _order(names())
    return sorted(axes, key=lambda axis: (order.get(axis, len(order)), axis))


def point(where: Mapping[str, AxisValue]) -> str:
    """A point in words: path pod-pod, streams 1."""
    return ", ".join(f"{axis} {value(axis, where[axis])}" for axis in in_order(where))


def value(axis: str, at: AxisValue) -> str:
    """A value on an axis; a pair of nodes with its direction: node-1→node-2."""
    return str(at).replace(PAIR_SIGN, "→") if axis == NODE_PAIR else str(at)


def metric(name: str, subject: str) -> str:
    """A metric's name with its subject: node_cpu (client)."""
    return f"{name} ({subject})" if subject else name


def tally(counts: object) -> str:
    """How many effects have which verdict: 3 better, 1 worse, 0 same, 2 undecided."""
    return ", ".join(f"{getattr(counts, name)} {name}" for name in VERDICTS)


@lru_cache(maxsize=4)
def _order(kinds: tuple[str, ...]) -> dict[str, int]:
    """The place of each axis among those of all kinds."""
    return {axis.name: place for place, axis in enumerate(axes_of(*kinds))}


def with_interval(value: str, low: str, high: str, language: Language = ENGLISH) -> str:
    """A value with its interval in brackets, minus signs true; alone where it has none."""
    text, low, high = (one.replace("-", "−") for one in (value, low, high))
    if not (low and high):
        return text
    return render(language, "phrase.interval", value=text, low=low, high=high)


def _or_none(value: str, low: str, high: str) -> str:
    """As `with_interval`; says where there is none."""
    text = with_interval(value, low, high)
    return text if low and high else f"{text} (no interval)"


def plain(value: float, unit: str) -> str:
    """A value in its unit, without an interval."""
    return format_quantity(value, unit).replace("-", "−")
