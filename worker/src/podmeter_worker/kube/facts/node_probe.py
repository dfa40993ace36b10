"""What a node tells of itself to a pod on its network: one command, sections parted by names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from podmeter.domain.errors import PodmeterError
from podmeter.domain.fingerprint import USER_MODE_LINUX
from podmeter.domain.messages import say
from podmeter.drivers.netfilter import backend as backends
from podmeter.drivers.reading import complaint
from podmeter_worker.kube.facts import shaping
from podmeter_worker.kube.facts.kube_proxy import parse_configz

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput

#: Sysctls that change how fast a network is. Others follow from these or do not matter here.
SYSCTLS = (
    "net.bridge.bridge-nf-call-iptables",
    "net.core.default_qdisc",
    "net.core.netdev_max_backlog",
    "net.core.rmem_max",
    "net.core.somaxconn",
    "net.core.wmem_max",
    "net.ipv4.conf.all.arp_announce",
    "net.ipv4.conf.all.arp_ignore",
    "net.ipv4.conf.all.rp_filter",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_congestion_control",
    "net.ipv4.tcp_max_syn_backlog",
    "net.ipv4.tcp_mtu_probing",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_tw_reuse",
    "net.ipv4.tcp_wmem",
    "net.ipv4.vs.conn_reuse_mode",
    "net.ipv4.vs.conntrack",
    "net.ipv4.vs.expire_nodest_conn",
    "net.netfilter.nf_conntrack_buckets",
    "net.netfilter.nf_conntrack_max",
)
#: Devices that come and go with single pods, or belong to no traffic that is measured; networks may
#: call the ends of pods otherwise, so the script tells them too.
_PASSING = re.compile(r"lo|veth.*|cali[0-9a-f]+|lxc.*|dummy.*|docker\d+|br-[0-9a-f]{12}|pm-.*")
#: Name, driver and Mbit/s, which are -1 where the device does not tell.
_NIC = r"(\S+) (\S+) (-?[0-9]{1,9})"

_SCRIPT = (
    r"""
port=$1; shift
for name in "$@"; do
  file=/proc/sys/$(echo "$name" | tr . /)
  [ -r "$file" ] && printf 'sysctl %s %s\n' "$name" "$(tr -s '\t ' ' ' <"$file")"
done
for d in /sys/class/net/*; do
  [ -r "$d/mtu" ] || continue
  name=${d##*/}
  printf 'mtu %s %s\n' "$name" "$(cat "$d/mtu")"
  [ -e "$d/device/driver" ] || continue
  driver=$(readlink "$d/device/driver"); speed=$(cat "$d/speed" 2>/dev/null)
  printf 'nic %s %s %s\n' "$name" "${driver##*/}" "${speed:--1}"
done
# The node's end of a pod's link: its peer is in another network namespace. A node that is itself a
# container has such a link too, with an address of its network instead of none or a single one.
lasting=$(ip -o addr show scope global | grep -vE ' inet6? [^ ]+/(32|128) ' |
          sed -E 's/^[0-9]+: ([^ ]+) .*/\1/')
ip -o link show type veth | sed -nE 's/^[0-9]+: ([^@:]+)@if[0-9]+:.*/\1/p' |
  grep -vxF -- "$lasting" | sed 's/^/pod /'
printf 'cpu %s\n' "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
grep -qs '^flags.* hypervisor' /proc/cpuinfo && echo 'virtual yes'
grep -qs '^vendor_id.*User Mode Linux' /proc/cpuinfo && echo 'process yes'
printf 'dmi %s %s\n' "$(cat /sys/class/dmi/id/sys_vendor 2>/dev/null)" \
                     "$(cat /sys/class/dmi/id/product_name 2>/dev/null)"
printf 'proxy %s\n' "$(curl -s --max-time 10 "http://127.0.0.1:$port/proxyMode" | head -c 40)"
printf 'config %s\n' "$(curl -s --max-time 10 "http://127.0.0.1:$port/configz" | tr -d '\n' |
                        head -c 65536)"
