"""The shell around outputs: prompts with their commands, remarks, what is blank.

All of it is of a line's `flat` text, in which blanks are single ones.
"""

from __future__ import annotations

import re

#: What ends a prompt; `#` by itself begins a remark as well, `%` ends many other words.
_SIGN = re.compile(
    r"(?:[#$❯➜λ%]|└─[#$]|╰─[#$❯➜]?)(?= |$)"
    r"|[#$](?=(?:kubectl|sudo|iperf3?|qperf|ab|curl|hey|wrk2?|netperf|fortio|vegeta|sockperf) )"
)
_WINDOWS = re.compile(r"(?:PS )?(?:[A-Za-z]:\\|/)[^<>|]{0,150}> ?(.{0,4000})")
_LONGEST_PROMPT = 200
#: `[root@node1 ~]`, `root@node2:~`, `pod-abc:/`, `/ `, `user@host ~ `, `(venv) user@host:~ `.
_BEFORE = (
    re.compile(r"(?:\([\w./@:-]{1,60}\) ?)?\[[^\[\]]{1,150}\] ?"),
    re.compile(r"(?:\([\w./@:-]{1,60}\) ?)?[\w@.:~/()\\-]{1,100}(?: [\w@.:~/()\\-]{1,60}){0,2} ?"),
)
#: The first of a prompt's two lines: a directory with what a theme says of it, or a corner.
_PROMPT_HEAD = re.compile(
    r"(?:[╭┌].{1,200}|[~/]\S{0,100}(?: .{1,150})?|\S{1,60}@\S{1,60}(?: .{1,150})?)"
)
_TAG = r"</?(?:details|summary|p|br|div|b|blockquote|pre|code)(?: [^<>]{0,100})?/?>"
_BLANK = re.compile(
    r"`{3,8}[\w+-]{0,20}(?: .{0,80})?|~{3,8}[\w+-]{0,20}|\.{2,6}|…{1,3}|[.。]{2,4}|[-=_*+]{3,400}"
    rf"|(?:- ){{5,60}}-?|(?:{_TAG} ?){{1,6}}"
    r"|(?:<details>)? ?<summary>[^<>]{0,200}(?:</?(?:b|code)>[^<>]{0,200}){0,4}</summary>"
    r"|\{(?:code|noformat|quote)(?::[\w=|]{1,40})?\}|\[/?code\]"
)
#: A title between rules of its own, in bold, or before a colon.
_TITLE = re.compile(
    r"([=*_~#>+-])\1{1,40} ?[^=|]{1,150}?(?: ?[=*_~#<+-]{2,40}:?)?"
    r"|(?:[0-9]{1,2}[.)] )?[^\W\d][^=|<>]{0,100}[:：]"
)
#: What ends or begins a session, and is no word of a tool's.
_AROUND = re.compile(
    r'pod(?:/| "?)\S{1,253}"? (?:deleted|created|condition met).{0,200}|logout|exit'
    r"|Session ended, resume using .{0,300}|If you don't see a command prompt, .{0,100}"
    r"|Default(?:ed|ing) container .{0,500}|Use 'kubectl describe .{0,300}"
    r"|Unable to use a TTY.{0,100}|All commands and output from this session .{0,200}"
    r"|[Ww]arning: (?:couldn't attach to|would violate PodSecurity|deleting|resource) .{0,500}"
    r"|kubectl (?:exec|run) .{0,60} is DEPRECATED.{0,200}|Script (?:started|done).{0,200}"
    r"|(?:Starting|Removing debug) pod[ /].{0,300}|Pod IP: .{1,60}|[+-] .{1,300} › \S{1,253}"
    r"|Attaching to .{1,300}|\S{1,100} exited with code [0-9]{1,3}"
    r"|(?:\S{1,253} \| )?(?:CHANGED|SUCCESS)[^|]{0,40}\| rc=0 >>"
    # Who wrote it and when, in a mail and in a chat.
    r"|On .{4,200} wrote:|.{1,150} 写道[:：]"
    r"|[^\W\d]\S{0,40}(?: \S{1,40}){0,2} \[?[0-9]{1,2}:[0-9]{2} ?(?:AM|PM)\]?"
    r"|Unable to find image .{1,300}|(?:Status|Digest): \S{1,20}.{0,200}"
    r"|time=\S{1,60} level=.{1,400}"
    r"|[0-9.]{1,12}user [0-9.]{1,12}system [0-9:.]{1,12}elapsed .{1,100}"
    r"|[0-9]{1,9}inputs\+[0-9]{1,9}outputs .{1,100}"
    r"|\+\+? .{1,1000}|Connection to \S{1,253} closed\.?|Last login: .{1,200}"
)
#: zsh's time, behind the command.
_ZSH_TIME = re.compile(
    r"(?:.{1,1000} )?[0-9.]{1,12}s user [0-9.]{1,12}s system [0-9]{1,9}% cpu [0-9:.]{1,12} total"
)
#: curl's progress without -s; what it wrote over is still there in a copy.
_PROGRESS = re.compile(
    r"% Total % Received % Xferd Average Speed Time Time Time Current"
    r"|Dload Upload Total Spent Left Speed"
    r"|(?=[^:]{0,400}[-0-9]{1,2}:[-0-9]{2}:[-0-9]{2} )[0-9.kMGTP :-]{30,3000}"
)
_BEGINS_PROGRESS = frozenset("%D0123456789")
_FAILED = re.compile(r"command terminated with (?:non-zero )?exit code.{0,100}|[Ee]rror: .{0,4000}")
#: What a command has to name for its output to be one of ours.
_TOOLS = re.compile(
    r"(?<![\w.-])(?:iperf3?|qperf|ab|curl|hey|wrk2?|k8s-netperf|knb|netperf|fortio|sockperf|vegeta"
    r"|cilium)(?:\.exe)?(?= |$)"
)
#: A command that nobody's prompt is before.
_BARE = re.compile(
    r"(?:(?:sudo|time|nohup) |[A-Z_]{1,30}=\S{0,100} |(?:kubectl|k|oc|docker|podman"
    r"|ip netns) .{1,400} )"
    r"{0,3}(?:\S{0,100}/)?(?:iperf3?|ab|hey|wrk2?|netperf|sockperf|curl|qperf"
    r"|k8s-netperf)(?:\.exe)? "
    r"(?:.{1,1000} )?(?:-{1,2}[A-Za-z]|(?:tcp|udp)_(?:bw|lat)).{0,1000}"
    r"|(?:\S{0,100}/)?(?:fortio load|vegeta attack|cilium connectivity perf"
    r"|sockperf [a-z-]{4,16}) ?.{0,1000}"
)


