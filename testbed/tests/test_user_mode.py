"""The testbed on a kernel of its own: what that has, what it keeps from this machine, its end."""

import os
import re
import signal
from pathlib import Path

import pytest

from podmeter_testbed import cgroups, lifecycle, machines, status, user_mode
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.layout import NODES, Layout
from podmeter_testbed.settings import Kernel
from podmeter_testbed.shell import run, wait_for
from podmeter_testbed.workloads import NGINX, namespace, pod

pytestmark = [pytest.mark.cluster, pytest.mark.kernel("uml"), pytest.mark.timeout(1800)]

#: How often `ab` asks a pod from a pod; each run is over in a fraction of a second.
RUNS, REQUESTS = 200, 250


def on_kernel(layout: Layout, *argv: str) -> str:
    """Run a command on the testbed's kernel, outside its machines."""
    words = user_mode.by(layout)
    assert words is not None, "the kernel has ended"
    return run(*words, *argv)


def test_the_kernel_is_its_own_and_has_what_is_asked_of_it(testbed: Layout) -> None:
    assert lifecycle.kernel_in_use(testbed) is Kernel.UML
    node = machines.require(testbed, "node-1")
    assert node.run("uname", "-r").strip().endswith("-podmeter")
    assert node.run("cat", "/proc/net/ip_vs").startswith("IP Virtual Server")
    for words in (
        ("ipip", "remote", "192.0.2.1"),
        ("wireguard",),
        ("geneve", "id", "9", "remote", "192.0.2.1"),
        ("vxlan", "id", "9", "dstport", "0"),
    ):
        node.run("ip", "link", "add", "probe", "type", *words)
        node.run("ip", "link", "delete", "probe")
    node.run("ip", "link", "add", "probe", "type", "dummy")
    node.run("tc", "qdisc", "add", "dev", "probe", "root", "netem", "delay", "1ms")
    node.run("ip", "link", "delete", "probe")


def test_short_connections_have_room_in_its_table(testbed: Layout) -> None:
    """Each is kept for two minutes; a full table drops new connections until they time out."""
    for name in NODES:
        node = machines.require(testbed, name)
        assert int(node.run("cat", "/proc/sys/net/netfilter/nf_conntrack_max")) == 262144


#: Touches every second of many pages, each of which is a mapping on the machine below.
SCATTERED = """
import mmap
pages = 160_000
memory = mmap.mmap(-1, pages * 4096)
for page in range(0, pages, 2):
    memory[page * 4096] = 1
print(sum(memory[page * 4096] for page in range(0, pages, 2)))
"""


def test_a_process_may_have_more_mappings_than_this_machine_allows_by_itself(
    testbed: Layout,
) -> None:
    """Above 65,530 it would stand still, as the API server once did at 3,283 Services."""
    assert on_kernel(testbed, "timeout", "120", "python3", "-c", SCATTERED).strip() == "80000"


#: Each clock by the C library and by a system call, in turn, and whether the former may read the
#: host's: a word after the mark in the vDSO's page.
CLOCKS = """
import ctypes, re, struct, time
raw, clocks = ctypes.CDLL(None).syscall, (time.CLOCK_REALTIME, time.CLOCK_MONOTONIC)
def trapped(clock):
    spec = (ctypes.c_long * 2)()
    assert raw(228, clock, spec) == 0
    return spec[0] * 10**9 + spec[1]
for clock in clocks * 2000:
    before, by_kernel = time.clock_gettime_ns(clock), trapped(clock)
    after = time.clock_gettime_ns(clock)
    # The kernel counts in steps of 256 ns.
    assert before - 2000 <= by_kernel <= after + 2000, (before, by_kernel, after)
(start,) = re.findall(r"^(\\w+)-.*\\[vdso\\]$", open("/proc/self/maps").read(), re.M)
with open("/proc/self/mem", "rb", buffering=0) as memory:
    memory.seek(int(start, 16))
    words = struct.unpack("512Q", memory.read(4096))
print(words[words.index(0x706F646D65746572) + 1])
"""


def test_the_clock_that_processes_read_by_themselves_is_the_kernels(testbed: Layout) -> None:
    assert on_kernel(testbed, "timeout", "120", "python3", "-c", CLOCKS).strip() == "1"


def test_nothing_that_is_written_reaches_this_machine(testbed: Layout) -> None:
    name = "/opt/left-by-the-testbeds-kernel"
    on_kernel(testbed, "touch", name)
    assert on_kernel(testbed, "ls", name).strip() == name
    assert not Path(name).exists()
    with pytest.raises(TestbedError, match="Read-only"):
        on_kernel(testbed, "touch", str(testbed.cache / "left"))


def test_pods_answer_each_other_without_a_stall(kubectl: Kubectl) -> None:
    """Across the nodes, and without keeping a connection: each request is one of its own."""
    with namespace(kubectl, "stall") as room:
        room.apply(pod("client", "node-1"), pod("server", "node-2", NGINX))
        room.wait_until_ready("client", "server")
        url = f"http://{room.address('server')}/"
        script = (
            f"for run in $(seq {RUNS}); do ab -q -s 10 -c 50 -n {REQUESTS} {url} || exit 1; done"
        )
        said = room.execute("client", "sh", "-c", script, timeout=900)
    assert len(re.findall(rf"^Complete requests: +{REQUESTS}$", said, re.M)) == RUNS
    assert len(re.findall(r"^Failed requests: +0$", said, re.M)) == RUNS


def test_the_kernel_ends_with_one_of_its_machines(testbed: Layout) -> None:
    """So that no half of it survives, and all queries show that it is down."""
    first = machines.require(testbed, NODES[1]).pid
    on_kernel(testbed, "kill", "-KILL", str(first))
    wait_for("the kernel to end", lambda: user_mode.by(testbed) is None, 60)
    assert all(machines.running(testbed, name) is None for name in NODES)
    assert not status.report(testbed)
    wait_for("its processes to end", lambda: cgroups.processes() == [], 60)
    lifecycle.up(testbed)
    assert status.report(testbed)


def test_a_kernel_that_is_killed_is_replaced(testbed: Layout) -> None:
    for pid in cgroups.processes():
        if Path(os.readlink(f"/proc/{pid}/exe")).name == "linux":
            os.kill(pid, signal.SIGKILL)
            break
    wait_for("every process of it to end", lambda: cgroups.processes() == [], 60)
    with pytest.raises(TestbedError, match="does not run"):
        machines.require(testbed, "node-1")
    lifecycle.up(testbed)
    assert status.report(testbed)
