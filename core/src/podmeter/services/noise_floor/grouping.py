"""The runs of a cluster sorted by what they measured and in which environment: one book.

What two runs have in common may be told from each other by their noise alone: kind, parameters,
the case's point without what a block is set up with, where its ends sat, and an environment that
agrees in all that does not follow from a mode. Modes and days are what is compared, so each mode
is a condition of its own, and runs are what its figures lie apart by.
"""

import json
import uuid
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from pydantic import JsonValue

from podmeter.domain.axes import BLOCK_AXES, AxisValue, mode_axes
from podmeter.domain.comparability import independent_fields
from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.fingerprint import FINGERPRINT
from podmeter.domain.measurement import MetricDefinition
from podmeter.domain.modes import ARM
from podmeter.kinds.nodes import placing_parameters
from podmeter.kinds.registry import KINDS
from podmeter.services.run_results.blocks import CaseBlocks
from podmeter.services.run_results.runs import MeasuredCase
from podmeter.statistics import FloorArm, FloorRun, Floors, NoiseFloor, noise_floor

Point = tuple[tuple[str, AxisValue], ...]
#: What has a point and a placement.
Placed = MeasuredCase | CaseBlocks
#: What of an environment does not follow from a mode, as one text.
Environment = str


def spec_key(spec: ResolvedSpec) -> str:
    """What a spec measures, whatever its axes and repetition, as one text."""
    kind = KINDS.get(spec.kind)
    placing = placing_parameters(kind.parameters) if kind else frozenset()
    told = {name: value for name, value in spec.parameters.items() if name not in placing}
    return json.dumps([spec.kind, spec.kind_version, told], sort_keys=True)


def environment(content: Mapping[str, object]) -> dict[str, JsonValue]:
    """The fields of a fingerprint that do not follow from a mode."""
    return independent_fields(FINGERPRINT.read(content), mode_axes())


@dataclass(frozen=True, slots=True)
class FloorKey:
    """What a floor is of: a metric of a subject, in the cases of one point and placement."""

    point: Point
    placement: Point
    metric: str
    subject: str


def figure_of(case: Placed, metric: str, subject: str) -> FloorKey:
    """The figure that a case's sample is one of."""
    rest = tuple(sorted(item for item in case.point.items() if item[0] not in BLOCK_AXES))
    places = {} if case.placement is None else case.placement
    # Which nodes; what leads from one to the other follows from the mode.
    nodes = ((end, str(node)) for end, node in places.items() if end.endswith("_node"))
    placement = tuple(sorted(nodes))
    return FloorKey(rest, placement, metric, subject)


@dataclass(frozen=True)
class RunFigures:
    """What one run says of each figure in one environment, by condition (the modes)."""

    environment: dict[str, JsonValue]
    metrics: Mapping[FloorKey, MetricDefinition]
    main: frozenset[FloorKey]
    figures: Mapping[tuple[FloorKey, Point], FloorRun]


@dataclass
class EnvironmentGroup:
    """What runs in one environment say of each figure; of runs from `first_at` to `last_at`.

    By figure, then by condition (the modes): the runs. Not changed once it is put together.
    """

    environment: dict[str, JsonValue]
    runs: dict[uuid.UUID, datetime] = field(default_factory=dict)
    metrics: dict[FloorKey, MetricDefinition] = field(default_factory=dict)
    main: set[FloorKey] = field(default_factory=set)
    figures: dict[FloorKey, dict[Point, list[FloorRun]]] = field(default_factory=dict)
    _floors: dict[FloorKey, tuple[NoiseFloor | None, NoiseFloor] | None] = field(
        default_factory=dict
    )

    @property
    def first_at(self) -> datetime:
        """When the first of its runs was measured."""
        return min(self.runs.values())

    @property
    def last_at(self) -> datetime:
        """When the last of its runs was measured."""
        return max(self.runs.values())

    def add(self, run_id: uuid.UUID, moment: datetime, page: RunFigures) -> None:
        """Put what another run says to it."""
        self.runs[run_id] = moment
        self.metrics |= page.metrics
        self.main |= page.main
        for (figure, condition), run in page.figures.items():
            self.figures.setdefault(figure, {}).setdefault(condition, []).append(run)

    def floors(self, figure: FloorKey, *, covers: bool = True) -> Floors | None:
        """How far a figure differs from itself; None where nothing is known of it."""
        if figure not in self._floors:
            conditions = list(self.figures.get(figure, {}).values())
            absolute = noise_floor(conditions, relative=False)
            self._floors[figure] = (
                None if absolute is None else (noise_floor(conditions, relative=True), absolute)
            )
        found = self._floors[figure]
        return None if found is None else Floors(*found, covers)


def pages_of(
    run_id: uuid.UUID,
    cases: Iterable[CaseBlocks],
    known: Mapping[uuid.UUID, dict[str, JsonValue]],
) -> dict[Environment, RunFigures]:
    """What a run says, by environment. What was measured in several of them is left out.

    `known` are the environments of its fingerprints.
    """
    found: dict[Environment, _Draft] = {}
    for case in cases:
        fields = environment_of(case.fingerprints, known)
        if fields is None:
            continue
        draft = found.setdefault(json.dumps(fields, sort_keys=True), _Draft(fields))
        modes = sorted(item for item in case.point.items() if item[0] in BLOCK_AXES)
        condition = tuple(item for item in modes if item[0] != ARM)
        for one in case.figures:
            figure = figure_of(case, one.metric.name, one.subject)
            arms = draft.arms.setdefault((figure, condition), {})
            arms[case.point.get(ARM, "")] = one.arm
            draft.metrics[figure] = one.metric
            if one.main:
                draft.main.add(figure)
    return {text: draft.page(run_id) for text, draft in found.items()}


@dataclass
class _Draft:
    environment: dict[str, JsonValue]
    metrics: dict[FloorKey, MetricDefinition] = field(default_factory=dict)
    main: set[FloorKey] = field(default_factory=set)
    arms: dict[tuple[FloorKey, Point], dict[AxisValue, FloorArm]] = field(default_factory=dict)

    def page(self, run_id: uuid.UUID) -> RunFigures:
        """As it is now, each figure's arms in order."""
        figures = {
            key: FloorRun(run_id, tuple(arms[arm] for arm in sorted(arms, key=str)))
            for key, arms in self.arms.items()
        }
        return RunFigures(self.environment, self.metrics, frozenset(self.main), figures)


def chapters(
    told: Iterable[tuple[uuid.UUID, datetime, Mapping[Environment, RunFigures]]],
) -> list[EnvironmentGroup]:
    """The runs' pages by environment."""
    found: dict[Environment, EnvironmentGroup] = {}
    for run_id, moment, pages in told:
        for text, page in pages.items():
            found.setdefault(text, EnvironmentGroup(page.environment)).add(run_id, moment, page)
    return list(found.values())


def environment_of(
    fingerprints: Collection[uuid.UUID | None], known: Mapping[uuid.UUID, dict[str, JsonValue]]
) -> dict[str, JsonValue] | None:
    """The one environment that all the fingerprints are of; None where there is no such one."""
    seen = [known.get(one) if one is not None else None for one in fingerprints]
    if not seen or any(one != seen[0] for one in seen):
        return None
    return seen[0]
