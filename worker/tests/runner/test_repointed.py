"""A run's address leads to another cluster while its modes are switched."""

from datetime import timedelta

import pytest
from sqlalchemy import update

from podmeter.db.base import now
from podmeter.db.models import Cluster
from podmeter.domain.run import Outcome, Reopening, RunState
from podmeter.services.errors import ConflictError
from podmeter_worker.kube.errors import AnotherClusterError

from ..bench import SWITCHING, Bench
from ..fake_cluster import MODES, FakeCluster

pytestmark = pytest.mark.services


@pytest.mark.parametrize("at", ["switched", "restoring"])
def test_nothing_is_put_back_on_another_cluster(bench: Bench, at: str) -> None:
    cluster_id = bench.add_cluster()
    ours = bench.cluster
    other = FakeCluster(bench.folder, "another")
    before = other.now()

    def steps(step: str) -> None:
        if step == at:
            bench.clusters["real-cluster"] = other

    bench.steps = steps
    run_id = bench.start_run(cluster_id, SWITCHING)
    bench.lead(run_id)
    run, cluster = bench.run(run_id), bench.registered(cluster_id)
    assert run.state is RunState.FINISHED
    assert run.outcome is not Outcome.SUCCEEDED
    assert "kube-system UID is another" in run.reason
    # The switched cluster is known by its saved mode; the other was not changed.
    assert ours.now()["modes"]["kube_proxy_mode"] == "nftables"
    assert other.now() == before
    assert (cluster.needs_restore, cluster.cluster_uid) == (True, "real-cluster")
    (saved,) = bench.saved_modes(run_id)
    assert (saved.cluster_uid, saved.restored_at) == ("real-cluster", None)
    with pytest.raises(AnotherClusterError):
        bench.restore_flagged()
    assert other.now() == before
    bench.steps = lambda step: None
    bench.clusters["real-cluster"] = ours
    with ours.change() as state:
        state["lease"] = None  # it has run out
    bench.restore_flagged()
    assert ours.now()["modes"] == MODES
    assert not bench.registered(cluster_id).needs_restore


def expires(bench: Bench, in_: timedelta) -> None:
    with bench.sessions.begin() as session:
        session.execute(update(Cluster).values(credential_expires_at=now() + in_))


def test_a_run_that_waited_until_its_credentials_are_too_short_is_refused(bench: Bench) -> None:
    run_id = bench.new_run(SWITCHING)
    expires(bench, timedelta(seconds=90))
    bench.lead(run_id)
    run = bench.run(run_id)
    assert run.outcome is Outcome.FAILED
    assert "in 1 min" in run.reason
    assert bench.cluster.now()["n"] == 0
    assert bench.cluster.is_clean
    # Nor is it taken up again before there are others.
    with pytest.raises(ConflictError, match="valid for longer"):
        bench.take_up(run_id, Reopening.RETRY)
    expires(bench, timedelta(days=1))
    bench.take_up(run_id, Reopening.RETRY)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
