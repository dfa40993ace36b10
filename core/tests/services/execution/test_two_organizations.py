"""Two organizations, one UID: what crosses between them, and what never does."""

import uuid
from dataclasses import dataclass
from datetime import timedelta

import pytest

from podmeter.db.models import Cluster, Run, SavedMode
from podmeter.domain.real_cluster import RealCluster
from podmeter.domain.run import Outcome, RunState
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import ConflictError
from podmeter.services.execution import claiming, modes, preflights, recovery
from podmeter.services.experiments import library
from podmeter.services.runs import lifecycle
from podmeter.services.runs.start import start
from podmeter.services.work import Work

from ..builders import LOOKED_AT, SPEC, begin_preflight, make_cluster, make_principal

pytestmark = pytest.mark.services
MINUTE = timedelta(minutes=1)
SECRET = "ipvs is left on node db-primary.internal"
OURS, FORGED = "vouched by the cluster's authority", "vouched by somebody"


@dataclass
class Site:
    """An organization with a registration of the UID."""

    work: Work
    owner: Principal
    cluster: Cluster

    def queue(self) -> uuid.UUID:
        experiment = library.create(self.work, self.owner, SPEC)
        return start(self.work, self.owner, experiment.id, self.cluster.id).id

    def take(self, run: uuid.UUID) -> lifecycle.RunHold | None:
        organization = self.owner.organization_id
        taken = claiming.claim(self.work, organization, run, "a worker", MINUTE)
        return taken.run_hold if taken else None

    def shown(self) -> Cluster:
        self.work.session.refresh(self.cluster)
        return self.cluster


def site(work: Work, name: str, authority: str) -> Site:
    owner = make_principal(work.session, name)
    return Site(work, owner, make_cluster(work.session, owner, "uid-1", authority=authority))


@pytest.fixture
def victim(work: Work) -> Site:
    """Its run could not restore what it had switched."""
    found = site(work, "victim", OURS)
    run_hold = found.take(found.queue())
    assert run_hold is not None
    modes.keep(work, run_hold, found.cluster.id, "uid-1", "kube_proxy_mode", {"mode": "iptables"})
    lifecycle.move(work, run_hold, RunState.PREFLIGHT)
    lifecycle.move(work, run_hold, RunState.CLEANING, Outcome.FAILED, SECRET)
    modes.flag(work, found.owner.organization_id, found.cluster.id, SECRET)
    lifecycle.move(work, run_hold, RunState.FINISHED)
    lifecycle.release_run(work, run_hold)
    return found


def test_a_forged_uid_changes_nothing_for_whom_it_belongs_to(work: Work, victim: Site) -> None:
    forger = site(work, "forger", FORGED)
    # It sees nothing, and is not stopped either: it is another cluster.
    assert not forger.shown().needs_restore
    assert not forger.shown().restored_elsewhere
    organization = forger.owner.organization_id
    assert modes.to_restore(work, organization, forger.cluster.id, "uid-1") == []
    run_hold = forger.take(forger.queue())
    assert run_hold is not None
    # What it switches and restores is its own.
    modes.keep(work, run_hold, forger.cluster.id, "uid-1", "kube_proxy_mode", {"mode": "lies"})
    modes.flag(work, organization, forger.cluster.id, "lies")
    (kept,) = modes.to_restore(work, organization, forger.cluster.id, "uid-1")
    modes.strike(work, organization, kept.id)
    modes.flag(work, organization, forger.cluster.id, "")
    shown = victim.shown()
    assert (shown.needs_restore, shown.needs_restore_reason) == (True, SECRET)
    (left,) = modes.to_restore(work, victim.owner.organization_id, shown.id, "uid-1")
    assert left.content == {"mode": "iptables"}
    assert [one.cluster_id for one in recovery.flagged(work)] == [shown.id]


def test_a_forged_uid_holds_no_queue(work: Work) -> None:
    forger, honest = site(work, "forger", FORGED), site(work, "honest", OURS)
    assert forger.take(forger.queue()) is not None
    run = honest.queue()
    assert honest.take(run) is not None
    asked = begin_preflight(work, honest.owner.organization_id, honest.cluster.id)
    assert asked is not None
    assert str(run) in str(asked.measured)


def test_the_same_cluster_is_measured_by_one_run_at_a_time(work: Work) -> None:
    first, second = site(work, "first", OURS), site(work, "second", OURS)
    run = first.queue()
    assert first.take(run) is not None
    assert second.take(second.queue()) is None
    asked = begin_preflight(work, second.owner.organization_id, second.cluster.id)
    assert asked is not None
    # That it is measured crosses, not by which run.
    assert asked.measured is not None
    assert asked.measured.code == "being_measured_elsewhere"
    assert str(run) not in str(asked.measured.plain())


def test_of_a_restore_only_that_there_is_one_crosses(work: Work, victim: Site) -> None:
    other = site(work, "other", OURS)
    shown = other.shown()
    assert (shown.needs_restore, shown.needs_restore_reason) == (False, "")
    assert shown.restored_elsewhere
    assert not victim.shown().restored_elsewhere
    with pytest.raises(ConflictError, match="also registered under another name") as refused:
        other.queue()
    assert SECRET not in str(refused.value.said.plain())
    # Nor is it restored through the other registration, or marked as restored by its owner.
    organization = other.owner.organization_id
    assert modes.to_restore(work, organization, other.cluster.id, "uid-1") == []
    modes.flag(work, organization, other.cluster.id, "")
    assert victim.shown().needs_restore
    assert [one.runs for one in recovery.flagged(work)] == [
        [run.id for run in work.session.query(Run).all()]
    ]


def test_a_run_that_waits_goes_on_once_it_is_restored(work: Work) -> None:
    first, second = site(work, "first", OURS), site(work, "second", OURS)
    run = second.queue()
    version = second.shown().version
    modes.flag(work, first.owner.organization_id, first.cluster.id, SECRET)
    assert second.take(run) is None
    assert second.shown().version > version
    modes.flag(work, first.owner.organization_id, first.cluster.id, "")
    assert second.take(run) is not None


def test_a_registration_is_one_cluster_whoever_vouches_for_it(work: Work) -> None:
    """Of two runs, the authority's key was changed between their starts."""
    found = site(work, "ours", OURS)
    first = found.queue()
    organization = found.owner.organization_id
    asked = begin_preflight(work, organization, found.cluster.id)
    assert asked is not None
    preflights.succeed(work, organization, asked, RealCluster("uid-1", "anew"), LOOKED_AT, None)
    second = found.queue()
    assert found.take(second) is None
    assert found.take(first) is not None
    assert found.take(second) is None


def test_an_authority_that_was_changed_strands_nothing(work: Work, victim: Site) -> None:
    """A new key of the cluster's authority: its registration still has to restore the mode."""
    organization, cluster = victim.owner.organization_id, victim.cluster
    asked = begin_preflight(work, organization, cluster.id)
    assert asked is not None
    preflights.succeed(work, organization, asked, RealCluster("uid-1", "anew"), LOOKED_AT, None)
    assert len(modes.to_restore(work, organization, cluster.id, "uid-1")) == 1
    assert [one.cluster_id for one in recovery.flagged(work)] == [cluster.id]
    with pytest.raises(ConflictError, match="needs restore"):
        victim.queue()
    assert work.session.query(SavedMode).one().restored_at is None
