"""What a noise floor takes of a run: of each case its figures' blocks."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from podmeter.domain.measurement import Direction, MetricDefinition
from podmeter.services.run_results.runs import MeasuredRun, Point
from podmeter.statistics import FloorArm


@dataclass(frozen=True, slots=True)
class FigureBlocks:
    """One metric of one case by its blocks; `main` is what the case is about."""

    metric: MetricDefinition
    subject: str
    main: bool
    arm: FloorArm


@dataclass(frozen=True, slots=True)
class CaseBlocks:
    """A case with what tells whether another run's is the same; see `MeasuredCase`."""

    point: Point
    placement: Mapping[str, str | None] | None
    fingerprints: frozenset[uuid.UUID | None]
    figures: tuple[FigureBlocks, ...]


def case_blocks(measured: MeasuredRun) -> tuple[CaseBlocks, ...]:
    """The cases that have a figure with a direction."""
    found = []
    for case in measured.cases:
        main = measured.main(case.id)
        figures = tuple(
            FigureBlocks(one.metric, one.subject, one is main, FloorArm.of(one.sample))
            for one in measured.samples(case.id)
            if one.metric.direction is not Direction.NONE
        )
        if figures:
            found.append(CaseBlocks(case.point, case.placement, case.fingerprints, figures))
    return tuple(found)
