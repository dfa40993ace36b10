"""A cluster that cannot be put right is tried again, each time later."""

from datetime import timedelta

import pytest
from sqlalchemy import update

from podmeter.db.base import now
from podmeter.db.models import Cluster
from podmeter.domain.real_cluster import RealCluster
from podmeter.services.accounts.principal import Principal
from podmeter.services.execution import modes, preflights, recovery
from podmeter.services.work import Work

from ..builders import LOOKED_AT, begin_preflight, make_cluster

pytestmark = pytest.mark.services


def time_passes(work: Work) -> None:
    """Whatever was put off is due."""
    due = now() - timedelta(seconds=1)
    work.session.execute(update(Cluster).values(restore_after=due))
    work.session.expire_all()


def flagged(work: Work, owner: Principal) -> Cluster:
    return make_cluster(work.session, owner, "u", needs_restore=True, needs_restore_reason="away")


def test_each_try_that_fails_puts_the_next_one_off_for_longer(work: Work, owner: Principal) -> None:
    flagged(work, owner)
    pauses = []
    for _ in range(12):
        (due,) = recovery.flagged(work)
        pauses.append(recovery.postpone_restore(work, due).total_seconds())
        assert recovery.flagged(work) == []
        time_passes(work)
    assert pauses[:4] == [10, 20, 40, 80]
    assert pauses[-3:] == [600, 600, 600]


def test_a_cluster_that_answers_again_is_tried_at_once(work: Work, owner: Principal) -> None:
    cluster = flagged(work, owner)
    (due,) = recovery.flagged(work)
    recovery.postpone_restore(work, due)
    asked = begin_preflight(work, owner.organization_id, cluster.id)
    assert asked is not None
    preflights.succeed(work, owner.organization_id, asked, RealCluster("u"), LOOKED_AT, None)
    assert len(recovery.flagged(work)) == 1


def test_once_put_right_it_begins_anew(work: Work, owner: Principal) -> None:
    cluster = flagged(work, owner)
    for _ in range(3):
        (due,) = recovery.flagged(work)
        recovery.postpone_restore(work, due)
        time_passes(work)
    modes.flag(work, owner.organization_id, cluster.id, "")
    modes.flag(work, owner.organization_id, cluster.id, "another fault")
    work.session.refresh(cluster)
    (due,) = recovery.flagged(work)
    assert recovery.postpone_restore(work, due).total_seconds() == 10


def test_one_that_was_deregistered_meanwhile_is_left_alone(work: Work, owner: Principal) -> None:
    cluster = flagged(work, owner)
    (due,) = recovery.flagged(work)
    work.session.delete(cluster)
    work.session.flush()
    assert recovery.postpone_restore(work, due) == timedelta()
