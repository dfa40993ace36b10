"""What iperf3's JSON says of a flow: a stream, an interval or a sum of these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.drivers.reading import agrees

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podmeter.drivers.fields import Fields

TOOL_NAME = "iperf3"


def flow_rate(flow: Fields, seconds: str = "seconds") -> float:
    """Bit/s of a sum, a stream or an interval, which its bytes and seconds must give."""
    found = flow.number("bits_per_second")
    expected = 8 * flow.count("bytes") / flow.positive(seconds)
    agrees(TOOL_NAME, f"{flow.path}.bits_per_second", found, expected)
    return found


def summed(flows: Sequence[Fields], name: str, whole: Fields) -> int:
    """A count of a sum, which is that of its streams."""
    count = whole.count(name)
    parts = sum(one.count(name) for one in flows)
    agrees(TOOL_NAME, f"{whole.path}.{name}", count, parts, parts)
    return count
