"""What surrounds a tool's lines where they were copied from: quotes, log prefixes, times, colours.

A line is cut to what the tool printed. Lines of several pods that a log shows mixed are put in the
order of their pods: what one tool printed follows itself.
"""

from __future__ import annotations

import re

#: What a terminal is told, and what it shows of keys that were pressed.
_TERMINAL = re.compile(
    r"\x1b(?:\[[0-?]{0,40}[ -/]{0,4}[@-~]|\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)|[@-Z\\^_])"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1a\x7f\u200b\ufeff]"
)
#: Without the escape character, as pages and editors lose it.
_COLOUR = re.compile(r"\[[0-9]{1,2}(?:;[0-9]{1,3}){0,4}m|\[m(?![\w ])")
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
    r"(?:Z| ?[+-][0-9]{2}:?[0-9]{2}| [A-Z]{3,4})?\]?(?:[ \t](?:std(?:out|err) [FP](?: |$))?|$)"
    rf"|{_DAY} {_MONTH} [ 0-3][0-9] {_CLOCK}(?: [A-Z]{{3,4}})? [0-9]{{4}}(?:[ \t]|$)"
    rf"|{_MONTH} [ 0-3][0-9] {_CLOCK}(?: \S{{1,253}} [\w./-]{{1,60}}\[[0-9]{{1,9}}\]:)?(?:[ \t]|$)"
    rf"|\[?{_CLOCK}\]?(?:[ \t]|$)"
    r"|[0-9]{10}(?:\.[0-9]{1,9})?[ \t](?=[\[A-Z-])"
)
#: Whose line it is: `kubectl logs --prefix`, Docker Compose.
_SOURCE = re.compile(r"(?:\[pod/[^\[\]\s]{1,400}\]|[\w.-]{1,100}[-_][0-9]{1,3} +\|)(?:[ \t]|$)")
#: What stern says of a pod that it follows; its lines then begin with pod and container.
_FOLLOWED = re.compile(r"[+-] (?:\S{1,253} )?(\S{1,253}) › (\S{1,253})")


def stripped(lines: list[str]) -> list[tuple[int, str]]:
    """The lines as their tools printed them, with the number that each had, the first one's 1."""
    plain = [_COLOUR.sub("", _TERMINAL.sub("", line)) for line in lines]
    followed = tuple(
        dict.fromkeys(
            f"{told[1]} {told[2]} " for one in plain if (told := _FOLLOWED.fullmatch(one.strip()))
        )
    )
    found: dict[str, list[tuple[int, str]]] = {}
    for number, line in enumerate(plain, 1):
        source, text = _cut(line, followed)
        found.setdefault(source, []).append((number, text))
    return [one for group in found.values() for one in group]


def _cut(line: str, followed: tuple[str, ...]) -> tuple[str, str]:
    """Whose line it is, '' where nothing says so, and the line without what is before it."""
    source = ""
    text = line
    # Each kind may stand before or after the others: a quoted log with times and prefixes.
    for _ in range(4):
        before = text
        bare = text.lstrip()
        for form in (_QUOTED, _KEYS, _TAGS, _SOURCE, _LOGGED):
            told = form.match(bare)
            if told is not None:
                source = told[0].strip() if form is _SOURCE else source
                text = bare = bare[told.end() :]
        pod = next((one for one in followed if bare.startswith(one)), None)
        if pod is not None:
            source, text = pod, bare[len(pod) :]
        if text == before:
            break
    while (tags := re.search(r"</(?:pre|code|tt|samp|kbd)>\s{0,20}$", text)) is not None:
        text = text[: tags.start()]
    return source, text
