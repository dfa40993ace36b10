"""Tool units to base units, and base units to what people read."""

import re
from dataclasses import dataclass
from math import isfinite

from podmeter.domain.measurement import Unit
from podmeter.statistics.digits import decimals, rounded


@dataclass(frozen=True)
class Quantity:
    """A value in a base unit."""

    value: float
    unit: Unit


class UnknownUnitError(ValueError):
    """A unit that no tool is known to print: an error, never a guess."""


_NUMBER = r"[-−+]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?:e[-+]?[0-9]{1,3})?"
_KILO = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_KIBI = {"": 1.0, "K": 2.0**10, "M": 2.0**20, "G": 2.0**30, "T": 2.0**40}
_SECONDS = {"ns": 1e-9, "us": 1e-6, "usec": 1e-6, "µs": 1e-6, "ms": 1e-3, "msec": 1e-3}
_SECONDS |= {"s": 1.0, "sec": 1.0, "secs": 1.0, "seconds": 1.0}


#: A change by more than this share, which is tenfold and more, is written as more than it.
MOST_CHANGE = 10.0


def _table() -> dict[str, tuple[float, Unit]]:
    table: dict[str, tuple[float, Unit]] = {
        "ratio": (1, Unit.RATIO),
        "%": (1e-2, Unit.RATIO),
        # qperf's share of one CPU: "68 % cpus".
        "% cpus": (1e-2, Unit.RATIO),
        "count": (1, Unit.COUNT),
        "": (1, Unit.COUNT),
        # ab prints "Requests per second: 4589.65 [#/sec]".
        "#/sec": (1, Unit.PER_SECOND),
        "1/s": (1, Unit.PER_SECOND),
        "/s": (1, Unit.PER_SECOND),
        "B": (1, Unit.BYTES),
        "byte": (1, Unit.BYTES),
        "Bytes": (1, Unit.BYTES),
        # Linux /proc says kB and means 1024 bytes; ab's Kbytes are 1024 too.
        "kB": (1024, Unit.BYTES),
        "Kbytes/sec": (8 * 1024, Unit.BITS_PER_SECOND),
        "s/byte": (1, Unit.SECONDS_PER_BYTE),
        "1/byte": (1, Unit.PER_BYTE),
        "/GB": (1e-9, Unit.PER_BYTE),
    }
    for prefix, factor in _KILO.items():
        small = prefix.lower() if prefix == "K" else prefix
        # What Podmeter itself prints.
        table[f"{small}bit/s"] = (factor, Unit.BITS_PER_SECOND)
        # iperf3's Kbits/sec and qperf's Kb/sec count in thousands.
        table[f"{prefix}bits/sec"] = (factor, Unit.BITS_PER_SECOND)
        if prefix:
            table[f"{prefix}b/sec"] = (factor, Unit.BITS_PER_SECOND)
            table[f"{small}/s"] = (factor, Unit.PER_SECOND)
            # qperf's sizes are in thousands unless they say KiB.
            table[f"{prefix}B"] = (factor, Unit.BYTES)
            table[f"{prefix}B/sec"] = (8 * factor, Unit.BITS_PER_SECOND)
        table[f"{prefix}/sec"] = (factor, Unit.PER_SECOND)
    for name, factor in zip(
        ("thousand", "million", "billion", "trillion"), list(_KILO.values())[1:], strict=True
    ):
        table[name] = (factor, Unit.COUNT)
    for prefix, factor in _KIBI.items():
        # iperf3's KBytes and MBytes/sec count in 1024.
        table[f"{prefix}Bytes"] = (factor, Unit.BYTES)
        table[f"{prefix}Bytes/sec"] = (8 * factor, Unit.BITS_PER_SECOND)
        if prefix:
            table[f"{prefix}iB"] = (factor, Unit.BYTES)
            table[f"{prefix}i"] = (factor, Unit.BYTES)
    table["bytes"] = (1, Unit.BYTES)
    table["bytes/sec"] = (8, Unit.BITS_PER_SECOND)
    for name, factor in _SECONDS.items():
        table[name] = (factor, Unit.SECONDS)
        table[f"{name}/GB"] = (factor / 1e9, Unit.SECONDS_PER_BYTE)
    return table


_TOOL_UNITS = _table()


def to_base(value: float, unit: str) -> Quantity:
    """Convert a tool's value: ``to_base(331, "MB/sec")`` is 2.648e9 bit/s.

    Spelling decides, as it does in the tools: qperf's MB/sec is 10**6 bytes, iperf3's
    MBytes/sec is 2**20. Raises UnknownUnitError for a spelling that no tool prints, ValueError for
    a value that is not finite.
    """
    if not isfinite(value):
        raise ValueError("a quantity must be finite")
    try:
        factor, base = _TOOL_UNITS[unit.strip()]
    except KeyError:
        raise UnknownUnitError(f"unknown unit: {unit.strip()[:40]!r}") from None
    return Quantity(value * factor, base)


def parse_quantity(text: str) -> Quantity:
    """Read "4,001", "68 % cpus" or "2.05 sec/GB" as the tools and ``format_quantity`` write them.

    A comma parts thousands, never decimals. Raises UnknownUnitError, or ValueError where it does
    not start with a number written so.
    """
    number, _, unit = text.strip().partition(" ")
    if not re.fullmatch(_NUMBER, number):
        raise ValueError(f"could not convert {number[:40]!r} to a number")
    return to_base(float(number.replace(",", "").replace("−", "-")), unit)


_PREFIXES = (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1.0))
_SMALL = (("m", 1e-3), ("µ", 1e-6), ("n", 1e-9))


