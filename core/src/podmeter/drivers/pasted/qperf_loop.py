"""qperf -oo: a test for each size of a message. Each is a point, never a trial of another's."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from podmeter.domain.messages import say

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from podmeter.drivers.pasted.output import Output
    from podmeter.drivers.pasted.text import Cursor

#: The axis.
SIZE = "message_bytes"
_LOOP = re.compile(
    r"(?<!\S)(?:-oo|--loop) "
    r"([^\s:]{0,40}):([^\s:]{0,20}):([^\s:]{1,20})(?::(\*?[^\s:]{1,20}))?(?!\S)"
)
#: By qperf.c: small letters are thousands but in `kib`, great ones are 1024s.
_WORTH = {
    "": 1,
    **{
        one: 1000**power
        for power, names in ((1, "k kb"), (2, "m mb"), (3, "g gb"))
        for one in names.split()
    },
    **{
        one: 1024**power
        for power, names in ((1, "K kib"), (2, "M mib"), (3, "G gib"))
        for one in names.split()
    },
}
_MOST_SIZES = 200


def by_size(found: Sequence[Output], cursor: Cursor) -> list[Output]:
    """The tests with their sizes where these differ, as the text or the command's loop tells."""
    tests: dict[object, list[Output]] = {}
    for one in found:
        tests.setdefault(one.point.get("qperf_test"), []).append(one)
    loops = _LOOP.findall(cursor.command)
    made = {}
    for several in tests.values():
        told = [one.point.get(SIZE) for one in several]
        if not loops and told == [None] * len(told):
            _refuse_unknown(several, tests, cursor)
        if loops and None in told and "qperf_test" in several[0].point:
            told = list(_looped(several, loops, cursor))
        for one, size in zip(several, told, strict=True):
            plain = {name: value for name, value in one.point.items() if name != SIZE}
            point = {**plain, SIZE: size} if size is not None and len(set(told)) > 1 else plain
            made[id(one)] = replace(one, point=point)
    return [made[id(one)] for one in found]


def _refuse_unknown(
    several: Sequence[Output], tests: Mapping[object, Sequence[Output]], cursor: Cursor
) -> None:
    """Refuse what a loop of qperf's own printed, where nothing says over what it went.

    It repeats one test for each size before the next test; a shell's loop repeats all of them.
    """
    measured = [both for test, both in tests.items() if test is not None]
    if len(several) < 2 or len(measured) < 2:
        return
    begins = sorted(one.first for one in several)
    others = [one.first for both in measured for one in both if both is not several]
    if not any(begins[0] < other < begins[-1] for other in others):
        cursor.line_of(several[1].first).refuse(say("paste_loop_unknown", tool="qperf"))


def _looped(
    several: Sequence[Output], loops: Sequence[tuple[str, str, str, str]], cursor: Cursor
) -> tuple[int, ...]:
    """The sizes that a command's loop goes through, for the tests of one name."""
    line = cursor.line_of(several[0].first)
    if len(loops) > 1 or loops[0][0] not in ("", "msg_size", "m"):
        line.refuse(say("paste_loop", tool="qperf", loop=":".join(loops[0])))
    _, begin, end, step = loops[0]
    sizes = _sizes(begin, end, step)
    # Where some are missing nobody knows which.
    if sizes is None or len(several) != len(sizes):
        line.refuse(say("paste_loop_count", found=len(several), expected=len(sizes or ())))
    return sizes


def _sizes(begin: str, end: str, step: str) -> tuple[int, ...] | None:
    """The loop's values; None for what is none."""
    multiplied = step.startswith("*")
    least, most, by = (
        _size(one) for one in (begin or str(int(multiplied)), end, step.lstrip("*+"))
    )
    if (
        least is None
        or most is None
        or by is None
        or by < 1 + multiplied
        or (multiplied and least < 1)
    ):
        return None
    found = []
    while least <= most:
        found.append(least)
        if len(found) > _MOST_SIZES:
            return None
        least = least * by if multiplied else least + by
    return tuple(found)


def _size(text: str) -> int | None:
    told = re.fullmatch(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)([A-Za-z]{0,3})", text)
    if told is None or told[2] not in _WORTH:
        return None
    return int(float(told[1]) * _WORTH[told[2]])
