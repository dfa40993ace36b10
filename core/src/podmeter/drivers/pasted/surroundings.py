"""What surrounds a tool's lines where they were copied from: quotes, log prefixes, times, colours.

A line is cut to what the tool printed. Lines of several pods that a log shows mixed are put in the
order of their pods: what one tool printed follows itself.
"""

from __future__ import annotations

import html
import re
from itertools import pairwise

#: Control sequences of a terminal, and its echo of pressed keys.
_TERMINAL = re.compile(
    r"\x1b(?:\[[0-?]{0,40}[ -/]{0,4}[@-~]|\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)|[@-Z\\^_])"
    # And what pages and chats put between letters, which nobody sees.
    r"|[\x00-\x08\x0b\x0c\x0e-\x1a\x7f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]"
)
_ENTITY = re.compile(r"&(?:gt|lt|amp|nbsp|quot|apos|#39|#x27|#34|#160|#x2F|#47);")
#: Without the escape character, as pages and editors lose it.
_COLOUR = re.compile(r"\[[0-9]{1,2}(?:;[0-9]{1,3}){0,4}m|\[m(?![\w ])")
#: Blanks that are not to be broken, and other widths.
_BLANKS = dict.fromkeys((0x00A0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000), " ")
_KEYS = re.compile(r"(?:\^[CD])+")
_QUOTED = re.compile(r"(?:>[ \t]?){1,9}")
_TAGS = re.compile(r"(?:</?(?:pre|code|tt|samp|kbd)(?: [^<>]{0,100})?>){1,4}")
_DAY, _MONTH = (
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)",
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)",
)
_CLOCK = r"[0-2][0-9]:[0-5][0-9]:[0-6][0-9](?:[.,][0-9]{1,9})?"
#: When a line was logged: ISO 8601 (kubectl logs --timestamps, CI), iperf3's --timestamps, syslog.
_LOGGED = re.compile(
    rf"\[?[0-9]{{4}}[-/][0-9]{{2}}[-/][0-9]{{2}}[T ]{_CLOCK}"
    r"(?:Z| ?[+-][0-9]{2}:?[0-9]{2}| [A-Z]{3,4})?\]?(?:[ \t](?:std(?:out|err) [FP](?: |$)"
    # GitLab's stream, and syslog's host and program.
    r"|[0-9]{2}[OE][ +]|\S{1,253} [\w./-]{1,60}\[[0-9]{1,9}\]:[ \t])?|$)"
    rf"|{_DAY} {_MONTH} [ 0-3][0-9] {_CLOCK}(?: [A-Z]{{3,4}})? [0-9]{{4}}(?:[ \t]|$)"
    rf"|{_MONTH} [ 0-3][0-9] {_CLOCK}(?: \S{{1,253}} [\w./-]{{1,60}}\[[0-9]{{1,9}}\]:)?(?:[ \t]|$)"
    rf"|\[?{_CLOCK}\]?(?:[ \t]|$)"
)
#: Seconds since 1970, as `iperf3 --timestamps='%s '` prints them; only where a line of words tells.
_EPOCH = re.compile(r"1[0-9]{9}(?:\.[0-9]{1,9})?(?:[ \t]|$)")
_EPOCH_SEEN = re.compile(r"\s{0,20}1[0-9]{9}(?:\.[0-9]{1,9})?[ \t]+(?:\[|[A-Z]|- -)")
#: Whose line it is: `kubectl logs --prefix`, Docker Compose.
_SOURCE = re.compile(
    r"(?:\[pod/[^\[\]\s]{1,400}\]|[\w.-]{1,100}[-_][0-9]{1,3} +\|"
    r"|[\w.-]{1,100}\.[0-9]{1,3}\.\w{1,40}@\S{1,253} +\|)(?:[ \t]|$)"
)
#: Prefixes of a text's lines: a source, a line number, or a diff's sign.
_NAME = re.compile(r"([\w.-]{1,100}) +\|(?:[ ]|$)|([a-z][\w.]{0,60}[-0-9][\w.-]{0,60}):(?: |$)")
_NUMBER = re.compile(r" {0,6}([0-9]{1,6})[:.|]?(?: {1,2}|$)")
_MOST_NAMES, _LEAST_LINES = 8, 4
#: What stern says of a pod that it follows; its lines then begin with pod and container.
_FOLLOWED = re.compile(r"[+-] (?:\S{1,253} )?(\S{1,253}) › (\S{1,253})")
#: What a title may stand before: to look for this is quicker than for any title.
_BELOW_TITLE = ("Connecting to host ", "Server listening on ", "[ ID]")
#: iperf3 --title: what somebody called the run stands before each of its lines.
_TITLED = re.compile(
    r"(\S[^\[\]]{0,80}?): {1,2}(?:Connecting to host \S{1,253}, port [0-9]"
    r"|Server listening on [0-9]|\[ ID\])"
)


