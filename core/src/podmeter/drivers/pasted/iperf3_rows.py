"""A line of iperf3's words that has figures: an interval's, or a result of one of the ends.

By its source (iperf_locale.c, units.c) bytes are counted in 1024s and bits in 1000s, in four
places; a line of results ends with `sender` or `receiver`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.measurement import Unit
from podmeter.domain.messages import say
from podmeter.drivers.iperf3_flows import TOOL_NAME
from podmeter.drivers.pasted.amounts import NUMBER, amount
from podmeter.drivers.pasted.output import Figure
from podmeter.drivers.reading import Printed, agrees, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podmeter.drivers.pasted.text import Line

#: What a line of a stream begins with.
STREAM = r"\[ ?(?:[0-9]{1,4}|SUM)\](?: ?\[[TR]X-[CS]\])?"
_HEAD = r"\[ ?(?P<id>[0-9]{1,4}|SUM)\](?: ?\[(?P<role>[TR]X-[CS])\])?"
ROW = re.compile(
    rf"{_HEAD} (?P<begin>{NUMBER})-(?P<end>{NUMBER}) sec (?P<moved>\S{{1,20}}) "
    rf"(?P<bytes>[KMGT]?Bytes) (?P<rate>\S{{1,20}}) (?P<unit>[KMGT]?(?:bits|Bytes)/sec)"
    r"(?: (?P<rest>\S.{0,120}))?"
)
SIDED = re.compile(r"(?:(?P<rest>.{1,100}) )?(?P<side>sender|receiver)")
_DATAGRAMS = re.compile(
    r"(?P<jitter>\S{1,20}) ms (?P<lost>[0-9]{1,18})/ ?(?P<total>[0-9]{1,18}) ?"
    r"\((?P<percent>[0-9]{1,3}(?:\.[0-9]{1,9})?(?:e[+-][0-9]{1,3})?|-?nan)%\)"
    # A receiver older than --omit's counts does not tell how many of the others were lost.
    r"|(?P<alone>\S{1,20}) ms Unknown/[0-9]{1,18}"
)


#: What follows the rate of an interval: retransmits with the window, or datagrams.
#: Counters of lost datagrams may be below 0, and are then printed as what is near 2^64.
_INTERVAL = re.compile(
    rf"(?:[0-9]{{1,12}}(?: {NUMBER} [KMGT]?Bytes)?"
    r"|\S{1,20} ms (?:-?[0-9]{1,20}|Unknown)/ ?-?[0-9]{1,20}(?: ?\(-?[0-9.e+naif-]{1,12}%\))?)?"
    r"(?: ?\(omitted\))?"
)


@dataclass(frozen=True, slots=True)
class Row:
    """A line of results: seconds, bytes and bit/s as they were printed, and what follows them.

    `rounded` says that its printed rate has no digit to be read (`0.00 Tbits/sec`): `rate` is then
    what was moved in the time, and `printed` says that.
    """

    line: Line
    seconds: Printed
    moved: Printed
    rate: Printed
    printed: str
    rest: str
    rounded: str = ""

    @property
    def counts_datagrams(self) -> bool:
        """Whether it is of UDP."""
        return self.is_of_datagrams(self.rest)

    @staticmethod
    def is_of_datagrams(rest: str) -> bool:
        """Whether what follows a rate counts lost datagrams."""
        return _DATAGRAMS.fullmatch(rest) is not None


def check_interval(line: Line, row: re.Match[str]) -> None:
    """An interval is not kept, so its figures may be odd; its words are an interval's."""
    if not _INTERVAL.fullmatch(row["rest"] or ""):
        line.refuse(say("paste_odd", tool=TOOL_NAME))


def result(line: Line, row: re.Match[str], rest: str) -> Row:
    """The figures of a line that is a `ROW`; raises PasteError where they contradict each other."""
    with line.locating_errors():
        found = _figures(line, row, rest)
        _check(found)
    return found


def _figures(line: Line, row: re.Match[str], rest: str) -> Row:
    begin = amount(TOOL_NAME, row["begin"], "s", Unit.SECONDS)
    end = amount(TOOL_NAME, row["end"], "s", Unit.SECONDS)
    seconds = Printed(end.value - begin.value, begin.slack + end.slack)
    agrees(TOOL_NAME, "Interval", seconds.value, 0.0, 1e9)
    moved = amount(TOOL_NAME, row["moved"], row["bytes"], Unit.BYTES)
    rate = amount(TOOL_NAME, row["rate"], row["unit"], Unit.BITS_PER_SECOND)
    words, rounded = f"{row['rate']} {row['unit']}", ""
    if rate.value == 0 < moved.value and seconds.least > 0:
        _agree(moved, rate, seconds)
        words, rounded = f"{row['moved']} {row['bytes']} in {row['begin']}-{row['end']} sec", words
        value = float(f"{8 * moved.value / seconds.value:.12g}")
        rate = Printed(value, 8 * moved.most / seconds.least - value)
    return Row(line, seconds, moved, rate, words, rest, rounded)


def _check(row: Row) -> None:
    """The rate is what was moved in the time, as far as the digits tell."""
    if row.seconds.value > row.seconds.slack:
        _agree(row.moved, row.rate, row.seconds)


def _agree(moved: Printed, rate: Printed, seconds: Printed) -> None:
    agrees(
        *(TOOL_NAME, "Bitrate", rate.value),
        8 * moved.least / seconds.most - rate.slack,
        8 * moved.most / seconds.least + rate.slack,
    )


def datagrams(received: Row) -> Sequence[Figure]:
    """Jitter and loss, of which the share has to be that of the counts."""
    line = received.line
    told = _DATAGRAMS.fullmatch(received.rest)
    if told is None:
        line.refuse(say("paste_odd", tool=TOOL_NAME))
    if told["alone"] is not None:
        with line.locating_errors():
            jitter = amount(TOOL_NAME, told["alone"], "ms", Unit.SECONDS)
        return (Figure("udp_jitter", jitter.value, f"{told['alone']} ms", line.number),)
    with line.locating_errors():
        jitter = amount(TOOL_NAME, told["jitter"], "ms", Unit.SECONDS)
        lost, total = whole(TOOL_NAME, told["lost"]), whole(TOOL_NAME, told["total"])
        agrees(TOOL_NAME, "Lost/Total Datagrams", lost, 0, total)
        agrees(TOOL_NAME, "Total Datagrams", total, 1, float("inf"))
        # Two significant digits, as %.2g prints them.
        agrees(TOOL_NAME, "Lost", float(told["percent"]), *_about(100 * lost / total))
    return (
        Figure("udp_jitter", jitter.value, f"{told['jitter']} ms", line.number),
        Figure("udp_loss", lost / total, f"{told['lost']}/{told['total']}", line.number),
    )


def _about(percent: float) -> tuple[float, float]:
    printed = float(f"{percent:.2g}")
    return min(printed, percent) * (1 - 1e-6), max(printed, percent) * (1 + 1e-6)
