"""How many digits of a figure its interval supports."""

from math import floor, isfinite, log10

#: Never more significant digits than these, however short the interval.
MOST = 4
#: Of a figure whose trials were all alike.
ALIKE = 3
#: Without an interval nothing says how sure a figure is.
WITHOUT_INTERVAL = 2
#: An uncertainty keeps two digits up to this, one above it (Particle Data Group, Review of
#: Particle Physics, section 5.3, "Rounding").
_TWO_DIGITS_BELOW = 3.55


def decimals(value: float, low: float | None = None, high: float | None = None) -> int:
    """The decimals that a value and the ends of its interval are written with.

    Half the interval's length is what is not known of the value: its first digit decides, or its
    first two where it begins with 1, 2 or 3. A value of which only one digit would be left has one
    more, unless it may be zero: 1.68 between 0.6 and 8 is 1.7, not 2. Negative where even the ones
    are not known.
    """
    largest = max(abs(one) for one in (value, low, high) if one is not None)
    if largest == 0 or not isfinite(largest):
        return 0
    if low is None or high is None:
        return _significant(largest, WITHOUT_INTERVAL)
    half = abs(high - low) / 2
    if half <= 0 or not isfinite(half):
        return _significant(largest, ALIKE)
    # As text: there are intervals so short that a power of ten is none any more.
    first, exponent = (float(part) for part in f"{half:.8e}".split("e"))
    places = min(
        -int(exponent) + (1 if first < _TWO_DIGITS_BELOW else 0), _significant(largest, MOST)
    )
    if low * high <= 0 or value == 0:
        return places
    return max(places, min(places + 1, _significant(abs(value), WITHOUT_INTERVAL)))


def rounded(value: float, places: int) -> str:
    """A number with so many decimals, thousands parted by commas: 26.3; 12,300 with -2."""
    text = f"{round(value, places):,.{max(0, places)}f}"
    return text.replace("-", "", 1) if float(text.replace(",", "")) == 0 else text


def _significant(value: float, digits: int) -> int:
    return digits - 1 - _exponent(value)


def _exponent(value: float) -> int:
    # A tenth that is a difference is a little less or more than one.
    return floor(log10(float(f"{value:.9g}")))
