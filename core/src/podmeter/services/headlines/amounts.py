"""Figures of headlines: how much, from where to where."""

from pydantic import JsonValue

from podmeter.domain.measurement import Unit
from podmeter.services.headlines.text import Text, text
from podmeter.services.run_results import words
from podmeter.services.run_results.figures import Figure

#: Twice as much is 100 % more: from there on percentages are hard to read.
_FEWEST_TIMES = 2.0


def less(ratio: Figure) -> Figure:
    """What a ratio of 0.74 takes away: 0.26."""
    low = None if ratio.high is None else 1 - ratio.high
    high = None if ratio.low is None else 1 - ratio.low
    return Figure(1 - ratio.value, low, high, ratio.confidence)


def more(ratio: Figure) -> Figure:
    """What a ratio of 1.26 adds: 0.26."""
    return negative(less(ratio))


def negative(found: Figure) -> Figure:
    """The same amount in the other direction."""
    low = None if found.high is None else -found.high
    high = None if found.low is None else -found.low
    return Figure(-found.value, low, high, found.confidence)


def is_multiple(ratio: Figure) -> bool:
    """Whether a ratio is written as times: nobody sees 12 times in 1,100 % more."""
    return ratio.value >= _FEWEST_TIMES


def times(ratio: Figure, *, least: bool = False) -> Text:
    """A ratio as it is: 12 times [6.1 to 23 times]; of which it is the `least`, at least that."""
    return text("times", value=ratio.value, low=ratio.low, high=ratio.high, **_least(least))


def amount(found: Figure, unit: str = Unit.RATIO, *, least: bool = False) -> Text:
    """An amount with its interval: 26 % [20 to 34 %]; of which it is the `least`, at least that."""
    ends = {"low": found.low, "high": found.high}
    return text("amount", value=found.value, **ends, unit=str(unit), **_least(least))


def difference(found: Figure, unit: str, *, least: bool = False) -> Text:
    """A difference in a metric's unit with its interval; of shares it is in percentage points.

    Where it is the `least`, at least that.
    """
    ends = {"low": found.low, "high": found.high}
    return text("difference", value=found.value, **ends, unit=unit, **_least(least))


def _least(least: bool) -> dict[str, JsonValue]:
    return {"least": True} if least else {}


def change(ratio: Figure) -> Text:
    """A ratio as a change with its sign: −26 % [−34 to −20 %]."""
    added = more(ratio)
    return text("change", value=added.value, low=added.low, high=added.high)


def tested(p: float | None, adjusted: float | None, looked_at: int) -> Text | None:
    """The p of one comparison of several: p = 0.003 (p = 0.012 corrected for 4 comparisons)."""
    if p is None:
        return None
    if adjusted is None or looked_at < 2:
        return Text(words.p_value(p))
    values = {"p": words.p_value(p), "adjusted": words.p_value(adjusted)}
    return text("phrase", name="corrected", **values, comparisons=looked_at)


def percent(share: float) -> Text:
    """A share by itself: 14 %, 3 %."""
    return text("share", value=share)


def limit(most: float, unit: str) -> Text:
    """The largest difference that counts as none, in a metric's unit: 200 ms."""
    return text("limit", value=most, unit=unit)


def bound(ratio: float) -> Text:
    """An end of a ratio's interval: 4 % lower, 7 % higher."""
    return text("bound", value=ratio)
