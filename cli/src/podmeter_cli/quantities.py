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
    prefixes, base, symbol = _UNITS.get(unit, (_PLAIN, 1.0, "" if unit == "count" else unit))
    # Rounded first, so that 999.6 k becomes 1.00 M and not 1000 k.
    size = abs(float(f"{value / base:.2e}"))
    fitting = (one for one in prefixes if size >= one[0] * (1 - 1e-9))
    factor, prefix = next(fitting, prefixes[-1] if value else (1.0, ""))
    name = f"{prefix}{symbol}"
    # As storage has it: KB, and k elsewhere.
    name = "KB" if name == "kB" else name
    return f"{_digits(value / base / factor)} {name}".rstrip()


def figure(found: dict[str, Any], unit: str) -> str:
    """A row's value with its interval: "9.41 Gbit/s [9.31 to 9.52 Gbit/s]"."""
    text = quantity(found["value"], unit)
    if found["value"] is None:
        return text
    if found["low"] is None or found["high"] is None:
        return text
    return _with_interval(text, quantity(found["low"], unit), quantity(found["high"], unit))


def change(ratio: dict[str, Any]) -> str:
    """A row's ratio of two values as a change: 0.93 is "-7.0 %", with its interval."""
    if ratio["value"] is None:
        return "–"
    text = f"{percent(ratio['value'])} %"
    if ratio["low"] is None or ratio["high"] is None:
        return text
    return _with_interval(text, f"{percent(ratio['low'])} %", f"{percent(ratio['high'])} %")


def _with_interval(text: str, low: str, high: str) -> str:
    """Ends with the same unit have it once: "9.41 Gbit/s [9.31 to 9.52 Gbit/s]"."""
    number, _, unit = low.partition(" ")
    return f"{text} [{number if high.endswith(f' {unit}') else low} to {high}]"


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


def _digits(value: float) -> str:
    if value == 0:
        return "0"
    rounded = float(f"{value:.2e}")
    exponent = int(f"{abs(rounded):.2e}".partition("e")[2])
    return f"{rounded:,.{max(0, 2 - exponent)}f}"
