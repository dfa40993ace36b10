"""Runs as `load` gives them, made without a database."""

import random
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from podmeter.db.models import Run
from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.node_pairs import KnownNode
from podmeter.domain.run import CaseStatus, Outcome, RunState
from podmeter.kinds.registry import kind_of, metrics_of, read_spec, resolve, with_pairs
from podmeter.services.run_results.limits import case_limits, load_shapes_of
from podmeter.services.run_results.runs import (
    BlockOverhead,
    MeasuredCase,
    MeasuredRun,
    MeasuredSample,
)
from podmeter.statistics import Sample

FINGERPRINT = uuid.UUID(int=7)
MOMENT = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
#: What a case measured: metric and subject to the values of its rounds.
Values = Mapping[tuple[str, str], tuple[tuple[float, ...], ...]]


def measured_run(
    spec: dict[str, Any],
    measure: Callable[[dict[str, Any]], Values],
    number: int = 1,
    nodes: Sequence[str] = (),
) -> MeasuredRun:
    """A finished run of one cluster; a case without values failed.

    Metrics of a case that have as many values in each round are of the same trials. `nodes` are
    those of a cluster where the spec leaves pairs of nodes to it.
    """
    read = with_pairs(resolve(read_spec(spec)), [KnownNode(name) for name in nodes])
    metrics = metrics_of(read.kind)
    cases, samples = [], {}
    trial = 0
    for position, case in enumerate(kind_of(read).cases(read), start=1):
        values = measure(dict(case.point))
        cases.append(
            MeasuredCase(
                id=position,
                key=case.key,
                point=dict(case.point),
                status=CaseStatus.SUCCEEDED if values else CaseStatus.FAILED,
                reason="" if values else "every trial failed",
                placement={"client_node": "node-1", "server_node": "node-2"},
                fingerprints=frozenset({FINGERPRINT}),
                cluster_uid="uid-1",
            )
        )
        found, first = [], trial
        for (metric, subject), rounds in values.items():
            trials, last = [], first
            for one in rounds:
                trials.append(tuple(range(last + 1, last + 1 + len(one))))
                last += len(one)
            trial = max(trial, last)
            found.append(
                MeasuredSample(
                    position,
                    metrics[metric],
                    subject,
                    Sample(rounds, _node_pairs(read, len(rounds))),
                    tuple(trials),
                )
            )
        samples[position] = tuple(found)
    return MeasuredRun(
        run=Run(
            id=uuid.UUID(int=number),
            name=read.name,
            kind=read.kind,
            state=RunState.FINISHED,
            outcome=Outcome.PARTIAL,
            reason="1 case failed",
            attempt=1,
            warnings=[],
            created_at=MOMENT,
            started_at=MOMENT,
            finished_at=MOMENT,
        ),
        spec=read,
        clusters=("lab",),
        cases=tuple(cases),
        metrics=metrics,
        blocks=(BlockOverhead(None, 2.5, 1.0),),
        unknown=(),
        by_case=samples,
        limits=case_limits(load_shapes_of(read, {one.id: one.point for one in cases}), samples),
    )


def _node_pairs(spec: ResolvedSpec, rounds: int) -> tuple[str, ...]:
    """Those of the rounds, where pairs change by round."""
    pairs = (spec.node_pair(round_) for round_ in range(1, rounds + 1))
    return tuple(pair for pair in pairs if pair is not None)


def around(centre: float) -> tuple[tuple[float, ...], ...]:
    """Six rounds of two trials, half a percent apart; the same ones for the same centre."""
    draw = random.Random(centre)
    return tuple(tuple(centre * (1 + draw.gauss(0, 0.005)) for _ in range(2)) for _ in range(6))
