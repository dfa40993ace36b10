"""Every output in a paste. Each of its lines is one of a tool's, or of the shell around it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from podmeter.domain.messages import say
from podmeter.drivers.pasted import (
    ab,
    cilium,
    curl,
    documents,
    fortio,
    hey,
    iperf2,
    iperf3_text,
    k8s_netperf_table,
    knb,
    knb_documents,
    qperf,
    shell,
    shell_time,
    sockperf,
    unread,
    vegeta,
    wrk,
)
from podmeter.drivers.pasted.connections import SERVER, joined
from podmeter.drivers.pasted.netperf import reader as netperf
from podmeter.drivers.pasted.terms import TOOLS
from podmeter.drivers.pasted.text import LONGEST_LINE, MOST_OUTPUTS, Cursor, Line, PasteError, split

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from podmeter.domain.messages import Message
    from podmeter.drivers.pasted.output import Output

#: More than anybody has read; what a tool prints of a minute has about a hundred lines.
MOST_LINES = 20_000


class Reader(Protocol):
    """Reads a tool's words for people: whether a line is its, and what begins there."""

    def begins(self, text: str, /) -> bool:
        """Whether a line, its blanks single ones, is one that an output of it may begin with."""

    def read(self, cursor: Cursor, /) -> tuple[Output, ...]:
        """The outputs that begin at the cursor, which is then behind them; raises PasteError."""


_READERS: tuple[Reader, ...] = (
    *(iperf2, iperf3_text, qperf, ab, wrk, hey, curl, shell_time),
    *(knb, knb_documents, netperf, fortio, vegeta, sockperf, k8s_netperf_table, cilium),
)


#: What a report lacks that was broken off.
_MISSING = frozenset(
    {
        *("paste_no_receiver", "paste_no_sum", "paste_cut", "paste_no_rate", "tool_no_number"),
        *("paste_no_requests", "paste_no_time", "paste_no_tests"),
    }
)


class LineKind(StrEnum):
    """What a line of a paste is."""

    OUTPUT = "output"
    COMMAND = "command"
    #: A prompt, a title, a remark, or what a log or a terminal says by itself.
    AROUND = "around"
    #: What another command printed.
    OTHER = "other"
    #: A test that failed among others.
    LEFT_OUT = "left_out"
    REFUSED = "refused"
    #: What comes after a line that was refused.
    UNREAD = "unread"


_SKIPPED = (LineKind.OTHER, LineKind.LEFT_OUT)


@dataclass(frozen=True, slots=True)
class Pasted:
    """The outputs of a paste, and what each of its lines is.

    `skipped` are the numbers of the lines of other commands and of failed tests, `outputs_of` the
    places of the outputs that a line is of. `refused` is the first line that cannot be read, if
    there is one: the outputs are then those before it.
    """

    outputs: tuple[Output, ...]
    skipped: tuple[int, ...]
    kinds: Mapping[int, LineKind]
    outputs_of: Mapping[int, tuple[int, ...]]
    refused: PasteError | None = None


def read(text: str) -> Pasted:
    """Read a paste; raises PasteError with the first line that cannot be read."""
    pasted = examine(text)
    if pasted.refused is not None:
        raise pasted.refused
    return pasted


def examine(text: str) -> Pasted:
    """Read a paste as far as it can be read."""
    reading = _Reading(Cursor.over(split(text)))
    refused: PasteError | None = None
    try:
        reading.read()
    except PasteError as error:
        refused = error
    return reading.result(refused)


