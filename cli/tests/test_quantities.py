"""Figures as people read them, as `podmeter.statistics.units` writes them."""

from typing import Any

import pytest

from podmeter.domain.measurement import Unit
from podmeter.statistics.units import format_quantity
from podmeter_cli.quantities import change, duration, figure, quantity


@pytest.mark.parametrize("unit", list(Unit))
@pytest.mark.parametrize(
    "value", [0.0, 1.0, 7.0, 0.0813, 3.3e-5, 999.6, 12_345.0, 2.648e9, 9.996e8, 4.2e-10, -0.05]
)
def test_figures_are_written_as_the_server_writes_them(value: float, unit: Unit) -> None:
    assert quantity(value, unit.value) == format_quantity(value, unit)


def test_an_interval_has_one_scale_with_its_value() -> None:
    fast = {"value": 9.41e9, "low": 9.31e9, "high": 9.52e9}
    assert figure(fast, "bit/s") == "9.41 Gbit/s [9.31 to 9.52 Gbit/s]"
    near = {"value": 1.0e9, "low": 9.8e8, "high": 1.02e9}
    assert figure(near, "bit/s") == "1.00 Gbit/s [0.98 to 1.02 Gbit/s]"
    below = {"value": 9.9e8, "low": 9.8e8, "high": 1.02e9}
    assert figure(below, "bit/s") == "0.990 Gbit/s [0.980 to 1.020 Gbit/s]"
    around = {"value": 0.002, "low": -1e-6, "high": 0.004}
    assert figure(around, "s") == "2.00 ms [0.00 to 4.00 ms]"
    assert figure({"value": 0.5, "low": 0.49, "high": 0.51}, "ratio") == "50.0 % [49.0 to 51.0 %]"
    assert figure({"value": 7, "low": 6, "high": 9}, "count") == "7 [6 to 9]"


def test_what_is_not_known_is_a_dash() -> None:
    assert (quantity(None, "s"), figure({"value": None}, "s"), change({"value": None})) == (*"–––",)


def test_a_change_has_its_sign_and_its_interval() -> None:
    assert change({"value": 0.93, "low": 0.9, "high": 0.96}) == "-7.0 % [-10.0 to -4.0 %]"
    assert change({"value": 2.5, "low": None, "high": None}) == "+150 %"
    assert change({"value": 0.9999, "low": None, "high": None}) == "0.0 %"


def shift(unit: str, value: float, low: float | None = None, high: float | None = None) -> Any:
    return {"key": {"unit": unit}, "value": value, "low": low, "high": high}


def test_a_change_without_a_ratio_is_the_difference() -> None:
    """Of shares it is in percentage points: it is not in percent of the baseline's."""
    none = {"value": None}
    assert change(none, shift("ratio", 0.46, 0.4, 0.52)) == "+46.0 pp [40.0 to 52.0 pp]"
    assert change(none, shift("ratio", -0.5)) == "-50.0 pp"
    assert change(none, shift("s", 0.25)) == "+250 ms"
    assert change(none, shift("count", 0)) == "0"
    assert change({"value": 0.93, "low": None, "high": None}, shift("s", -7.0)) == "-7.0 %"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "0 s"), (45, "45 s"), (100, "2 min"), (720, "12 min"), (7500, "2 h 05 min")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text
