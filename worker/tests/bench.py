"""One organization, clusters that are folders, and runs on them, for tests of the runner."""

import threading
import uuid
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sqlalchemy import select

from podmeter.db.base import now
from podmeter.db.models import (
    Block,
    CaseRecord,
    Cluster,
    MeasurementRecord,
    Membership,
    Organization,
    PreflightState,
    Role,
    Run,
    RunEvent,
    RunLogLine,
    SavedMode,
    Trial,
    User,
)
from podmeter.db.repositories.leases import GRACE
from podmeter.db.session import Sessions
from podmeter.domain.axes import BLOCK_AXES
from podmeter.domain.bench_image import NOTHING_OWN, OwnImage
from podmeter.domain.run import Reopening
from podmeter.jobs import Job
from podmeter.services.accounts.principal import Principal
from podmeter.services.execution import recovery
from podmeter.services.experiments import library
from podmeter.services.runs import run_control
from podmeter.services.runs.start import start
from podmeter.services.work import work_with
from podmeter_worker.restoring import restore_cluster
from podmeter_worker.runner.database import Database
from podmeter_worker.runner.run_lifecycle import drive_run

from .fake_cluster import FakeCluster, Steps, nothing
from .fake_link import FakeLink, link_to

SPEC: dict[str, Any] = {
    "name": "two paths",
    "kind": "throughput",
    "axes": {"path": ["node-node", "pod-pod"], "protocol": ["tcp"], "streams": [1]},
    "repetition": {"trials": 2, "seconds": 1, "rounds": 1, "warmup": 1},
}
#: With this seed iptables comes first, and the second round mirrors the first.
SWITCHING: dict[str, Any] = {
    **SPEC,
    "repetition": {**SPEC["repetition"], "seed": 2},
    "axes": {**SPEC["axes"], "kube_proxy_mode": ["iptables", "nftables"]},
}
#: Trials of SPEC and SWITCHING, warm-up included.
TRIALS, SWITCHING_TRIALS = 6, 12


@dataclass
class RememberingQueue:
    sent: list[Job] = field(default_factory=list)

    def send(self, job: Job) -> None:
        self.sent.append(job)

    def waiting(self, queue: str) -> int:
        return 0


