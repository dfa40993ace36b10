"""Figures for people: SI prefixes and three significant digits, as the web UI has them."""

from __future__ import annotations

from typing import Any

_PLAIN = ((1.0, ""),)
_LARGE = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_SMALL = ((1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
#: By base unit of the API: its prefixes, what a base unit is divided by, the symbol.
_UNITS: dict[str, tuple[tuple[tuple[float, str], ...], float, str]] = {
    "bit/s": (_LARGE, 1.0, "bit/s"),
    "1/s": (_LARGE, 1.0, "/s"),
    "bytes": (_LARGE, 1.0, "B"),
    "s": (_SMALL, 1.0, "s"),
    "s/byte": (_SMALL, 1e-9, "s/GB"),
    "1/byte": (_PLAIN, 1e-9, "/GB"),
    "ratio": (_PLAIN, 1e-2, "%"),
}


def quantity(value: float | None, unit: str) -> str:
    """2.648e9 bit/s is "2.65 Gbit/s"; None is a dash. Whole counts are written out."""
    if value is None:
        return "–"
    if unit == "count" and value == int(value):
        return f"{int(value):,}"
    divisor, name = _scale(value, unit)
    return f"{_digits(value / divisor)} {name}".rstrip()


def figure(found: dict[str, Any], unit: str) -> str:
    """A row's value with its interval, in one scale: "1.00 Gbit/s [0.98 to 1.02 Gbit/s]"."""
    value = found["value"]
    if value is None or found["low"] is None or found["high"] is None:
        return quantity(value, unit)
    all_ = [value, found["low"], found["high"]]
    if unit == "count" and all(one == int(one) for one in all_):
        places, divisor, name = 0, 1.0, ""
    else:
        divisor, name = _scale(max(all_, key=abs), unit)
        places = _decimals(value / divisor) if any(all_) else 0
    # Adding nothing makes zero of a negative zero.
    value, low, high = (f"{round(one / divisor, places) + 0.0:,.{places}f}" for one in all_)
    symbol = f" {name}" if name else ""
    return f"{value}{symbol} [{low} to {high}{symbol}]"


def change(ratio: dict[str, Any], difference: dict[str, Any] | None = None) -> str:
    """A row's ratio of two values as a change: 0.93 is "-7.0 %", with its interval.

    Without a ratio, as one value is zero, the `difference` in the metric's unit; of shares that is
    in percentage points.
    """
    if ratio["value"] is None and difference is not None and difference["value"] is not None:
        unit = difference["key"]["unit"]
        text = figure(difference, unit)
        text = text.replace("%", "pp") if unit == "ratio" else text
        return f"+{text}" if difference["value"] > 0 else text
    if ratio["value"] is None:
        return "–"
    text = f"{percent(ratio['value'])} %"
    if ratio["low"] is None or ratio["high"] is None:
        return text
    return f"{text} [{percent(ratio['low'])} to {percent(ratio['high'])} %]"


def percent(ratio: float) -> str:
    """A ratio as a change in percent, without the sign."""
    points = 100 * (ratio - 1)
    text = f"{points:+,.0f}" if abs(points) >= 99.95 else f"{points:+.1f}"
    return "0.0" if float(text.replace(",", "")) == 0 else text


def duration(seconds: float) -> str:
    """Of a run: "45 s", "12 min", "2 h 05 min"."""
    if seconds < 90:
        return f"{max(0, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02} min"


def _scale(value: float, unit: str) -> tuple[float, str]:
    """What values in the value's scale are divided by, and the name of their unit."""
    prefixes, base, symbol = _UNITS.get(unit, (_PLAIN, 1.0, "" if unit == "count" else unit))
    # Rounded first, so that 999.6 k becomes 1.00 M and not 1000 k.
    size = abs(float(f"{value / base:.2e}"))
    fitting = (one for one in prefixes if size >= one[0] * (1 - 1e-9))
    factor, prefix = next(fitting, prefixes[-1] if value else (1.0, ""))
    name = f"{prefix}{symbol}"
    # As storage has it: KB, and k elsewhere.
    return base * factor, "KB" if name == "kB" else name


def _digits(value: float) -> str:
    return "0" if value == 0 else f"{float(f'{value:.2e}'):,.{_decimals(value)}f}"


def _decimals(value: float) -> int:
    """Those of three significant digits."""
    return max(0, 2 - int(f"{abs(value):.2e}".partition("e")[2]))
