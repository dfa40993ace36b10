"""The kind `transport`: axes, cases, what it needs."""

from __future__ import annotations

from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from podmeter.domain.axes import NODE_PAIR_AXIS, AxisDefinition, AxisRole
from podmeter.domain.load import UNPACED, Load
from podmeter.domain.modes import ENCAPSULATION
from podmeter.domain.planning import Case, points
from podmeter.drivers import qperf
from podmeter.drivers.qperf_text import CONF, TESTS
from podmeter.kinds.limits import LoadShape
from podmeter.kinds.path_kind import PathKind
from podmeter.kinds.paths import ENDS, Path, path_axis
from podmeter.kinds.sequential import sequential_load
from podmeter.kinds.transport import metrics
from podmeter.kinds.transport.block import prepare
from podmeter.kinds.transport.parameters import TransportParameters
from podmeter.kinds.udp import LOST, UDP_LOSS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from podmeter.domain.axes import AxisValue
    from podmeter.domain.experiment import ResolvedSpec
    from podmeter.domain.planning import Block
    from podmeter.domain.ports import Lab
    from podmeter.kinds.kind import PreparedBlock

PATH = path_axis((Path.NODE_NODE, Path.POD_POD, Path.POD_SERVICE_POD))
QPERF_TEST = AxisDefinition(
    name="qperf_test",
    description="What qperf measures; `conf` is who answers connections over a Service.",
    choices=(*TESTS, CONF),
    default=(*TESTS, CONF),
    role=AxisRole.APART,
)
#: About what starting qperf, its handshake and one connection take, for the plan.
_SECONDS_AROUND, _CONNECTION_SECONDS = 0.6, 0.01


class Transport(PathKind):
    """qperf over three paths."""

    name = "transport"
    version = 1
    timed = False
    metrics = metrics.METRICS
    parameters = TransportParameters
    tools = (qperf.TOOL,)
    own_axes = (NODE_PAIR_AXIS, PATH, QPERF_TEST)
    floor_mode = ENCAPSULATION
    floor_axes = MappingProxyType(
        {
            PATH.name: (Path.NODE_NODE, Path.POD_POD),
            QPERF_TEST.name: ("tcp_bw", "tcp_lat"),
        }
    )

    def cases(self, spec: ResolvedSpec) -> tuple[Case, ...]:
        """The matrix; only over a Service there is more than one that may answer.

        Who of them does is nothing that a pair of nodes tells.
        """
        found = [Case.at(point) for point in points(spec.matrix)]
        return tuple(
            case
            for case in found
            if case.text(QPERF_TEST.name) != CONF
            or (
                case.get(NODE_PAIR_AXIS.name) is None
                and ENDS[Path(case.text(PATH.name))].through_service
            )
        )

    def load_shape(self, spec: ResolvedSpec, point: Mapping[str, AxisValue]) -> LoadShape | None:
        """Qperf and its server are one thread each; latency is of one message at a time."""
        test = point.get(QPERF_TEST.name)
        if test in ("tcp_lat", "udp_lat"):
            return LoadShape(server_threads=1, at_once=1)
        if test in ("tcp_bw", "udp_bw"):
            return LoadShape(server_threads=1, lost={UDP_LOSS.name: LOST})
        return None

    def trial_seconds(self, case: Case, spec: ResolvedSpec) -> float:
        """The test's own time, or that of its connections."""
        parameters = spec.parameters_as(TransportParameters)
        test = case.text(QPERF_TEST.name)
        if test == CONF:
            return parameters.connections * _CONNECTION_SECONDS + _SECONDS_AROUND
        return parameters.seconds_of(cast("qperf.Transfer", test)) + _SECONDS_AROUND

    def load(self, spec: ResolvedSpec, case: Case) -> Load:
        """Qperf sends as fast as it can; who answers is asked connection by connection."""
        if case.text(QPERF_TEST.name) != CONF:
            return UNPACED
        return sequential_load(spec.parameters_as(TransportParameters).connections)

    def pods(self, spec: ResolvedSpec) -> int:
        """Both ends of each path, and the further servers of the Service."""
        further = spec.parameters_as(TransportParameters).replicas - 1
        return 2 * len(spec.matrix[PATH.name]) + further

    @contextmanager
    def prepared(self, lab: Lab, spec: ResolvedSpec, block: Block) -> Iterator[PreparedBlock]:
        """Client and server pods for the block's paths, and Services where one is crossed."""
        with prepare(lab, spec.parameters_as(TransportParameters), block) as prepared:
            yield prepared
