"""How long Services take: rough figures of a small cluster, and what a cluster makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from podmeter.domain.trial import CREATING

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Creating n Services takes n / _FIRST_PER_SECOND + _EACH_LATER * n ** 2 s: on the testbed, of 2
#: CPUs, 11, 95 and 257 s to 1,000, 5,000 and 10,000, with kube-proxy keeping up.
_FIRST_PER_SECOND, _EACH_LATER = 80.0, 1.3e-6
#: Created within seconds, with 100 ports each, kube-proxy takes n * _FIRST_PORT + _EACH_PORT * n **
#: 2 s for n Service ports: there 21, 50, 100, 159, 249 and 518 s to 1,000, 5,000, 10,000, 15,000,
#: 20,000 and 30,000, iptables on one node and nftables on another.
_FIRST_PORT, _EACH_PORT = 5e-3, 0.42e-6
#: The names of a trial's facts.
_CREATED, _BEFORE, _PORTS = "services_created", "services_before", "service_ports_created"
#: Fewer say more of one request than of the API server's rate.
_TELLING = 50


def creating_seconds(services: int) -> float:
    """About how long the API server takes for so many Services on an empty cluster."""
    return services / _FIRST_PER_SECOND + _EACH_LATER * services**2


def syncing_seconds(ports: int) -> float:
    """About how long kube-proxy takes to write so many Service ports that exist at once."""
    return _FIRST_PORT * ports + _EACH_PORT * ports**2


def climbing_seconds(services: int, ports: int) -> float:
    """About how long it takes from nothing until the kernels hold so many: both go on at once."""
    return max(creating_seconds(services), syncing_seconds(ports))


@dataclass(frozen=True, slots=True)
class CreatedFacts:
    """What a trial tells of the Services that were created for its rung, in so many seconds.

    `before` are the Services of the run that existed already.
    """

    services: int
    before: int
    ports: int
    seconds: float

    @property
    def written(self) -> dict[str, str]:
        """As facts of the trial."""
        return {
            _CREATED: str(self.services),
            _BEFORE: str(self.before),
            _PORTS: str(self.ports),
            CREATING: f"{self.seconds:.1f} s",
        }

    @classmethod
    def read(cls, facts: Mapping[str, str]) -> Self | None:
        """Of a trial's facts; None where nothing was created, or by an older version."""
        try:
            services, before, ports = (int(facts[one]) for one in (_CREATED, _BEFORE, _PORTS))
            return cls(services, before, ports, float(facts[CREATING].removesuffix(" s")))
        except (KeyError, ValueError):
            return None

    @property
    def pace(self) -> tuple[float, float] | None:
        """The seconds, and what is assumed; None where too few were created to tell."""
        assumed = creating_seconds(self.before + self.services) - creating_seconds(self.before)
        return (self.seconds, assumed) if self.services >= _TELLING else None
