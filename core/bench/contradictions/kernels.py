"""Whether what kernels and their tools told contradicts what was read from it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from core.bench.contradictions.figures import faults

if TYPE_CHECKING:
    from podmeter.domain.safety import NodeRoom
    from podmeter.drivers import proc
    from podmeter.drivers.kube_proxy import ProxyMetrics
    from podmeter.drivers.netfilter.iptables import ChainState
    from podmeter.drivers.netfilter.nft import MapState
    from podmeter.drivers.netfilter.policies import PolicyRules
    from podmeter.drivers.route import PacketRoute


def samples(text: str, answer: tuple[proc.Sample, ...]) -> str:
    """One a line; shares and memory are within what there is."""
    from podmeter.drivers.proc import cpu_ratio, stolen_ratio

    first, last = answer[0], answer[-1]
    shares = [ratio(first, last) for ratio in (cpu_ratio, stolen_ratio)]
    ticks = [[int(word) for word in line.split()[4:12]] for line in text.split("\n")[: len(answer)]]
    busy = [sum(one[:3]) + one[5] + one[6] for one in ticks]
    return faults(
        count=len(answer) != len(text.split("\n")) - 2,
        share=any(share is not None and not 0 <= share <= 1 for share in shares),
        memory=any(not 0 <= one.memory_used <= one.memory_total for one in answer),
        busy=busy != [one.cpu.busy for one in answer] or busy != sorted(busy),
        steal=[one[7] for one in ticks] != [one.cpu.steal for one in answer],
    )


def proxy_metrics(text: str, answer: ProxyMetrics) -> str:
    """Each figure is the value of its own line, and zero where its line is missing."""
    lines = (line.rpartition(" ") for line in text.split("\n"))
    told = {name: value for name, _, value in lines}

    def of(name: str) -> float:
        family = '{ip_family="IPv4"}' if answer.families_apart else ""
        return float(told.get(f"kubeproxy_sync{name}{family}", 0))

    syncs, full = (
        [of(f"{one}proxy_rules_duration_seconds_{part}") for part in ("count", "sum")]
        for one in ("_", "_full_")
    )
    last, queued = (of(f"_proxy_rules_last_{part}timestamp_seconds") for part in ("", "queued_"))
    process = ("start_time_seconds", "cpu_seconds_total", "resident_memory_bytes")
    return faults(
        syncs=syncs != [answer.syncs, answer.sync_seconds],
        full=full != [answer.full_syncs, answer.full_sync_seconds],
        idle=answer.is_idle != (last > queued) or answer.has_succeeded != (last > 0),
        process=[float(told[f"process_{name}"]) for name in process]
        != [answer.started, answer.cpu_seconds, answer.memory_bytes],
        version=f'git_version="{answer.version}"' not in text,
    )


def counters(text: str, answer: proc.Counters) -> str:
    """Every counter is the sum of its column, or the value below its name."""
    files = dict(re.findall(r"== (\S+)\n((?:(?!== ).*\n)*)", text))
    tables = {
        path: [line.split() for line in body.split("\n") if line.strip()]
        for path, body in files.items()
    }
    told = dict(answer.drops)
    wrong = [
        told[f"conntrack.{column[0]}"] != sum(int(count, 16) for count in column[1:])
        for column in zip(*tables.get("/proc/net/stat/nf_conntrack", []), strict=True)
        if f"conntrack.{column[0]}" in told
    ]
    netstat = [row for row in tables.get("/proc/net/netstat", []) if row[0] == "TcpExt:"]
    wrong += [
        told[f"tcp.{name}"] != int(count)
        for name, count in (zip(*netstat, strict=True) if netstat else ())
        if f"tcp.{name}" in told
    ]
    if "softnet.dropped" in told:
        rows = tables["/proc/net/softnet_stat"]
        wrong.append(told["softnet.dropped"] != sum(int(row[1], 16) for row in rows))
    snmp = [row for row in tables["/proc/net/snmp"] if row[0] == "Tcp:"]
    accepted = dict(zip(*snmp, strict=True))["PassiveOpens"]
    return faults(
        drops=any(wrong),
        accepted=answer.accepted != int(accepted) or answer.accepted < 0,
        unseen=any(name.partition(".")[0] in answer.unseen for name in told),
        headers=text.count("== /proc/net/snmp") != 1,
    )


def forgotten(text: str, answer: int) -> str:
    """The one number before these words."""
    return faults(count=[int(one) for one in re.findall(r"(\S+) flow entries", text)] != [answer])


def way(text: str, answer: PacketRoute) -> str:
    """The device of the route with its own MTU or the route's, and what it wraps packets for."""
    from podmeter.drivers.route import TUNNELS

    line, links, *outer = (json.loads(one) for one in text.strip("\n").split("\n"))
    mine = [one for one in links if one.get("ifname") == answer.device]
    kind = mine[0].get("linkinfo", {}).get("info_kind", "") if mine else ""
    lower = mine[0].get("linkinfo", {}).get("info_data", {}).get("link") if mine else None
    wraps = [lower, *(one["dev"] for (one,) in outer), None]
    lasting = [] if "expires" in line[0] else line[0].get("metrics", [])
    told = [one["mtu"] for one in lasting if "mtu" in one]
    return faults(
        device=line[0]["dev"] != answer.device,
        mtu=[min(one["mtu"], *told, one["mtu"]) for one in mine] != [answer.mtu],
        kind=kind != answer.kind,
        nic=answer.nic not in (wraps if kind in TUNNELS else [answer.device]),
    )


