"""Making and reading comparisons."""

import uuid
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from pydantic import TypeAdapter

from podmeter.db.base import now
from podmeter.db.models import Role, Run
from podmeter.db.models.sharing import LONGEST_NAME, ComparisonRecord
from podmeter.db.paging import Page, PageRequest
from podmeter.db.repositories.marks import ListFilter
from podmeter.db.repositories.samples import SampleRepository
from podmeter.db.repositories.sharing import ComparisonRepository
from podmeter.domain.axes import AxisValue
from podmeter.domain.messages import say
from podmeter.domain.problems import Problem
from podmeter.domain.stored import StoredForm
from podmeter.kinds.registry import IMPORTED, axes_of, measured_kind
from podmeter.results.older import comparisons as older
from podmeter.services.accounts.principal import Principal
from podmeter.services.audit.context import Detail
from podmeter.services.comparisons import published
from podmeter.services.comparisons.build import compare_sides, compared_run
from podmeter.services.comparisons.document import (
    Comparison,
    ComparisonSummary,
    Contender,
    Outline,
    RunLosses,
)
from podmeter.services.comparisons.outlines import OUTLINE, read_outline
from podmeter.services.comparisons.pairing import Chosen, choose_cases
from podmeter.services.comparisons.published import PublishedPart
from podmeter.services.comparisons.request import InvalidComparisonError, Request, Side
from podmeter.services.errors import NotFoundError
from podmeter.services.headlines.headline import ALPHA, NOISE, of_comparison
from podmeter.services.noise_floor.read import FloorOfRuns, of_runs
from podmeter.services.references import read as references
from podmeter.services.run_aggregates.read import Digested, measured
from podmeter.services.run_results.environments import (
    kept_fingerprints,
    one_assignment,
    services_by_cni,
    shared_host,
)
from podmeter.services.run_results.facts import axis_facts
from podmeter.services.run_results.runs import MeasuredRun, MetricChoice, load
from podmeter.services.summaries.losses import losses
from podmeter.services.work import Work
from podmeter.statistics import METHOD_VERSION
from podmeter.texts import documents_in

DOCUMENT = TypeAdapter(Comparison)
#: As the database keeps a comparison, and what was asked.
_STORED: StoredForm[Comparison] = StoredForm(
    "comparison",
    Comparison,
    version=7,
    upgrades={
        1: older.with_loss_rows,
        2: older.with_sentences_as_written,
        3: older.with_curve_rows,
        4: older.with_effect_rows,
        5: older.with_unknown_gates,
        6: older.with_published_title,
    },
)
_REQUEST: StoredForm[Request] = StoredForm("comparison", Request)


def create(work: Work, principal: Principal, request: Request) -> Comparison:
    """Compare, and keep the comparison as it is now.

    Raises:
        NotFoundError: a run is not there.
        InvalidComparisonError: the sides have nothing in common, with JSON pointers.
    """
    comparison = build(work, principal, request)
    with documents_in(None):
        stored = (
            _REQUEST.stamp(_REQUEST.adapter.dump_python(request, mode="json")),
            OUTLINE.stamp_text(OUTLINE.adapter.dump_json(Outline.of(comparison)).decode()),
            _STORED.stamp_text(DOCUMENT.dump_json(comparison).decode()),
        )
    comparisons = ComparisonRepository(work.session, principal.organization_id)
    comparisons.add(
        *(
            comparison.id,
            principal.user_id,
            comparison.created_at,
            name_of(comparison),
            comparison.kind,
        ),
        *stored,
    )
    _note(work, comparison.id, name_of(comparison), Outline.of(comparison))
    return comparison


