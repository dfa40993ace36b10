"""The kind `throughput`: axes, cases, what it needs."""

from __future__ import annotations

from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING

from podmeter.domain.axes import NODE_PAIR_AXIS, AxisDefinition, AxisRole
from podmeter.domain.load import Load
from podmeter.domain.modes import ENCAPSULATION
from podmeter.domain.planning import Case, points
from podmeter.drivers import iperf3
from podmeter.kinds.limits import LoadShape
from podmeter.kinds.path_kind import PathKind
from podmeter.kinds.paths import Path, joins_its_pair, path_axis
from podmeter.kinds.throughput import metrics
from podmeter.kinds.throughput.block import prepare
from podmeter.kinds.throughput.parameters import ThroughputParameters
from podmeter.kinds.udp import LOST, UDP_LOSS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from podmeter.domain.axes import AxisValue
    from podmeter.domain.experiment import ResolvedSpec
    from podmeter.domain.planning import Block
    from podmeter.domain.ports import Lab
    from podmeter.kinds.kind import PreparedBlock

PATH = path_axis(
    (
        Path.NODE_NODE,
        Path.POD_POD,
        Path.POD_POD_SAME_NODE,
        Path.NODE_POD,
        Path.POD_NODE,
        Path.POD_SERVICE_POD,
    )
)
PROTOCOL = AxisDefinition(
    name="protocol",
    description="Transport protocol.",
    choices=("tcp", "udp"),
    default=("tcp", "udp"),
    role=AxisRole.APART,
)
STREAMS = AxisDefinition(
    name="streams",
    description="Number of parallel connections, one thread each.",
    minimum=1,
    maximum=128,
    default=(1, 8),
    role=AxisRole.CURVE,
)


class Throughput(PathKind):
    """iperf3 over six paths."""

    name = "throughput"
    version = 3
    timed = True
    metrics = metrics.METRICS
    parameters = ThroughputParameters
    tools = (iperf3.TOOL,)
    own_axes = (NODE_PAIR_AXIS, PATH, PROTOCOL, STREAMS)
    floor_mode = ENCAPSULATION
    floor_axes = MappingProxyType(
        {
            PATH.name: (Path.NODE_NODE, Path.POD_POD),
            PROTOCOL.name: ("tcp",),
            STREAMS.name: (1,),
        }
    )

    def cases(self, spec: ResolvedSpec) -> tuple[Case, ...]:
        """The matrix; of pairs of nodes what joins the two."""
        found = (Case.at(point) for point in points(spec.matrix))
        return tuple(case for case in found if joins_its_pair(case))

    def load_shape(self, spec: ResolvedSpec, point: Mapping[str, AxisValue]) -> LoadShape | None:
        """A thread for each stream on both ends, at the rate of its protocol if one is set."""
        streams = point.get(STREAMS.name)
        rate = spec.parameters.get(f"{point.get(PROTOCOL.name)}_bits_per_second")
        if not isinstance(streams, int):
            return None
        return LoadShape(
            threads=streams,
            server_threads=streams,
            rate=metrics.THROUGHPUT.name,
            set_rate=rate if isinstance(rate, int) and rate else None,
            lost={metrics.RETRANSMITS.name: metrics.RETRANSMITS.noise, UDP_LOSS.name: LOST},
        )

    def trial_seconds(self, case: Case, spec: ResolvedSpec) -> float:
        """iperf3's own time and a second around it."""
        return spec.repetition.seconds + 1.0

    def load(self, spec: ResolvedSpec, case: Case) -> Load:
        """The rate of its protocol, where one is set; specs of earlier versions set none of TCP."""
        name = f"{case.text(PROTOCOL.name)}_bits_per_second"
        rate = spec.parameters.get(name)
        return Load(
            bits_per_second=float(rate) if isinstance(rate, int) and rate else None,
            connections=case.number(STREAMS.name) + 1,
            bandwidth_parameters=(name,),
        )

    def pods(self, spec: ResolvedSpec) -> int:
        """Both ends of each path."""
        return 2 * len(spec.matrix[PATH.name])

    @contextmanager
    def prepared(self, lab: Lab, spec: ResolvedSpec, block: Block) -> Iterator[PreparedBlock]:
        """Client and server pods for the block's paths, and a Service where one is crossed."""
        parameters = spec.parameters_as(ThroughputParameters)
        with prepare(lab, parameters, spec.repetition, block) as prepared:
            yield prepared
