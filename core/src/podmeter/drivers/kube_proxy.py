"""kube-proxy's own metrics: its syncs, its CPU time and its memory.

A sync writes rules. Every one that ends is counted with its time, and only one that succeeds sets
the time of the last one; a change that needs one sets the time at which it was queued
(pkg/proxy/*/proxier.go). In iptables and nftables mode the first is full, and later ones write what
has changed; full ones are counted apart as well. IPVS has no such difference.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers.reading import complaint, ended, succeeded

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput

#: kube-proxy's default port for metrics.
PORT = 10249
#: Its name in the invocations of a trial.
TOOL_NAME = "kube-proxy"
_SYNCS, _FULL = "kubeproxy_sync_proxy_rules", "kubeproxy_sync_full_proxy_rules"
_COUNT, _SECONDS = "duration_seconds_count", "duration_seconds_sum"
_QUEUED, _LAST = "last_queued_timestamp_seconds", "last_timestamp_seconds"
_BY_FAMILY = (
    *(f"{_SYNCS}_{name}" for name in (_COUNT, _SECONDS, _QUEUED, _LAST)),
    *(f"{_FULL}_{name}" for name in (_COUNT, _SECONDS)),
)
_OF_PROCESS = (
    "process_cpu_seconds_total",
    "process_resident_memory_bytes",
    "process_start_time_seconds",
)
_INFO = "kubernetes_build_info"
#: What curl, and the script with it, exits with if nothing listens.
_REFUSED = 7
#: $1 is kube-proxy's port. All of its metrics are some 100 KB.
_SCRIPT = f"""
metrics=$(curl -sSf --max-time 10 "http://127.0.0.1:$1/metrics") || exit
printf '%s\\n' "$metrics" | grep -E '^({"|".join((*_BY_FAMILY, *_OF_PROCESS, _INFO))})[ {{]'
echo end
"""
_VALUE = r"([0-9]{1,18}(?:\.[0-9]{1,18})?(?:e[+-][0-9]{2})?)"
#: Since 1.33 each IP family has its own syncs; Podmeter measures IPv4.
_OF_SYNCS = re.compile(rf'({"|".join(_BY_FAMILY)})(?:{{ip_family="(IPv[46])"}})? {_VALUE}')
_SINGLE = re.compile(rf"({'|'.join(_OF_PROCESS)}) {_VALUE}")
_BUILD = re.compile(rf'{_INFO}{{(?:.*,)?git_version="(v[^"]+)".*}} 1')


@dataclass(frozen=True, slots=True)
class ProxyMetrics:
    """A kube-proxy of this `version`, whose process `started` at this time (seconds since 1970).

    `syncs` of IPv4 ended since then, in so many seconds, the `full_syncs` among them; before 1.33
    those of IPv6 are counted with them (`families_apart`). A change was queued last at `queued_at`,
    and the last sync that succeeded ended at `succeeded_at` (seconds since 1970; 0 for never).
    `cpu_seconds` and `memory_bytes` are the process's own, without the tools that it runs to write
    rules.
    """

    version: str
    started: float
    syncs: int
    sync_seconds: float
    full_syncs: int
    full_sync_seconds: float
    families_apart: bool
    queued_at: float
    succeeded_at: float
    cpu_seconds: float
    memory_bytes: float

    @property
    def has_succeeded(self) -> bool:
        """Whether any sync has."""
        return self.succeeded_at > 0

    @property
    def is_idle(self) -> bool:
        """Whether nothing has been queued since the last sync that succeeded."""
        return self.succeeded_at > self.queued_at


def argv(port: int = PORT) -> tuple[str, ...]:
    """The command that reads the metrics of the kube-proxy at this port of a node."""
    return ("bash", "-c", _SCRIPT, "bash", str(port))


def is_down(output: CommandOutput) -> bool:
    """Whether no kube-proxy listened at the port that the metrics were to be read from."""
    return output.exit_code == _REFUSED


def parse(output: CommandOutput) -> ProxyMetrics:
    """Parse the metrics. A missing series of syncs was never set and counts as zero.

    Raises ToolError if kube-proxy did not answer, or its output is incomplete or contradicts
    itself.
    """
    *lines, end = succeeded(TOOL_NAME, output).split("\n")[:-1] or [""]
    if end != "end":
        raise ended(TOOL_NAME, output)
    families: set[str | None] = set()
    values: dict[str, float] = {}
    names: Counter[tuple[str, str | None]] = Counter()
    version = None
    for line in lines:
        if (build := _BUILD.fullmatch(line)) is not None:
            version = build[1]
        elif (single := _SINGLE.fullmatch(line)) is not None:
            values[single[1]] = float(single[2])
            names[single[1], None] += 1
        elif (read := _OF_SYNCS.fullmatch(line)) is not None:
            families.add(read[2])
            names[read[1], read[2]] += 1
            if read[2] != "IPv6":
                values[read[1]] = float(read[3])
        else:
            raise ToolError(say("tool_not_number", tool=TOOL_NAME, text=line[:40]))
    if version is None:
        raise ToolError(say("tool_no_version", tool=TOOL_NAME, said=complaint(output)))
    twice = [name for (name, _), count in names.items() if count > 1]
    missing = [name for name in _OF_PROCESS if name not in values]
    if twice or missing or {None, "IPv4"} <= families or {None, "IPv6"} <= families:
        path = next(iter([*twice, *missing]), _SYNCS)
        raise ToolError(say("tool_no_number", tool=TOOL_NAME, path=path))

    def value_of(name: str) -> float:
        return values.get(name, 0.0)

    syncs, full = _whole(value_of(f"{_SYNCS}_{_COUNT}")), _whole(value_of(f"{_FULL}_{_COUNT}"))
    seconds, in_full = value_of(f"{_SYNCS}_{_SECONDS}"), value_of(f"{_FULL}_{_SECONDS}")
    every, whole = f"{syncs} in {seconds:.7g} s", f"{full} in {in_full:.7g} s"
    # A full sync is counted a moment before it is among all of them.
    more = full > syncs + 1 or (full <= syncs and in_full > seconds * 1.01 + 0.01)
    if more or (syncs == 0) != (seconds == 0):
        raise ToolError(
            say("tool_contradicts", tool=TOOL_NAME, what=_SYNCS, said=every, rest=whole)
        )
    return ProxyMetrics(
        version=version,
        started=value_of("process_start_time_seconds"),
        syncs=syncs,
        sync_seconds=seconds,
        full_syncs=full,
        full_sync_seconds=in_full,
        families_apart=None not in families,
        queued_at=value_of(f"{_SYNCS}_{_QUEUED}"),
        succeeded_at=value_of(f"{_SYNCS}_{_LAST}"),
        cpu_seconds=value_of("process_cpu_seconds_total"),
        memory_bytes=value_of("process_resident_memory_bytes"),
    )


def _whole(value: float) -> int:
    if value != int(value):
        raise ToolError(say("tool_not_number", tool=TOOL_NAME, text=f"{value:.7g}"))
    return int(value)