def build(work: Work, principal: Principal, request: Request) -> Comparison:
    """Compare without keeping it. Raises as `create` does."""
    sides = [side for side in (request.baseline, *request.contenders) if isinstance(side, Side)]
    digested = _measured(work, principal, {side.run_id for side in sides}, request.metrics)
    runs = digested.runs
    contenders = [
        _chosen(side, runs, ["contenders", index]) for index, side in enumerate(request.contenders)
    ]
    first = contenders[0].measured
    baseline: Chosen | PublishedPart
    if isinstance(request.baseline, Side):
        baseline = _chosen(request.baseline, runs, ["baseline"])
        first = baseline.measured
    else:
        source = references.published(request.baseline.reference_id)
        baseline = published.choose(request.baseline, source, first.run.kind)
    for one in contenders:
        if not _alike(one.measured.run.kind, first.run.kind):
            kinds = [one.measured.run.kind, first.run.kind]
            text = say("kinds_unlike", kinds=kinds)
            raise InvalidComparisonError([Problem(f"{one.pointer}/run_id", text)])
    chosen = [baseline, *contenders] if isinstance(baseline, Chosen) else contenders
    samples = SampleRepository(work.session, principal.organization_id)
    read_fingerprints = kept_fingerprints(samples.fingerprints)

    def contender(one: Chosen) -> Contender:
        if isinstance(baseline, PublishedPart):
            return published.compare_with(baseline, one)
        return compare_sides(
            baseline,
            one,
            read_fingerprints,
            noise=request.noise_threshold,
            alpha=request.alpha,
            contenders=len(contenders),
            floor=_floor(work, principal, baseline, one, request.metrics),
        )

    if isinstance(baseline, PublishedPart):
        side = published.compared(baseline)
    else:
        side = compared_run(baseline)
    cases = [case for one in chosen for case in one.cases]
    comparison = Comparison(
        id=uuid.uuid4(),
        created_at=now(),
        kind=measured_kind(*(one.measured.run.kind for one in chosen)),
        metrics=request.metrics.value,
        noise_threshold=request.noise_threshold,
        alpha=request.alpha,
        method_version=METHOD_VERSION,
        baseline=side,
        contenders=[contender(one) for one in contenders],
        axis_facts=axis_facts(
            axes_of(*dict.fromkeys(one.measured.run.kind for one in chosen)),
            {name for one in chosen for name in one.measured.spec.matrix},
        ),
        losses=_losses(chosen, request, digested),
        shared_host=shared_host(cases, read_fingerprints),
        services_by_cni=services_by_cni(cases, read_fingerprints),
        one_assignment=_each_once(
            point for one in chosen for point in one_assignment(one.measured, one.cases)
        ),
    )
    return replace(comparison, headline=of_comparison(comparison))


def get(work: Work, principal: Principal, comparison_id: uuid.UUID) -> Comparison:
    """A comparison as it was made, by the method of its time.

    Raises NotFoundError, and StoredDocumentError where its form cannot be read.
    """
    comparisons = ComparisonRepository(work.session, principal.organization_id)
    row = comparisons.get(comparison_id)
    if row is None:
        raise NotFoundError("comparison")
    return with_headline(_STORED.read(row.content))


def with_headline(comparison: Comparison) -> Comparison:
    """The same; one that was made before there were headlines gets one of what it says."""
    return (
        comparison
        if comparison.headline
        else replace(comparison, headline=of_comparison(comparison))
    )


def name_of(comparison: Comparison) -> str:
    """What a comparison is called: its sides, as far as a name goes."""
    sides = [comparison.baseline, *(one.side for one in comparison.contenders)]
    return " / ".join(side.label for side in sides)[:LONGEST_NAME]


def page(
    work: Work,
    principal: Principal,
    request: PageRequest,
    wanted: ListFilter,
    *,
    run_id: uuid.UUID | None = None,
    kind: str | None = None,
) -> Page[ComparisonSummary]:
    """Comparisons in the order wanted; of one run, of one kind if they are given."""
    comparisons = ComparisonRepository(work.session, principal.organization_id)
    records = comparisons.page(request, wanted, run_id=run_id, kind=kind)
    return Page([_summary(row) for row in records.items], records.next_cursor)


