"""What curl prints of single requests that a scripted cluster's pods answer."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence

from bench.scripted.machine import Printed, captured
from bench.scripted.store import Object
from podmeter.drivers import program

_TOOL = "curl-8.14.1"
_URL = re.compile(r"http://([^:/]+):([0-9]+)/")
_PHASES = ("time_namelookup", "time_connect", "time_pretransfer", "time_starttransfer")
_BODY = re.compile(r'return 200 "(x*)"')
#: Who answers at a host and a port: the address that it is, and the pods behind it.
Find = Callable[[str, int], tuple[str, list[Object]]]


def is_asking(argv: Sequence[str]) -> bool:
    """Whether a command makes requests, each by a process of its own, and tells their phases."""
    return tuple(argv[:2]) == program.argv("timed") and "--write-out" in argv


def printed(argv: Sequence[str], find: Find) -> Printed:
    """As many requests as are asked for; several pods take turns by chance."""
    url = _URL.fullmatch(argv[-1])
    if url is None:
        return captured(_TOOL, "resolve-failure")
    address, pods = find(url[1], int(url[2]))
    if not pods:
        return captured(_TOOL, "refused")
    named = address != url[1]
    lines = captured(_TOOL, "phases-by-name" if named else "phases").stdout.split("\n")
    runs, seconds = [], 0.0
    for _ in range(int(argv[3])):
        place = 2 * random.randrange(10)  # noqa: S311
        told = json.loads(lines[place + 1])
        slower = random.uniform(0.9, 1.1)  # noqa: S311
        for phase in (*_PHASES, "time_total"):
            told[phase] = round(told[phase] * slower, 6)
        pod = random.choice(pods)  # noqa: S311
        body = _BODY.search(pod["spec"]["containers"][0]["command"][-1])
        size = len(body[1]) if body else 0
        told |= {"address": address, "server": pod["metadata"]["name"], "size": size}
        text, took = json.dumps(told), told["time_total"] + 0.012
        seconds += took
        runs.append(f"run 0 {took:.9f} 0.000002000 {len(text)}\n{text}\n")
    return Printed("".join(runs) + "end\n", seconds=seconds)
