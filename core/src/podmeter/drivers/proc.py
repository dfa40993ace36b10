"""A node's own counters below /proc: CPU and memory at 1 Hz, dropped packets, conntrack.

All of it can be read in a pod without rights; the network counters are those of the network the
pod is in, so node counters need a pod on the host's network.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers.reading import complaint, succeeded

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput

_TOOL = "proc"

#: Prints a sample at once, every second, and a last one when a line arrives on standard input.
#: Bash builtins only, so that the sampler itself costs next to nothing. `read` ends with more
#: than 128 when its time is over, with 1 at end of file (the connection is gone).
_SAMPLER = r"""
sample() {
  read -r up _ </proc/uptime; read -r cpu </proc/stat
  total=; available=
  while read -r key value _; do
    case $key in MemTotal:) total=$value ;; MemAvailable:) available=$value; break ;; esac
  done </proc/meminfo
  printf '%s %s %s %s\n' "$up" "$total" "$available" "$cpu"
}
while :; do
  sample
  IFS= read -r -t 1 _; status=$?
  [ $status -gt 128 ] && continue
  [ $status -eq 0 ] && sample && echo end
  exit 0
done
"""
SAMPLER_ARGV = ("bash", "-c", _SAMPLER)

#: One read of everything that tells of dropped packets where it runs. Bash builtins only: it is
#: read around each trial, on the very nodes that are measured.
_COUNTERS = r"""
for f in /proc/net/stat/nf_conntrack /proc/net/netstat /proc/net/softnet_stat \
         /proc/sys/net/netfilter/nf_conntrack_count /proc/sys/net/netfilter/nf_conntrack_max; do
  [ -r "$f" ] || continue
  mapfile lines <"$f" && [ ${#lines[@]} -gt 0 ] || exit 1
  printf '== %s\n' "$f"; printf %s "${lines[@]}"
done
echo '== end'
"""
COUNTERS_ARGV = ("bash", "-c", _COUNTERS)


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
        return self.busy + self.idle + self.iowait

    @property
    def busy(self) -> int:
        """Ticks in which a CPU was taken, stolen ones included: others took those."""
        return self.user + self.nice + self.system + self.irq + self.softirq + self.steal


@dataclass(frozen=True, slots=True)
class Sample:
    """One look at a node: seconds since boot, CPU ticks, bytes of memory."""

    uptime: float
    cpu: CpuTimes
    memory_total: int
    memory_available: int

    @property
    def memory_used(self) -> int:
        """Bytes that are not available to a new process without swapping."""
        return self.memory_total - self.memory_available


def parse_samples(output: CommandOutput) -> tuple[Sample, ...]:
    """At least a first and a last sample; ToolError for a sampler that did not end as asked."""
    lines = succeeded(_TOOL, output).splitlines()
    if not lines or lines.pop() != "end" or len(lines) < 2:
        raise ToolError(say("sampler_cut", said=complaint(output)))
    return tuple(_sample(line) for line in lines)


def cpu_ratio(first: Sample, last: Sample) -> float | None:
    """Share of all CPUs that was taken between two samples; None if no tick went by."""
    ticks = last.cpu.total - first.cpu.total
    return (last.cpu.busy - first.cpu.busy) / ticks if ticks > 0 else None


def _sample(line: str) -> Sample:
    fields = line.split()
    try:
        uptime, total, available, label, *ticks = fields
        cpu = CpuTimes(*(int(tick) for tick in ticks[:8]))
        sample = Sample(float(uptime), cpu, int(total) * 1024, int(available) * 1024)
    except (ValueError, TypeError) as error:
        raise ToolError(say("not_a_sample", line=line)) from error
    if label != "cpu":
        raise ToolError(say("not_a_sample", line=line))
    return sample


@dataclass(frozen=True, slots=True)
class Counters:
    """Counts of lost packets since boot, by a name such as `conntrack.drop`.

    `conntrack_entries` and `conntrack_limit` are None where connection tracking is not in use.
    """

    drops: tuple[tuple[str, int], ...]
    conntrack_entries: int | None
    conntrack_limit: int | None


#: What counts as a drop. A conntrack `insert_failed` is a packet dropped because another one
#: took its entry first; a listen overflow is a connection the server had no room to accept.
_CONNTRACK_DROPS = ("insert_failed", "drop", "early_drop")
_TCP_DROPS = ("ListenOverflows", "ListenDrops", "TCPBacklogDrop", "TCPReqQFullDrop")


def parse_counters(output: CommandOutput) -> Counters:
    """The counters of one place; ToolError if they were not read whole."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    name = ""
    for line in succeeded(_TOOL, output).splitlines():
        if line.startswith("== "):
            name = line[3:].rpartition("/")[2]
            lines = sections.setdefault(name, [])
        else:
            lines.append(line)
    if name != "end":
        raise ToolError(say("counters_cut", said=complaint(output)))
    try:
        drops = _conntrack(sections.get("nf_conntrack", [])) | _tcp(sections.get("netstat", []))
        # The second column counts packets dropped because a CPU's queue was full.
        rows = [line.split() for line in sections.get("softnet_stat", [])]
        drops["softnet.dropped"] = sum(int(row[1], 16) for row in rows)
        entries = _single(sections, "nf_conntrack_count")
        limit = _single(sections, "nf_conntrack_max")
    except (ValueError, IndexError) as error:
        raise ToolError(say("not_counters", said=str(error))) from error
    return Counters(tuple(sorted(drops.items())), entries, limit)


def moved(before: Counters, after: Counters) -> dict[str, int]:
    """The drop counters that rose, and by how much."""
    earlier = dict(before.drops)
    rises = {name: count - earlier.get(name, 0) for name, count in after.drops}
    return {name: rise for name, rise in rises.items() if rise > 0}


def _conntrack(lines: list[str]) -> dict[str, int]:
    # One row for each CPU, hexadecimal, below a row of names that differs between kernels.
    names = lines[0].split() if lines else []
    rows = [line.split() for line in lines[1:]]
    return {
        f"conntrack.{name}": sum(int(row[names.index(name)], 16) for row in rows)
        for name in _CONNTRACK_DROPS
        if name in names
    }


def _tcp(lines: list[str]) -> dict[str, int]:
    # Pairs of lines with the same prefix: names, then values.
    rows = [line.split() for line in lines if line.startswith("TcpExt:")]
    if len(rows) != 2:
        return {}
    values = dict(zip(rows[0][1:], rows[1][1:], strict=True))
    return {f"tcp.{name}": int(values[name]) for name in _TCP_DROPS if name in values}


def _single(sections: dict[str, list[str]], name: str) -> int | None:
    return int(sections[name][0]) if name in sections else None
