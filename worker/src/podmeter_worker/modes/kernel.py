"""What the nodes' kernels can do, found out without leaving anything in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.messages import say

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podmeter_worker.kube.node_shells import NodeShell

#: Exits with 0 where the module $1 is loaded, built in, or there to be loaded.
_HAS_MODULE = r"""
grep -qs "^$1 " /proc/modules || [ -d "/sys/module/$1" ] ||
  { cd "/lib/modules/$(uname -r)" 2>/dev/null && grep -qsE "/$1\.ko" modules.dep modules.builtin; }
"""


def why_no_ipvs(shells: Iterable[NodeShell]) -> str | None:
    """Why kube-proxy cannot use IPVS on all nodes."""
    script = f"[ -e /proc/net/ip_vs ] || {{ {_HAS_MODULE.strip()}; }}"
    return _missing(shells, "kernel_no_ipvs", ("sh", "-c", script, "sh", "ip_vs"))


def why_no_nftables(shells: Iterable[NodeShell]) -> str | None:
    """Why kube-proxy cannot use nftables on all nodes; it wants Linux 5.13 at least."""
    script = r"""nft list tables >/dev/null 2>&1 || exit 1
    IFS=.- read -r major minor _ </proc/sys/kernel/osrelease
    [ "$major" -gt 5 ] || { [ "$major" -eq 5 ] && [ "$minor" -ge 13 ]; }"""
    return _missing(shells, "kernel_no_nftables", ("sh", "-c", script))


def why_no_vxlan(shells: Iterable[NodeShell]) -> str | None:
    """Why not all nodes can wrap packets in VXLAN."""
    return _missing(shells, "kernel_no_vxlan", _device("vxlan", "id 9 dstport 0"))


def why_no_geneve(shells: Iterable[NodeShell]) -> str | None:
    """Why not all nodes can wrap packets in Geneve."""
    return _missing(shells, "kernel_no_geneve", _device("geneve", "id 9 remote 192.0.2.1"))


def why_no_wireguard(shells: Iterable[NodeShell]) -> str | None:
    """Why not all nodes can encrypt packets by WireGuard."""
    return _missing(shells, "kernel_no_wireguard", _device("wireguard"))


def why_no_ipip(shells: Iterable[NodeShell]) -> str | None:
    """Why not all nodes can wrap packets in IP in IP.

    Making a device would leave `tunl0` in a kernel that loads the module for it.
    """
    return _missing(shells, "kernel_no_ipip", ("sh", "-c", _HAS_MODULE, "sh", "ipip"))


def why_no_tun(shells: Iterable[NodeShell]) -> str | None:
    """Why flannel cannot carry packets in UDP by itself on all nodes."""
    script = f"[ -e /sys/class/misc/tun ] || {{ {_HAS_MODULE.strip()}; }}"
    return _missing(shells, "kernel_no_tun", ("sh", "-c", script, "sh", "tun"))


def _device(kind: str, settings: str = "") -> tuple[str, ...]:
    """Whether this kind of device is available: try a temporary one, else load the module."""
    script = (
        f"{{ ip link add pm-probe type {kind} {settings} && ip link delete pm-probe; }} "
        f"2>/dev/null || {{ {_HAS_MODULE.strip()}; }}"
    )
    return ("sh", "-c", script, "sh", kind)


def _missing(shells: Iterable[NodeShell], code: str, probe: tuple[str, ...]) -> str | None:
    lacking = sorted(shell.node for shell in shells if shell.run(probe).exit_code != 0)
    return say(code, nodes=lacking) if lacking else None