def _summary(row: ComparisonRecord) -> ComparisonSummary:
    """What lists show; without sides where they were stored in a form that cannot be read."""
    outline = read_outline(row.outline)
    if outline is None:
        return ComparisonSummary(row.id, row.name, row.created_at, row.kind, None, [], [])
    sides = outline.baseline, outline.contenders, outline.gates
    return ComparisonSummary(row.id, row.name, row.created_at, row.kind, *sides)


def delete(work: Work, principal: Principal, comparison_id: uuid.UUID) -> None:
    """Forget a comparison, as an operator or as the person who made it; snapshots of it stay.

    Raises RoleError, NotFoundError.
    """
    comparisons = ComparisonRepository(work.session, principal.organization_id)
    row = comparisons.get(comparison_id, with_content=False)
    if row is None:
        raise NotFoundError("comparison")
    # Not by a token of the person: one of a viewer reads.
    if row.created_by != principal.user_id or principal.session_id is None:
        principal.require(Role.OPERATOR)
    _note(work, row.id, row.name, read_outline(row.outline))
    comparisons.delete(row)


def _note(work: Work, id_: uuid.UUID, name: str, outline: Outline | None) -> None:
    """Note in the log what is done to a comparison; its name does not say what was not measured."""
    details: dict[str, Detail] = {}
    sides = [] if outline is None else [outline.baseline, *outline.contenders]
    if outline is not None and outline.baseline.reference_id is not None:
        details["reference_id"] = outline.baseline.reference_id
    if imported := [side.name for side in sides if side.imported]:
        details["imported"] = list(dict.fromkeys(imported))
    work.audit.to("comparison", id_, name, **details)


def _alike(one: str, other: str) -> bool:
    """Whether runs of two kinds may be compared: what is imported has the metrics of all kinds."""
    return one == other or IMPORTED.name in (one, other)


def _each_once(points: Iterable[dict[str, AxisValue]]) -> list[dict[str, AxisValue]]:
    return list({tuple(point.items()): point for point in points}.values())


def _floor(
    work: Work, principal: Principal, baseline: Chosen, contender: Chosen, metrics: MetricChoice
) -> FloorOfRuns | None:
    if baseline.measured.run.id == contender.measured.run.id:
        return None
    return of_runs(work, principal, baseline.measured, contender.measured, metrics)


def _measured(
    work: Work, principal: Principal, run_ids: Collection[uuid.UUID], metrics: MetricChoice
) -> Digested:
    if metrics is MetricChoice.MAIN:
        return measured(work, principal, run_ids)
    return Digested(load(work, principal.organization_id, run_ids, metrics), {})


def _losses(chosen: Iterable[Chosen], request: Request, digested: Digested) -> list[RunLosses]:
    """What the compared cases lose within their own runs."""
    thresholds = request.noise_threshold, request.alpha
    stored = digested.losses if thresholds == (NOISE, ALPHA) else {}
    compared: dict[uuid.UUID, set[frozenset[tuple[str, AxisValue]]]] = {}
    for one in chosen:
        spots = compared.setdefault(one.measured.run.id, set())
        spots |= {frozenset(case.point.items()) for case in one.cases}
    rows = []
    for run_id, run in {one.measured.run.id: one.measured for one in chosen}.items():
        every = stored[run_id] if run_id in stored else losses(run, *thresholds)
        spots = compared[run_id]
        lost = [one for one in every if frozenset(one.key.point.items()) in spots]
        rows.append(RunLosses(run_id, lost))
    return [one for one in rows if one.losses]


def _chosen(side: Side, runs: Mapping[uuid.UUID, MeasuredRun], where: list[str | int]) -> Chosen:
    run = runs.get(side.run_id)
    if run is None:
        raise NotFoundError("run")
    return replace(choose_cases(side, run, where), labels=_apart(run.run, runs.values()))


def _apart(run: Run, compared: Iterable[MeasuredRun]) -> tuple[str, ...]:
    """The labels of a run that not all compared runs of its name have, but for addresses."""
    alike = [set(one.run.labels) for one in compared if one.run.name == run.name]
    shared = set.intersection(*alike)
    return tuple(one for one in run.labels if one not in shared and "://" not in one)
