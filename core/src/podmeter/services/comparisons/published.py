"""A reference as the baseline: what was measured beside what was published, and no test of it.

A published figure has no repetitions of its own, and was measured on machines that nobody here
has. So the change is shown, without an interval, and no verdict says that something differs.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from podmeter.domain.axes import AxisValue
from podmeter.domain.comparability import Comparability
from podmeter.domain.measurement import Direction
from podmeter.domain.messages import say
from podmeter.domain.problems import Problem
from podmeter.domain.run import CaseStatus
from podmeter.kinds.registry import IMPORTED, metrics_of
from podmeter.references.cells import Cell
from podmeter.references.library import Published
from podmeter.results.projected import Key, Projected
from podmeter.services.comparisons.build import case_ref, compared_run
from podmeter.services.comparisons.counted import marked
from podmeter.services.comparisons.document import (
    ComparedRun,
    Contender,
    FieldDifference,
    Gate,
    Pair,
)
from podmeter.services.comparisons.effects import tally
from podmeter.services.comparisons.gate import UNKNOWN_FIELD
from podmeter.services.comparisons.pairing import Chosen, Part, pair
from podmeter.services.comparisons.request import InvalidComparisonError, PublishedSide
from podmeter.services.run_results import effect_rows
from podmeter.services.run_results.effect_rows import effects_of
from podmeter.services.run_results.figures import Figure, figure
from podmeter.services.run_results.runs import MeasuredCase
from podmeter.statistics import Level, Reason, Sample, Verdict, median

#: What its gate says of the environment: published there, recorded here.
_DIFFERENCE = FieldDifference(UNKNOWN_FIELD, "published", "recorded", None)
_Metric = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class PublishedPart(Part):
    """A part of a reference, its figures by case and metric with its unit."""

    published: Published
    figures: Mapping[int, Mapping[_Metric, Cell]]


def choose(side: PublishedSide, published: Published, kind: str) -> PublishedPart:
    """The side's figures that metrics of the kind are the same thing as, a case for each point.

    Raises InvalidComparisonError where there is none.
    """
    known = {(one.name, one.unit.value) for one in metrics_of(kind).values()}
    found: dict[frozenset[tuple[str, AxisValue]], dict[_Metric, Cell]] = {}
    for cell in published.cells:
        metric = (cell.metric or "", cell.figure.unit.value)
        of_kind = kind in (IMPORTED.name, *published.reference.kinds)
        if cell.restates or metric not in known or not of_kind:
            continue
        for point in cell.points:
            if all(point.get(axis) == value for axis, value in side.where.items()):
                found.setdefault(frozenset(point.items()), {})[metric] = cell
    if not found:
        raise InvalidComparisonError([Problem("/baseline/reference_id", say("nothing_published"))])
    cases = [_case(number, dict(point)) for number, point in enumerate(found, 1)]
    return PublishedPart(
        where=side.where,
        cases=tuple(cases),
        pointer="/baseline",
        published=published,
        figures=dict(enumerate(found.values(), 1)),
    )


def compared(part: PublishedPart) -> ComparedRun:
    """The side in the document's shape; its `reference_id` says that it is published."""
    reference = part.published.reference
    return ComparedRun(
        run_id=None,
        name=reference.title,
        label=reference.title,
        where=dict(part.where),
        case_id=None,
        clusters=[],
        outcome=None,
        created_at=None,
        reference_id=reference.id,
    )


def compare_with(baseline: PublishedPart, contender: Chosen) -> Contender:
    """One contender, whole. Raises InvalidComparisonError where no case has a counterpart."""
    paired = pair(baseline, contender)
    pairs = [
        Pair(
            shared={axis: at for axis, at in one.point.items() if axis not in paired.axes},
            baseline=case_ref(one),
            contender=case_ref(two),
            comparability=None
            if not contender.measured.samples(two.id)
            else Comparability.CONFOUNDED.value,
            effects=list(_effects(baseline, contender, one, two)),
        )
        for one, two in paired.pairs
    ]
    every = [effect for one in pairs for effect in effects_of(one.effects)]
    return Contender(
        side=compared_run(contender),
        compared_axes=sorted(paired.axes),
        gate=Gate(Comparability.CONFOUNDED.value, [_DIFFERENCE]),
        tally=tally(one for one in every if one.main),
        tally_all=tally(every),
        pairs=marked(pairs, (contender.measured.spec.kind,), sorted(paired.axes)),
        unpaired_baseline=[case_ref(one) for one in paired.baseline_alone],
        unpaired_contender=[case_ref(one) for one in paired.contender_alone],
        curves=[],
    )


def _case(number: int, point: Mapping[str, AxisValue]) -> MeasuredCase:
    return MeasuredCase(
        id=number,
        key=",".join(f"{axis}={value}" for axis, value in sorted(point.items())),
        point=point,
        status=CaseStatus.SUCCEEDED,
        reason="",
        placement=None,
        fingerprints=frozenset(),
        cluster_uid=None,
    )


def _effects(
    baseline: PublishedPart, contender: Chosen, published: MeasuredCase, case: MeasuredCase
) -> Iterator[Projected]:
    main, figures = contender.measured.main(case.id), baseline.figures[published.id]
    for one in contender.measured.samples(case.id):
        cell = figures.get((one.metric.name, one.metric.unit.value))
        # A source does not distinguish nodes by their role.
        if cell is None or one.subject or one.metric.direction is Direction.NONE:
            continue
        unit, direction = one.metric.unit.value, one.metric.direction.value
        points = dict(case.point), dict(published.point)
        yield from _rows(
            Key(one.metric.name, "", unit, direction, *points), cell, one.sample, main=one is main
        )


def _rows(key: Key, cell: Cell, sample: Sample, *, main: bool) -> list[Projected]:
    published = cell.figure.value
    centre = median(sample)
    shift = None if centre is None else Figure(centre.value - published)
    ratio = None
    if centre is not None and published > 0 and centre.value > 0:
        ratio = Figure(centre.value / published)
    centres = [Figure(published), figure(centre)]
    return effect_rows.of_pair(
        key,
        [[[published]], sample.rounds],
        centres,
        centres,
        ratio=ratio,
        difference=shift,
        verdict=Verdict.UNDECIDED.value,
        reason=Reason.NO_REPETITIONS.value,
        main=main,
        level=Level.RUN.value,
        looked_at=1,
        rounds=0,
        round_shifts=[],
        warnings=[],
    )
