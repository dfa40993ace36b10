"""Figures have the digits that their intervals support."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podmeter.domain.measurement import Unit
from podmeter.statistics import format_change, format_factor, format_figure
from podmeter.statistics.digits import decimals, rounded

#: The frontend's tests read them too: both write figures alike.
EXAMPLES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "digits.json").read_text())[
    "decimals"
]


@pytest.mark.parametrize("one", EXAMPLES)
def test_half_the_interval_says_which_digit_is_the_last(one: dict[str, Any]) -> None:
    assert decimals(one["value"], one["low"], one["high"]) == one["places"]


def test_a_figure_and_its_ends_are_written_in_one_scale() -> None:
    assert format_figure(2.65e9, 2.6e9, 2.71e9, "bit/s") == ("2.65 Gbit/s", "2.60", "2.71 Gbit/s")
    assert format_figure(0.000705, -0.012, 0.013, "ratio") == ("0.1 %", "-1.2", "1.3 %")
    assert format_figure(9.99e5, 9.9e5, 1.2e6, "1/s") == ("1.00 M/s", "0.99", "1.20 M/s")
    assert format_figure(30_000, 30_000, 30_000, "count") == ("30,000", "30,000", "30,000")
    assert format_figure(0.0123, None, None, "s") == ("12 ms", "", "")


def test_a_change_has_its_sign_and_an_end_beyond_tenfold_is_told_as_beyond() -> None:
    assert format_change(-0.26, -0.34, -0.2) == ("-26 %", "-34", "-20 %")
    assert format_change(0.0, -0.01, 0.01) == ("0.0 %", "-1.0", "+1.0 %")
    assert format_change(0.031, None, None) == ("+3.1 %", "", "")
    assert format_change(-0.61, -0.9999999, 6_597_344.0) == ("-61 %", "-100", "> +1,000 %")
    assert format_change(12.0, 9.0, 16.0) == ("+1,200 %", "+900", "+1,600 %")


def test_the_shortest_interval_there_is_has_digits() -> None:
    assert decimals(1.0, 1.0, 1.0) == 2
    assert decimals(5e-324, 0.0, 1e-323) > 300


@given(
    st.floats(-1e12, 1e12, allow_nan=False),
    st.floats(0, 1e12, allow_nan=False),
    st.sampled_from([one for one in Unit if one is not Unit.COUNT]),
)
def test_no_more_digits_than_the_interval_supports(value: float, half: float, unit: Unit) -> None:
    places = decimals(value, value - half, value + half)
    if half > 0:
        # The last digit is at least a thirty-sixth of what is not known; a value that is not zero
        # may have one more, its second.
        may_be_zero = abs(value) <= half
        assert 10.0**-places >= half / (36 if may_be_zero else 360)
    text = rounded(value, places)
    assert abs(float(text.replace(",", "")) - value) <= 0.51 * 10.0**-places + abs(value) * 1e-9
    assert not text.startswith("-0") or float(text.replace(",", "")) != 0
    assert format_figure(value, value - half, value + half, unit)[1]


def test_a_factor_has_digits_of_its_own() -> None:
    """So the end of an interval that is clearly above 1 is never written as 1."""
    told = {2.4: "2.4", 1.04: "1.04", 12.34: "12.3", 5.49: "5.5", 230.4: "230", 9.96: "10.0"}
    assert {value: format_factor(value) for value in told} == told
    assert [format_factor(value) for value in (0.0, 0.52, 0.998, 1e6)] == [
        "0",
        "0.52",
        "1.00",
        "1,000,000",
    ]
    with pytest.raises(ValueError, match="finite"):
        format_factor(math.inf)
