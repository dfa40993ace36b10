"""A node's own counters below /proc: CPU and memory at 1 Hz, dropped packets, connections.

All of it can be read in a pod without rights; the network counters are those of the network the
pod is in, so node counters need a pod on the host's network.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers import program
from podmeter.drivers.reading import complaint, hexadecimal, printed, succeeded, whole

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput

_TOOL = "proc"
#: The unit of /proc/stat: USER_HZ is 100 on every architecture that Kubernetes runs on.
TICK_SECONDS = 0.01

#: Uptime, total and available memory, and the ticks of all CPUs: at once, each second, and when a
#: line on standard input ends it.
SAMPLER_ARGV = program.argv("sample", "1", "cpu")

#: Everything that tells of dropped packets and accepted connections where it is read.
_FILES = (
    "/proc/net/stat/nf_conntrack",
    "/proc/net/netstat",
    "/proc/net/snmp",
    "/proc/net/softnet_stat",
    "/proc/sys/net/netfilter/nf_conntrack_count",
    "/proc/sys/net/netfilter/nf_conntrack_max",
)
#: Reads each file that is there.
COUNTERS_ARGV = program.argv("print-files", *_FILES)


@dataclass(frozen=True, slots=True)
class CpuTimes:
    """Clock ticks since boot. Guest time is inside `user` already and left out."""

    user: int
    nice: int
    system: int
    idle: int
    iowait: int
    irq: int
    softirq: int
    steal: int

    @property
    def total(self) -> int:
        """All ticks."""
        return self.busy + self.idle + self.iowait + self.steal

    @property
    def busy(self) -> int:
        """Ticks in which the system itself used a CPU; those that its host took are `steal`."""
        return self.user + self.nice + self.system + self.irq + self.softirq


@dataclass(frozen=True, slots=True)
class PodCpu:
    """What the cgroup of the sampling pod has counted so far, in seconds.

    `throttled` is how long CPU quotas have stopped it; None where that is not counted.
    """

    used: float
    throttled: float | None


@dataclass(frozen=True, slots=True)
class Sample:
    """One look at a node: seconds since boot, CPU ticks, bytes of memory.

    `pod` is None where the sampling pod has no cgroup that it can read, or an older program.
    """

    uptime: float
    cpu: CpuTimes
    memory_total: int
    memory_available: int
    pod: PodCpu | None = None

    @property
    def memory_used(self) -> int:
        """Bytes that are not available to a new process without swapping."""
        return self.memory_total - self.memory_available


def parse_samples(output: CommandOutput) -> tuple[Sample, ...]:
    """At least a first and a last sample; ToolError for a sampler that did not end as asked."""
    text = succeeded(_TOOL, output)
    lines = text.removesuffix("end\n").split("\n")[:-1]
    if not text.endswith("\nend\n") or len(lines) < 2:
        raise ToolError(say("sampler_cut", said=complaint(output)))
    samples = tuple(_sample(line) for line in lines)
    for earlier, later in pairwise(samples):
        if later.uptime < earlier.uptime or later.cpu.busy < earlier.cpu.busy:
            raise ToolError(say("samples_backwards", earlier=earlier.uptime, later=later.uptime))
    return samples


def cpu_ratio(first: Sample, last: Sample) -> float | None:
    """Share of all CPUs that was used between two samples; None if it is unknown."""
    return _ratio(first, last, last.cpu.busy - first.cpu.busy)


def cpu_seconds(first: Sample, last: Sample) -> float:
    """Seconds of CPU that all CPUs together used between two samples, known to a tick of each."""
    return (last.cpu.busy - first.cpu.busy) * TICK_SECONDS


def cpu_count(first: Sample, last: Sample) -> int | None:
    """How many CPUs the node has, by the ticks of all of them; None for a window too short."""
    window = last.uptime - first.uptime
    ticks = last.cpu.total - first.cpu.total
    return round(ticks * TICK_SECONDS / window) or None if window > 0 else None


def stolen_ratio(first: Sample, last: Sample) -> float | None:
    """Share of all CPUs that the host of a virtual machine gave to others; None as above."""
    return _ratio(first, last, last.cpu.steal - first.cpu.steal)


def _ratio(first: Sample, last: Sample, ticks: int) -> float | None:
    # Idle ticks are known to go backwards by a few, which makes no share of them.
    total = last.cpu.total - first.cpu.total
    return ticks / total if 0 <= ticks <= total and total > 0 else None


def _sample(line: str) -> Sample:
    words, kinds = line.split(), len(fields(CpuTimes))
    if len(words) < 4 + kinds or words[3] != "cpu":
        raise ToolError(say("not_a_sample", line=line[:300]))
    uptime, total, available, _, *ticks = words
    pod = None
    if "cgroup" in ticks:
        at = ticks.index("cgroup")
        pod = _pod_cpu(ticks[at + 1 :], line)
    cpu = CpuTimes(*(whole(_TOOL, tick) for tick in ticks[:kinds]))
    memory, free = whole(_TOOL, total) * 1024, whole(_TOOL, available) * 1024
    if not 0 <= free <= memory:
        raise ToolError(say("not_a_sample", line=line[:300]))
    return Sample(printed(_TOOL, uptime).value, cpu, memory, free, pod)


def _pod_cpu(counts: list[str], line: str) -> PodCpu:
    if len(counts) != 2:
        raise ToolError(say("not_a_sample", line=line[:300]))
    used, throttled = counts
    return PodCpu(
        printed(_TOOL, used).value,
        None if throttled == "-" else printed(_TOOL, throttled).value,
    )


@dataclass(frozen=True, slots=True)
class Counters:
    """Counts of lost packets since boot, by a name such as `conntrack.drop`.

    `unseen` are groups of them, such as `conntrack`, and `conntrack_room`, that this place does
    not show: a kernel may be built without a file, or not have the module. `conntrack_entries` and
    `conntrack_limit` are None then. `accepted` is how many TCP connections were accepted there.
    """

    drops: tuple[tuple[str, int], ...]
    unseen: tuple[str, ...]
    conntrack_entries: int | None
    conntrack_limit: int | None
    accepted: int


#: What counts as a drop. A conntrack `insert_failed` is a packet dropped because another one
#: took its entry first; a listen overflow is a connection the server had no room to accept.
_GROUPS = ("conntrack", "conntrack_room", "softnet", "tcp")
_CONNTRACK_DROPS = ("insert_failed", "drop", "early_drop")
_TCP_DROPS = ("ListenOverflows", "ListenDrops", "TCPBacklogDrop", "TCPReqQFullDrop")


def parse_counters(output: CommandOutput) -> Counters:
    """The counters of one place; ToolError if they were not read whole."""
    files = _files(output)
    drops = {
        **_conntrack(files.get("nf_conntrack", [])),
        **{f"tcp.{name}": count for name, count in _pairs(files, "netstat", "TcpExt", _TCP_DROPS)},
        **_softnet(files.get("softnet_stat", [])),
    }
    entries, limit = (_single(files, f"nf_conntrack_{name}") for name in ("count", "max"))
    # Every Linux has this one; without it it was not /proc that was read.
    accepted = dict(_pairs(files, "snmp", "Tcp", ("PassiveOpens",))).get("PassiveOpens")
    if accepted is None:
        raise ToolError(say("not_counters", said="/proc/net/snmp"))
    seen = {name.partition(".")[0] for name in drops}
    if entries is not None and limit is not None:
        seen.add("conntrack_room")
    return Counters(
        drops=tuple(sorted(drops.items())),
        unseen=tuple(name for name in _GROUPS if name not in seen),
        conntrack_entries=entries,
        conntrack_limit=limit,
        accepted=accepted,
    )


def moved(before: Counters, after: Counters) -> dict[str, int]:
    """The drop counters that rose, and by how much."""
    earlier = dict(before.drops)
    rises = {name: count - earlier.get(name, 0) for name, count in after.drops}
    return {name: rise for name, rise in rises.items() if rise > 0}


def _files(output: CommandOutput) -> dict[str, list[str]]:
    """The lines of each file, by its name."""
    files: dict[str, list[str]] = {}
    lines: list[str] = []
    *text, rest = succeeded(_TOOL, output).split("\n")
    for line in text:
        if not line.startswith("== "):
            lines.append(line)
            continue
        path, lines = line[3:], []
        if path in files or path not in (*_FILES, "end"):
            raise ToolError(say("not_counters", said=line[:300]))
        files[path] = lines
    if rest or not text or text[-1] != "== end":
        raise ToolError(say("counters_cut", said=complaint(output)))
    return {path.rpartition("/")[2]: found for path, found in files.items()}


def _conntrack(lines: list[str]) -> dict[str, int]:
    # One row for each CPU, hexadecimal, below a row of names that differs between kernels.
    rows = [line.split() for line in lines]
    names = rows[0] if rows else []
    if any(len(row) != len(names) for row in rows) or len(rows) == 1 or _twice(names):
        raise ToolError(say("not_counters", said=lines[-1][:300]))
    columns = {name: row for name, *row in zip(*rows, strict=True)}
    return {
        f"conntrack.{name}": sum(hexadecimal(_TOOL, count) for count in columns[name])
        for name in _CONNTRACK_DROPS
        if name in columns
    }


def _softnet(lines: list[str]) -> dict[str, int]:
    # The second column counts packets dropped because a CPU's queue was full.
    rows = [line.split() for line in lines]
    if any(len(row) < 2 for row in rows):
        raise ToolError(say("not_counters", said=lines[-1][:300]))
    return {"softnet.dropped": sum(hexadecimal(_TOOL, row[1]) for row in rows)} if rows else {}


def _pairs(
    files: dict[str, list[str]], file: str, prefix: str, wanted: tuple[str, ...]
) -> list[tuple[str, int]]:
    """Those wanted of a file of pairs of lines with the same prefix: names, then values."""
    if file not in files:
        return []
    rows = [line.split()[1:] for line in files[file] if line.startswith(f"{prefix}: ")]
    if len(rows) != 2 or len(rows[0]) != len(rows[1]) or _twice(rows[0]):
        raise ToolError(say("not_counters", said=f"{file}: {prefix}"))
    values = dict(zip(*rows, strict=True))
    return [(name, whole(_TOOL, values[name])) for name in wanted if name in values]


def _twice(names: list[str]) -> bool:
    return len(set(names)) != len(names)


def _single(files: dict[str, list[str]], name: str) -> int | None:
    if name not in files:
        return None
    if len(files[name]) != 1:
        raise ToolError(say("not_counters", said=name))
    return whole(_TOOL, files[name][0])
