"""Whether datagrams went on being sent, as the kernel counts them in a pod's own network."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers.reading import complaint, succeeded

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput

_TOOL = "datagrams"
#: Prints uptime and the datagrams sent so far, 20 times a second, and once more when a line arrives
#: on standard input. Bash builtins only, so that it costs the node next to nothing.
_WATCH = r"""
look() {
  read -r up _ </proc/uptime; mapfile -t lines </proc/net/snmp
  for line in "${lines[@]}"; do
    case $line in "Udp: "[0-9]*) read -r _ _ _ _ sent _ <<<"$line" ;; esac
  done
  printf '%s %s\n' "$up" "$sent"
}
while :; do
  look; IFS= read -r -t 0.05 _; status=$?
  [ $status -gt 128 ] && continue
  [ $status -eq 0 ] && look && echo end
  exit 0
done
"""
WATCH_ARGV = ("bash", "-c", _WATCH)
_LOOK = r"([0-9]{1,12}\.[0-9]{2}) ([0-9]{1,18})"
#: Between two looks something goes on if so much is sent of what is sent at the busiest time: what
#: else a node sends is far less.
_SOME = 0.05


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
    most = max(later[1] - earlier[1] for earlier, later in steps)
    busy = [step for step in steps if step[1][1] - step[0][1] > _SOME * most]
    return busy[-1][1][0] - busy[0][0][0] if busy else 0.0