def format_quantity(value: float | None, unit: Unit | str) -> str:
    """Write a value for people: SI prefix, three significant digits; None is a dash.

    2.648e9 bit/s is "2.65 Gbit/s", 3.3e-5 s is "33.0 µs", 0.0813 as a ratio is "8.13 %".
    Whole counts are written out in full: "30,000". Costs are per gigabyte: "451 ms/GB".
    Raises ValueError for a value that is not finite or a unit that is no base unit.
    """
    if value is None:
        return "–"
    if not isfinite(value):
        raise ValueError("a quantity must be finite")
    if Unit(unit) is Unit.COUNT and value == int(value):
        return f"{int(value):,}"
    factor, symbol = _scale(value, unit)
    return f"{_digits(value / factor)}{symbol}"


def format_figure(
    value: float, low: float | None, high: float | None, unit: Unit | str
) -> tuple[str, str, str]:
    """Write a value and the ends of its interval for people, in one scale.

    They have the digits that the interval supports (`podmeter.statistics.digits`); two of the
    value where there is none, and the ends are "". The upper end has the unit: 9.412e9 bit/s from
    9.31e9 to 9.52e9 is ("9.41 Gbit/s", "9.31", "9.52 Gbit/s"). Raises as `format_quantity` does.
    """
    if not all(isfinite(one) for one in (value, low, high) if one is not None):
        raise ValueError("a quantity must be finite")
    factor, symbol = _scale(max((value, low or 0.0, high or 0.0), key=abs), unit)
    whole = Unit(unit) is Unit.COUNT and all(
        one is None or one == int(one) for one in (value, low, high)
    )
    scaled = [None if one is None else one / factor for one in (low, high)]
    places = 0 if whole else decimals(value / factor, *scaled)
    ends = ["" if one is None else rounded(one, places) for one in scaled]
    return f"{rounded(value / factor, places)}{symbol}", ends[0], ends[1] and f"{ends[1]}{symbol}"


def format_factor(value: float) -> str:
    """Write how many times as much something is: 12.3, 5.5, 230; 1.04 is not 1.

    What is multiplied is as sure at one end as at the other, so each number has its own digits:
    two, and three if it begins with 1. Raises ValueError for a value that is not finite.
    """
    if not isfinite(value):
        raise ValueError("a quantity must be finite")
    if value == 0:
        return "0"
    first, _, exponent = f"{value:.1e}".partition("e")
    digits = 3 if first.lstrip("-").startswith("1") else 2
    return rounded(value, digits - 1 - int(exponent))


def format_change(value: float, low: float | None, high: float | None) -> tuple[str, str, str]:
    """Write a change, as a share of what was before, and the ends of its interval, with signs.

    An end beyond `MOST_CHANGE` is "> +1,000 %": of what it is above that nothing is known, and the
    change itself has the two digits of one without an interval then. Raises as `format_figure`.
    """
    if low is None or high is None or high <= MOST_CHANGE or value > MOST_CHANGE:
        texts = format_figure(value, low, high, Unit.RATIO)
        return (
            _signed(value, texts[0]),
            _signed(low or 0.0, texts[1]),
            _signed(high or 0.0, texts[2]),
        )
    places = decimals(100 * value)
    text = f"{rounded(100 * value, places)} %"
    end = _signed(low, rounded(100 * low, places))
    return _signed(value, text), end, f"> +{rounded(100 * MOST_CHANGE, 0)} %"


def _signed(value: float, text: str) -> str:
    """With a plus where there is one; nothing has none."""
    zero = not any(digit in text for digit in "123456789")
    return f"+{text}" if text and value > 0 and not zero else text


def _scale(value: float, unit: Unit | str) -> tuple[float, str]:
    """What to divide a value by, and the symbol that follows it."""
    match Unit(unit):
        case Unit.COUNT:
            return 1.0, ""
        case Unit.RATIO:
            return 1e-2, " %"
        case Unit.SECONDS:
            return _prefixed(value, (_PREFIXES[-1], *_SMALL), 1.0, "s")
        case Unit.SECONDS_PER_BYTE:
            return _prefixed(value, (_PREFIXES[-1], *_SMALL), 1e-9, "s/GB")
        case Unit.PER_BYTE:
            return 1e-9, " /GB"
        case Unit.PER_SECOND:
            return _prefixed(value, _PREFIXES, 1.0, "/s")
        case Unit.BYTES:
            factor, symbol = _prefixed(value, _PREFIXES, 1.0, "B")
            return factor, symbol.replace("kB", "KB")
        case Unit.BITS_PER_SECOND:
            return _prefixed(value, _PREFIXES, 1.0, "bit/s")


def _prefixed(
    value: float, prefixes: tuple[tuple[str, float], ...], base: float, symbol: str
) -> tuple[float, str]:
    # Round first, so that 999.6 k becomes 1.00 M and not 1000 k.
    size = abs(float(f"{value / base:.2e}"))
    for prefix, factor in prefixes:
        if size >= factor * (1 - 1e-9):
            return factor * base, f" {prefix}{symbol}"
    if value == 0:
        return base, f" {symbol}"
    prefix, factor = prefixes[-1]
    return factor * base, f" {prefix}{symbol}"


def _digits(value: float) -> str:
    """Write three significant digits without an exponent."""
    if value == 0:
        return "0"
    rounded = float(f"{value:.2e}")
    exponent = int(f"{abs(rounded):.2e}".partition("e")[2])
    return f"{rounded:,.{max(0, 2 - exponent)}f}"
