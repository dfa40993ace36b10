"""Numbers with their units as tools print them, in base units."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers.reading import WHOLE, Printed, printed
from podmeter.statistics.units import UnknownUnitError, to_base

if TYPE_CHECKING:
    from podmeter.domain.measurement import Unit

#: A number, to be read by `amount`.
NUMBER = rf"{WHOLE}(?:\.[0-9]{{1,12}})?"


def amount(tool: str, number: str, unit: str, base: Unit) -> Printed:
    """The figure in `base`, and by how much it was rounded: half of its last digit.

    Whole numbers were rounded too, as by iperf3's four places. Raises ToolError for what is no
    number, or a unit that is of something else.
    """
    value = printed(tool, number).value
    slack = 0.5 * 10.0 ** -len(number.partition(".")[2])
    try:
        found, off = to_base(value, unit), to_base(slack, unit)
    except UnknownUnitError as error:
        raise ToolError(say("paste_unit", tool=tool, unit=unit[:40])) from error
    if found.unit is not base:
        raise ToolError(say("paste_unit", tool=tool, unit=unit[:40]))
    # What a float loses in a product is no digit of the tool's.
    return Printed(float(f"{found.value:.15g}"), off.value)


def together(tool: str, text: str, base: Unit) -> Printed:
    """The figure of a number with its unit right behind it, as wrk's `635.91us`."""
    found = re.fullmatch(rf"({NUMBER})([A-Za-zµ%]{{0,10}})", text)
    if found is None:
        raise ToolError(say("tool_not_number", tool=tool, text=text[:40]))
    return amount(tool, found[1], found[2], base)
