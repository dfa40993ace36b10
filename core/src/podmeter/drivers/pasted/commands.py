"""A command line as the shell takes it apart, and the words that are a tool's own.

Commands before a tool (`sudo -u`, `kubectl exec -ti`, `taskset -c`) and behind it in a pipe have
options of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

#: Of a word: what is quoted, a redirection with a sign that would separate, any other character.
_TOKEN = re.compile(
    r"(?P<word>(?:'[^']*'|\"[^\"]*\"|[0-9]?>&[0-9-]?|&>|\\.|[^\s'\"|;&()`])+)"
    r"|(?P<sign>\|\|?|&&?|;|[()`])"
)
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")
#: Short options without a value, which may be joined in one word (`-kc 100`).
_FLAGS = {
    "ab": frozenset("klrVhwiIdSq"),
    "iperf": frozenset("1dehmrsuvzACDENRUVWX"),
    "iperf3": frozenset("1dhsuvDJNRVZ46"),
    "netperf": frozenset("cCdDhjNV46"),
}
#: Go's flags have names of several letters after one dash or two.
_GO = frozenset(("fortio", "hey", "vegeta"))
#: Shells, and their options before a script in one word.
_SHELLS = frozenset(("sh", "bash", "ash", "zsh"))
_SCRIPT = frozenset(("-c", "-lc", "-ec"))
#: What only reads what a timed command prints.
_READS = frozenset(("grep", "cat", "tee", "head", "tail", "wc", "less"))
#: What gives on each row as it is, or ends a loop.
_KEEPS_ROWS = frozenset(("tee", "cat", "sort", "column", "done", "fi"))
#: What runs the command behind it more than once.
_REPEATS = frozenset(("for", "while", "until", "do", "xargs", "parallel", "watch", "repeat"))


@dataclass(frozen=True, slots=True)
class Simple:
    """One simple command: the sign before it, and its words without their quotes."""

    sign: str
    words: tuple[str, ...]

    @property
    def name(self) -> str:
        """The first word."""
        return _base(self.words[0])


def split(text: str) -> tuple[Simple, ...]:
    """The simple commands of a line; those in a quoted script (`sh -c "..."`) in its place."""
    found: list[Simple] = []
    words: list[str] = []
    sign = ""
    for token in _TOKEN.finditer(text):
        if token["sign"]:
            if words:
                found.append(Simple(sign, tuple(words)))
            sign, words = token["sign"], []
            continue
        word = _QUOTED.sub(lambda each: each[1] or each[2] or "", token["word"])
        if words[1:] and words[-1] in _SCRIPT and _base(words[-2]) in _SHELLS:
            inner = split(word)
            found += [
                Simple(sign, (*words, *one.words)) if not at else one
                for at, one in enumerate(inner)
            ]
            words = []
            continue
        words.append(word)
    if words:
        found.append(Simple(sign, tuple(words)))
    return tuple(found)


def is_single(text: str) -> bool:
    """Whether `time` timed one simple command, which ran once."""
    simples = split(text)
    begin = next((at for at, one in enumerate(simples) if "time" in map(_base, one.words)), 0)
    timed = [one for one in simples[begin:] if one.sign != "|" or one.name not in _READS]
    repeats = any(_base(word) in _REPEATS for one in simples for word in one.words)
    return len(timed) == 1 and not repeats


def changes_rows(text: str, tool: str) -> bool:
    """Whether a tool's output went through a command that makes other rows of it (awk, tail)."""
    simples = split(text)
    calls = [at for at, one in enumerate(simples) if _own_words(one, tool) is not None]
    behind = simples[calls[0] + 1 :] if calls else ()
    return any(one.sign == "|" and one.name not in _KEEPS_ROWS for one in behind)


@dataclass(frozen=True, slots=True)
class Arguments:
    """The own words of each of a tool's calls in a command line.

    Where several calls have different values for an option, none of them is any output's.
    """

    tool: str
    calls: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, command: str, tool: str, subcommand: str = "") -> Arguments:
        """Those of a tool; of its calls with a subcommand alone where one is named."""
        own = (_own_words(one, tool) for one in split(command))
        calls = [one for one in own if one is not None]
        if subcommand:
            calls = [one for one in calls if one[:1] == (subcommand,)]
        return cls(tool, tuple(calls))

    @property
    def behind_dashes(self) -> Arguments:
        """What follows `--`: the options of netperf's tests."""
        behind = (one[one.index("--") + 1 :] if "--" in one else () for one in self.calls)
        return Arguments(self.tool, tuple(behind))

    def values(self, *names: str) -> frozenset[str | None]:
        """The value of an option in each call: `-P 8`, `-P8`, `--parallel=8`; None without it."""
        return frozenset(self._value(one, names) for one in self.calls)

    def option(self, *names: str) -> str | None:
        """The value that all calls have."""
        found = self.values(*names)
        return next(iter(found)) if len(found) == 1 else None

    def whole(self, *names: str) -> int | None:
        """The same, where it is a count above 0."""
        found = self.option(*names)
        return int(found) if found and re.fullmatch(r"[1-9][0-9]{0,8}", found) else None

    def flag(self, *names: str) -> bool | None:
        """Whether all calls have one of the flags; None where some have, or there is no call."""
        found = {
            (value := self._value(one, names)) is not None and value not in ("false", "0", "f")
            for one in self.calls
        }
        return found.pop() if len(found) == 1 else None

    def _value(self, words: tuple[str, ...], names: tuple[str, ...]) -> str | None:
        at = 0
        while at < len(words) and words[at] != "--":
            word, after = words[at], words[at + 1] if at + 1 < len(words) else ""
            at += 1
            if word.startswith("--") or self.tool in _GO:
                name, equals, value = word.partition("=")
                name = f"-{name.lstrip('-')}" if self.tool in _GO and name[:1] == "-" else name
                if name in names:
                    return value if equals else after
            elif word.startswith("-"):
                for place, letter in enumerate(word[1:], 1):
                    is_flag = letter in _FLAGS.get(self.tool, ())
                    rest = word[place + 1 :].removeprefix("=")
                    if f"-{letter}" in names:
                        return "" if is_flag else rest or after
                    if not is_flag:
                        # Its value is no option, whatever it looks like.
                        at += not rest
                        break
        return None


def _base(word: str) -> str:
    return re.split(r"[/\\]", word)[-1].removesuffix(".exe")


def _own_words(simple: Simple, tool: str) -> tuple[str, ...] | None:
    """The words behind the tool's own; None where it is not called.

    A pod or a container may have the tool's name (`exec iperf3 -- iperf3`), as may the server.
    """
    places = [at for at, word in enumerate(simple.words) if _base(word) == tool]
    if not places:
        return None
    words = simple.words
    run = [at for at in places if at and (words[at - 1] == "--" or at - 1 in places)]
    return words[(run or places)[0] + 1 :]
