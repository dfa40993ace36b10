"""Whether new connections to Services succeed, asked many times a second while something changes.

The program prints only once it is over, so that nothing is sent while it looks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers import program
from podmeter.drivers.reading import WHOLE, complaint, succeeded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from podmeter.domain.ports import CommandOutput

TOOL_NAME = "service-watch"
#: A connection that is not accepted by then has failed. Below a second, after which Linux sends
#: the first packet again: what succeeds was let through when it was begun.
WITHIN_SECONDS = 0.5
#: So long connections have to succeed before they are said to do so for good.
GOOD_SECONDS = 1.0
#: More than 500 stretches of a few Services are not printed.
_MOST_CHARACTERS = 200_000
_TIME = r"([0-9]{1,12}\.[0-9]{6})"
_HEAD = re.compile(rf"begin {_TIME}\ntold {_TIME}\nasked {_TIME}\nended {_TIME}\ngap {_TIME}\n")
_SERVICE = re.compile(r"service ([0-9.]{7,15}:[0-9]{1,5})\n")
_STRETCH = re.compile(rf"(ok|fail) {_TIME} {_TIME} ({WHOLE})\n")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Looks in a row that ended alike: whether connections succeeded, and when the first and the
    last of them began.
    """

    works: bool
    first: float
    last: float
    looks: int


@dataclass(frozen=True, slots=True)
class Watched:
    """What was seen, in seconds of the monotonic clock there.

    `told` is when it said that all succeed for good, 0 where it did not, `asked` when it was asked
    to end, `gap` the longest time from one look to the next.
    `services` has the stretches of each Service, in the order in which they were named.
    """

    begin: float
    told: float
    asked: float
    ended: float
    gap: float
    services: tuple[tuple[Stretch, ...], ...]


def argv(
    services: Sequence[str], *, every_seconds: float, patience_seconds: float
) -> tuple[str, ...]:
    """Watch Services, each `address:port` in IPv4, until a line comes on standard input.

    Then it continues until all have succeeded for `GOOD_SECONDS`, `patience_seconds` at most. When
    all have done so for the first time it writes a line to descriptor 3.
    """
    times = (every_seconds, WITHIN_SECONDS, GOOD_SECONDS, patience_seconds)
    return program.argv("watch-services", *(f"{one:.3f}" for one in times), *services)


def parse(output: CommandOutput, services: Sequence[str]) -> Watched:
    """What was seen of the Services. Raises ToolError where it is not whole or cannot be."""
    text = succeeded(TOOL_NAME, output)
    head = _HEAD.match(text) if len(text) <= _MOST_CHARACTERS else None
    if head is None:
        raise ToolError(say("tool_said", tool=TOOL_NAME, said=complaint(output)))
    begin, told, asked, ended, gap = (float(one) for one in head.groups())
    at, found = head.end(), []
    for service in services:
        named = _SERVICE.match(text, at)
        if named is None or named[1] != service:
            raise _not_whole(output)
        stretches = tuple(_stretches(text, named.end()))
        at = named.end() + sum(end for _, end in stretches)
        found.append(tuple(one for one, _ in stretches))
    if text[at:] != "end\n" or not begin <= asked <= ended or gap > ended - begin:
        raise _not_whole(output)
    if told and not begin + GOOD_SECONDS <= told <= ended:
        raise _not_whole(output)
    for stretches_of_one in found:
        if not _in_order(stretches_of_one, begin, ended):
            raise _not_whole(output)
    return Watched(begin, told, asked, ended, gap, tuple(found))


def _stretches(text: str, at: int) -> Iterator[tuple[Stretch, int]]:
    """Each stretch from a place on, with its length in characters."""
    while found := _STRETCH.match(text, at):
        yield (
            Stretch(found[1] == "ok", float(found[2]), float(found[3]), int(found[4])),
            found.end() - found.start(),
        )
        at = found.end()


def _in_order(stretches: Sequence[Stretch], begin: float, ended: float) -> bool:
    """Whether they follow each other in time, by turns, and have as many looks as fit in them."""
    return (
        bool(stretches)
        and begin <= stretches[0].first
        and stretches[-1].last <= ended
        and all(one.first <= one.last and one.looks > 0 for one in stretches)
        and all((one.looks == 1) == (one.first == one.last) for one in stretches)
        and all(
            one.works is not other.works and one.last < other.first
            for one, other in pairwise(stretches)
        )
    )


def _not_whole(output: CommandOutput) -> ToolError:
    return ToolError(say("services_watch_cut", said=complaint(output)))
