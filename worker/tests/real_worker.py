"""A real Celery worker as a process group of its own, on this test run's PostgreSQL and Redis."""

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import redis
from sqlalchemy import select

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.credentials.key_ring import KeyRing, generate_key
from podmeter.db.models import (
    CaseRecord,
    Cluster,
    Membership,
    Organization,
    Role,
    Run,
    Trial,
    User,
)
from podmeter.db.session import Sessions
from podmeter.domain.axes import BLOCK_AXES
from podmeter.domain.run import RunState
from podmeter.domain.trial import TrialStatus
from podmeter.jobs import Job
from podmeter.services.accounts.principal import Principal
from podmeter.services.clusters import registry
from podmeter.services.clusters.kubeconfigs import Vault
from podmeter.services.experiments import library
from podmeter.services.runs.start import start
from podmeter.services.work import Work, work_with
from podmeter.version import BENCH_IMAGE
from podmeter_worker.broker import make_app
from podmeter_worker.queue import CeleryQueue


@dataclass
class RealStack:
    """What a worker needs, and one organization with an administrator."""

    sessions: Sessions
    database_url: str
    redis_url: str
    folder: Path
    bench_image: str = BENCH_IMAGE
    app: str = "podmeter_worker.celery_app"
    key: str = field(default_factory=generate_key)
    #: Networks in which a cluster may be although they are blocked by default.
    allowed: tuple[str, ...] = ()
    extra: dict[str, str] = field(default_factory=dict)
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.queue = CeleryQueue(make_app(self.redis_url))
        with self.sessions.begin() as session:
            organization = Organization(name="ours")
            user = User(email="ada@example.org", password_hash="none")
            session.add_all([organization, user])
            session.flush()
            session.add(
                Membership(organization_id=organization.id, user_id=user.id, role=Role.ADMIN)
            )
            self.owner = Principal(user.id, user.email, organization.id, "ours", Role.ADMIN)

    def environment(self) -> Mapping[str, str]:
        return {
            **os.environ,
            "DATABASE_URL": self.database_url.replace("+psycopg", ""),
            "REDIS_URL": self.redis_url,
            "PODMETER_ENCRYPTION_KEYS": self.key,
            "BENCH_IMAGE": self.bench_image,
            "PODMETER_LEASE_SECONDS": "10",
            "PODMETER_ALLOWED_CLUSTER_NETWORKS": ",".join(self.allowed),
            **self.extra,
        }

    def start_worker(self, *options: str) -> subprocess.Popen[bytes]:
        celery = ["-m", "celery", "--app", self.app, "worker"]
        return self._start(*celery, "--concurrency=2", "--loglevel=info", *options)

    def start_python(self, code: str) -> subprocess.Popen[bytes]:
        """A process of another kind, which is ended with the workers."""
        return self._start("-c", code)

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        log = (self.folder / f"worker-{len(self.workers)}.log").open("wb")
        worker = subprocess.Popen(
            [sys.executable, *arguments],
            env=dict(self.environment()),
            cwd=self.folder,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.workers.append(worker)
        return worker

    def kill(self, worker: subprocess.Popen[bytes]) -> None:
        """The whole process group, at once."""
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait(60)

    def stop(self) -> None:
        for worker in self.workers:
            if worker.poll() is None:
                worker.send_signal(signal.SIGTERM)
        for worker in self.workers:
            try:
                worker.wait(60)
            except subprocess.TimeoutExpired:
                self.kill(worker)

    def empty_queues(self) -> None:
        redis.Redis.from_url(self.redis_url).flushdb()

    def log_text(self) -> str:
        return "\n".join(path.read_text() for path in sorted(self.folder.glob("worker-*.log")))

    def work(self, body: Callable[[Work], object]) -> object:
        with work_with(self.sessions, self.queue) as work:
            return body(work)

    def send(self, job: Job) -> None:
        self.queue.send(job)

    def register(self, name: str, kubeconfig: bytes, *, allow_mode_switch: bool) -> uuid.UUID:
        vault = Vault(KeyRing.parse(self.key), AddressPolicy.of(self.allowed))
        asked = registry.Registration(
            name=name, kubeconfig=kubeconfig, allow_mode_switch=allow_mode_switch
        )
        with work_with(self.sessions, self.queue) as work:
            cluster, _ = registry.register(work, self.owner, vault, asked)
            registry.request_preflight(work, self.owner, cluster.id)
        return cluster.id

    def start_run(self, cluster_id: uuid.UUID | None, document: object) -> uuid.UUID:
        with work_with(self.sessions, self.queue) as work:
            experiment = library.create(work, self.owner, document)
            return start(work, self.owner, experiment.id, cluster_id).id

    def cluster(self, cluster_id: uuid.UUID) -> Cluster:
        with self.sessions() as session:
            return session.get_one(Cluster, cluster_id)

    def run(self, run_id: uuid.UUID) -> Run:
        with self.sessions() as session:
            return session.get_one(Run, run_id)

    def trials(self, run_id: uuid.UUID) -> list[Trial]:
        """Those of the kind's own cases."""
        return self._trials(run_id, set_ups=False)

    def not_void(self, run_id: uuid.UUID) -> list[Trial]:
        """Of these, what a busy machine did not void: that is measured again."""
        return [one for one in self.trials(run_id) if one.status is not TrialStatus.VOID]

    def set_ups(self, run_id: uuid.UUID) -> list[Trial]:
        """Those that are the set-up of a block: their cases' points have nothing but modes."""
        return self._trials(run_id, set_ups=True)

    def _trials(self, run_id: uuid.UUID, *, set_ups: bool) -> list[Trial]:
        with self.sessions() as session:
            cases = session.scalars(select(CaseRecord).where(CaseRecord.run_id == run_id))
            wanted = {one.id for one in cases if (set(one.point) <= set(BLOCK_AXES)) is set_ups}
            query = select(Trial).where(Trial.run_id == run_id).order_by(Trial.id)
            return [one for one in session.scalars(query) if one.case_id in wanted]

    def wait_finished(self, run_id: uuid.UUID, seconds: float = 300) -> Run:
        self.wait(lambda: self.run(run_id).state is RunState.FINISHED, "it finishes", seconds)
        return self.run(run_id)

    def wait(self, condition: Callable[[], object], what: str, seconds: float = 120) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError(f"not within {seconds} s: {what}\n{self.log_text()[-6000:]}")
            time.sleep(0.1)
