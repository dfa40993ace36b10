"""What qperf prints, read as it is: figures in base units, and the words of `conf`.

By its source (qperf.c, 0.4.9 to 0.4.11) it counts in thousands, except for sizes that are whole
multiples of 1024, which it writes in both; bandwidth is in bytes unless bits were asked for; costs
are in seconds per 10^9 bytes; CPU is a share of one of the machine's. Figures that are 0 are left
out, but for bandwidth and latency.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from podmeter.domain.errors import ToolError
from podmeter.domain.measurement import Unit
from podmeter.domain.messages import say
from podmeter.drivers.reading import Printed, agrees

TOOL_NAME = "qperf"
TESTS = ("tcp_bw", "tcp_lat", "udp_bw", "udp_lat")
CONF = "conf"
#: Significant digits that qperf prints by itself.
DEFAULT_PRECISION = 3

_THOUSANDS = ("", "K", "M", "G", "T")
_UNITS: dict[str, tuple[float, Unit]] = {
    "% cpus": (1e-2, Unit.COUNT),
    **{
        word: (1e3**power, Unit.COUNT)
        for power, word in enumerate(("", "thousand", "million", "billion", "trillion"))
    },
    **{f"{one}/sec": (1e3**power, Unit.PER_SECOND) for power, one in enumerate(_THOUSANDS)},
    "bytes/sec": (8.0, Unit.BITS_PER_SECOND),
    "bits/sec": (1.0, Unit.BITS_PER_SECOND),
    "bytes": (1.0, Unit.BYTES),
    **{
        f"{one}{unit}": (factor * 1e3**power, base)
        for power, one in enumerate(_THOUSANDS)
        if one
        for unit, factor, base in (
            ("B/sec", 8.0, Unit.BITS_PER_SECOND),
            ("b/sec", 1.0, Unit.BITS_PER_SECOND),
            ("B", 1.0, Unit.BYTES),
        )
    },
    **{f"{one}iB": (1024.0**power, Unit.BYTES) for power, one in enumerate(_THOUSANDS) if one},
    **{
        f"{unit}{over}": (factor * share, base)
        for unit, factor in (("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("sec", 1.0))
        for over, share, base in (
            ("", 1.0, Unit.SECONDS),
            ("/GB", 1e-9, Unit.SECONDS_PER_BYTE),
        )
    },
}
#: What each figure is in, by how its name ends; the first that fits.
_ENDINGS = (
    (r"(send_|recv_)?bw", Unit.BITS_PER_SECOND),
    (r"msg_rate", Unit.PER_SECOND),
    (r"latency|time|timeout|(send|recv|loc|rem)_(real|cpu)_time", Unit.SECONDS),
    (r"(loc_|rem_)(time|timeout)", Unit.SECONDS),
    (r"(send|recv)_cost", Unit.SECONDS_PER_BYTE),
    (r"(loc_|rem_)?(msg_size|sock_buf_size|mtu_size)", Unit.BYTES),
    (r"((loc|rem)_)?(send|recv)_bytes", Unit.BYTES),
    (r"((loc|rem)_)?(send|recv)_(msgs|errors)", Unit.COUNT),
    (r"(send|recv|loc|rem)_cpus_(used|user|intr|kernel|iowait)", Unit.COUNT),
    (r"(loc_|rem_)?(port|access_recv|affinity|no_msgs)", Unit.COUNT),
)
_WORDS = tuple(f"{end}_{what}" for end in ("loc", "rem") for what in ("node", "cpu", "os", "qperf"))
_WHOLE = r"(?:[0-9]{1,24}|[0-9]{1,3}(?:,[0-9]{3}){1,7})"
_FIGURE = rf"({_WHOLE})(\.[0-9]{{1,17}})?(?: ((?:% )?[A-Za-z/]+))?(?: \(({_WHOLE})\))?"


@dataclass(frozen=True, slots=True)
class Reading:
    """A test as it was printed: figures in base units, bit/s for bandwidth, and `conf`'s words."""

    test: str
    figures: dict[str, Printed] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)

    def needed(self, name: str) -> Printed:
        """A figure that has to be there."""
        found = self.figures.get(name)
        if found is None:
            raise ToolError(say("tool_no_number", tool=TOOL_NAME, path=f"{self.test}.{name}"))
        return found

    def value(self, name: str) -> float | None:
        """A figure; None where qperf counted 0 and left it out."""
        found = self.figures.get(name)
        return None if found is None else found.value

    def count(self, name: str) -> int:
        """A count that has to be there."""
        value = self.needed(name).value
        if value != int(value):
            raise ToolError(say("tool_not_number", tool=TOOL_NAME, text=str(value)[:40]))
        return int(value)

    def word(self, name: str) -> str:
        """What `conf` says; never empty."""
        if not self.words.get(name):
            raise ToolError(say("tool_no_field", tool=TOOL_NAME, what=name, path=self.test))
        return self.words[name]


def read(text: str, precision: int = DEFAULT_PRECISION) -> tuple[Reading, ...]:
    """Every test in a text, in its order; `precision` digits were asked for.

    Raises ToolError for a line that is none of qperf's, a figure that is there twice or in a unit
    that it cannot be in.
    """
    found: list[Reading] = []
    for line in text.removesuffix("\n").split("\n"):
        if head := re.fullmatch(r"([a-z_]{1,40}):", line):
            if head[1] not in (*TESTS, CONF):
                raise _odd(line)
            found.append(Reading(head[1]))
            continue
        told = re.fullmatch(r" {4}([a-z_]{1,40}) *  =  (.*)", line)
        if told is None or not found:
            raise _odd(line)
        add(found[-1], told[1], told[2], line, precision)
    return tuple(found)


def add(
    reading: Reading, name: str, rest: str, line: str, precision: int = DEFAULT_PRECISION
) -> None:
    """Add the figure or the words of one line, `name = rest`, to its test. Raises as `read`."""
    if name in reading.figures or name in reading.words:
        raise _odd(line)
    if reading.test == CONF:
        if name not in _WORDS:
            raise _odd(line)
        reading.words[name] = rest.strip()
        return
    unit = next((unit for ending, unit in _ENDINGS if re.fullmatch(ending, name)), None)
    figure = re.fullmatch(_FIGURE, rest.strip(" "))
    factor, base = _UNITS.get(figure[3] or "", (0.0, None)) if figure else (0.0, None)
    if (
        figure is None
        or unit is None
        or base is not unit
        or ("_cpus_" in name) != (figure[3] == "% cpus")
    ):
        raise _odd(line)
    reading.figures[name] = _printed(figure, factor, precision)


def _printed(figure: re.Match[str], factor: float, precision: int) -> Printed:
    """The figure; what it was rounded by follows from the digits that were asked for."""
    whole, decimals = figure[1].replace(",", ""), figure[2] or ""
    value = float(whole + decimals)
    if (figure[3] or "").endswith("iB"):
        # A whole multiple of 1024, written out in brackets.
        exact = float((figure[4] or "-1").replace(",", ""))
        agrees(TOOL_NAME, figure[3], exact, value * factor, value * factor)
        return Printed(exact, 0.0)
    if figure[4] is not None:
        raise _odd(figure[0])
    places = max(precision - len(whole), 0)
    # What a float loses in a product is no digit of qperf's.
    return Printed(float(f"{value * factor:.15g}"), 0.5 * 10.0**-places * factor)


def _odd(line: str) -> ToolError:
    return ToolError(say("tool_said", tool=TOOL_NAME, said=line.strip()[:200] or "an empty line"))
