"""What the kernels hold of the run's Services, whatever the backend."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from podmeter.domain.errors import PreconditionError, VoidTrialError
from podmeter.domain.messages import say
from podmeter.domain.ports import POD_NAMESPACE, Command, ServiceType
from podmeter.drivers.netfilter import backend as backends
from podmeter.drivers.netfilter import iptables, ipvs, nft
from podmeter.drivers.netfilter.backend import Backend
from podmeter.kinds.service_scale import metrics
from podmeter.kinds.waiting import until

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podmeter.domain.ports import CommandOutput, ExecTarget, Lab
    from podmeter.kinds.service_scale.layout import LadderPort

#: A listing of 100,000 rules takes the kernel a while, and waits where kube-proxy is writing: so
#: many seconds, and one more for each of so many Service ports.
_READ_SECONDS, _PORTS_A_SECOND = 120.0, 50


def reading_seconds(ports: int) -> float:
    """How long reading the rules of so many Service ports may take."""
    return _READ_SECONDS + ports / _PORTS_A_SECOND


class KernelPorts(NamedTuple):
    """The run's Service ports in a kernel: those with all that belongs to them, and the rest.

    Only IPVS, which is written piece by piece, has some in part.
    """

    whole: int
    in_part: int = 0


@dataclass(frozen=True, slots=True)
class Kernel:
    """The nodes' kernels, through one host pod on each; all of them use the same backend."""

    lab: Lab
    places: tuple[ExecTarget, ...]
    backend: Backend

    @property
    def has_positions(self) -> bool:
        """Whether Service ports have positions: in a chain, not in a map or a hash table."""
        return self.backend in (Backend.IPTABLES_NFT, Backend.IPTABLES_LEGACY)

    def ports_held(
        self, type_: ServiceType, ports: Sequence[LadderPort]
    ) -> tuple[KernelPorts, ...]:
        """How many of the run's Service ports each node's kernel holds, in the order of `places`.

        IPVS does not know their names, so only those given are counted there.
        """
        outputs = self._on_all(self._count_argv(type_), len(ports))
        return tuple(self._held(output, type_, ports) for output in outputs)

    def chain_argv(self, type_: ServiceType, names_begin: str = "") -> tuple[str, ...]:
        """The command that reads the chain in which the Service ports have their positions.

        Of those alone whose Services' names begin so; by default of all of the run's.
        """
        node_port = type_ is ServiceType.NODE_PORT
        chain: iptables.Chain = "KUBE-NODEPORTS" if node_port else "KUBE-SERVICES"
        prefix = f"{POD_NAMESPACE}/{names_begin}" if names_begin else self._prefix
        return iptables.chain_argv(self.backend, chain, prefix)

    def sizes(self, ports: int) -> dict[str, tuple[int, ...]]:
        """What each node's kernel holds with so many Service ports, in the order of `places`, by
        the metric that says so.
        """
        if self.backend is Backend.IPVS:
            what = "the virtual servers are listed without one twice"
            virtual, real = until(
                self.lab, what, self._virtual_servers, deadline_seconds=reading_seconds(ports)
            )
            return {metrics.IPVS_VIRTUAL.name: virtual, metrics.IPVS_REAL.name: real}
        if self.backend is not Backend.NFTABLES:
            told = self._on_all(iptables.count_argv(self.backend), ports)
            counts = tuple(iptables.parse_count(one)[0] for one in told)
            return {metrics.IPTABLES_RULES.name: counts}
        rules = [nft.parse_count(one) for one in self._on_all(nft.count_argv(), ports)]
        every = nft.map_argv("service-ips", "/")
        maps = [nft.parse_map(one) for one in self._on_all(every, ports)]
        return {
            metrics.NFTABLES_RULES.name: tuple(rules),
            metrics.NFTABLES_ELEMENTS.name: tuple(one.elements for one in maps),
        }

    def _virtual_servers(self) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """Virtual servers and real ones of each node; None where a table changed meanwhile."""
        with suppress(ipvs.ChangedMeanwhileError):
            counts = [ipvs.parse_sizes(one) for one in self._on_all(ipvs.LIST_ARGV)]
            return tuple(one for one, _ in counts), tuple(one for _, one in counts)
        return None

    def change_argv(self, comment: str, target: LadderPort, times: int) -> tuple[str, ...]:
        """Add and delete one rule through the backend that kube-proxy itself uses."""
        if self.backend is Backend.IPVS:
            return ipvs.change_argv(target.service.cluster_ip, target.port.number, times)
        if self.backend is Backend.NFTABLES:
            return nft.change_argv(comment, times)
        return iptables.change_argv(self.backend, comment, times)

    def _on_all(self, argv: tuple[str, ...], ports: int = 0) -> tuple[CommandOutput, ...]:
        commands = [Command(place, argv) for place in self.places]
        return self.lab.execute_all(commands, timeout_seconds=reading_seconds(ports))

    @property
    def _prefix(self) -> str:
        """What `namespace/name` of all of the run's Services begins with."""
        return f"{POD_NAMESPACE}/pm-{self.lab.run_label}-"

    def _count_argv(self, type_: ServiceType) -> tuple[str, ...]:
        if self.backend is Backend.IPVS:
            return ipvs.HELD_ARGV
        if self.backend is Backend.NFTABLES:
            node_port = type_ is ServiceType.NODE_PORT
            return nft.map_argv("service-nodeports" if node_port else "service-ips", self._prefix)
        return self.chain_argv(type_)

    def _held(
        self, output: CommandOutput, type_: ServiceType, ports: Sequence[LadderPort]
    ) -> KernelPorts:
        if self.backend is Backend.IPVS:
            by_node = type_ is ServiceType.NODE_PORT
            expected = {
                (service.cluster_ip, port.number, port.node_port if by_node else None)
                for service, port in ports
            }
            return KernelPorts(*ipvs.parse_held(output, expected))
        if self.backend is Backend.NFTABLES:
            return KernelPorts(nft.parse_map(output).service_ports)
        return KernelPorts(iptables.parse_chain(output).service_ports)


@dataclass(frozen=True, slots=True)
class Proved:
    """Nodes that each have a mode of their own, by a host pod on each, seen once more before each
    trial: what somebody changes in between must not be taken for the other mode.
    """

    lab: Lab
    places: tuple[tuple[ExecTarget, str], ...]
    #: How many Service ports there are at most.
    ports: int

    def now(self) -> str:
        """Each node with its mode; VoidTrialError where a kernel shows another one."""
        outputs = self.lab.execute_all(
            [Command(place, backends.PROBE_ARGV) for place, _ in self.places],
            timeout_seconds=reading_seconds(self.ports),
        )
        for (place, mode), output in zip(self.places, outputs, strict=True):
            try:
                seen = backends.parse_probe(output).mode
            except PreconditionError as error:
                raise VoidTrialError(say("on_node", node=place.node, what=error.said)) from error
            if seen != mode:
                wrong = say("proxy_mode_wrong", mode=seen, expected=mode)
                raise VoidTrialError(say("on_node", node=place.node, what=wrong))
        return ", ".join(f"{place.node}: {mode}" for place, mode in self.places)


def observe(
    lab: Lab, places: Sequence[ExecTarget], expected_mode: str | None, ports: int = 0
) -> Kernel:
    """Find the backend that every node uses, with so many Service ports there already.

    Raises PreconditionError where there is none, where nodes differ, and where it is not of the
    kube-proxy mode that the block is for.
    """
    outputs = lab.execute_all(
        [Command(place, backends.PROBE_ARGV) for place in places],
        timeout_seconds=reading_seconds(ports),
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
