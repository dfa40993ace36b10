"""The shell around outputs: prompts with their commands, remarks, what is blank.

All of it is of a line's `flat` text, in which blanks are single ones.
"""

from __future__ import annotations

import re

#: What ends a prompt; `#` by itself begins a remark as well.
_SIGN = re.compile(r"[#$❯➜](?= |$)")
_LONGEST_PROMPT = 200
#: `[root@node1 ~]`, `root@node2:~`, `pod-abc:/`, `/ `, `user@host ~ `.
_BEFORE = (
    re.compile(r"\[[^\[\]]{1,150}\] ?"),
    re.compile(r"[\w@.:~/()\\-]{1,100}(?: [\w@.:~/()\\-]{1,60})? ?"),
)
_BLANK = re.compile(r"```[a-z]{0,20}|~~~|\.{2,6}|…{1,3}|[.。]{2,4}|[-=_*]{3,200}|(?:- ){5,60}-?")
#: What ends or begins a session, and is no word of a tool's.
_AROUND = re.compile(
    r'pod "?\S{1,253}"? deleted.{0,200}|Session ended, resume using .{0,300}'
    r"|If you don't see a command prompt, .{0,100}|Defaulted container .{0,500}|logout|exit"
)
_FAILED = re.compile(r"command terminated with (?:non-zero )?exit code.{0,100}|[Ee]rror: .{0,4000}")
#: What a command has to name for its output to be one of ours.
_TOOLS = re.compile(r"(?<![\w.-])(?:iperf3|qperf|ab|curl|hey|wrk|k8s-netperf|knb)(?= |$)")


def command(text: str) -> str | None:
    """What follows a prompt, None for a line without one."""
    sign = _SIGN.search(text[:_LONGEST_PROMPT])
    if sign is None:
        return None
    before, rest = text[: sign.start()], text[sign.end() :].strip()
    if not before:
        # Root's prompt by itself, or a remark.
        return rest if sign[0] != "#" or runs_tool(rest) else None
    return rest if any(one.fullmatch(before) for one in _BEFORE) else None


def is_remark(text: str) -> bool:
    """Somebody's own words, after a number sign."""
    return text.startswith(("#", "//")) and not runs_tool(text)


def is_blank(text: str) -> bool:
    """A blank line, a rule, a fence, or dots for what was left out."""
    return not text or _BLANK.fullmatch(text) is not None


def is_around(text: str) -> bool:
    """What kubectl or the shell says before and after."""
    return _AROUND.fullmatch(text) is not None


def is_failure(text: str) -> bool:
    """What kubectl says of a command that failed."""
    return _FAILED.fullmatch(text) is not None


def runs_tool(text: str) -> bool:
    """Whether a command runs one of the tools that are read."""
    return _TOOLS.search(text) is not None


def option(text: str, *names: str) -> str | None:
    """The value of an option in a command: `-P 8`, `-P8`, `--parallel=8`; None without it."""
    for name in names:
        joint = "[ =]" if name.startswith("--") else "[ =]?"
        found = re.search(rf"(?:^| ){re.escape(name)}{joint}([^\s'\"]{{1,100}})", text)
        if found:
            return found[1]
    return None


def whole_option(text: str, *names: str) -> int | None:
    """The same, where it is a count above 0."""
    found = option(text, *names)
    return int(found) if found is not None and re.fullmatch(r"[1-9][0-9]{0,8}", found) else None


def has_flag(text: str, *names: str) -> bool:
    """Whether a command has one of the flags, by itself."""
    return any(one in names for one in text.split(" "))
