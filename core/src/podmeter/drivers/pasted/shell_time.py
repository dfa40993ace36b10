"""The shell's `time`: how long a command took, where it is one that a kind times as well."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from podmeter.domain.measurement import Unit
from podmeter.domain.messages import say
from podmeter.drivers.pasted import commands
from podmeter.drivers.pasted.amounts import NUMBER, amount
from podmeter.drivers.pasted.output import Figure, Output

if TYPE_CHECKING:
    from podmeter.drivers.pasted.text import Cursor, Line

TOOL_NAME = "time"
#: bash's form, and that of POSIX.
_TOLD = re.compile(rf"(real|user|sys) (?:([0-9]{{1,6}})m({NUMBER})s|({NUMBER}))")
_FAILS = re.compile(
    r"Another app is currently holding the xtables lock.{0,200}"
    r"|(?:iptables|ip6tables|ipvsadm)(?: v\S{1,20}(?: \(\w{1,20}\))?)?: .{1,300}"
    r"|Memory allocation problem.{0,50}|No such process.{0,50}|Destination already exists.{0,50}"
)
#: What a command does, by the metric that is the same thing.
_TIMED = (
    (re.compile(r"(?:^| )curl "), "curl_process_mean", "latency"),
    (
        re.compile(r"(?:^| )ip6?tables .{0,400}(?:-A|-I|--append|--insert) "),
        "rule_add",
        "rule-change",
    ),
    (re.compile(r"(?:^| )ip6?tables .{0,400}(?:-D|--delete) "), "rule_delete", "rule-change"),
    (re.compile(r"(?:^| )ipvsadm (?:.{0,200} )?(?:-a|--add-server) "), "rule_add", "rule-change"),
    (
        re.compile(r"(?:^| )ipvsadm (?:.{0,200} )?(?:-d|--delete-server) "),
        "rule_delete",
        "rule-change",
    ),
)


def begins(text: str) -> bool:
    """Whether a line is one of `time`'s, or says that what is timed failed."""
    return _TOLD.fullmatch(text) is not None or _FAILS.fullmatch(text) is not None


def _after_blanks(cursor: Cursor) -> Line:
    """The next line that is not blank, or the cursor's."""
    below = cursor.lines[cursor.at : cursor.at + 3]
    return next((one for one in below if one.flat), cursor.line)


def read(cursor: Cursor) -> tuple[Output, ...]:
    """The time that begins here; of the command before it."""
    first = cursor.line
    if _FAILS.fullmatch(first.flat):
        first.refuse(say("tool_said", tool=TOOL_NAME, said=first.flat[:300]))
    told: dict[str, float] = {}
    real = first
    while not cursor.ended and (found := _TOLD.fullmatch(_after_blanks(cursor).flat)):
        while not cursor.line.flat:
            cursor.at += 1
        line = cursor.line
        if found[1] in told:
            break
        with line.locating_errors():
            seconds = amount(TOOL_NAME, found[3] or found[4], "s", Unit.SECONDS).value
            told[found[1]] = float(f"{60 * int(found[2] or 0) + seconds:.15g}")
        if found[1] == "real":
            real = line
        cursor.take()
    if "real" not in told:
        first.refuse(say("paste_no_time"))
    asked = f"{cursor.command} "
    known = next((does for form, *does in _TIMED if form.search(asked)), None)
    if known is None and cursor.read_since:
        # A tool that says itself how long it took was run by `time`.
        return ()
    if known is None:
        real.refuse(say("paste_time_of_what"))
    metric, probe = known
    if not commands.is_single(cursor.command):
        real.refuse(say("paste_time_of_several"))
    if told["real"] <= 0:
        real.refuse(say("paste_zero", tool=TOOL_NAME))
    figure = Figure(metric, told["real"], real.flat.removeprefix("real "), real.number)
    return (
        Output(
            tool=TOOL_NAME,
            first=first.number,
            last=cursor.lines[cursor.at - 1].number,
            figures=(figure,),
            point={"probe": probe},
            command=cursor.command,
        ),
    )
