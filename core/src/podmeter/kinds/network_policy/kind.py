"""The kind `network_policy`: axes, cases, what it needs."""

from __future__ import annotations

from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING

from podmeter.domain.axes import ROTATION_AXIS
from podmeter.domain.errors import PreconditionError
from podmeter.domain.load import Load
from podmeter.domain.modes import ENCAPSULATION
from podmeter.domain.ports import Access
from podmeter.drivers import curl, nginx, vegeta
from podmeter.drivers.netfilter import iptables
from podmeter.kinds.kind import Kind, PreparedBlock
from podmeter.kinds.limits import LoadShape
from podmeter.kinds.network_policy import axes, metrics
from podmeter.kinds.network_policy.block import CHECK_FACTOR, prepare
from podmeter.kinds.network_policy.parameters import NetworkPolicyParameters
from podmeter.kinds.sequential import until_answered_load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from podmeter.domain.axes import AxisValue
    from podmeter.domain.experiment import ResolvedSpec
    from podmeter.domain.planning import Block, Case
    from podmeter.domain.ports import Lab

#: Rough figures for the plan's duration, of a small cluster: a plan is not a promise.
_POLICIES_PER_SECOND = 100.0
_SECONDS_AROUND, _CONVERGENCE_SECONDS = 0.7, 2.0


class NetworkPolicy(Kind):
    """Requests to a server beside more and more policies."""

    name = "network_policy"
    version = 1
    timed = False
    metrics = metrics.METRICS
    parameters = NetworkPolicyParameters
    tools = (vegeta.TOOL, nginx.TOOL, curl.TOOL, iptables.TOOL)
    floor_mode = ENCAPSULATION
    floor_axes = MappingProxyType(
        {
            axes.POLICIES.name: (0, 50),
            axes.RESPONSE_SIZE.name: ("0.5k",),
            axes.KEEP_ALIVE.name: ("off",),
        }
    )
    own_axes = (ROTATION_AXIS, *axes.AXES)

    def cases(self, spec: ResolvedSpec) -> tuple[Case, ...]:
        """The matrix, and the way up to each number of policies."""
        return axes.cases(spec)

    def load_shape(self, spec: ResolvedSpec, point: Mapping[str, AxisValue]) -> LoadShape | None:
        """Vegeta sends at a set rate, on as many CPUs as there are."""
        body = axes.BYTES.get(str(point.get(axes.RESPONSE_SIZE.name)))
        if body is None:
            return None
        try:
            rate = spec.parameters_as(NetworkPolicyParameters).rate(body)
        except PreconditionError:
            return None  # of a version with other parameters
        return LoadShape(threads=None, rate=metrics.REQUEST_RATE.name, set_rate=rate)

    def access(self, spec: ResolvedSpec, cases: Iterable[Case]) -> frozenset[Access]:
        """The pod network; the nodes too where their rules are read."""
        reads = spec.parameters_as(NetworkPolicyParameters).read_rules
        return frozenset({Access.POD, *({Access.HOST_ADMIN} if reads else ())})

    def nodes(self, spec: ResolvedSpec, case: Case) -> int:
        """The clients are on another node than the server."""
        return 2

    def trial_seconds(self, case: Case, spec: ResolvedSpec) -> float:
        """By the rate that is asked for; the way up by the policies that it creates."""
        if axes.is_climb(case):
            height = case.number(axes.POLICIES.name)
            below = max((rung for rung in self._rungs(spec) if rung < height), default=0)
            return (height - below) / _POLICIES_PER_SECOND + _CONVERGENCE_SECONDS
        parameters = spec.parameters_as(NetworkPolicyParameters)
        rate = parameters.rate(axes.BYTES[case.text(axes.RESPONSE_SIZE.name)])
        return parameters.requests / rate + _SECONDS_AROUND

    def load(self, spec: ResolvedSpec, case: Case) -> Load:
        """The rate at which the path is checked before, which is above that of the trials."""
        if axes.is_climb(case):
            return until_answered_load()
        parameters = spec.parameters_as(NetworkPolicyParameters)
        body = axes.BYTES[case.text(axes.RESPONSE_SIZE.name)]
        rate = CHECK_FACTOR * parameters.rate(body)
        return Load(
            requests_per_second=rate,
            bits_per_second=8 * rate * body,
            connections=parameters.requests,
            rate_parameters=("requests_per_second",),
            bandwidth_parameters=("megabits_per_second", "requests_per_second"),
        )

    def pods(self, spec: ResolvedSpec) -> int:
        """The server, the client and the client that is denied."""
        return 3

    @contextmanager
    def prepared(self, lab: Lab, spec: ResolvedSpec, block: Block) -> Iterator[PreparedBlock]:
        """A server, an allowed and a denied client; verifies that the policy is enforced."""
        parameters = spec.parameters_as(NetworkPolicyParameters)
        with prepare(lab, parameters, self._rungs(spec), block) as prepared:
            yield prepared

    def _rungs(self, spec: ResolvedSpec) -> tuple[int, ...]:
        return tuple(int(rung) for rung in spec.matrix[axes.POLICIES.name])
