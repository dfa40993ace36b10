import subprocess
from dataclasses import replace

import pytest

from podmeter.domain.errors import ToolError
from podmeter.domain.ports import Access, CommandOutput
from podmeter.domain.safety import NodeRoom
from podmeter.drivers import node_room


def printed(files, disk, *, codes=(0, 0)):
    frames = [
        f"ran {code} {len(one)}\n{one}\n" for code, one in zip(codes, (files, disk), strict=True)
    ]
    return CommandOutput("".join([*frames, "end\n"]), "", 0, 0.01)


FILES = (
    "== /proc/meminfo\nMemTotal:       2000 kB\nMemFree:   7 kB\nMemAvailable:   500 kB\n"
    "== /proc/sys/net/netfilter/nf_conntrack_count\n90\n"
    "== /proc/sys/net/netfilter/nf_conntrack_max\n100\n== end\n"
)
DISK = "4096 1000 250\n"
WHOLE = NodeRoom(2_048_000, 512_000, 4_096_000, 1_024_000, 90, 100)


def test_what_this_machine_has_left():
    done = subprocess.run(node_room.ARGV, capture_output=True, text=True, timeout=60, check=False)
    output = CommandOutput(done.stdout, done.stderr, done.returncode, 0.1)
    room = node_room.parse(output, Access.HOST)
    assert 0 < room.memory_available < room.memory_total
    assert 0 < room.disk_available < room.disk_total


def test_connection_tracking_is_the_nodes_own_on_its_network_alone():
    assert node_room.parse(printed(FILES, DISK), Access.HOST_ADMIN) == WHOLE
    in_pod = node_room.parse(printed(FILES, DISK), Access.POD)
    assert in_pod == replace(WHOLE, conntrack_entries=None, conntrack_limit=None)


def test_a_node_without_the_module_tracks_nothing():
    files = FILES.partition("== /proc/sys")[0] + "== end\n"
    room = node_room.parse(printed(files, DISK), Access.HOST)
    assert (room.conntrack_entries, room.conntrack_limit) == (None, None)


@pytest.mark.parametrize(
    "output",
    [
        printed(FILES.removesuffix("== end\n"), DISK),
        printed(FILES.replace("MemAvailable", "MemOther"), DISK),
        printed(FILES.replace("\n90\n", "\nmany\n"), DISK),
        printed(FILES, "4096 1000\n"),
        printed(FILES, "4096 1000 -1\n"),
        printed(FILES, "", codes=(0, 1)),
        CommandOutput("", "stat: not found", 127, 0.0),
    ],
)
def test_what_is_not_whole_is_an_error(output):
    with pytest.raises(ToolError):
        node_room.parse(output, Access.HOST)
