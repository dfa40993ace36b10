"""What must be true of the runs in the end: each ended once, in order, and fairly."""

from __future__ import annotations

import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import pairwise

from sqlalchemy import select
from sqlalchemy.orm import Session

from bench.chaos.verify import Check
from podmeter.db.models import Run, RunCluster, RunEvent
from podmeter.domain.run import Outcome, RunState

#: A killed worker's runs are interrupted: nothing else may be.
_ENDED = (Outcome.SUCCEEDED, Outcome.INTERRUPTED)


def ended_once(session: Session, queued: int, most_interrupted: int) -> list[Check]:
    """Every run is finished, and was finished once; none is lost, none failed."""
    runs = list(session.scalars(select(Run)))
    ends = Counter(
        event.run_id
        for event in session.scalars(select(RunEvent).where(RunEvent.type == "state"))
        if event.content.get("state") == RunState.FINISHED
    )
    interrupted = sum(run.outcome is Outcome.INTERRUPTED for run in runs)
    return [
        Check("runs lost", [f"{queued - len(runs)}"] if len(runs) != queued else []),
        Check(
            "runs not finished, or more than once",
            [f"{run.id} {run.state}, {ends[run.id]} ends" for run in runs if ends[run.id] != 1],
        ),
        Check(
            "runs that failed",
            [f"{run.id} {run.outcome}: {run.reason}" for run in runs if run.outcome not in _ENDED],
        ),
        Check(
            "more runs interrupted than had a worker killed",
            [f"{interrupted} > {most_interrupted}"] if interrupted > most_interrupted else [],
        ),
    ]


def in_order(session: Session) -> Check:
    """On each cluster one run after the other, by when they were queued."""
    by_cluster: dict[str, list[Run]] = defaultdict(list)
    query = select(Run, RunCluster.cluster_uid).join(RunCluster, RunCluster.run_id == Run.id)
    for run, uid in session.execute(query.order_by(Run.queued_at, Run.id)):
        by_cluster[uid].append(run)
    return Check("runs out of order, or two on a cluster", list(_overlaps(by_cluster.values())))


def _overlaps(clusters: Iterable[Sequence[Run]]) -> Iterable[str]:
    for runs in clusters:
        begun = [run for run in runs if run.started_at]
        for before, after in pairwise(begun):
            ended, started = before.finished_at, after.started_at
            if ended is None or started is None or ended > started:
                yield f"{after.id} began {started}, {before.id} ended {ended}"


def places(
    session: Session, owners: Sequence[uuid.UUID], begun: datetime
) -> dict[uuid.UUID, float]:
    """How many places to measure each organization had while all wanted some, on the average.

    That is from `begun` on, when all had queued theirs, until the first of them had none left.
    """
    runs = [
        (run.started_at, run.finished_at, run.organization_id)
        for run in session.scalars(select(Run).where(Run.finished_at >= begun))
        if run.started_at and run.finished_at
    ]
    last = {
        owner: max((start for start, _, who in runs if who == owner), default=begun)
        for owner in owners
    }
    until = min(last.values())
    held = dict.fromkeys(owners, 0.0)
    for start, end, owner in runs:
        held[owner] += max(0.0, (min(end, until) - max(start, begun)).total_seconds())
    whole = max(0.001, (until - begun).total_seconds())
    return {owner: seconds / whole for owner, seconds in held.items()}
