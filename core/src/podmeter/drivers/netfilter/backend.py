"""Which backend holds a node's Service rules: asked of the kernel, not of any configuration."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from podmeter.domain.errors import PreconditionError, ToolError
from podmeter.domain.messages import say
from podmeter.domain.modes import KubeProxyMode
from podmeter.drivers import program
from podmeter.drivers.reading import complaint, succeeded
from podmeter.drivers.tool import Tool

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput


class Backend(StrEnum):
    """Where kube-proxy's rules are. iptables comes in two kernels' interfaces."""

    IPTABLES_NFT = "iptables-nft"
    IPTABLES_LEGACY = "iptables-legacy"
    NFTABLES = "nftables"
    IPVS = "ipvs"

    @property
    def mode(self) -> KubeProxyMode:
        """The kube-proxy mode that uses this backend."""
        return KubeProxyMode(self.value.partition("-")[0])


#: Prints a line for each backend that holds rules of kube-proxy, and "end".
PROBE_ARGV = program.argv("backends")


def parse_version(output: CommandOutput) -> str:
    """The version line as the tool words it, such as `iptables v1.8.11 (nf_tables)`.

    Raises ToolError where it printed none.
    """
    version = succeeded("netfilter", output).strip()
    if not version:
        raise ToolError(say("tool_no_version", tool="netfilter", said=complaint(output)))
    return version


def tool_of(backend: Backend) -> Tool:
    """What changes the backend's rules; it is called as the backend is."""
    binary = {Backend.NFTABLES: "nft", Backend.IPVS: "ipvsadm"}.get(backend, backend.value)
    return Tool(backend.value, (binary, "--version"), parse_version)


def parse_probe(output: CommandOutput) -> Backend:
    """The one backend in use.

    Raises PreconditionError where there is none (no kube-proxy) or where rules of two modes
    exist at once: it is unknown which of them a packet meets. With IPVS, rules of iptables
    are no second one: its own may be of a version not known. Raises ToolError for no answer.
    """
    *lines, last = succeeded("backends", output).split() or [""]
    if last != "end" or len(set(lines)) != len(lines) or not set(lines) <= set(Backend):
        raise ToolError(say("backends_cut", said=complaint(output)))
    found = {Backend(line) for line in lines}
    if Backend.IPVS in found:
        found -= {Backend.IPTABLES_NFT, Backend.IPTABLES_LEGACY}
    if not found:
        raise PreconditionError(say("no_proxy_rules"))
    if len(found) > 1:
        names = " and ".join(sorted(found))
        raise PreconditionError(say("two_backends", backends=names))
    return found.pop()
