"""What must be true in the end: asked of the database, of the clusters, and of their witness."""

from __future__ import annotations

import json
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from bench.chaos.sites import ChaosCluster
from podmeter.db.models import (
    Block,
    CaseRecord,
    Cluster,
    ClusterClaim,
    InvocationRecord,
    Run,
    RunEvent,
    SavedMode,
    Trial,
)
from podmeter.db.session import Sessions
from podmeter.domain.run import CaseStatus, Outcome, RunState
from podmeter.domain.trial import TrialStatus
from podmeter.services.runs.recording import decompress


@dataclass(frozen=True)
class Check:
    """Something that must not be: how often it is, with some of them in words."""

    what: str
    found: Sequence[str]

    @property
    def count(self) -> int:
        """How often."""
        return len(self.found)


@dataclass
class Watcher:
    """As a context: remembers every trial that it ever saw stored."""

    sessions: Sessions
    seen: set[int] = field(default_factory=set)
    _over: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._thread = threading.Thread(target=self._watch, name="watcher", daemon=True)

    def __enter__(self) -> Watcher:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(0.25):
            try:
                with self.sessions() as session:
                    # Serial numbers are given before a commit, so a lower one may come later.
                    newest = max(self.seen, default=0) - 200
                    self.seen.update(session.scalars(select(Trial.id).where(Trial.id > newest)))
            except SQLAlchemyError:
                continue  # it was killed


@dataclass
class StoredRuns:
    """Everything that the database holds of the runs, read in the end."""

    runs: list[Run]
    blocks: dict[int, Block]
    cases: list[CaseRecord]
    trials: list[Trial]
    events: dict[Any, list[RunEvent]]
    cookies: dict[int, str]

    @classmethod
    def read(cls, session: Session) -> StoredRuns:
        """All of it."""
        events: dict[Any, list[RunEvent]] = defaultdict(list)
        for event in session.scalars(select(RunEvent).order_by(RunEvent.number)):
            events[event.run_id].append(event)
        trials = list(session.scalars(select(Trial).order_by(Trial.id)))
        cookies = {}
        for one in session.scalars(select(InvocationRecord)):
            try:
                cookies[one.trial_id] = json.loads(decompress(one.stdout) or "")["start"]["cookie"]
            except (ValueError, KeyError):
                continue
        return cls(
            list(session.scalars(select(Run))),
            {block.id: block for block in session.scalars(select(Block))},
            list(session.scalars(select(CaseRecord))),
            trials,
            events,
            cookies,
        )


def checks(session: Session, sites: Iterable[ChaosCluster], seen: set[int]) -> list[Check]:
    """Everything that must not be, in the order it is printed."""
    kept, sites = StoredRuns.read(session), list(sites)
    present = {trial.id for trial in kept.trials}
    return [
        Check("trials seen stored, and gone", [str(one) for one in sorted(seen - present)]),
        *_witnessed(kept, sites),
        Check("trials and events that disagree", list(_untold(kept))),
        Check("runs not finished", [_named(run) for run in kept.runs if not _final(run)]),
        Check("final states that are not true", list(_untrue(kept))),
        Check(
            "left in clusters",
            [f"{site.name}: {one}" for site in sites for one in site.left()],
        ),
        Check(
            "modes not restored",
            [f"{site.name}: {one}" for site in sites for one in site.unrestored()],
        ),
        Check("clusters flagged or claimed, modes saved and open", list(_open(session))),
    ]


def outcomes(session: Session) -> Counter[str]:
    """Runs by outcome."""
    return Counter(str(run.outcome or run.state) for run in session.scalars(select(Run)))


def reasons(session: Session) -> list[str]:
    """Why runs failed, wholly or in part: for people to judge whether it is true."""
    query = select(Run).where(Run.outcome.in_([Outcome.FAILED, Outcome.PARTIAL]))
    return [_named(run) for run in session.scalars(query)]


