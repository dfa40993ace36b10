"""Where the testbed's files, addresses and names are."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from podmeter_testbed.errors import TestbedError

PROJECT = Path(__file__).resolve().parents[3]
GO_MODULES = PROJECT / "testbed" / "go"
BENCH_DOCKERFILE = PROJECT / "images" / "bench" / "Dockerfile"
KERNEL_CONFIG = PROJECT / "testbed" / "kernel" / "uml.config"

CONTROL_PLANE = "control-plane"
NODES = ("node-1", "node-2")
MACHINES = (CONTROL_PLANE, *NODES)

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
NODE_PORT_RANGE = "20000-65535"
MAX_PODS = 250
DEFAULT_SUBNET = "10.89.0.0/24"

BENCH_IMAGE = "docker.io/podmeter/bench:0.1.0"


class Kernel(StrEnum):
    """Which kernel the machines of a testbed run on."""

    MACHINE = "machine"
    UML = "uml"
    """One of its own, that runs as a process: kernel.py, user_mode.py."""


class Cni(StrEnum):
    """Whose pod network a testbed has."""

    FLANNEL = "flannel"
    CILIUM = "cilium"
    """Built and brought to the nodes only where it is asked for: cilium.py."""
    KUBE_ROUTER = "kube-router"
    """BGP between the nodes; with flannel it enforces NetworkPolicies only."""


@dataclass(frozen=True)
class Layout:
    """The files and addresses of one testbed; `state` is thrown away by `down`.

    `kernel` and `cni` are those that were asked for, None where any that runs will do.
    """

    state: Path
    cache: Path
    subnet: ipaddress.IPv4Network
    kernel: Kernel | None = None
    cni: Cni | None = None

    @classmethod
    def from_environment(cls) -> Layout:
        """Read PODMETER_TESTBED_STATE, _SUBNET, _KERNEL and _CNI, and XDG_CACHE_HOME.

        Raises TestbedError where the subnet is no IPv4 network of 256 addresses or more, and for a
        kernel or a pod network that there is none of.
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
        kernel, cni = _kernel(), _cni()
        if kernel is Kernel.UML and cni is Cni.CILIUM:
            raise TestbedError(
                f"CNI={cni} is for the kernel of this machine: its programs are compiled and "
                f"loaded on each node, which KERNEL={kernel} was not made for; leave one out"
            )
        return cls(state.absolute(), cache, subnet, kernel, cni)

    def address(self, name: str) -> str:
        """The address of `machine` (this machine's own) or of one of MACHINES."""
        offset = {"machine": 1, CONTROL_PLANE: 2, "node-1": 11, "node-2": 12}[name]
        return str(self.subnet.network_address + offset)

    @cached_property
    def load_balancer_pool(self) -> str:
        """The range that MetalLB hands out, `first-last`."""
        first = self.subnet.network_address + 200
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


def _kernel() -> Kernel | None:
    text = os.environ.get("PODMETER_TESTBED_KERNEL")
    if not text:
        return None
    if text not in list(Kernel):
        raise TestbedError(
            f"KERNEL={text} is none of {', '.join(Kernel)}; without it the testbed runs on "
            "the kernel of this machine"
        )
    return Kernel(text)


def _cni() -> Cni | None:
    text = os.environ.get("PODMETER_TESTBED_CNI")
    if not text:
        return None
    if text not in list(Cni):
        raise TestbedError(
            f"CNI={text} is none of {', '.join(Cni)}; without it the pod network is flannel's"
        )
    return Cni(text)
