"""Every output in a paste. Each of its lines is one of a tool's, or of the shell around it."""

from __future__ import annotations

import re
from dataclasses import dataclass
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
from podmeter.drivers.pasted.text import LONGEST_LINE, Cursor, Line, PasteError, split

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podmeter.drivers.pasted.output import Output

#: More than anybody has read; what a tool prints of a minute has about a hundred lines.
MOST_LINES, MOST_OUTPUTS = 20_000, 500


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


@dataclass(frozen=True, slots=True)
class Pasted:
    """The outputs of a paste, and the numbers of the lines that other commands printed."""

    outputs: tuple[Output, ...]
    skipped: tuple[int, ...]


def read(text: str) -> Pasted:
    """Read a paste; raises PasteError with the first line that cannot be read."""
    lines = split(text)
    if len(lines) > MOST_LINES:
        lines[MOST_LINES].refuse(say("paste_too_long", most=MOST_LINES))
    cursor = Cursor.over(lines)
    found: list[Output] = []
    pending: list[Line] = []
    skipped: list[Line] = []
    while not cursor.ended:
        line = cursor.line
        outputs = _outputs(cursor)
        if outputs is not None:
            found += outputs
            # Both ends may tell of each.
            if len(found) > 2 * MOST_OUTPUTS:
                line.refuse(say("paste_too_many", most=MOST_OUTPUTS))
            skipped += pending
            pending = []
            cursor.read_since = True
            continue
        unread_as = unread.recognised(line.flat)
        prompted = shell.command(line.flat) if unread_as is None else None
        if prompted is not None:
            _leave(cursor, pending)
            skipped += pending
            pending = []
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
            pending.append(line)
        cursor.at += 1
    _leave(cursor, pending)
    if not found and cursor.passed is not None:
        cursor.passed[0].refuse(cursor.passed[1])
    if not found:
        lines[0].refuse(say("paste_empty", tools=TOOLS))
    passed = {one.number for one in [*skipped, *pending]}
    results, left_out = _with_results(joined(found, cursor.line_of), cursor)
    if len(results) > MOST_OUTPUTS:
        cursor.line_of(results[MOST_OUTPUTS].first).refuse(say("paste_too_many", most=MOST_OUTPUTS))
    for one in left_out:
        passed.update(range(one.first, one.last + 1))
    return Pasted(tuple(results), tuple(sorted(passed)))


def _with_results(found: list[Output], cursor: Cursor) -> tuple[list[Output], list[Output]]:
    """The outputs, and those of a server's tests that failed among others, which are left out.

    Of a server's test that went the other way only what was sent is known, which costs no other
    test of its log its figure. Refuses what has no result where nothing else has one.
    """
    whole = {one.tool for one in found if one.account.lacks is None}
    kept: list[Output] = []
    left_out: list[Output] = []
    for one in found:
        lacks = one.account.lacks
        if lacks is None or (one.figures and one.account.end == SERVER and one.tool in whole):
            kept.append(one)
        elif one.account.end == SERVER and one.tool in whole and lacks.code == "tool_said":
            left_out.append(one)
        else:
            cursor.line_of(one.account.blamed).refuse(lacks)
    return kept, left_out


def _is_of_other_command(cursor: Cursor) -> bool:
    """Whether the last prompt ran something else, of which nothing is read."""
    return bool(cursor.command) and not shell.runs_tool(cursor.command) and not cursor.read_since


def _is_around(text: str) -> bool:
    return (
        shell.is_blank(text)
        or shell.is_around(text)
        or shell.is_remark(text)
        or knb.is_log(text)
        or cilium.is_log(text)
        or fortio.is_around(text)
        or k8s_netperf_table.is_log(text)
        or shell.is_title(text)
    )


def _is_head(cursor: Cursor) -> bool:
    """Whether a line is the first of a prompt, which goes on with a sign on the next one.

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
    """A command with the lines that it goes on at, after a backslash."""
    while prompted.endswith("\\") and cursor.at + 1 < len(cursor.lines):
        cursor.at += 1
        prompted = f"{prompted[:-1].strip()} {cursor.line.flat}"
    return prompted[:LONGEST_LINE]


def _leave(cursor: Cursor, pending: Sequence[Line]) -> None:
    """Refuse a tool's command of which nothing was read: what it said is no report."""
    if pending and shell.runs_tool(cursor.command) and not cursor.read_since:
        pending[0].refuse(say("paste_unknown"))


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
    if netperf.row_of_command(cursor.command, line.flat) and not cursor.read_since:
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
