"""Figures of headlines: how much, from where to where."""

from podmeter.domain.measurement import Unit
from podmeter.services.headlines.text import Text
from podmeter.services.measured.figures import Figure
from podmeter.statistics import format_figure


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


def amount(found: Figure, unit: str = Unit.RATIO) -> Text:
    """An amount with its interval: 26 % [20 to 34]."""
    value, low, high = (
        one.replace("-", "−") for one in format_figure(found.value, found.low, found.high, unit)
    )
    if not low or not high:
        return Text.same(value, found.value)
    plain = [found.value, found.low, found.high]
    return Text(f"{value} [{low} to {high}]", f"{value} [{low} 至 {high}]", list(plain))


def percent(share: float) -> Text:
    """A share by itself: 14 %, 3 %."""
    text = format_figure(share, None, None, Unit.RATIO)[0]
    return Text.same(text.replace(".0 %", " %"), share)


def bound(ratio: float) -> Text:
    """An end of a ratio's interval: 4 % lower, 7 % higher."""
    share = percent(abs(ratio - 1)).en
    if ratio < 1:
        return Text(f"{share} lower", f"低 {share}", ratio)
    return Text(f"{share} higher", f"高 {share}", ratio)
