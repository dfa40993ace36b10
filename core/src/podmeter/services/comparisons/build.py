"""A contender against the baseline: paired, checked, judged, put into the document's shape."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from podmeter.domain.axes import BLOCK_AXES
from podmeter.domain.comparability import Comparability, Difference
from podmeter.domain.messages import reason
from podmeter.domain.modes import CLUSTER
from podmeter.kinds.registry import axes_of
from podmeter.services.comparisons.advice import next_run
from podmeter.services.comparisons.controls import control_samples
from podmeter.services.comparisons.counted import marked
from podmeter.services.comparisons.curves import curve_pairs
from podmeter.services.comparisons.document import (
    CaseRef,
    ComparedRun,
    Contender,
    Gate,
    Pair,
)
from podmeter.services.comparisons.effects import SamplePair, effects, sample_pairs, tally
from podmeter.services.comparisons.gate import (
    GateKeeper,
    needed_fingerprints,
    parameter_differences,
    shown,
    worst,
)
from podmeter.services.comparisons.pairing import Chosen, Paired, pair
from podmeter.services.noise_floor.read import FloorOfRuns
from podmeter.services.run_results import words
from podmeter.services.run_results.effect_rows import Effect, Point
from podmeter.services.run_results.environments import ReadFingerprints
from podmeter.services.run_results.runs import MeasuredCase
from podmeter.statistics import Level


def compare_sides(
    baseline: Chosen,
    contender: Chosen,
    read_fingerprints: ReadFingerprints,
    *,
    noise: float,
    alpha: float,
    floor: FloorOfRuns | None = None,
    contenders: int = 1,
) -> Contender:
    """One contender, whole. Raises InvalidComparisonError where no case has a counterpart.

    `floor` is what two runs are held against, where it is known; so many `contenders` are held
    against this baseline, and share alpha.
    """
    paired = pair(baseline, contender)
    both_measured = tuple(
        (one, two)
        for one, two in paired.pairs
        if baseline.measured.samples(one.id) and contender.measured.samples(two.id)
    )
    needed = needed_fingerprints(both_measured)
    keeper = GateKeeper(
        axes=paired.axes,
        known_axes={
            axis.name: axis
            for axis in axes_of(baseline.measured.spec.kind, contender.measured.spec.kind)
        },
        contents=read_fingerprints(needed) if needed else {},
        parameters=parameter_differences(baseline.measured, contender.measured),
        given=(baseline.measured.imported, contender.measured.imported),
    )
    verdicts: dict[int, Comparability] = {}
    differences: dict[Difference, None] = {}
    overall = Comparability.COMPARABLE if both_measured else Comparability.UNKNOWN
    for one, two in both_measured:
        verdicts[one.id], found = keeper.judge(one, two)
        overall = worst(overall, verdicts[one.id])
        differences |= dict.fromkeys(found)
    allowed = [
        (one, two) for one, two in both_measured if verdicts[one.id] is not Comparability.REFUSED
    ]
    level = _level(baseline, contender)
    planned = [one.point for one, _ in paired.pairs] if level is Level.BLOCK else []
    judged = _effects(
        baseline, contender, allowed, paired.axes, level, noise, alpha, floor, contenders, planned
    )
    pairs = [_pair(paired, one, two, verdicts, judged) for one, two in paired.pairs]
    every = [effect for found in judged.values() for effect in found]
    axes = set(paired.axes)
    if any(one.cluster_uid != two.cluster_uid for one, two in both_measured):
        axes.add(CLUSTER)
    return Contender(
        side=compared_run(contender),
        compared_axes=sorted(axes),
        gate=Gate(overall.value, shown(differences)),
        tally=tally(one for one in every if one.main),
        tally_all=tally(every),
        pairs=marked(
            pairs, (baseline.measured.spec.kind, contender.measured.spec.kind), sorted(axes)
        ),
        unpaired_baseline=_refs(paired.baseline_alone),
        unpaired_contender=_refs(paired.contender_alone),
        curves=curve_pairs(
            baseline, contender, allowed, paired.axes, level, noise, alpha, contenders
        ),
        noise_floor=None if floor is None else floor.used,
        next_run=next_run(every, contender.measured.run.kind),
    )


def compared_run(chosen: Chosen) -> ComparedRun:
    """A side in the document's shape."""
    run, side = chosen.measured.run, chosen.side
    part = words.point(side.where)
    if side.case_id is not None:
        part = words.point(chosen.cases[0].point)
    # Whatever shows a side shows its name.
    name = f"{run.name} ({', '.join(chosen.labels)})" if chosen.labels else run.name
    return ComparedRun(
        run_id=run.id,
        name=name,
        label=f"{name}: {part}" if part else name,
        where=dict(side.where),
        case_id=side.case_id,
        clusters=list(chosen.measured.clusters),
        outcome=None if run.outcome is None else run.outcome.value,
        created_at=run.created_at,
        imported=chosen.measured.imported,
    )


