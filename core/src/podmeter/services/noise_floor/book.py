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

from podmeter.domain.axes import BLOCK_AXES, SHARED_AXES, AxisScope, AxisValue
from podmeter.domain.comparability import besides
from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.fingerprint import Fingerprint
from podmeter.domain.measurement import Direction, MetricDefinition
from podmeter.domain.modes import ARM
from podmeter.experiments.nodes import placing_parameters
from podmeter.experiments.registry import KINDS
from podmeter.services.measured.runs import MeasuredCase, MeasuredRun
from podmeter.statistics import FloorRun, Floors, Sample, noise_floor

_MODES = tuple(axis for axis in SHARED_AXES if axis.scope is AxisScope.CLUSTER_MODE)
Point = tuple[tuple[str, AxisValue], ...]
#: What of an environment does not follow from a mode, as one text.
Environment = str


def thing(spec: ResolvedSpec) -> str:
    """What a spec measures, whatever its axes and repetition, as one text."""
    kind = KINDS.get(spec.kind)
    placing = placing_parameters(kind.parameters) if kind else frozenset()
    told = {name: value for name, value in spec.parameters.items() if name not in placing}
    return json.dumps([spec.kind, spec.kind_version, told], sort_keys=True)


def environment(content: Mapping[str, object]) -> dict[str, JsonValue]:
    """The fields of a fingerprint that do not follow from a mode."""
    return besides(Fingerprint.model_validate(content), _MODES)


@dataclass(frozen=True, slots=True)
class Figure:
    """What a floor is of: a metric of a subject, in the cases of one point and placement."""

    point: Point
    placement: Point
    metric: str
    subject: str


def figure_of(case: MeasuredCase, metric: str, subject: str) -> Figure:
    """The figure that a case's sample is one of."""
    rest = tuple(sorted(item for item in case.point.items() if item[0] not in BLOCK_AXES))
    places = {} if case.placement is None else case.placement
    # Which nodes; what leads from one to the other follows from the mode.
    nodes = ((end, str(node)) for end, node in places.items() if end.endswith("_node"))
    placement = tuple(sorted(nodes))
    return Figure(rest, placement, metric, subject)


@dataclass
class Chapter:
    """What runs in one environment say of each figure; of runs from `first_at` to `last_at`.

    By figure, then by condition (the modes), then by run: the samples of its arms in order.
    """

    environment: dict[str, JsonValue]
    runs: dict[uuid.UUID, datetime] = field(default_factory=dict)
    metrics: dict[Figure, MetricDefinition] = field(default_factory=dict)
    main: set[Figure] = field(default_factory=set)
    figures: dict[Figure, dict[Point, dict[uuid.UUID, dict[AxisValue, Sample]]]] = field(
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

    def floors(self, figure: Figure, *, covers: bool = True) -> Floors | None:
        """How far a figure differs from itself; None where nothing is known of it."""
        conditions = [
            [
                FloorRun(run_id, tuple(arms[arm] for arm in sorted(arms, key=str)))
                for run_id, arms in by_run.items()
            ]
            for by_run in self.figures.get(figure, {}).values()
        ]
        absolute = noise_floor(conditions, relative=False)
        if absolute is None:
            return None
        return Floors(noise_floor(conditions, relative=True), absolute, covers)


def chapters(
    measured: Iterable[tuple[MeasuredRun, datetime]],
    contents: Mapping[uuid.UUID, Mapping[str, object]],
) -> dict[Environment, Chapter]:
    """The runs' samples by environment. What was measured in several of them is left out."""
    found: dict[Environment, Chapter] = {}
    known = {id_: environment(content) for id_, content in contents.items()}
    for run, moment in measured:
        for case in run.cases:
            fields = environment_of(case.fingerprints, known)
            if fields is None:
                continue
            chapter = found.setdefault(_text(fields), Chapter(fields))
            for one in run.samples(case.id):
                if one.metric.direction is Direction.NONE:
                    continue
                figure = figure_of(case, one.metric.name, one.subject)
                modes = tuple(sorted(item for item in case.point.items() if item[0] in BLOCK_AXES))
                arm = case.point.get(ARM, "")
                condition = tuple(item for item in modes if item[0] != ARM)
                by_run = chapter.figures.setdefault(figure, {}).setdefault(condition, {})
                by_run.setdefault(run.run.id, {})[arm] = one.sample
                chapter.metrics[figure] = one.metric
                chapter.runs[run.run.id] = moment
                if one is run.main(case.id):
                    chapter.main.add(figure)
    return found


def environment_of(
    fingerprints: Collection[uuid.UUID | None], known: Mapping[uuid.UUID, dict[str, JsonValue]]
) -> dict[str, JsonValue] | None:
    """The one environment that all the fingerprints are of; None where there is no such one."""
    seen = [known.get(one) if one is not None else None for one in fingerprints]
    if not seen or any(one != seen[0] for one in seen):
        return None
    return seen[0]


def _text(fields: Mapping[str, JsonValue]) -> Environment:
    return json.dumps(fields, sort_keys=True)
