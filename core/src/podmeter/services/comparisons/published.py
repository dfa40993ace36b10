"""A reference as the baseline: what was measured beside what was published, and no test of it.

A published figure has no repetitions of its own, and was measured on machines that nobody here
has. So the change is shown, without an interval, and no verdict says that something differs.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from podmeter.domain.axes import AxisValue
from podmeter.domain.comparability import Comparability
from podmeter.domain.measurement import Direction
from podmeter.domain.messages import say
from podmeter.domain.problems import Problem
from podmeter.domain.run import CaseStatus
from podmeter.experiments.registry import IMPORTED, metrics_of
from podmeter.references.cells import Cell
from podmeter.references.library import Published
from podmeter.services.comparisons.build import case_ref, compared_run
from podmeter.services.comparisons.document import (
    Arm,
    ComparedRun,
    Contender,
    Effect,
    FieldDifference,
    Gate,
    Pair,
)
from podmeter.services.comparisons.effects import tally
from podmeter.services.comparisons.gate import UNKNOWN_FIELD
from podmeter.services.comparisons.pairing import Chosen, Part, pair
from podmeter.services.comparisons.request import InvalidComparisonError, PublishedSide
from podmeter.services.measured.figures import Figure, figure
from podmeter.services.measured.runs import MeasuredCase, MeasuredSample
from podmeter.statistics import Level, Reason, Verdict, median

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
    """The side in the document's shape; its name says that it is published."""
    reference = part.published.reference
    name = f"{reference.title} (published)"
    return ComparedRun(
        run_id=None,
        name=name,
        label=name,
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
            effects=list(_effects(baseline.figures[one.id], contender, two)),
        )
        for one, two in paired.pairs
    ]
    every = [effect for one in pairs for effect in one.effects]
    return Contender(
        side=compared_run(contender),
        compared_axes=sorted(paired.axes),
        gate=Gate(Comparability.CONFOUNDED.value, [_DIFFERENCE]),
        tally=tally(one for one in every if one.main),
        tally_all=tally(every),
        pairs=pairs,
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
    figures: Mapping[_Metric, Cell], contender: Chosen, case: MeasuredCase
) -> Iterable[Effect]:
    main = contender.measured.main(case.id)
    for one in contender.measured.samples(case.id):
        cell = figures.get((one.metric.name, one.metric.unit.value))
        # A source does not distinguish nodes by their role.
        if cell is None or one.subject or one.metric.direction is Direction.NONE:
            continue
        yield _effect(cell, one, main=one is main)


def _effect(cell: Cell, sample: MeasuredSample, *, main: bool) -> Effect:
    published = cell.figure.value
    centre = median(sample.sample)
    metric = sample.metric
    of_run = figure(centre)
    shift = None if centre is None else Figure(centre.value - published)
    ratio = None
    if centre is not None and published > 0 and centre.value > 0:
        ratio = Figure(centre.value / published)
    rounds = [list(one) for one in sample.sample.rounds]
    return Effect(
        metric=metric.name,
        subject="",
        unit=metric.unit.value,
        direction=metric.direction.value,
        main=main,
        verdict=Verdict.UNDECIDED.value,
        reason=Reason.NO_REPETITIONS.value,
        baseline=Arm(1, Figure(published), [[published]], Figure(published)),
        contender=Arm(sample.sample.n, of_run, rounds, of_run),
        shift=shift,
        ratio=ratio,
        p=None,
        least_p=None,
        method=None,
        rounds=0,
        round_shifts=[],
        warnings=[],
        level=Level.RUN.value,
    )
