"""One cluster's fault is nobody else's: the reaper sees to each run and cluster by itself."""

import threading
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import update

from podmeter.db.models import Cluster, Run
from podmeter.domain.run import Outcome, RunState
from podmeter.stack.process import wait_until
from podmeter_worker.reaper import reap
from podmeter_worker.worker_pool import WorkerPool

from ..bench import Bench, RememberingQueue
from ..fake_cluster import FakeCluster

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]

FAULTS = [KeyError("metadata"), TypeError("no object"), AttributeError("get"), ValueError("<html>")]


def flagged(bench: Bench, uid: str) -> Any:
    cluster_id = bench.add_cluster(uid, uid)
    with bench.sessions.begin() as session:
        session.execute(
            update(Cluster)
            .where(Cluster.id == cluster_id)
            .values(needs_restore=True, needs_restore_reason="away")
        )
    return cluster_id


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
def test_a_cluster_that_breaks_the_reaper_breaks_it_for_itself(
    bench: Bench, fault: Exception
) -> None:
    ids = {uid: flagged(bench, uid) for uid in ("a", "broken", "z")}
    tried: list[str] = []

    @contextmanager
    def connect(organization_id: Any, handle: Any, patience_seconds: float = 0) -> Any:
        tried.append(handle.identity.cluster_uid)
        if handle.identity.cluster_uid == "broken":
            raise fault
        with bench.connect(organization_id, handle) as link:
            yield link

    for _ in range(3):
        reap(bench.here(connect=connect))
    assert tried.count("broken") == 1
    assert bench.registered(ids["broken"]).restore_attempts == 1
    for uid in ("a", "z"):
        assert not bench.registered(ids[uid]).needs_restore


class BrokerAway(RememberingQueue):
    """Every question to the broker fails; with `back` it has no answer until then."""

    def __init__(self, back: threading.Event | None = None) -> None:
        super().__init__()
        self.back = back

    def waiting(self, queue: str) -> int:
        if self.back is not None:
            self.back.wait(120)
        raise ConnectionError("the broker is away")


def test_a_broker_that_is_away_holds_up_no_recovery(bench: Bench) -> None:
    cluster_id = flagged(bench, "a")
    bench.queue = BrokerAway()
    reap(bench.here())
    assert not bench.registered(cluster_id).needs_restore


def test_nor_does_one_that_does_not_answer(bench: Bench) -> None:
    """The reaper goes round again meanwhile, and sees to what came up since."""
    back, crew = threading.Event(), WorkerPool(4, 4)
    bench.queue = BrokerAway(back)
    try:
        for uid in ("a", "b"):
            cluster_id = flagged(bench, uid)
            reap(bench.here(), crew)
            assert wait_until(
                lambda one=cluster_id: not bench.registered(one).needs_restore,  # type: ignore[misc]
                60,
            )
    finally:
        back.set()
        crew.wait()


def test_clusters_that_do_not_answer_hold_up_no_other(bench: Bench) -> None:
    """Twenty of them stand still while one is put right, and the reaper goes round again."""
    over = threading.Event()
    slow = [flagged(bench, f"slow-{number}") for number in range(20)]
    honest = flagged(bench, "honest")

    @contextmanager
    def connect(organization_id: Any, handle: Any, patience_seconds: float = 0) -> Any:
        if handle.identity.cluster_uid != "honest":
            over.wait(120)
        with bench.connect(organization_id, handle) as link:
            yield link

    crew = WorkerPool(24, 24)
    here = bench.here(connect=connect)
    try:
        for _ in range(3):
            reap(here, crew)
        deadline = threading.Event()
        for _ in range(600):
            if not bench.registered(honest).needs_restore:
                break
            deadline.wait(0.1)
        assert not bench.registered(honest).needs_restore
        assert all(bench.registered(one).needs_restore for one in slow)
    finally:
        over.set()
        crew.wait()


def test_an_abandoned_run_that_cannot_be_ended_holds_up_no_other(bench: Bench) -> None:
    runs = {}
    for uid in ("a", "broken", "z"):
        bench.clusters[uid] = FakeCluster(bench.folder, uid)
        runs[uid] = bench.start_run(bench.add_cluster(uid, uid))
    with bench.sessions.begin() as session:
        session.execute(
            update(Run)
            .where(Run.id.in_(runs.values()))
            .values(state=RunState.RUNNING, holder="gone", fencing_token=1)
        )

    @contextmanager
    def connect(organization_id: Any, handle: Any, patience_seconds: float = 0) -> Any:
        if handle.identity.cluster_uid == "broken":
            raise SystemError("of a library")
        with bench.connect(organization_id, handle) as link:
            yield link

    reap(bench.here(connect=connect))
    for uid in ("a", "z"):
        run = bench.run(runs[uid])
        assert (run.state, run.outcome) == (RunState.FINISHED, Outcome.INTERRUPTED), uid


def test_a_dead_node_does_not_keep_the_others_from_being_restored(bench: Bench) -> None:
    cluster_id = flagged(bench, "c")
    cluster = bench.clusters["c"]
    swept: list[Any] = []

    @contextmanager
    def connect(organization_id: Any, handle: Any, patience_seconds: float = 0) -> Any:
        with bench.connect(organization_id, handle) as link:
            sweep = link.sweep

            def noted(run_label: str, unready: Any = ()) -> None:
                swept.append(tuple(unready))
                sweep(run_label, unready)

            link.sweep = noted  # type: ignore[method-assign]
            yield link

    with cluster.change() as state:
        state["dead"] = ["n2"]
    reap(bench.here(connect=connect))
    found = bench.registered(cluster_id)
    assert found.needs_restore
    assert "every node except n2" in found.needs_restore_reason
    assert set(swept) == {("n2",)}
    with cluster.change() as state:
        state["dead"] = []
    with bench.sessions.begin() as session:
        session.execute(update(Cluster).values(restore_after=None))
    reap(bench.here(connect=connect))
    assert not bench.registered(cluster_id).needs_restore
