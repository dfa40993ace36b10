"""Reading a tool's output strictly: what is not there, not whole or not so is a ToolError.

All drivers read by this and by `fields`. Whatever a tool may print, nothing but ToolError leaves
a parser, and what a tool says twice has to agree.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput

#: As C programs print numbers in LC_ALL=C: no sign, no grouping, no zero in front, no exponent,
#: ASCII digits only.
WHOLE = r"(?:0|[1-9][0-9]{0,17})"
_NUMBER = rf"{WHOLE}(?:\.[0-9]{{1,12}})?"


def succeeded(tool: str, output: CommandOutput) -> str:
    """Standard output of a command that ended with 0; ToolError with its own words otherwise."""
    if output.exit_code != 0:
        raise ended(tool, output)
    return output.stdout


def ended(tool: str, output: CommandOutput) -> ToolError:
    """The error of a command that did not end as it should, in its own words."""
    complaint_text = complaint(output)
    return ToolError(say("tool_ended", tool=tool, exit_code=output.exit_code, said=complaint_text))


def complaint(output: CommandOutput) -> str:
    """The last lines a tool wrote, standard error before standard output; never empty."""
    text = output.stderr.strip() or output.stdout.strip() or "it said nothing"
    return " / ".join(text.splitlines()[-3:])[:500]


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as a tool wrote it: what was rounded to it lies within `slack` of `value`."""

    value: float
    slack: float

    @property
    def least(self) -> float:
        """The least that may have been rounded to it."""
        return self.value - self.slack

    @property
    def most(self) -> float:
        """The most that may have been rounded to it."""
        return self.value + self.slack


def printed(tool: str, text: str) -> Printed:
    """The number that `text` is, digits with at most one point; a whole one was not rounded."""
    if not re.fullmatch(_NUMBER, text):
        raise ToolError(say("tool_not_number", tool=tool, text=text[:40]))
    decimals = len(text.partition(".")[2])
    return Printed(float(text), 0.5 * 10.0**-decimals if decimals else 0.0)


def whole(tool: str, text: str) -> int:
    """The count that `text` is."""
    if not re.fullmatch(WHOLE, text):
        raise ToolError(say("tool_not_number", tool=tool, text=text[:40]))
    return int(text)


def counts(tool: str, text: str, of: int) -> tuple[int, ...]:
    """So many counts, a blank between two; each is at least as large as the next one."""
    numbers = tuple(whole(tool, word) for word in text.split(" "))
    if len(numbers) != of or list(numbers) != sorted(numbers, reverse=True):
        raise ToolError(say("tool_not_number", tool=tool, text=text[:40]))
    return numbers


def hexadecimal(tool: str, text: str) -> int:
    """The count that `text` is, as the kernel prints some: at most 16 hexadecimal digits."""
    if not re.fullmatch(r"[0-9a-f]{1,16}", text):
        raise ToolError(say("tool_not_number", tool=tool, text=text[:40]))
    return int(text, 16)


def agrees(tool: str, what: str, reported: float, least: float, most: float | None = None) -> None:
    """Raise ToolError where `reported` is not between `least` and `most`, which the rest tells.

    Without `most` it is `least` itself, but for what a float loses on its way through text.
    """
    if most is None:
        least, most = least * (1 - 1e-6), least * (1 + 1e-6)
    if not least <= reported <= most:
        rest = f"{least:.7g}" if most - least <= 3e-6 * abs(most) else f"{least:.7g}-{most:.7g}"
        raise ToolError(
            say("tool_contradicts", tool=tool, what=what, said=f"{reported:.7g}", rest=rest)
        )


def as_asked(tool: str, what: str, reported: object, asked: object) -> None:
    """Raise ToolError where a tool says that it did something else than it was asked for."""
    if reported != asked:
        raise ToolError(
            say(
                "tool_not_as_asked", tool=tool, what=what, said=str(reported)[:40], asked=str(asked)
            )
        )


@dataclass(frozen=True, slots=True)
class Lines:
    """A text of lines that begin with a label and a colon; each is there once."""

    tool: str
    text: str

    def match(self, label: str, form: str, *, of: int = 1) -> re.Match[str]:
        """The one line `label:` whose rest, blanks before it apart, is of the form.

        `of` lines have the label where the tool gives it to several things.
        """
        begun = [one for one in self.text.split("\n") if one.startswith(f"{label}:")]
        form = rf"{re.escape(label)}: *{form}"
        matches = [match for match in (re.fullmatch(form, one) for one in begun) if match]
        if len(begun) != of or len(matches) != 1:
            raise ToolError(
                say("tool_lines", tool=self.tool, label=label, count=len(begun), expected=of)
            )
        return matches[0]

    def printed(self, label: str, unit: str, *, of: int = 1) -> Printed:
        """The number of a line that ends with the unit and no other word."""
        return printed(self.tool, self.match(label, rf"(\S+) {re.escape(unit)}", of=of)[1])

    def whole(self, label: str, unit: str = "") -> int:
        """The count of a line."""
        ending = f" {re.escape(unit)}" if unit else ""
        return whole(self.tool, self.match(label, rf"(\S+){ending}")[1])


def framed(
    output: CommandOutput, tool: str, head: str, expected: int
) -> tuple[tuple[re.Match[bytes], str], ...]:
    """What a script printed of `expected` commands, each in a frame: the match of its first line
    with `head`, and what the command said.

    The last group of `head` is the length in bytes of what follows up to a newline; after the last
    frame there is "end". ToolError for anything else.
    """
    rest = succeeded(tool, output).encode(errors="replace")
    frames: list[tuple[re.Match[bytes], str]] = []
    while match := re.match(head.encode() + b"\n", rest):
        end = match.end() + int(match[match.re.groups])
        body, rest = rest[match.end() : end], rest[end:]
        frames.append((match, body.decode(errors="replace")))
        # Without its newline the frame is not whole, and neither is the rest.
        rest = rest[1:] if rest.startswith(b"\n") else b""
    if rest != b"end\n" or len(frames) != expected:
        complaint_text = complaint(output)
        raise ToolError(
            say(
                "commands_short",
                tool=tool,
                count=len(frames),
                expected=expected,
                said=complaint_text,
            )
        )
    return tuple(frames)