class _Reading:
    """One paste while it is read, line by line."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._found: list[Output] = []
        #: Lines that are another command's, unless an output of the same command follows.
        self._pending: list[Line] = []
        self._kinds: dict[int, LineKind] = {}
        #: By line the places in `_found` of the outputs that it is of.
        self._places: dict[int, tuple[int, ...]] = {}

    def read(self) -> None:
        """Read all lines. Raises PasteError."""
        cursor = self._cursor
        if len(cursor.lines) > MOST_LINES:
            cursor.lines[MOST_LINES].refuse(say("paste_too_long", most=MOST_LINES))
        while not cursor.ended:
            if not self._read_outputs():
                self._read_line()
        self._leave()
        if not self._found and cursor.passed is not None:
            cursor.passed[0].refuse(cursor.passed[1])
        if not self._found:
            cursor.lines[0].refuse(say("paste_empty", tools=TOOLS))

    def _read_outputs(self) -> bool:
        """Read the outputs that begin at the cursor, if any do."""
        cursor = self._cursor
        line, at, before = cursor.line, cursor.at, len(self._found)
        outputs = _outputs(cursor)
        if outputs is None:
            return False
        self._found += outputs
        # Both ends may tell of each.
        if len(self._found) > 2 * MOST_OUTPUTS:
            line.refuse(say("paste_too_many", most=MOST_OUTPUTS))
        taken = [one.number for one in cursor.lines[at : cursor.at]]
        self._kinds.update(dict.fromkeys(taken, LineKind.OUTPUT if outputs else LineKind.AROUND))
        self._places.update(_places(taken, outputs, before))
        self._pending = []
        cursor.read_since = True
        return True

    def _read_line(self) -> None:
        """Read a line that is none of a tool's."""
        cursor = self._cursor
        line, at, kind = cursor.line, cursor.at, LineKind.AROUND
        unread_as = unread.recognised(line.flat)
        prompted = shell.command(line.flat) if unread_as is None else None
        if prompted is not None:
            self._leave()
            kind = LineKind.COMMAND
            cursor.command, cursor.read_since = _joined(cursor, prompted), False
        elif shell.is_failure(line.flat):
            line.refuse(say("tool_said", tool="kubectl", said=line.flat[:300]))
        elif unread_as is not None and not _is_of_other_command(cursor):
            line.refuse(unread_as)
        elif unread_as is not None or not (_is_around(line.flat) or _is_head(cursor)):
            if unread_as is not None:
                cursor.pass_over(line, unread_as)
            if not cursor.command or cursor.read_since:
                line.refuse(say("paste_unknown"))
            # The rest of a long command, what it says before its report, or another's output.
            self._pending.append(line)
            kind = LineKind.OTHER
        elif cursor.read_since and _is_anothers_title(cursor):
            # What follows was run by another command, unless this one prints titles itself.
            cursor.command = ""
        cursor.at += 1
        for one in cursor.lines[at : cursor.at]:
            self._kinds[one.number] = kind

    def _leave(self) -> None:
        """Refuse a tool's command of which nothing was read: what it said is no report."""
        cursor = self._cursor
        if self._pending and shell.runs_tool(cursor.command) and not cursor.read_since:
            self._pending[0].refuse(say("paste_unknown"))
        self._pending = []

    def result(self, refused: PasteError | None) -> Pasted:
        """What was read, each connection's outputs as one, without those that have no result."""
        cursor = self._cursor
        try:
            whole, places = joined(self._found, cursor.line_of)
        except PasteError as error:
            refused = refused or error
            whole, places = [], [0] * len(self._found)
        results: list[Output] = []
        #: Where in the results an output of `whole` is; None where it was left out.
        held: list[int | None] = []
        told_tools = {one.tool for one in whole if one.account.lacks is None}
        for one in whole:
            why = _lacking(one, told_tools)
            if why is None:
                held.append(len(results))
                results.append(one)
                continue
            held.append(None)
            if not _is_left_out(one, told_tools) and refused is None:
                line = cursor.line_of(one.account.blamed)
                refused = PasteError(line.number, line.text, why)
        if len(results) > MOST_OUTPUTS and refused is None:
            line = cursor.line_of(results[MOST_OUTPUTS].first)
            refused = PasteError(line.number, line.text, say("paste_too_many", most=MOST_OUTPUTS))
        kinds, outputs_of = dict(self._kinds), {}
        for number, found in self._places.items():
            told = [held[places[place]] for place in found] if held else []
            kept = tuple(dict.fromkeys(one for one in told if one is not None))
            if kept:
                outputs_of[number] = kept
            else:
                kinds[number] = LineKind.LEFT_OUT
        if refused is not None:
            _mark_refused(kinds, outputs_of, cursor, refused.line)
        skipped = sorted(number for number, kind in kinds.items() if kind in _SKIPPED)
        return Pasted(tuple(results), tuple(skipped), kinds, outputs_of, refused)


def _places(
    taken: Sequence[int], outputs: Sequence[Output], before: int
) -> dict[int, tuple[int, ...]]:
    """By line the outputs that it is of; what is between two of them is of the one above it."""
    at = {number: place for place, number in enumerate(taken)}
    found: list[tuple[int, ...]] = [()] * len(taken)
    for number, one in enumerate(outputs, before):
        for place in range(at.get(one.first, 0), at.get(one.last, len(taken) - 1) + 1):
            found[place] += (number,)
    told: dict[int, tuple[int, ...]] = {}
    last: tuple[int, ...] = (before,) if outputs else ()
    for number, places in zip(taken, found, strict=True):
        last = places or last
        if last:
            told[number] = last
    return told