def _level(baseline: Chosen, contender: Chosen) -> Level:
    """What the sides do not share: their run, or what each round of it sets up."""
    same = baseline.measured.run.id == contender.measured.run.id
    return Level.BLOCK if same else Level.RUN


def _effects(
    baseline: Chosen,
    contender: Chosen,
    allowed: list[tuple[MeasuredCase, MeasuredCase]],
    axes: frozenset[str],
    level: Level,
    noise: float,
    alpha: float,
    floor: FloorOfRuns | None,
    contenders: int,
    planned: Sequence[Point],
) -> dict[int, list[Effect]]:
    """By the baseline's case; all are judged in one go, which is what makes it fast."""
    flat: list[SamplePair] = []
    owners: list[int] = []
    # What lies in one block met the same machine, so no control of its own is needed there.
    controlled = level is Level.BLOCK and not axes.isdisjoint(BLOCK_AXES)
    controls = control_samples(baseline.measured, contender.measured, allowed, axes)
    for one, two in allowed:
        members = sample_pairs(
            baseline.measured.samples(one.id),
            contender.measured.samples(two.id),
            (one.point, two.point),
            baseline.measured.main(one.id),
            noise,
            (lambda _: None) if floor is None else partial(floor.floors, one),
            partial(controls, one) if controlled else lambda _: None,
            (baseline.measured.limits.get(one.id), contender.measured.limits.get(two.id)),
            _node_pair(one, two),
        )
        flat += members
        owners += [one.id] * len(members)
    spec = baseline.measured.spec
    judged = effects(flat, level, noise, alpha, spec, contenders, planned)
    found: dict[int, list[Effect]] = {}
    for owner, effect in zip(owners, judged, strict=True):
        found.setdefault(owner, []).append(effect)
    return found


def _node_pair(one: MeasuredCase, two: MeasuredCase) -> str | None:
    """The pair of nodes that both cases were measured on; None of several, or of none."""
    pairs = {case.node_pair for case in (one, two)}
    return pairs.pop() if len(pairs) == 1 else None


def _pair(
    paired: Paired,
    one: MeasuredCase,
    two: MeasuredCase,
    verdicts: Mapping[int, Comparability],
    judged: Mapping[int, list[Effect]],
) -> Pair:
    verdict = verdicts.get(one.id)
    return Pair(
        shared={axis: value for axis, value in one.point.items() if axis not in paired.axes},
        baseline=case_ref(one),
        contender=case_ref(two),
        comparability=None if verdict is None else verdict.value,
        effects=[row for effect in judged.get(one.id, []) for row in effect.rows],
    )


def _refs(cases: Iterable[MeasuredCase]) -> list[CaseRef]:
    return [case_ref(case) for case in cases]


def case_ref(case: MeasuredCase) -> CaseRef:
    """A case in the document's shape."""
    return CaseRef(case.id, case.key, dict(case.point), case.status.value, reason(case.reason))