printf 'schedulers %s\n' "$(sed -nE 's/^(TCP|UDP|SCTP) +[^ ]+ +([a-z]+).*/\2/p' \
                             /proc/net/ip_vs 2>/dev/null | sort -u | tr '\n' ' ')"
"""
    + shaping.SCRIPT
    + "echo end\n"
)


@dataclass(frozen=True, slots=True)
class NodeProbe:
    """What one node told; None is "not visible from here".

    `mtus` and `shaping` are of lasting devices, the former in bytes, the latter what limits or
    delays what leaves by them; `nics` give driver and Mbit/s; the periods are those that kube-proxy
    says it runs with, in seconds; `schedulers` are those of IPVS's virtual servers, where there are
    any.
    """

    cpu_model: str | None
    hypervisor: str | None
    nics: tuple[str, ...]
    mtus: dict[str, int] = field(hash=False)
    sysctls: dict[str, str] = field(hash=False)
    shaping: dict[str, str] = field(default_factory=dict, hash=False)
    proxy_mode: str | None = None
    sync_period: float | None = None
    min_sync_period: float | None = None
    schedulers: str | None = None
    backend: backends.Backend | None = None


def argv(kube_proxy_port: int) -> tuple[str, ...]:
    """The command; any pod on the node's network may run it."""
    return ("sh", "-c", _SCRIPT, "sh", str(kube_proxy_port), *SYSCTLS)


def parse(output: CommandOutput, rules: CommandOutput | None) -> NodeProbe:
    """Read both answers; `rules` is that of the netfilter probe, None where it may not be asked.

    Raises PodmeterError for an answer that is not whole.
    """
    *lines, end, rest = ["", *output.stdout.split("\n")]
    if output.exit_code != 0 or end != "end" or rest:
        raise _not_told(output)
    told: dict[str, list[str]] = {}
    for line in lines[1:]:
        word, _, said = line.partition(" ")
        told.setdefault(word, []).append(said.strip())
    once = [told.get(word, []) for word in ("cpu", "dmi", "proxy")]
    mtus = [re.fullmatch(r"(\S+) ([0-9]{1,9})", line) for line in told.get("mtu", [])]
    nics = [re.fullmatch(_NIC, line) for line in told.get("nic", [])]
    if any(len(lines) != 1 for lines in once) or None in mtus or None in nics:
        raise _not_told(output)
    try:
        shaped = dict(map(shaping.parse, told.get("shaping", [])))
    except ValueError:
        raise _not_told(output) from None
    (cpu,), (vendor,), (proxy,) = once
    of_pods = set(told.get("pod", []))

    def lasts(name: str) -> bool:
        return name not in of_pods and not _PASSING.fullmatch(name)

    sysctls = (line.partition(" ") for line in told.get("sysctl", []))
    period, minimum = parse_configz("".join(told.get("config", [])))
    hypervisor = vendor or ("unknown" if "virtual" in told else None)
    return NodeProbe(
        cpu_model=cpu or None,
        hypervisor=USER_MODE_LINUX if "process" in told else hypervisor,
        nics=tuple(sorted(_nic(*found.groups()) for found in nics if found)),
        mtus={found[1]: int(found[2]) for found in mtus if found and lasts(found[1])},
        sysctls={name: value for name, _, value in sysctls},
        shaping={name: by for name, by in shaped.items() if lasts(name)},
        proxy_mode=proxy or None,
        sync_period=period,
        min_sync_period=minimum,
        schedulers=", ".join(" ".join(told.get("schedulers", [])).split()) or None,
        backend=None if rules is None else _backend(rules),
    )


def _not_told(output: CommandOutput) -> PodmeterError:
    return PodmeterError(say("node_not_told", said=complaint(output)))


def _nic(name: str, driver: str, speed: str) -> str:
    return f"{name} {driver}" + (f" {speed} Mbit/s" if int(speed) > 0 else "")


def _backend(rules: CommandOutput) -> backends.Backend | None:
    try:
        return backends.parse_probe(rules)
    except PodmeterError:
        return None  # no kube-proxy, or one in between two modes
