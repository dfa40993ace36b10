"""What a scripted kernel holds of Services: a rule for each of their ports, at once.

kube-proxy of a real node follows later; here a rung is reached as soon as the API server has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.scripted.machine import Printed
from bench.scripted.store import Key, Store
from podmeter.drivers import program

#: Rules of every node, Services or not.
_RULES_ANYWAY = 40
#: kube-proxy writes so many for each port of a Service with one endpoint.
_RULES_A_PORT = 4


@dataclass
class ServiceRules:
    """Answers the commands that ask a node's kernel, or a Service; None to all others."""

    store: Store

    def printed(self, argv: Sequence[str]) -> Printed | None:
        """What a command prints."""
        if argv[0] != program.NAME:
            return None
        if argv[1] == "iptables-chain":
            return self._chain(argv[3], argv[4])
        if argv[1] == "iptables-count":
            rules = _RULES_ANYWAY + _RULES_A_PORT * sum(1 for _ in self._ports())
            return Printed(f"{rules} {rules} end\n")
        if argv[1] == "until-answered":
            return self._asked(argv[2])
        return None

    def _ports(self) -> Iterator[tuple[str, str, int, int | None]]:
        """Name as rules have it, address, port and node port of each port with an endpoint."""
        for service in self.store.all_of("v1", "services", "podmeter"):
            name, spec = service["metadata"]["name"], service["spec"]
            key = Key("discovery.k8s.io/v1", "endpointslices", "podmeter", name)
            slice_ = self.store.objects.get(key)
            led = {port["name"] for port in slice_["ports"]} if slice_ else set()
            for port in spec["ports"]:
                if port["name"] in led:
                    named = f"podmeter/{name}:{port['name']}"
                    yield named, spec["clusterIP"], port["port"], port.get("nodePort")

    def _chain(self, chain: str, prefix: str) -> Printed:
        inside = chain == "KUBE-SERVICES"
        names = [
            named
            for named, _, _, node_port in self._ports()
            if named.startswith(prefix) and (inside or node_port is not None)
        ]
        lines = [
            f'{number} -A {chain} -p tcp -m comment --comment "{names[number - 1]}" -j KUBE-SVC-X'
            for number in (1, len(names))
            if names
        ]
        return Printed("\n".join([f"{len(names) + 1} {len(names)}", *lines, "end", ""]))

    def _asked(self, url: str) -> Printed:
        address, _, port = url.removeprefix("http://").rstrip("/").partition(":")
        answers = any((ip, str(number)) == (address, port) for _, ip, number, _ in self._ports())
        return Printed("0 0 end\n") if answers else Printed(exit_code=1)