def chain(text: str, answer: ChainState) -> str:
    """No more Services than rules from the first to the last one, which the chain holds."""
    first, last = answer.first, answer.last
    if first is None or last is None:
        return faults(services=answer.service_ports != 0 or text.count("-A ") != 0)
    return faults(
        order=not 1 <= first.number <= last.number <= answer.rules,
        services=not 1 <= answer.service_ports <= last.number - first.number + 1,
        names=f"/{first.service}" not in text or f"/{last.service}" not in text,
        head=[float(word) for word in text.split("\n")[0].split()]
        != [answer.rules, answer.service_ports],
    )


def policy_rules(text: str, answer: PolicyRules) -> str:
    """The place is one of those that there are."""
    return rules(text, (answer.policies, answer.matching or 0))


def rules(text: str, answer: tuple[int, int]) -> str:
    """Those of Kubernetes are among all."""
    return faults(
        part=not 0 <= answer[1] <= answer[0],
        text=[float(word) for word in text.split()[:2]] != list(answer),
    )


def map_(text: str, answer: MapState) -> str:
    """The run's Services are among its elements."""
    return rules(text, (answer.elements, answer.service_ports))


def rule_count(text: str, answer: int) -> str:
    """The only number."""
    return faults(text=float(text.split()[0]) != answer or len(text.split()) != 2)


def servers(text: str, answer: tuple[int, int]) -> str:
    """Of two Services, those that are in every part of the text, and those in some."""
    heads = [f"set {name}" for name in ("KUBE-CLUSTER-IP", "KUBE-IPVS-IPS", "KUBE-NODE-PORT-TCP")]
    lines = text.split("\n")
    parts: list[list[str]] = [[]]
    for line in lines:
        parts += [[]] if line in heads else []
        parts[-1].append(line)
    first, *sets = parts
    forms = {heads[0]: "{},tcp:80", heads[1]: "{}"}
    counted = [0, 0]
    for address in ("10.96.8.1", "10.96.8.9"):
        found = [f"-t {address}:80" in first]
        found += [forms[one[0]].format(address) in one for one in sets if one[0] in forms]
        counted[0] += all(found)
        counted[1] += any(found) and not all(found)
    return faults(whole=answer[0] != counted[0], in_part=answer[1] != counted[1])


def server_counts(text: str, answer: tuple[int, int]) -> str:
    """Each virtual server once, and as many real ones as the end tells."""
    listed = [line for line in text.split("\n") if line.startswith("-")]
    real = text.split("end ", 1)[1].split("\n", 1)[0]
    return faults(virtual=answer[0] != len(set(listed)), real=int(real) != answer[1])


def backend(text: str, answer: str) -> str:
    """The only named one."""
    return faults(named=text.split() != [str(answer), "end"])


def room(text: str, answer: NodeRoom) -> str:
    """Every number is in the text, sizes in its own units."""
    numbers = {int(word) for word in re.findall("[0-9]+", text)}
    size, blocks, available = (int(word) for word in text.split()[-4:-1])
    entries = (answer.conntrack_entries, answer.conntrack_limit)
    return faults(
        memory=not {answer.memory_total // 1024, answer.memory_available // 1024} <= numbers,
        disk=(answer.disk_total, answer.disk_available) != (size * blocks, size * available),
        conntrack=any(entry is not None and entry not in numbers for entry in entries),
    )