@dataclass
class Bench:
    """`steps` is called at each step in the fake clusters."""

    sessions: Sessions
    folder: Path
    steps: Steps = nothing
    lease: timedelta = timedelta(seconds=30)
    stopping: threading.Event = field(default_factory=threading.Event)
    queue: RememberingQueue = field(default_factory=RememberingQueue)
    clusters: dict[str, FakeCluster] = field(default_factory=dict)
    #: What ends the waits of the latest link.
    stop: threading.Event = field(default_factory=threading.Event)
    #: What the latest link's pods are made of.
    image: OwnImage = NOTHING_OWN

    def __post_init__(self) -> None:
        with self.sessions.begin() as session:
            organization = Organization(name="ours")
            user = User(email="ada@example.org", password_hash="none")
            session.add_all([organization, user])
            session.flush()
            session.add(
                Membership(organization_id=organization.id, user_id=user.id, role=Role.ADMIN)
            )
            self.owner = Principal(user.id, user.email, organization.id, "ours", Role.ADMIN)

    @property
    def database(self) -> Database:
        return Database(self.sessions, self.queue, self.stopping.is_set)

    @property
    def cluster(self) -> FakeCluster:
        return self.clusters["real-cluster"]

    def add_cluster(self, name: str = "ours", uid: str = "real-cluster") -> uuid.UUID:
        self.clusters.setdefault(uid, FakeCluster(self.folder, uid))
        with self.sessions.begin() as session:
            cluster = Cluster(
                organization_id=self.owner.organization_id,
                name=name,
                server="https://192.0.2.1:6443",
                kubeconfig=b"sealed",
                cluster_uid=uid,
                preflight_state=PreflightState.SUCCEEDED,
                preflighted_at=now(),
                allow_mode_switch=True,
            )
            session.add(cluster)
            session.flush()
            return cluster.id

    def start_run(self, cluster_id: uuid.UUID | None, spec: dict[str, Any] = SPEC) -> uuid.UUID:
        with work_with(self.sessions, self.queue) as work:
            experiment = library.create(work, self.owner, spec)
            return start(work, self.owner, experiment.id, cluster_id).id

    def new_run(self, spec: dict[str, Any] = SPEC) -> uuid.UUID:
        """A queued run on a new registration of the one cluster."""
        return self.start_run(self.add_cluster(f"c-{uuid.uuid4()}"), spec)

    def restore_flagged(self) -> None:
        """What the reaper does with the one cluster that needs a restore."""
        (flagged,) = self.database.write(recovery.flagged)
        restore_cluster(
            self.database,
            lambda handle: self.connect(self.owner.organization_id, handle),
            flagged,
            threading.Event(),
        )

    def connect(
        self, organization_id: uuid.UUID, handle: Any, patience_seconds: float = 0
    ) -> AbstractContextManager[FakeLink]:
        self.stop, self.image = handle.stop, handle.identity.image
        return link_to(self.clusters, handle, self.steps)

    def here(self, **others: Any) -> Any:
        """What a worker process holds, as far as it is needed; `others` come besides or instead."""
        held = {
            "database": self.database,
            "sessions": self.sessions,
            "queue": self.queue,
            "connect": self.connect,
            "holder": "reaper",
            "lease": self.lease,
        }
        return SimpleNamespace(**held | others)

    def lead(self, run_id: uuid.UUID, holder: str = "a worker") -> bool:
        return drive_run(
            self.database,
            lambda handle: self.connect(self.owner.organization_id, handle),
            self.owner.organization_id,
            run_id,
            holder=holder,
            lease=self.lease,
        )

    def give_up(self, run_id: uuid.UUID) -> None:
        """As if its worker were gone, and long enough."""
        with self.sessions.begin() as session:
            run = session.get_one(Run, run_id)
            run.lease_expires_at = run.lease_found_expired_at = now() - 2 * GRACE

    def cancel(self, run_id: uuid.UUID) -> None:
        with work_with(self.sessions, self.queue) as work:
            run_control.cancel(work, self.owner, run_id)

    def conclude(self, run_id: uuid.UUID) -> None:
        with work_with(self.sessions, self.queue) as work:
            run_control.conclude(work, self.owner, run_id)

    def take_up(self, run_id: uuid.UUID, why: Reopening) -> None:
        with work_with(self.sessions, self.queue) as work:
            run_control.take_up(work, self.owner, run_id, why)

    def run(self, run_id: uuid.UUID) -> Run:
        with self.sessions() as session:
            return session.get_one(Run, run_id)

    def trials(self, run_id: uuid.UUID) -> list[Trial]:
        """Those of the kind's own cases."""
        own = {case.id for case in self.cases(run_id)}
        return [trial for trial in self._trials(run_id) if trial.case_id in own]

    def set_ups(self, run_id: uuid.UUID) -> list[Trial]:
        """Those that are the set-up of a block."""
        own = {case.id for case in self.cases(run_id)}
        return [trial for trial in self._trials(run_id) if trial.case_id not in own]

    def cases(self, run_id: uuid.UUID) -> list[CaseRecord]:
        """The kind's own; a set-up's point has nothing but modes."""
        query = select(CaseRecord).where(CaseRecord.run_id == run_id)
        found: list[CaseRecord] = self._all(query.order_by(CaseRecord.position))
        return [case for case in found if set(case.point) - set(BLOCK_AXES)]

    def measured(self, trial: Trial) -> dict[str, float]:
        """What a trial measured, by metric."""
        query = select(MeasurementRecord).where(MeasurementRecord.trial_id == trial.id)
        return {one.metric: one.value for one in self._all(query)}

    def _trials(self, run_id: uuid.UUID) -> list[Trial]:
        return self._all(select(Trial).where(Trial.run_id == run_id).order_by(Trial.id))

    def blocks(self, run_id: uuid.UUID) -> list[Block]:
        return self._all(select(Block).where(Block.run_id == run_id).order_by(Block.position))

    def events(self, run_id: uuid.UUID) -> list[RunEvent]:
        query = select(RunEvent).where(RunEvent.run_id == run_id)
        return self._all(query.order_by(RunEvent.number))

    def log(self, run_id: uuid.UUID) -> list[str]:
        query = select(RunLogLine).where(RunLogLine.run_id == run_id).order_by(RunLogLine.id)
        return [line.message for line in self._all(query)]

    def saved_modes(self, run_id: uuid.UUID) -> list[SavedMode]:
        return self._all(select(SavedMode).where(SavedMode.run_id == run_id))

    def registered(self, cluster_id: uuid.UUID) -> Cluster:
        with self.sessions() as session:
            return session.get_one(Cluster, cluster_id)

    def _all(self, query: Any) -> list[Any]:
        with self.sessions() as session:
            return list(session.scalars(query))
