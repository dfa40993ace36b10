"""Locks, preflights of clusters, and forgetting."""

import uuid
import zlib
from datetime import timedelta
from unittest.mock import ANY

import pytest
from sqlalchemy import select

from podmeter.db.base import now
from podmeter.db.models import (
    Cluster,
    FingerprintRecord,
    InvocationRecord,
    LoginSession,
    PreflightState,
    Snapshot,
    Trial,
)
from podmeter.db.repositories.locks import is_free, try_lock
from podmeter.db.repositories.runs import RunRepository
from podmeter.db.session import Sessions
from podmeter.domain.cluster_report import AxisReport, ClusterReport
from podmeter.domain.messages import Message, say
from podmeter.domain.real_cluster import RealCluster
from podmeter.domain.trial import TrialStatus
from podmeter.services.accounts.principal import Principal
from podmeter.services.execution import preflights, recovery, retention
from podmeter.services.execution.environment import digest_of
from podmeter.services.work import Work

from ..builders import LOOKED_AT, begin_preflight, make_cluster, queue_run

pytestmark = pytest.mark.services


def test_a_lock_is_held_by_one_and_free_when_it_lets_go(sessions: Sessions) -> None:
    with try_lock(sessions, "a cluster") as first:
        assert first
        with try_lock(sessions, "a cluster") as second:
            assert not second
        assert not is_free(sessions, "a cluster")
        assert is_free(sessions, "another cluster")
    assert is_free(sessions, "a cluster")


def test_a_lock_goes_with_an_error_too(sessions: Sessions) -> None:
    def fail() -> None:
        with try_lock(sessions, "a cluster"):
            raise KeyError("x")

    with pytest.raises(KeyError, match="x"):
        fail()
    assert is_free(sessions, "a cluster")


def test_a_preflight_keeps_what_it_found(work: Work, owner: Principal) -> None:
    cluster = make_cluster(work.session, owner, None)
    asked = begin_preflight(work, owner.organization_id, cluster.id)
    assert asked is not None
    assert cluster.preflight_state is PreflightState.RUNNING
    found = {"kernel": "6.12"}
    for _ in range(2):
        preflights.succeed(
            work, owner.organization_id, asked, RealCluster("u", "a"), LOOKED_AT, found
        )
    assert cluster.real == RealCluster("u", "a")
    assert cluster.capabilities == {
        **LOOKED_AT.model_dump(mode="json"),
        "inside_at": ANY,
        "format": 1,
    }
    assert cluster.preflight_state is PreflightState.SUCCEEDED
    assert cluster.preflighted_at is not None
    # The same state seen twice is one line of the history.
    (record,) = work.session.scalars(select(FingerprintRecord))
    assert record.digest == digest_of(found)


@pytest.mark.parametrize(
    ("why", "kept"),
    [
        (say("being_measured", run="r"), True),
        (say("busy_now", why="somebody has it"), True),
        (say("no_image"), False),
    ],
)
def test_a_look_beside_a_run_keeps_what_pods_told_before(
    work: Work, owner: Principal, why: Message, kept: bool
) -> None:
    cluster, real = make_cluster(work.session, owner, None), RealCluster("u", "a")
    inside = {"modes": {"kube_proxy_mode": AxisReport(observed="iptables")}, "shared_host": True}
    for report, found in (
        (LOOKED_AT.model_copy(update=inside), {"kernel": "6.12"}),
        (LOOKED_AT.model_copy(update={"not_looked_at": why}), None),
    ):
        asked = begin_preflight(work, owner.organization_id, cluster.id)
        assert asked is not None
        preflights.succeed(work, owner.organization_id, asked, real, report, found)
    found_now = ClusterReport.model_validate(cluster.capabilities)
    assert found_now.not_looked_at == why
    assert (found_now.shared_host, "kube_proxy_mode" in found_now.modes) == (kept or None, kept)
    assert (found_now.inside_at is not None) is kept


def test_what_pods_told_of_another_cluster_is_not_kept(work: Work, owner: Principal) -> None:
    cluster = make_cluster(work.session, owner, None)
    beside = LOOKED_AT.model_copy(update={"not_looked_at": say("being_measured", run="r")})
    for uid, report, found in (
        ("u", LOOKED_AT.model_copy(update={"shared_host": True}), {"kernel": "6.12"}),
        ("another", beside, None),
    ):
        asked = begin_preflight(work, owner.organization_id, cluster.id)
        assert asked is not None
        preflights.succeed(work, owner.organization_id, asked, RealCluster(uid, "a"), report, found)
    assert cluster.cluster_uid == "another"
    assert ClusterReport.model_validate(cluster.capabilities).shared_host is None


