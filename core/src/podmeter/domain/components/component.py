"""What a component of a cluster whose mode can be switched says of itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from podmeter.domain.modes import Encapsulation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from podmeter.domain.guards import Guard
    from podmeter.domain.rights import Right


@dataclass(frozen=True, slots=True)
class PodNetwork:
    """A pod network.

    It runs as one of its `daemon_sets`, or as one with a label `app`, `k8s-app` or
    `app.kubernetes.io/name` that is one of its `labels`. `wraps` is what it wraps packets in
    where that cannot be switched by Podmeter, "none" for nothing; None where Podmeter switches it
    or its settings decide. `in_proxys_place` says that it does what kube-proxy does elsewhere,
    `beside` that it runs beside other networks too, for policies alone. `annotation` is where it
    writes on each node what it wraps packets in, also where no DaemonSet runs it.
    """

    id: str
    title: str
    daemon_sets: tuple[str, ...]
    labels: tuple[str, ...] = ()
    wraps: str | None = None
    in_proxys_place: bool = False
    beside: bool = False
    annotation: str | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """The ConfigMap that a fingerprint shows settings of, and what it shows of its texts.

    It is in the first of the `namespaces` that has it; without any, in the DaemonSet's own.
    """

    config_map: str
    features: Callable[[Mapping[str, str]], dict[str, str]]
    namespaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Component:
    """A component by which an axis is switched, and all that follows from it.

    `name` is what people call it; a saved mode is stored under it. `values` are the modes that it
    can be switched to, on its axis. `rights` are what switching it needs in addition to what every
    switch needs, and `guards` restrict their use. `devices` are patterns of the network
    devices that come and go with its modes. `follows` are the fields of a fingerprint that its
    modes change, `absent_with` those that one mode has and another has not; both are patterns of
    dotted names.

    `networks` are the pod networks that it is. Of these `tunnels` are regular expressions of device
    names that tell an encapsulation where the device's kind does not, and `untunnelled` is the
    value of packets that leave by the node's own device. Behind `hiding` devices a program decides
    how packets go. `settings` are what a fingerprint shows of it.
    """

    name: str
    axis: str
    values: tuple[str, ...]
    rights: tuple[Right, ...]
    guards: tuple[Guard, ...]
    devices: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    absent_with: tuple[str, ...] = ()
    tunnels: Mapping[str, str] = field(default_factory=dict)
    hiding: tuple[str, ...] = ()
    untunnelled: str = Encapsulation.NONE
    networks: tuple[PodNetwork, ...] = ()
    settings: Settings | None = None

    @property
    def fields(self) -> tuple[str, ...]:
        """All fields that may differ with its mode, its devices' MTUs among them."""
        return (*self.follows, *(f"nodes.*.mtus.{device}" for device in self.devices))
