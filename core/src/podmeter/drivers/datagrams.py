"""Whether datagrams were still being sent, from the kernel's counters in a pod's own network."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers import program
from podmeter.drivers.reading import complaint, succeeded

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput

_TOOL = "datagrams"
#: Uptime and the datagrams sent so far, 20 times a second until a line on standard input ends it.
WATCH_ARGV = program.argv("sample", "0.05", "datagrams")
_LOOK = r"([0-9]{1,12}\.[0-9]{2}) ([0-9]{1,18})"
#: Between two looks something continues if it is sent at so much of the mean rate: what else a node
#: sends is far less.
_SOME = 0.02
#: Uptime has a resolution of a hundredth of a second.
_TICK_SECONDS = 0.01


def parse_watch(output: CommandOutput) -> float:
    """Seconds from the first datagrams to the last ones; 0 where there were none.

    Raises ToolError where it was cut, or counts or time go backwards.
    """
    text = succeeded(_TOOL, output)
    found = [re.fullmatch(_LOOK, line) for line in text.removesuffix("end\n").split("\n")[:-1]]
    looks = [(float(one[1]), int(one[2])) for one in found if one is not None]
    if not text.endswith("\nend\n") or len(looks) != len(found) or len(looks) < 2:
        raise ToolError(say("watch_cut", said=complaint(output)))
    steps = list(pairwise(looks))
    if any(later[0] < earlier[0] or later[1] < earlier[1] for earlier, later in steps):
        raise ToolError(say("watch_cut", said=complaint(output)))
    whole = max(looks[-1][0] - looks[0][0], _TICK_SECONDS)
    least = _SOME * (looks[-1][1] - looks[0][1]) / whole
    busy = [
        (begin[0], end[0])
        for begin, end in steps
        if end[1] - begin[1] > least * max(end[0] - begin[0], _TICK_SECONDS)
    ]
    return busy[-1][1] - busy[0][0] if busy else 0.0
