"""What kube-proxy tells of itself in its metrics: its syncs, its CPU time and its memory.

A sync writes rules. Every one that ends is counted with its time, and only one that succeeds sets
the time of the last one (pkg/proxy/*/proxier.go). In iptables and nftables mode the first is full
and later ones write what has changed; both are counted apart since 1.27 and 1.33. IPVS has no such
difference.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers.reading import ended, succeeded

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput

#: Where kube-proxy tells its metrics unless it is told otherwise.
PORT = 10249
#: What it is called where it is kept with a trial.
TOOL_NAME = "kube-proxy"
_SYNCS, _FULL = "kubeproxy_sync_proxy_rules", "kubeproxy_sync_full_proxy_rules"
_SERIES = (
    f"{_SYNCS}_duration_seconds_count",
    f"{_SYNCS}_duration_seconds_sum",
    f"{_SYNCS}_last_timestamp_seconds",
    f"{_FULL}_duration_seconds_count",
    f"{_FULL}_duration_seconds_sum",
    "process_cpu_seconds_total",
    "process_resident_memory_bytes",
    "kubernetes_build_info",
)
#: $1 is kube-proxy's port. All of its metrics are some 100 KB.
_SCRIPT = f"""
metrics=$(curl -sSf --max-time 10 "http://127.0.0.1:$1/metrics") || exit 1
printf '%s\\n' "$metrics" | grep -E '^({"|".join(_SERIES)})[ {{]'
echo end
"""
#: Since 1.33 each IP family has its own syncs; Podmeter measures IPv4.
_LINE = re.compile(rf'({"|".join(_SERIES)})(?:{{ip_family="(IPv\d)"}})? (\S+)')
_VERSION = re.compile(r'kubernetes_build_info{.*git_version="([^"]+)".*} 1')


@dataclass(frozen=True, slots=True)
class ProxyMetrics:
    """Since it started: syncs that ended and their seconds, those that were full among them, and
    whether one has succeeded; seconds of CPU and bytes of memory of its process.
    """

    version: str | None
    syncs: int
    sync_seconds: float
    full_syncs: int
    full_sync_seconds: float
    has_succeeded: bool
    cpu_seconds: float | None
    memory_bytes: float | None


def argv(port: int = PORT) -> tuple[str, ...]:
    """The command that reads the metrics of the kube-proxy at this port of a node."""
    return ("bash", "-c", _SCRIPT, "bash", str(port))


def parse(output: CommandOutput) -> ProxyMetrics:
    """What the metrics say. A series is not there before it was first set: that is zero.

    Raises ToolError where kube-proxy does not answer, or what it says is not whole.
    """
    text = succeeded(TOOL_NAME, output)
    if not text.endswith("end\n"):
        raise ended(TOOL_NAME, output)
    found: dict[str, dict[str | None, float]] = {}
    for line in text.splitlines():
        if (read := _LINE.fullmatch(line)) is not None:
            name, family, value = read.groups()
            try:
                found.setdefault(name, {})[family] = float(value)
            except ValueError:
                raise ToolError(say("tool_not_number", tool=TOOL_NAME, text=value[:40])) from None

    def of(name: str) -> float | None:
        by_family = found.get(name, {})
        return by_family.get("IPv4", by_family.get(None))

    def or_zero(name: str) -> float:
        return of(name) or 0.0

    version = next(filter(None, map(_VERSION.fullmatch, text.splitlines())), None)
    return ProxyMetrics(
        version=None if version is None else version[1],
        syncs=int(or_zero(f"{_SYNCS}_duration_seconds_count")),
        sync_seconds=or_zero(f"{_SYNCS}_duration_seconds_sum"),
        full_syncs=int(or_zero(f"{_FULL}_duration_seconds_count")),
        full_sync_seconds=or_zero(f"{_FULL}_duration_seconds_sum"),
        has_succeeded=or_zero(f"{_SYNCS}_last_timestamp_seconds") > 0,
        cpu_seconds=of("process_cpu_seconds_total"),
        memory_bytes=of("process_resident_memory_bytes"),
    )
