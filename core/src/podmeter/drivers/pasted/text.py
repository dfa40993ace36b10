"""A paste, line by line, and the error that names the line it failed at."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, NoReturn

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import Message, say
from podmeter.domain.untrusted_text import cut, printable
from podmeter.drivers.pasted.surroundings import stripped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: A line that is longer is none of a tool's, but for documents, which may be one line.
LONGEST_LINE = 4000
#: Outputs that a paste may have; what both ends tell of counts once.
MOST_OUTPUTS = 500
_SHOWN = 200


def shown(text: str) -> str:
    """A line of a paste as messages and the preview show it."""
    return str(printable(cut(text.strip(), _SHOWN)))


class PasteError(ToolError):
    """A line of a paste that cannot be read, or says that something failed."""

    code = "unreadable_paste"

    def __init__(self, line: int, text: str, why: Message) -> None:
        self.line, self.why = line, why
        self.text = shown(text)
        super().__init__(say("paste_line", line=line, text=self.text, why=why))


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a paste; the first one's number is 1.

    `flat` is the text with one blank where it has any: pages that print outputs lose the others.
    """

    number: int
    text: str
    flat: str

    def refuse(self, why: Message) -> NoReturn:
        """Raise PasteError for this line."""
        raise PasteError(self.number, self.text, why)

    @contextmanager
    def locating_errors(self) -> Iterator[None]:
        """What is not to be read inside is this line's fault."""
        try:
            yield
        except PasteError:
            raise
        except ToolError as error:
            raise PasteError(self.number, self.text, error.said) from error


@dataclass(slots=True)
class Cursor:
    """Where in a paste a reader is. `command` is the last one that a prompt shows, '' for none.

    `read_since` says whether a tool's output was read since that prompt. Documents go over lines:
    `whole` is all of them, and `starts` where in it each begins.
    """

    lines: Sequence[Line]
    whole: str
    starts: Sequence[int]
    at: int = 0
    command: str = ""
    read_since: bool = False
    #: The first of a tool's words that give no result by themselves, and what to do about it.
    passed: tuple[Line, Message] | None = None
    _numbered: dict[int, Line] | None = None

    @classmethod
    def over(cls, lines: Sequence[Line]) -> Cursor:
        """At the first of the lines."""
        lengths = (len(one.text) + 1 for one in lines[:-1])
        return cls(lines, "\n".join(one.text for one in lines), [0, *accumulate(lengths)])

    @property
    def ended(self) -> bool:
        """Whether there is no further line."""
        return self.at >= len(self.lines)

    @property
    def line(self) -> Line:
        """The line that is next."""
        return self.lines[self.at]

    def pass_over(self, line: Line, why: Message) -> None:
        """Note why a line gives no result: that is said where nothing else in the paste does."""
        self.passed = self.passed or (line, why)

    def line_of(self, number: int) -> Line:
        """The line of a number."""
        if self._numbered is None:
            self._numbered = {one.number: one for one in self.lines}
        return self._numbered[number]

    def take(self) -> Line:
        """The line that is next, and go on."""
        found = self.lines[self.at]
        self.at += 1
        return found


def raw_lines(text: str) -> list[str]:
    """The lines of a text as they were pasted, without how a system marks text and its lines."""
    # A page that took UTF-16 for something else shows its mark as these.
    plain = re.sub("\\A(?:\ufeff|\ufffd\ufffd|ÿþ|þÿ)", "", text)
    # Of UTF-16 every second character is none; one alone is damage, which no number may hide.
    plain = plain.replace("\0", "" if 3 * plain.count("\0") > len(plain) else "\ufffd")
    return plain.replace("\r", "" if "\n" in plain else "\n").split("\n")


def split(text: str) -> tuple[Line, ...]:
    """The lines of a text as their tools printed them.

    A line keeps the number that it has in the text, which a log of several pods does not sort by.
    """
    return tuple(
        Line(number, one.rstrip(), " ".join(one.split()))
        for number, one in stripped(raw_lines(text))
    )
