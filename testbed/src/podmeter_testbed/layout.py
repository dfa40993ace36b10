"""Where the testbed's files, addresses and names are."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass, field
from pathlib import Path

from podmeter_testbed.errors import TestbedError
from podmeter_testbed.settings import Nodes, Settings, Subnets, kept_nodes, kept_subnets

PROJECT = Path(__file__).resolve().parents[3]
GO_MODULES = PROJECT / "testbed" / "go"
BENCH_DOCKERFILE = PROJECT / "images" / "bench" / "Dockerfile"
KERNEL_CONFIG = PROJECT / "testbed" / "kernel" / "uml.config"
KERNEL_PATCHES = tuple(sorted(KERNEL_CONFIG.parent.glob("*.patch")))

CONTROL_PLANE = "control-plane"
#: Those of every testbed.
NODES = ("node-1", "node-2")
#: Only there if they are asked for (`Layout.nodes`).
FURTHER_NODES = ("node-3", "node-4", "node-5")

# The only device the testbed makes on the machine itself: its end of a veth pair to the bridge.
MACHINE_DEVICE = "podmeter0"
# Every process of the testbed is below this cgroup, which is how a later command finds them.
CGROUP = "podmeter-testbed"
# Where a machine sees the state directory and the cache, wherever they are outside.
INSIDE_STATE = Path("/run/podmeter/state")
INSIDE_CACHE = Path("/run/podmeter/cache")

POD_SUBNET = "10.244.0.0/16"
SERVICE_SUBNET = "10.96.0.0/12"
API_SERVICE_ADDRESS = "10.96.0.1"
DNS_SERVICE_ADDRESS = "10.96.0.10"
CLUSTER_DOMAIN = "cluster.local"
#: Above what the nodes themselves listen on, kube-router (20244) the highest.
NODE_PORT_RANGE = "20500-65535"
MAX_PODS = 250
DEFAULT_SUBNET = "10.89.0.0/24"

_OFFSETS = {"machine": 1, CONTROL_PLANE: 2} | {
    name: offset for offset, name in enumerate((*NODES, *FURTHER_NODES), 11)
}

BENCH_IMAGE = "docker.io/podmeter/bench:0.1.0"


@dataclass(frozen=True)
class Layout:
    """The files and addresses of one testbed, and what is `asked` of it; `down` removes `state`."""

    state: Path
    cache: Path
    subnet: ipaddress.IPv4Network
    asked: Settings = field(default_factory=Settings)

    @classmethod
    def from_environment(cls) -> Layout:
        """Read PODMETER_TESTBED_STATE and _SUBNET, XDG_CACHE_HOME, and the Settings.

        Raises TestbedError where the subnet is no IPv4 network of 256 addresses or more, and where
        the Settings do.
        """
        state = Path(os.environ.get("PODMETER_TESTBED_STATE") or PROJECT / ".testbed")
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        text = os.environ.get("PODMETER_TESTBED_SUBNET") or DEFAULT_SUBNET
        try:
            subnet = ipaddress.IPv4Network(text)
        except ValueError as error:
            raise TestbedError(
                f"PODMETER_TESTBED_SUBNET={text} is no IPv4 network ({error}); "
                f"write one like {DEFAULT_SUBNET}"
            ) from None
        if subnet.prefixlen > 24:
            raise TestbedError(f"PODMETER_TESTBED_SUBNET={text} is too small; it needs a /24")
        for taken in (POD_SUBNET, SERVICE_SUBNET):
            if subnet.overlaps(ipaddress.IPv4Network(taken)):
                raise TestbedError(
                    f"PODMETER_TESTBED_SUBNET={text} overlaps {taken}, which the cluster uses "
                    f"for pods or Services; choose another, like {DEFAULT_SUBNET}"
                )
        cache = Path(home).absolute() / "podmeter" / "testbed"
        return cls(state.absolute(), cache, subnet, Settings.from_environment())

    @property
    def nodes(self) -> tuple[str, ...]:
        """The names of its nodes: as the testbed was started, or else as asked."""
        count = kept_nodes(self.state) or self.asked.nodes or Nodes.TWO
        return (*NODES, *FURTHER_NODES)[: int(count)]

    @property
    def machines(self) -> tuple[str, ...]:
        """The names of all of its machines."""
        return (CONTROL_PLANE, *self.nodes)

    @property
    def subnets(self) -> Subnets:
        """How many subnets the nodes are in: as the testbed was started, or else as asked."""
        return kept_subnets(self.state) or self.asked.subnets or Subnets.ONE

    @property
    def routed_subnet(self) -> ipaddress.IPv4Network | None:
        """The subnet that node-2 has for itself, None where it is with the others."""
        return self._halves()[1] if self.subnets is Subnets.TWO else None

    @property
    def router(self) -> ipaddress.IPv4Interface:
        """The control plane's address in `routed_subnet`, by which all else is reached there."""
        behind = self._halves()[1]
        address = behind.network_address + _OFFSETS[CONTROL_PLANE]
        return ipaddress.IPv4Interface(f"{address}/{behind.prefixlen}")

    def network_of(self, name: str) -> ipaddress.IPv4Network:
        """The subnet of `machine` (this machine) or of one of `machines`."""
        if self.subnets is Subnets.ONE:
            return self.subnet
        return self._halves()[name == NODES[1]]

    def _halves(self) -> list[ipaddress.IPv4Network]:
        return list(self.subnet.subnets())

    def address(self, name: str) -> str:
        """The address of `machine` (this machine's own) or of one of `machines`."""
        return str(self.network_of(name).network_address + _OFFSETS[name])

    def interface(self, name: str) -> str:
        """The same with the prefix length of its subnet."""
        return f"{self.address(name)}/{self.network_of(name).prefixlen}"

    @property
    def load_balancer_pool(self) -> str:
        """The range that MetalLB hands out, `first-last`, in this machine's own subnet."""
        offset = 200 if self.subnets is Subnets.ONE else 64
        first = self.network_of("machine").network_address + offset
        return f"{first}-{first + 50}"

    @property
    def api_server(self) -> str:
        """The URL of kube-apiserver, as every machine and this one reach it."""
        return f"https://{self.address(CONTROL_PLANE)}:6443"

    @property
    def kubeconfig(self) -> Path:
        """The administrator's kubeconfig."""
        return self.state / "kubeconfig"

    @property
    def logs(self) -> Path:
        """One file for each daemon of each machine."""
        return self.state / "logs"

    def machine(self, name: str) -> Path:
        """The files of one machine."""
        return self.state / name