def test_a_preflight_of_what_was_changed_meanwhile_is_dropped(work: Work, owner: Principal) -> None:
    cluster = make_cluster(work.session, owner, None)
    asked = begin_preflight(work, owner.organization_id, cluster.id)
    assert asked is not None
    cluster.updated_at = now()
    work.session.flush()
    preflights.succeed(work, owner.organization_id, asked, RealCluster("u", "a"), LOOKED_AT, None)
    preflights.fail(work, owner.organization_id, asked, "no answer")
    assert (cluster.cluster_uid, cluster.preflight_error) == (None, "")


def test_another_registration_of_a_cluster_that_needs_restore_knows_that_it_does(
    work: Work, owner: Principal
) -> None:
    marked = {"needs_restore": True, "needs_restore_reason": "because", "authority": "a"}
    make_cluster(work.session, owner, "u", **marked)
    cluster = make_cluster(work.session, owner, None)
    asked = begin_preflight(work, owner.organization_id, cluster.id)
    assert asked is not None
    preflights.succeed(work, owner.organization_id, asked, RealCluster("u", "a"), LOOKED_AT, None)
    work.session.refresh(cluster)
    assert cluster.restored_elsewhere
    assert (cluster.needs_restore, cluster.needs_restore_reason) == (False, "")


def test_a_preflight_that_was_lost_is_asked_for_again(work: Work, owner: Principal) -> None:
    cluster = make_cluster(work.session, owner, None, name="lost")
    cluster.preflight_state = PreflightState.RUNNING
    work.session.flush()
    (looked,) = recovery.pending_preflights(work)
    recovery.requeue_preflight(work, looked)
    assert cluster.preflight_state is PreflightState.QUEUED
    assert [job.name for job in work.jobs] == ["podmeter.preflight_cluster"]
    # Anyone who asks a second time finds it changed.
    recovery.requeue_preflight(work, looked)
    assert len(work.jobs) == 1


def test_raw_output_is_forgotten_after_its_time_and_nothing_else(
    work: Work, owner: Principal
) -> None:
    run_id = queue_run(work, owner)
    runs = RunRepository(work.session, owner.organization_id)
    block, case = runs.blocks(run_id)[0], runs.all_cases(run_id)[0]
    for number, days in ((1, 10), (2, 100)):
        trial = Trial(
            organization_id=owner.organization_id,
            run_id=run_id,
            case_id=case.id,
            block_id=block.id,
            round=1,
            number=number,
            warmup=False,
            attempt=1,
            status=TrialStatus.COUNTED,
            seconds=1.0,
            tool_seconds=1.0,
            started_at=now(),
            stored_at=now() - timedelta(days=days),
        )
        work.session.add(trial)
        work.session.flush()
        work.session.add(
            InvocationRecord(
                trial_id=trial.id,
                position=0,
                tool="iperf3",
                version="3.18",
                argv=["iperf3"],
                place="p",
                exit_code=0,
                seconds=1.0,
                stdout=zlib.compress(b"out"),
                stderr=zlib.compress(b""),
            )
        )
    work.session.flush()
    assert retention.forget_output(work, 90)
    assert not retention.forget_output(work, 90)
    work.session.expire_all()
    kept = work.session.execute(
        select(Trial.number, InvocationRecord.stdout, InvocationRecord.argv).join(Trial)
    ).all()
    assert {row[0]: (row[1] is not None, row[2]) for row in kept} == {
        1: (True, ["iperf3"]),
        2: (False, ["iperf3"]),
    }


def test_logins_and_snapshots_go_when_their_time_is_over(work: Work, owner: Principal) -> None:
    for hours in (-1, 1):
        expiry = now() + timedelta(hours=hours)
        work.session.add(
            LoginSession(
                organization_id=owner.organization_id,
                user_id=owner.user_id,
                token_hash=uuid.uuid4().hex,
                expires_at=expiry,
            )
        )
        work.session.add(
            Snapshot(
                organization_id=owner.organization_id,
                title="shared",
                token_hash=uuid.uuid4().hex,
                request={},
                content={"run": "what the link shows"},
                expires_at=expiry,
            )
        )
    revoked = Snapshot(
        organization_id=owner.organization_id,
        title="revoked",
        token_hash=uuid.uuid4().hex,
        request={},
        content={"run": "what nobody is to see any more"},
        revoked_at=now(),
    )
    work.session.add(revoked)
    work.session.flush()
    retention.forget_expired(work)
    assert len(work.session.scalars(select(LoginSession)).all()) == 1
    work.session.expire_all()
    left = {one.title: one for one in work.session.scalars(select(Snapshot))}
    assert set(left) == {"shared", "revoked"}
    assert left["revoked"].content == {}
    assert left["shared"].content == {"run": "what the link shows"}
    assert work.session.scalars(select(Cluster)).all() == []