def _witnessed(kept: StoredRuns, sites: Sequence[ChaosCluster]) -> list[Check]:
    """What the clusters saw measured against what is stored."""
    witnesses = {one.cookie: one for site in sites for one in site.measured()}
    if not witnesses:
        return []
    stored = Counter(kept.cookies.values())
    by_id = {trial.id: trial for trial in kept.trials}
    lost = [
        f"run {one.run_label}, cookie {one.cookie}"
        for one in witnesses.values()
        if one.acknowledged and one.cookie not in stored
    ]
    twice = [f"cookie {cookie}" for cookie, count in stored.items() if count > 1]
    wrong = []
    for trial_id, cookie in kept.cookies.items():
        trial = by_id[trial_id]
        wanted = kept.blocks[trial.block_id].modes.get("kube_proxy_mode")
        if trial.status is TrialStatus.COUNTED and wanted is not None:
            modes = witnesses[cookie].modes if cookie in witnesses else {"nowhere"}
            if modes != {wanted}:
                wrong.append(f"trial {trial_id} of {wanted} was measured in {sorted(modes)}")
    return [
        Check("trials acknowledged, and not stored", lost),
        Check("measurements stored twice", twice),
        Check("trials counted in another mode", wrong),
    ]


def _untold(kept: StoredRuns) -> Iterable[str]:
    """Events without a gap, and the last one of each trial and of the run says what is kept."""
    trials: dict[Any, list[Trial]] = defaultdict(list)
    for trial in kept.trials:
        trials[trial.run_id].append(trial)
    for run in kept.runs:
        events = kept.events[run.id]
        numbers = [event.number for event in events]
        if numbers != list(range(1, run.last_event + 1)):
            yield f"run {run.id}: events {numbers[:3]}… to {run.last_event}"
        told = {one.content["trial"]: one.content for one in events if one.type == "trial"}
        for trial in trials[run.id]:
            if told.pop(trial.id, {}).get("status") != trial.status:
                yield f"trial {trial.id} is {trial.status}, and was not told as that"
        for trial_id in told:
            yield f"trial {trial_id} was reported, but is not stored"
        states = [one.content for one in events if one.type == "state"]
        if states and states[-1].get("state") != run.state:
            yield f"run {run.id} is {run.state}, told as {states[-1].get('state')}"


def _untrue(kept: StoredRuns) -> Iterable[str]:
    """A case has succeeded if, and only if, it has all its trials; a run, only if all have."""
    counted = Counter(trial.case_id for trial in kept.trials if trial.status is TrialStatus.COUNTED)
    cases: dict[Any, list[CaseRecord]] = defaultdict(list)
    for case in kept.cases:
        cases[case.run_id].append(case)
    for run in kept.runs:
        if not _final(run):
            continue
        repetition = run.spec["repetition"]
        for case in cases[run.id]:
            each = 1 if case.once else repetition["trials"]
            whole = counted[case.id] >= each * repetition["rounds"]
            if case.status in (CaseStatus.PENDING, CaseStatus.RUNNING):
                yield f"{_named(run)}: case {case.id} is {case.status}"
            elif whole != (case.status is CaseStatus.SUCCEEDED):
                yield f"{_named(run)}: case {case.id} is {case.status}, all its trials: {whole}"
        succeeded = all(case.status is CaseStatus.SUCCEEDED for case in cases[run.id])
        if run.outcome is Outcome.SUCCEEDED and not succeeded:
            yield f"{_named(run)}: not all its cases have"
        if run.outcome is not Outcome.SUCCEEDED and not run.reason:
            yield f"{_named(run)}: without a reason"


def _open(session: Session) -> Iterable[str]:
    for cluster in session.scalars(select(Cluster).where(Cluster.needs_restore)):
        yield f"{cluster.name} needs restore: {cluster.needs_restore_reason}"
    for claim in session.scalars(select(ClusterClaim)):
        yield f"{claim.cluster_uid} is claimed by {claim.run_id}"
    for saved in session.scalars(select(SavedMode).where(SavedMode.restored_at.is_(None))):
        yield f"{saved.axis} of run {saved.run_id} is not restored"


def _final(run: Run) -> bool:
    return run.state is RunState.FINISHED


def _named(run: Run) -> str:
    return f"run {run.id} ({run.state}, {run.outcome or '-'}: {run.reason})"
