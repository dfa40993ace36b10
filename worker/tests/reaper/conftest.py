from collections.abc import Iterator
from pathlib import Path

import pytest

from podmeter.db.base import now
from podmeter.db.models import Cluster, PreflightState
from podmeter.db.session import Sessions
from podmeter.jobs import UPKEEP_QUEUE, Reap

from ..fake_cluster import FakeCluster
from ..real_worker import RealStack

#: Fakes share captures with the tests of core.
REPOSITORY = Path(__file__).parents[3]


class FakeStack(RealStack):
    """A real worker on fake clusters, each of which can be held at a step."""

    def use_fakes(self) -> None:
        self.app = "worker.tests.fake_app"
        self.extra |= {"FAKE_CLUSTERS": str(self.clusters_folder), "PYTHONPATH": str(REPOSITORY)}
        self.clusters_folder.mkdir()

    @property
    def clusters_folder(self) -> Path:
        return self.folder / "clusters"

    def cluster_named(self, uid: str) -> FakeCluster:
        return FakeCluster(self.clusters_folder, uid)

    def add_cluster(self, uid: str) -> None:
        self.add_registration(uid, uid)

    def add_registration(self, name: str, uid: str) -> None:
        self.cluster_named(uid)
        with self.sessions.begin() as session:
            session.add(
                Cluster(
                    organization_id=self.owner.organization_id,
                    name=name,
                    server="https://192.0.2.1:6443",
                    kubeconfig=b"sealed",
                    cluster_uid=uid,
                    preflight_state=PreflightState.SUCCEEDED,
                    preflighted_at=now(),
                    allow_mode_switch=True,
                )
            )

    def hold_at(self, uid: str, step: str) -> None:
        (self.clusters_folder / f"pause-{uid}").write_text(step)

    def is_held(self, uid: str) -> bool:
        return (self.clusters_folder / f"reached-{uid}").exists()

    def is_stopping(self, uid: str) -> bool:
        return (self.clusters_folder / f"stopping-{uid}").exists()

    def let_go(self, uid: str) -> None:
        (self.clusters_folder / f"pause-{uid}").unlink()

    def start_upkeep(self) -> None:
        """The part that recovers, as the product starts it."""
        self.start_python(
            "import sys; from worker.tests import fake_app; from podmeter_worker import __main__; "
            "sys.argv = ['podmeter_worker', 'upkeep']; __main__.main()"
        )

    def call_reaper(self) -> None:
        """Send a message to the reaper unless one waits: more would only pile up behind it."""
        if not self.queue.waiting(UPKEEP_QUEUE):
            self.send(Reap())


@pytest.fixture
def fakes(
    sessions: Sessions, database_url: str, redis_url: str, tmp_path: Path
) -> Iterator[FakeStack]:
    stack = FakeStack(sessions, database_url, redis_url, tmp_path)
    stack.use_fakes()
    yield stack
    stack.stop()
    stack.empty_queues()
