"""What is asked for of a testbed by environment variables, and kept with one that was started."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar

from podmeter_testbed.errors import TestbedError
from podmeter_testbed.link import Link

if TYPE_CHECKING:
    from pathlib import Path

_Choice = TypeVar("_Choice", bound=StrEnum)


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


class Subnets(StrEnum):
    """How many subnets the nodes of a testbed are in."""

    ONE = "1"
    TWO = "2"
    """node-2 is in one of its own, behind the control plane as a router."""


class Nodes(StrEnum):
    """How many nodes a testbed has."""

    TWO = "2"
    THREE = "3"
    """One more than most experiments measure: what a run does to the rest of a cluster shows there.
    """
    FOUR = "4"
    """Two for each of two modes that are measured side by side."""
    FIVE = "5"
    """One more than those."""


class AddOn(StrEnum):
    """What a testbed has only where it is needed; a testbed that is up can get it later."""

    LOAD_BALANCERS = "load-balancers"
    """MetalLB, which gives addresses to Services of type LoadBalancer."""
    NETWORK_POLICIES = "network-policies"
    """kube-router beside flannel; other pod networks enforce NetworkPolicies by themselves."""

    @classmethod
    def parse(cls, text: str) -> frozenset[AddOn]:
        """Names with commas or spaces between them. Raises TestbedError for unknown ones."""
        names = text.replace(",", " ").split()
        for name in names:
            if name not in list(cls):
                raise TestbedError(
                    f"ADDONS={text}: there is no add-on {name}, only {', '.join(cls)}"
                )
        return frozenset(map(cls, names))


@dataclass(frozen=True)
class Settings:
    """What was asked for, None where any that runs will do."""

    kernel: Kernel | None = None
    cni: Cni | None = None
    link: Link | None = None
    subnets: Subnets | None = None
    nodes: Nodes | None = None
    add_ons: frozenset[AddOn] = frozenset()

    @classmethod
    def from_environment(cls) -> Settings:
        """Read PODMETER_TESTBED_KERNEL, _CNI, _LINK, _SUBNETS, _NODES and _ADDONS.

        Raises TestbedError for what there is none of, and for what excludes each other.
        """
        kernel = _one_of(Kernel, "KERNEL", "the testbed runs on the kernel of this machine")
        cni = _one_of(Cni, "CNI", "the pod network is flannel's")
        subnets = _one_of(Subnets, "SUBNETS", "the nodes are in one subnet")
        nodes = _one_of(Nodes, "NODES", "there are two nodes")
        text = os.environ.get("PODMETER_TESTBED_LINK", "").strip()
        link = Link.parse(text) if text else None
        if kernel is Kernel.UML and cni is Cni.CILIUM:
            raise TestbedError(
                f"CNI={cni} is for the kernel of this machine: its programs are compiled and "
                f"loaded on each node, which KERNEL={kernel} was not made for; leave one out"
            )
        if kernel is Kernel.UML and nodes not in (None, Nodes.TWO):
            raise TestbedError(
                f"NODES={nodes} is for the kernel of this machine: KERNEL={kernel} has memory and "
                "a disk for two nodes; leave one out"
            )
        if subnets is Subnets.TWO and cni is Cni.KUBE_ROUTER and kernel is not Kernel.UML:
            raise TestbedError(
                f"SUBNETS={subnets} with CNI={cni} takes IP in IP between the nodes, which the "
                f"kernel of this machine may lack; add KERNEL={Kernel.UML}, or leave one out"
            )
        if link is not None and link.delay is not None and kernel is not Kernel.UML:
            raise TestbedError(
                f"LINK={text}: there is no netem on the kernel of this machine, which a delay "
                f"takes; add KERNEL={Kernel.UML}, or leave the delay out"
            )
        add_ons = AddOn.parse(os.environ.get("PODMETER_TESTBED_ADDONS", ""))
        return cls(kernel, cni, link, subnets, nodes, add_ons)

    def keep(self, state: Path) -> None:
        """Write down what a testbed is started with; its kernel tells itself."""
        (state / "cni").write_text(self.cni or Cni.FLANNEL)
        (state / "link").write_text(str(self.link or ""))
        (state / "subnets").write_text(self.subnets or Subnets.ONE)
        (state / "nodes").write_text(self.nodes or Nodes.TWO)


def kept_cni(state: Path) -> Cni:
    """Whose the pod network of a testbed is."""
    return Cni(_kept(state, "cni") or Cni.FLANNEL)


def kept_add_ons(state: Path) -> frozenset[AddOn]:
    """What a testbed has besides."""
    return AddOn.parse(_kept(state, "add-ons"))


def keep_add_ons(state: Path, add_ons: frozenset[AddOn]) -> None:
    """Write down what a testbed has besides, once that runs."""
    (state / "add-ons").write_text(" ".join(sorted(add_ons)))


def kept_link(state: Path) -> Link | None:
    """What the links of a testbed's nodes are limited to, None where they are not."""
    text = _kept(state, "link")
    return Link.parse(text) if text else None


def kept_subnets(state: Path) -> Subnets | None:
    """How many subnets a testbed's nodes are in, None where none was started."""
    text = _kept(state, "subnets")
    return Subnets(text) if text else None


def kept_nodes(state: Path) -> Nodes | None:
    """How many nodes a testbed has, None where none was started."""
    text = _kept(state, "nodes")
    return Nodes(text) if text else None


def _kept(state: Path, name: str) -> str:
    with contextlib.suppress(FileNotFoundError):
        return (state / name).read_text()
    return ""


def _one_of(choices: type[_Choice], name: str, otherwise: str) -> _Choice | None:
    text = os.environ.get(f"PODMETER_TESTBED_{name}")
    if not text:
        return None
    if text not in list(choices):
        raise TestbedError(f"{name}={text} is none of {', '.join(choices)}; without it {otherwise}")
    return choices(text)
