"""What the kernels hold of the run's Services, whatever the backend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.ports import POD_NAMESPACE, Command, ServiceType
from podmeter.drivers.netfilter import backend as backends
from podmeter.drivers.netfilter import iptables, ipvs, nft
from podmeter.drivers.netfilter.backend import Backend

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podmeter.domain.ports import CommandOutput, Lab, Place, Service

#: A listing of 100,000 rules takes the kernel a while.
_READ_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Kernel:
    """The nodes' kernels, through one host pod on each; all of them use the same backend."""

    lab: Lab
    places: tuple[Place, ...]
    backend: Backend

    @property
    def has_positions(self) -> bool:
        """Whether a Service has a position: only a chain has, a map and a hash table have none."""
        return self.backend in (Backend.IPTABLES_NFT, Backend.IPTABLES_LEGACY)

    def services_held(self, type_: ServiceType, services: Sequence[Service]) -> tuple[int, ...]:
        """How many of the run's Services each node's kernel holds.

        IPVS does not know their names, so only those given are counted there.
        """
        argv = self._count_argv(type_)
        outputs = self.lab.execute_all(
            [Command(place, argv) for place in self.places], timeout_seconds=_READ_SECONDS
        )
        return tuple(self._held(output, type_, services) for output in outputs)

    def chain_argv(self, type_: ServiceType) -> tuple[str, ...]:
        """The command that reads the chain in which the Services have their positions."""
        node_port = type_ is ServiceType.NODE_PORT
        chain: iptables.Chain = "KUBE-NODEPORTS" if node_port else "KUBE-SERVICES"
        return iptables.chain_argv(self.backend, chain, self._prefix)

    def sizes(self, place: Place) -> tuple[int, int | None]:
        """Rules (virtual servers for IPVS) on a node, and elements of the map for nftables."""
        if self.backend is Backend.IPVS:
            output = self.lab.execute(place, ipvs.LIST_ARGV, timeout_seconds=_READ_SECONDS)
            return ipvs.parse_list(output, ())[0], None
        if self.backend is not Backend.NFTABLES:
            argv = iptables.count_argv(self.backend)
            output = self.lab.execute(place, argv, timeout_seconds=_READ_SECONDS)
            return iptables.parse_count(output)[0], None
        rules, elements = (
            self.lab.execute(place, argv, timeout_seconds=_READ_SECONDS)
            for argv in (nft.count_argv(), nft.map_argv("service-ips", "/"))
        )
        return nft.parse_count(rules), nft.parse_map(elements).elements

    def change_argv(self, comment: str, service: Service, times: int) -> tuple[str, ...]:
        """Add and delete one rule through the backend that kube-proxy itself uses."""
        if self.backend is Backend.IPVS:
            return ipvs.change_argv(service.cluster_ip, service.port, times)
        if self.backend is Backend.NFTABLES:
            return nft.change_argv(comment, times)
        return iptables.change_argv(self.backend, comment, times)

    @property
    def _prefix(self) -> str:
        """What `namespace/name` of all of the run's Services begins with."""
        return f"{POD_NAMESPACE}/pm-{self.lab.run_label}-"

    def _count_argv(self, type_: ServiceType) -> tuple[str, ...]:
        if self.backend is Backend.IPVS:
            return ipvs.LIST_ARGV
        if self.backend is Backend.NFTABLES:
            node_port = type_ is ServiceType.NODE_PORT
            return nft.map_argv("service-nodeports" if node_port else "service-ips", self._prefix)
        return self.chain_argv(type_)

    def _held(self, output: CommandOutput, type_: ServiceType, services: Sequence[Service]) -> int:
        if self.backend is Backend.IPVS:
            expected = {(service.cluster_ip, service.port) for service in services}
            return ipvs.parse_list(output, expected)[1]
        if self.backend is Backend.NFTABLES:
            return nft.parse_map(output).services
        return iptables.parse_chain(output).services


def observe(lab: Lab, places: Sequence[Place], expected_mode: str | None) -> Kernel:
    """Find the backend that every node uses.

    Raises PreconditionError where there is none, where nodes differ, and where it is not of the
    kube-proxy mode that the block is for.
    """
    outputs = lab.execute_all(
        [Command(place, backends.PROBE_ARGV) for place in places], timeout_seconds=60
    )
    found = {
        place.node: backends.parse_probe(output)
        for place, output in zip(places, outputs, strict=True)
    }
    if len(set(found.values())) != 1:
        each = [f"{node}: {backend}" for node, backend in sorted(found.items(), key=str)]
        raise PreconditionError(say("rules_differ", backends=each))
    backend = next(iter(found.values()))
    if expected_mode is not None and backend.mode != expected_mode:
        raise PreconditionError(say("proxy_mode_wrong", mode=backend.mode, expected=expected_mode))
    return Kernel(lab, tuple(places), backend)