def command(text: str) -> str | None:
    """What follows a prompt, or is a command of a tool's by itself; None for any other line."""
    plain = text.strip("`") if text.startswith("`") else text
    if (windows := _WINDOWS.fullmatch(plain)) is not None:
        return windows[1].strip()
    sign = _SIGN.search(plain[:_LONGEST_PROMPT])
    while sign is not None:
        told = _after(plain[: sign.start()], sign[0], plain[sign.end() :].strip())
        if told is not None:
            return told
        sign = _SIGN.search(plain[:_LONGEST_PROMPT], sign.end())
    return plain if _BARE.fullmatch(plain) and not plain.startswith("iperf 3.") else None


def _after(before: str, sign: str, rest: str) -> str | None:
    """The text after a prompt's sign, if the text before it is a prompt."""
    known = not before or any(one.fullmatch(before) for one in _BEFORE)
    if sign in "#%":
        # Root's prompt, or a remark; zsh's prompt, or a percentage.
        known &= runs_tool(rest) or (bool(before) and (sign == "#" or "@" in before))
    return rest if known or (runs_tool(rest) and "@" in before) else None


def is_prompt_head(text: str) -> bool:
    """Whether a line may be the first of a prompt that has two."""
    return _PROMPT_HEAD.fullmatch(text) is not None


def is_title(text: str) -> bool:
    """What somebody wrote above an output, set apart as a title."""
    return _TITLE.fullmatch(text) is not None


def is_remark(text: str) -> bool:
    """Somebody's own words, after a number sign."""
    return text.startswith(("#", "//")) and not runs_tool(text)


def is_blank(text: str) -> bool:
    """A blank line, a rule, a fence, a tag, or dots for what was left out."""
    return not text or _BLANK.fullmatch(text) is not None


def is_shell_noise(text: str) -> bool:
    """What kubectl or the shell says before and after."""
    return (
        _AROUND.fullmatch(text) is not None
        or (text[:1] in _BEGINS_PROGRESS and _PROGRESS.fullmatch(text) is not None)
        or (text.endswith(" total") and _ZSH_TIME.fullmatch(text) is not None)
    )


def is_failure(text: str) -> bool:
    """What kubectl says of a command that failed."""
    return _FAILED.fullmatch(text) is not None


def runs_tool(text: str) -> bool:
    """Whether a command runs one of the tools that are read."""
    return _TOOLS.search(text) is not None
