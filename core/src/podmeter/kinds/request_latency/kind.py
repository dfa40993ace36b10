"""The kind `request_latency`: axes, cases, what it needs."""

from __future__ import annotations

from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING

from podmeter.domain.axes import ROTATION_AXIS
from podmeter.domain.modes import KUBE_PROXY_MODE
from podmeter.domain.planning import Case, points
from podmeter.drivers import curl
from podmeter.kinds.limits import LoadShape
from podmeter.kinds.path_ends import nodes_of
from podmeter.kinds.path_kind import PathKind
from podmeter.kinds.paths import ENDS, OUTSIDE, AddressKind, Path, path_axis
from podmeter.kinds.request_latency import metrics
from podmeter.kinds.request_latency.block import prepare
from podmeter.kinds.request_latency.parameters import RequestLatencyParameters
from podmeter.kinds.sequential import sequential_load
from podmeter.kinds.services import Spread

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from podmeter.domain.axes import AxisValue
    from podmeter.domain.experiment import ResolvedSpec
    from podmeter.domain.load import Load
    from podmeter.domain.planning import Block
    from podmeter.domain.ports import Lab
    from podmeter.kinds.kind import PreparedBlock

_PATHS = (
    Path.POD_POD,
    Path.NODE_POD,
    Path.NODE_SERVICE,
    Path.POD_SERVICE_POD,
    Path.POD_SERVICE_NAME,
    Path.NODE_NODE_PORT,
    Path.OUTSIDE_NODE_PORT,
    Path.OUTSIDE_LOAD_BALANCER,
    Path.POD_INGRESS,
    Path.OUTSIDE_INGRESS,
)
#: Not every Podmeter has a client outside, nor every cluster an ingress controller.
PATH = path_axis(
    _PATHS,
    default=[
        path
        for path in _PATHS
        if ENDS[path].client != OUTSIDE and ENDS[path].via is not AddressKind.INGRESS
    ],
    new_connections=True,
)
#: About what one request takes with its process, and a trial besides, for the plan.
_REQUEST_SECONDS, _SECONDS_AROUND = 0.02, 1.0


class RequestLatency(PathKind):
    """curl over the paths by which a service is asked."""

    name = "request_latency"
    version = 2
    timed = False
    metrics = metrics.METRICS
    parameters = RequestLatencyParameters
    tools = (curl.TOOL,)
    outside_tools = tools
    own_axes = (ROTATION_AXIS, PATH)
    floor_mode = KUBE_PROXY_MODE
    floor_axes = MappingProxyType({PATH.name: (Path.POD_POD, Path.POD_SERVICE_POD)})

    def cases(self, spec: ResolvedSpec) -> tuple[Case, ...]:
        """The whole matrix."""
        return tuple(Case.at(point) for point in points(spec.matrix))

    def load_shape(self, spec: ResolvedSpec, point: Mapping[str, AxisValue]) -> LoadShape | None:
        """One request after another."""
        return LoadShape(at_once=1)

    def nodes(self, spec: ResolvedSpec, case: Case) -> int:
        """What crosses nodes sits on two."""
        placement = spec.parameters_as(RequestLatencyParameters).placement
        return nodes_of(Path(case.text(PATH.name)), Spread(placement))

    def trial_seconds(self, case: Case, spec: ResolvedSpec) -> float:
        """The requests, one after another."""
        parameters = spec.parameters_as(RequestLatencyParameters)
        return parameters.requests * _REQUEST_SECONDS + _SECONDS_AROUND

    def load(self, spec: ResolvedSpec, case: Case) -> Load:
        """One request after another."""
        parameters = spec.parameters_as(RequestLatencyParameters)
        return sequential_load(parameters.requests + 1, parameters.body_bytes)

    def pods(self, spec: ResolvedSpec) -> int:
        """Clients of two networks, and the servers."""
        return 2 + spec.parameters_as(RequestLatencyParameters).replicas

    @contextmanager
    def prepared(self, lab: Lab, spec: ResolvedSpec, block: Block) -> Iterator[PreparedBlock]:
        """Client and server pods for the block's paths, and a Service where one is crossed."""
        with prepare(lab, spec.parameters_as(RequestLatencyParameters), block) as prepared:
            yield prepared
