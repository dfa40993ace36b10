"""Making the first comparison as fast as every other one."""

import uuid
from random import Random

from podmeter.db.base import now
from podmeter.db.models import Run
from podmeter.domain.experiment import MOST_ROUNDS, ResolvedSpec
from podmeter.domain.measurement import Direction as Way
from podmeter.domain.run import CaseStatus, Outcome, RunState
from podmeter.kinds.registry import kind_of, read_spec, resolve
from podmeter.services.comparisons.build import compare_sides, compared_run
from podmeter.services.comparisons.compare import DOCUMENT
from podmeter.services.comparisons.document import Comparison, FloorUsed, RunLosses
from podmeter.services.comparisons.pairing import choose_cases
from podmeter.services.comparisons.request import Side
from podmeter.services.headlines.headline import ALPHA, NOISE, of_comparison
from podmeter.services.noise_floor.grouping import chapters, pages_of
from podmeter.services.noise_floor.read import FloorOfRuns
from podmeter.services.run_aggregates.content import (
    digest_of,
    read_blocks,
    read_losses,
    read_samples,
)
from podmeter.services.run_results.runs import MeasuredCase, MeasuredRun, MeasuredSample
from podmeter.statistics import (
    METHOD_VERSION,
    RUNS_NEEDED,
    Direction,
    Level,
    NoiseThreshold,
    Pairing,
    Sample,
    compare_all,
    rounds_needed,
    summarize,
    visible_effect,
)

#: Numbers of trials and rounds that runs have by default: the profiles quick and reference.
_SHAPES = ((2, 6), (2, 12))
_SPEC = {
    "name": "rehearsal",
    "kind": "throughput",
    "axes": {"encapsulation": ["vxlan"], "path": ["node-node", "pod-pod"]},
}


def warm_up() -> None:
    """Import what is imported late, and fill the caches of null distributions. About a second."""
    pairings = []
    for trials, rounds in _SHAPES:
        rising = Sample.of(*[range(1, trials + 1)] * rounds)
        tied = Sample.of(*[[1.0] * trials] * rounds)
        summarize(rising)
        pairings += [
            Pairing(rising, one, Direction.HIGHER, NoiseThreshold(0.03), level)
            for one in (rising, tied)
            for level in Level
        ]
    compare_all(pairings)
    for rounds in range(rounds_needed(), MOST_ROUNDS + 1):
        visible_effect(rounds, 0.05)
    rehearse()


def rehearse() -> bytes:
    """Compare two runs that nobody measured, against a noise floor, as far as no database is asked.

    What Python and the libraries do late is done then: the first comparison took three times as
    long as the next. Gives the document.
    """
    draw, spec = Random(1), resolve(read_spec(_SPEC))  # noqa: S311 (no secret)
    environment = uuid.uuid4()
    runs = [_measured(spec, environment, draw) for _ in range(RUNS_NEEDED + 2)]
    digests = [digest_of(one) for one in runs]
    told = [read_losses(one.losses) for one in digests]
    for one in digests:
        read_samples(one.samples, spec.kind)
    (chapter,) = chapters(
        (
            run.run.id,
            run.run.created_at,
            pages_of(run.run.id, read_blocks(digest.blocks, spec.kind), {environment: {}}),
        )
        for run, digest in zip(runs[2:], digests[2:], strict=True)
    )
    used = FloorUsed(len(chapter.runs), chapter.first_at, chapter.last_at, False, [])
    baseline, contender = (choose_cases(Side(one.run.id), one, []) for one in runs[:2])
    found = Comparison(
        id=uuid.uuid4(),
        created_at=now(),
        kind=spec.kind,
        metrics="main",
        noise_threshold=NOISE,
        alpha=ALPHA,
        method_version=METHOD_VERSION,
        baseline=compared_run(baseline),
        contenders=[
            compare_sides(
                baseline,
                contender,
                lambda _: {},
                noise=NOISE,
                alpha=ALPHA,
                floor=FloorOfRuns(chapter, covers=True, used=used),
            )
        ],
        losses=[RunLosses(run.run.id, one) for run, one in zip(runs[:2], told[:2], strict=True)],
    )
    of_comparison(found)
    return DOCUMENT.dump_json(found)


def _measured(spec: ResolvedSpec, environment: uuid.UUID, draw: Random) -> MeasuredRun:
    kind = kind_of(spec)
    run = Run(id=uuid.uuid4(), name=spec.name, kind=spec.kind, created_at=now(), last_event=0)
    run.state, run.outcome = RunState.FINISHED, Outcome.SUCCEEDED
    places = {"client_node": "one", "server_node": "another"}
    cases = tuple(
        MeasuredCase(
            id=number,
            key=case.key,
            point=dict(case.point),
            status=CaseStatus.SUCCEEDED,
            reason="",
            placement=places,
            fingerprints=frozenset({environment}),
            cluster_uid="",
        )
        for number, case in enumerate(kind.cases(spec))
    )
    told = [one for one in kind.metrics if one.main and one.direction is not Way.NONE]
    return MeasuredRun(
        run=run,
        spec=spec,
        clusters=("rehearsal",),
        cases=cases,
        metrics={one.name: one for one in kind.metrics},
        blocks=(),
        unknown=(),
        by_case={
            case.id: tuple(
                MeasuredSample(case.id, metric, "", _sample(draw), ((1, 2),) * 6) for metric in told
            )
            for case in cases
        },
    )


def _sample(draw: Random) -> Sample:
    return Sample.of(*[[draw.gauss(1e9, 3e7) for _ in range(2)] for _ in range(6)])