def stripped(lines: list[str]) -> list[tuple[int, str]]:
    """The lines as their tools printed them, with the number that each had, the first one's 1."""
    plain = _without_margin([_plain(line) for line in lines])
    followed = tuple(
        dict.fromkeys(
            f"{told[1]} {told[2]} " for one in plain if (told := _FOLLOWED.fullmatch(one.strip()))
        )
    )
    forms: tuple[re.Pattern[str], ...] = (_QUOTED, _KEYS, _TAGS, _SOURCE, _LOGGED)
    dated = (one for one in plain if _EPOCH.search(one))
    if any(_EPOCH_SEEN.match(_cut(one, forms, followed, ())[1]) for one in dated):
        forms += (_EPOCH,)
    heads = (
        _cut(one, forms, followed, ())[1]
        for one in plain
        if any(words in one for words in _BELOW_TITLE)
    )
    titles = tuple({told[1] for one in heads if (told := _TITLED.match(one.lstrip()))})
    found: dict[str, list[tuple[int, str]]] = {}
    for number, line in enumerate(plain, 1):
        source, text = _cut(line, forms, followed, titles)
        found.setdefault(source, []).append((number, text))
    return [one for group in found.values() for one in group]


def _without_margin(lines: list[str]) -> list[str]:
    """The lines without their common prefix."""
    written = [line for line in lines if line.strip()]
    if len(written) < _LEAST_LINES:
        return lines
    if all(_NUMBER.match(line) for line in written):
        counted = [int(told[1]) for line in written if (told := _NUMBER.match(line))]
        if all(after == before + 1 for before, after in pairwise(counted)):
            return [_NUMBER.sub("", line, count=1) for line in lines]
    signs = {line[: 2 if line.startswith("++") else 1] for line in written}
    if signs <= {"+", "++"} and "+" in signs:
        return [line.removeprefix("+") for line in lines]
    if all(_NAME.match(line) for line in written):
        named = (_NAME.match(line) for line in written)
        names = {told[1] or told[2] for told in named if told}
        # The rows of a table have names of their own before their other columns.
        most = 1 if any(line.count(" | ") > 1 for line in written) else _MOST_NAMES
        if len(names) <= min(most, len(written) // _LEAST_LINES):
            return [_NAME.sub("", line, count=1) for line in lines]
    return lines


def _plain(line: str) -> str:
    """A line without what was for a terminal's or a browser's eyes only."""
    text = _COLOUR.sub("", _TERMINAL.sub("", line)).translate(_BLANKS)
    if "&" in text:
        text = _ENTITY.sub(lambda told: html.unescape(told[0]), text).translate(_BLANKS)
    return text.expandtabs()


def _cut(
    line: str,
    forms: tuple[re.Pattern[str], ...],
    followed: tuple[str, ...],
    titles: tuple[str, ...],
) -> tuple[str, str]:
    """Whose line it is, '' where nothing says so, and the line without what is before it."""
    source = ""
    text = line
    if len(text) > 2 and text.startswith("`") and text.endswith("`") and text[1] != "`":
        text = text[1:-1]
    # Each kind may stand before or after the others: a quoted log with times and prefixes.
    for _ in range(4):
        before = text
        bare = text.lstrip()
        for form in forms:
            told = form.match(bare)
            if told is not None:
                source = told[0].strip() if form is _SOURCE else source
                text = bare = bare[told.end() :]
        pod = next((one for one in followed if bare.startswith(one)), None)
        if pod is not None:
            source, text = pod, bare[len(pod) :]
        title = next((one for one in titles if bare.startswith(f"{one}:")), None)
        if title is not None:
            text = bare[len(title) + 1 :]
        if text == before:
            break
    while (
        "</" in text
        and (tags := re.search(r"</(?:pre|code|tt|samp|kbd)>\s{0,20}$", text)) is not None
    ):
        text = text[: tags.start()]
    return source, text
