"""Figures as sources print them: "331 MB/sec", "47.1%", "0m0.008s", "13 min 15 s", "1*7"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from podmeter.domain.measurement import Unit
from podmeter.statistics.units import UnknownUnitError, to_base

_NUMBER = r"-?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?"
#: Spans that people write and tools do not.
_SPANS = {"h": 3600.0, "min": 60.0, "m": 60.0, "s": 1.0}
_SPAN = rf"({_NUMBER}) ?(h|min|m|s)(?![a-z])"


class UnreadableQuoteError(ValueError):
    """A cell that is no figure."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """A figure in a base unit; what was rounded to it lies within `slack` of it."""

    value: float
    unit: Unit
    slack: float


def read_quote(text: str, unit: str | None) -> Quoted:
    """The figure that a cell prints; `unit` is what its table says where the cell does not.

    Raises UnreadableQuoteError for what is no figure, or has no unit that is known.
    """
    product = re.fullmatch(r"([0-9]+)\*([0-9]+)", text)
    if product:
        return Quoted(float(product[1]) * float(product[2]), Unit.COUNT, 0.0)
    if unit is None and re.fullmatch(rf"(?:{_SPAN} ?)+", text):
        parts = re.findall(_SPAN, text)
        seconds = sum(float(number) * _SPANS[span] for number, span in parts)
        number, span = parts[-1]
        return Quoted(seconds, Unit.SECONDS, _slack(number) * _SPANS[span])
    match = re.fullmatch(rf"({_NUMBER}) ?(.*)", text)
    if match is None:
        raise UnreadableQuoteError(f"{text!r} is no figure")
    number, own = match[1], match[2]
    try:
        found = to_base(float(number.replace(",", "")), own or unit or "")
        slack = to_base(_slack(number), own or unit or "")
    except UnknownUnitError as error:
        raise UnreadableQuoteError(f"{text!r}: {error}") from error
    return Quoted(found.value, found.unit, slack.value)


def _slack(number: str) -> float:
    """Half of the last digit."""
    decimals = len(number.partition(".")[2])
    return float(0.5 * 10.0**-decimals)
