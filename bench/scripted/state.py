"""What a fake cluster holds, whoever keeps it: a lab in memory, or the objects of an API server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from podmeter.domain.ports import ExecTarget, IngressPolicy, Service


class State(Protocol):
    """What the tools' answers depend on."""

    @property
    def places(self) -> Mapping[str, ExecTarget]:
        """The measuring pods, by name."""

    @property
    def pod_commands(self) -> Mapping[str, tuple[str, ...]]:
        """What each of them runs, by its name."""

    @property
    def services(self) -> Mapping[str, Service]:
        """The run's Services, by name, with the ports that lead to a backend."""

    @property
    def endpoints(self) -> Mapping[str, tuple[str, ...]]:
        """The addresses that a Service leads to, by its cluster IP."""

    @property
    def ingress_addresses(self) -> Mapping[str, str]:
        """The Services that Ingresses lead to, by the address of their controller."""

    @property
    def enforced(self) -> Mapping[str, IngressPolicy]:
        """The NetworkPolicies that the kernels enforce, by name."""