def _mark_refused(
    kinds: dict[int, LineKind],
    outputs_of: dict[int, tuple[int, ...]],
    cursor: Cursor,
    refused: int,
) -> None:
    """Tell the line that is refused, and those that nobody has read because of it."""
    for one in cursor.lines:
        if one.number not in kinds:
            kinds[one.number] = LineKind.UNREAD
    kinds[refused] = LineKind.REFUSED
    outputs_of.pop(refused, None)


def _lacking(one: Output, told_tools: Collection[str]) -> Message | None:
    """Why an output has no result; None where it has one.

    Of a server's test that went the other way only what was sent is known, which costs no other
    test of its log its figure.
    """
    account = one.account
    if account.end == SERVER and one.figures and one.tool in told_tools:
        return None
    return account.lacks


def _is_left_out(one: Output, told_tools: Collection[str]) -> bool:
    """Whether an output is a server's test that failed among others, which costs these nothing."""
    account = one.account
    failed = account.lacks is not None and account.lacks.code == "tool_said"
    return failed and account.end == SERVER and one.tool in told_tools


def _is_of_other_command(cursor: Cursor) -> bool:
    """Whether the last prompt ran something else, of which nothing is read."""
    return bool(cursor.command) and not shell.runs_tool(cursor.command) and not cursor.read_since


def _is_anothers_title(cursor: Cursor) -> bool:
    text = cursor.line.flat
    titled = not shell.is_blank(text) and (shell.is_title(text) or shell.is_remark(text))
    return titled and re.search(r"\b(?:echo|printf)\b", cursor.command) is None


def _is_around(text: str) -> bool:
    return (
        shell.is_blank(text)
        or shell.is_shell_noise(text)
        or shell.is_remark(text)
        or knb.is_log(text)
        or cilium.is_log(text)
        or fortio.is_shell_noise(text)
        or k8s_netperf_table.is_log(text)
        or shell.is_title(text)
    )


def _is_head(cursor: Cursor) -> bool:
    """Whether a line is the first of a prompt, which continues with a sign on the next one.

    Or a title with a rule below it.
    """
    after = cursor.lines[cursor.at + 1 : cursor.at + 2]
    if after and re.fullmatch("={3,200}", after[0].flat):
        return True
    if after and re.fullmatch("-{3,200}", after[0].flat):
        return re.fullmatch(r"[^\W\d][^=|<>\[\]]{0,80}", cursor.line.flat) is not None
    return (
        bool(after)
        and shell.is_prompt_head(cursor.line.flat)
        and after[0].flat.startswith(("❯", "➜", "$", "#", "%", "λ", "╰", "└"))
        and shell.command(after[0].flat) is not None
    )


def _joined(cursor: Cursor, prompted: str) -> str:
    """A command with the lines that it continues at, after a backslash."""
    while prompted.endswith("\\") and cursor.at + 1 < len(cursor.lines):
        cursor.at += 1
        prompted = f"{prompted[:-1].strip()} {cursor.line.flat}"
    return prompted[:LONGEST_LINE]


def _outputs(cursor: Cursor) -> tuple[Output, ...] | None:
    """The outputs that begin here; None where none does."""
    line = cursor.line
    if documents.begins(line.flat):
        return documents.read(cursor)
    if not line.flat:
        return None
    if len(line.text) > LONGEST_LINE:
        line.refuse(say("paste_line_long", most=LONGEST_LINE))
    if curl.rows_of_command(cursor.command, line.flat):
        return curl.read(cursor)
    if netperf.row_of_command(cursor.command, line.flat) and (
        not cursor.read_since or netperf.is_row(cursor.command, cursor.lines[cursor.at - 1].flat)
    ):
        return netperf.read_row(cursor)
    for reader in _READERS:
        if reader.begins(line.flat):
            return _read_by(reader, cursor)
    return None


def _read_by(reader: Reader, cursor: Cursor) -> tuple[Output, ...]:
    """What a reader reads; what it misses may have stood on a line that nobody can read."""
    try:
        return reader.read(cursor)
    except PasteError as error:
        if error.why.code in _MISSING and not cursor.ended and _is_nobodys(cursor.line):
            line = cursor.line
            why = unread.recognised(line.flat) or say("paste_unknown")
            raise PasteError(line.number, line.text, why) from error
        raise


def _is_nobodys(line: Line) -> bool:
    return not (
        shell.command(line.flat) is not None
        or _is_around(line.flat)
        or documents.begins(line.flat)
        or any(reader.begins(line.flat) for reader in _READERS)
    )
