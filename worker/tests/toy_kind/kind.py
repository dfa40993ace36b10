"""The kind `toy_echo`: axes, cases, what it needs."""

from __future__ import annotations

from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING

from podmeter.domain.axes import AxisDefinition, AxisRole
from podmeter.domain.modes import ENCAPSULATION
from podmeter.domain.planning import Case, points
from podmeter.kinds.path_kind import PathKind
from podmeter.kinds.paths import Path, path_axis

from . import metrics, toyecho
from .block import prepare
from .parameters import ToyEchoParameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from podmeter.domain.experiment import ResolvedSpec
    from podmeter.domain.planning import Block
    from podmeter.domain.ports import Lab
    from podmeter.kinds.kind import PreparedBlock

PATH = path_axis((Path.NODE_NODE, Path.POD_POD, Path.POD_SERVICE_POD))
SIZE = AxisDefinition(
    name="size",
    description="Bytes of an echo.",
    minimum=1,
    maximum=65_536,
    default=(1, 100, 10_000),
    ladder=True,
    role=AxisRole.CURVE,
)
LANGUAGE = AxisDefinition(
    name="language",
    description="What is said.",
    choices=("en", "zh"),
    default=("en", "zh"),
    role=AxisRole.APART,
)


class ToyEcho(PathKind):
    """toyecho over three paths."""

    name = "toy_echo"
    version = 1
    timed = False
    metrics = metrics.METRICS
    parameters = ToyEchoParameters
    tools = (toyecho.TOOL,)
    own_axes = (PATH, SIZE, LANGUAGE)
    floor_mode = ENCAPSULATION
    floor_axes = MappingProxyType({PATH.name: (Path.POD_POD,), LANGUAGE.name: ("en",)})

    def cases(self, spec: ResolvedSpec) -> tuple[Case, ...]:
        """The whole matrix."""
        return tuple(Case.at(point) for point in points(spec.matrix))

    def trial_seconds(self, case: Case, spec: ResolvedSpec) -> float:
        """It takes a second."""
        return 1.0

    @contextmanager
    def prepared(self, lab: Lab, spec: ResolvedSpec, block: Block) -> Iterator[PreparedBlock]:
        """Client and server pods for the block's paths, and a Service where one is crossed."""
        parameters = spec.parameters_as(ToyEchoParameters)
        with prepare(lab, parameters, block) as prepared:
            yield prepared
