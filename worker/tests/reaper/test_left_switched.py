"""A Podmeter that is gone, database and all, left a cluster switched; another one finds it so."""

import uuid
from collections.abc import Sequence

import pytest
from core.tests.services.builders import LOOKED_AT
from sqlalchemy import delete, update

from podmeter.db.models import Cluster, ClusterClaim, Run, SavedMode
from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.domain.cluster_report import ClusterReport, UnrestoredSwitch
from podmeter.domain.messages import say
from podmeter.domain.real_cluster import RealCluster
from podmeter.domain.run import Outcome
from podmeter.services.clusters import registry
from podmeter.services.clusters.foreign_switch import restore_foreign_switch
from podmeter.services.errors import ConflictError
from podmeter.services.execution import preflights
from podmeter.services.work import work_with
from podmeter_worker.kube.errors import ClusterBusyError
from podmeter_worker.reaper import reap
from podmeter_worker.runner import context

from ..bench import SWITCHING, SWITCHING_TRIALS, Bench
from ..fake_cluster import MODES
from ..fake_link import FakeLink
from ..killed import Killed, killed_at

pytestmark = pytest.mark.services
AXIS = "kube_proxy_mode"


@pytest.fixture
def left(bench: Bench) -> uuid.UUID:
    """A cluster registered with this Podmeter, and switched by one that no longer exists."""
    bench.steps = killed_at("switched")
    run_id = bench.new_run(SWITCHING)
    with pytest.raises(Killed):
        bench.lead(run_id)
    bench.steps = lambda step: None
    with bench.sessions.begin() as session:
        for table in (SavedMode, ClusterClaim, Run, Cluster):
            session.execute(delete(table))
    with bench.cluster.change() as state:
        state["lease"] = None
    assert bench.cluster.now()["modes"][AXIS] == "nftables"
    return bench.add_cluster()


def noted(bench: Bench) -> list[UnrestoredSwitch]:
    return [UnrestoredSwitch.model_validate(one) for one in bench.cluster.now()["notes"].values()]


def look(bench: Bench, cluster_id: uuid.UUID) -> list[UnrestoredSwitch]:
    """What a preflight finds, as it is kept."""
    organization = bench.owner.organization_id
    found = LOOKED_AT.model_copy(update={"stood_before": noted(bench)})
    with work_with(bench.sessions, bench.queue) as work:
        registry.request_preflight(work, bench.owner, cluster_id)
    asked = bench.database.write(lambda w: preflights.begin(w, organization, cluster_id))
    assert asked is not None
    real = RealCluster(bench.cluster.uid)
    bench.database.write(lambda w: preflights.succeed(w, organization, asked, real, found, None))
    return ClusterReport.model_validate(bench.registered(cluster_id).capabilities).stood_before


def confirm(bench: Bench, cluster_id: uuid.UUID, values: Sequence[UnrestoredSwitch]) -> None:
    with work_with(bench.sessions, bench.queue) as work:
        restore_foreign_switch(work, bench.owner, cluster_id, values)


def still_saved(bench: Bench, cluster_id: uuid.UUID) -> list[str]:
    """The axes whose values before a switch are still to be restored."""
    with bench.sessions() as session:
        clusters = ClusterRepository(session, bench.owner.organization_id)
        return [one.axis for one in clusters.saved_modes(cluster_id, open_only=True)]


def restore(bench: Bench) -> None:
    reap(bench.here())


def test_it_is_not_measured_and_says_what_stood(bench: Bench, left: uuid.UUID) -> None:
    run_id = bench.start_run(left, SWITCHING)
    bench.lead(run_id)
    run = bench.run(run_id)
    assert run.outcome is Outcome.FAILED
    assert "kube_proxy_mode is still switched by kube-proxy" in run.reason
    assert "recorded the original values value: iptables" in run.reason
    assert bench.trials(run_id) == []
    assert bench.cluster.now()["modes"][AXIS] == "nftables"


def test_a_run_waits_for_another_one_that_has_switched_it(
    bench: Bench, left: uuid.UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Lease's holder restores its modes; only a note that is left then refuses the run."""
    monkeypatch.setattr(context, "_BUSY_SECONDS", 0.0)
    take_lease, tried = FakeLink.take_lease, list[bool]()

    def taken(link: FakeLink) -> None:
        if not tried:
            tried.append(True)
            with link.cluster.change() as state:
                state["notes"].clear()
                state["modes"][AXIS] = "iptables"
            raise ClusterBusyError(say("lease_held", holder="theirs", since="then"))
        take_lease(link)

    monkeypatch.setattr(FakeLink, "take_lease", taken)
    run_id = bench.start_run(left, SWITCHING)
    assert bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert bench.cluster.is_clean


def test_it_is_put_back_once_its_owner_confirmed_the_values(bench: Bench, left: uuid.UUID) -> None:
    (shown,) = look(bench, left)
    assert (shown.axis, shown.saved) == (AXIS, {"value": "iptables"})
    other = shown.model_copy(update={"saved": {"value": "ipvs"}})
    for wrong in ([], [other], [shown, other]):
        with pytest.raises(ConflictError):
            confirm(bench, left, wrong)
    restore(bench)
    assert bench.cluster.now()["modes"][AXIS] == "nftables"

    confirm(bench, left, [shown])
    assert bench.registered(left).needs_restore
    with pytest.raises(ConflictError):
        confirm(bench, left, [shown])
    restore(bench)
    assert bench.cluster.now()["modes"] == MODES
    assert noted(bench) == []
    assert not bench.registered(left).needs_restore
    run_id = bench.start_run(left, SWITCHING)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert len(bench.trials(run_id)) == SWITCHING_TRIALS


def test_what_is_put_back_on_living_nodes_alone_is_put_back_again(
    bench: Bench, left: uuid.UUID
) -> None:
    confirm(bench, left, look(bench, left))
    with bench.cluster.change() as state:
        state["dead"] = ["n2"]
    restore(bench)
    assert still_saved(bench, left) == [AXIS]
    assert bench.registered(left).needs_restore

    with bench.cluster.change() as state:
        state["dead"] = []
    with bench.sessions.begin() as session:
        session.execute(update(Cluster).values(restore_after=None))
    restore(bench)
    assert still_saved(bench, left) == []
    assert not bench.registered(left).needs_restore


def test_what_somebody_else_has_put_back_meanwhile_is_left_as_it_is(
    bench: Bench, left: uuid.UUID
) -> None:
    confirm(bench, left, look(bench, left))
    with bench.cluster.change() as state:
        state["notes"].clear()
        state["modes"][AXIS] = "ipvs"  # as its owner wants it now
    restore(bench)
    assert bench.cluster.now()["modes"][AXIS] == "ipvs"
    assert not bench.registered(left).needs_restore


def test_what_a_run_of_this_podmeter_switched_is_nobody_s_to_confirm(bench: Bench) -> None:
    seen: list[list[UnrestoredSwitch]] = []

    def steps(step: str) -> None:
        if step == "switched":
            assert noted(bench)
            seen.append(look(bench, cluster_id))

    bench.steps = steps
    cluster_id = bench.add_cluster()
    run_id = bench.start_run(cluster_id, SWITCHING)
    bench.lead(run_id)
    assert seen == [[]]
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert noted(bench) == []
