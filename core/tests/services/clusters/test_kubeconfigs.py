"""Replacing a kubeconfig while something depends on its leading to the same cluster."""

import uuid
from datetime import timedelta

import pytest

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.credentials.key_ring import KeyRing, generate_key
from podmeter.db.models import Cluster, PreflightState, ReplacementState, Run, SavedMode
from podmeter.domain.messages import say
from podmeter.domain.real_cluster import RealCluster
from podmeter.domain.run import Outcome, RunState
from podmeter.jobs import PreflightCluster
from podmeter.services.accounts.principal import Principal
from podmeter.services.clusters import kubeconfigs, registry
from podmeter.services.clusters.kubeconfigs import Vault
from podmeter.services.clusters.registry import ClusterChange, Registration
from podmeter.services.errors import ConflictError
from podmeter.services.execution import claiming, modes, preflights
from podmeter.services.experiments import library
from podmeter.services.runs import lifecycle
from podmeter.services.runs.start import start
from podmeter.services.work import Work

from ..builders import LOOKED_AT, SPEC, begin_preflight, kubeconfig

pytestmark = pytest.mark.services
VAULT = Vault(KeyRing.parse(generate_key()), AddressPolicy.of([]))
MINUTE = timedelta(minutes=1)
FIRST, SECOND, THIRD = (f"https://203.0.113.{n}:6443" for n in (1, 2, 3))


@pytest.fixture
def cluster(work: Work, owner: Principal) -> Cluster:
    """Registered and looked at: uid-1."""
    made, _ = registry.register(work, owner, VAULT, Registration("c", kubeconfig(server=FIRST)))
    asked = begin_preflight(work, owner.organization_id, made.id)
    assert asked is not None
    preflights.succeed(
        work, owner.organization_id, asked, RealCluster("uid-1", "a"), LOOKED_AT, None
    )
    return made


def give(
    work: Work, owner: Principal, cluster: Cluster, server: str, *, restored: bool = False
) -> None:
    change = ClusterChange(kubeconfig=kubeconfig(server=server), restored=restored)
    registry.change(work, owner, VAULT, cluster.id, change, None)


def kept(work: Work, cluster: Cluster) -> kubeconfigs.StoredKubeconfig:
    return kubeconfigs.stored_kubeconfig(work, cluster.organization_id, cluster.id, VAULT.keys)


def begun(
    work: Work, owner: Principal, cluster: Cluster, lease: timedelta = MINUTE
) -> lifecycle.RunHold:
    """A run that a worker has, in the queue still."""
    experiment = library.create(work, owner, SPEC)
    run = start(work, owner, experiment.id, cluster.id)
    taken = claiming.claim(work, owner.organization_id, run.id, "a worker", lease)
    assert taken is not None
    return taken.run_hold


def flagged(work: Work, cluster: Cluster) -> None:
    modes.flag(work, cluster.organization_id, cluster.id, "ipvs is left")
    work.session.refresh(cluster)


def test_a_kubeconfig_that_nothing_depends_on_is_used_at_once(
    work: Work, owner: Principal, cluster: Cluster
) -> None:
    give(work, owner, cluster, SECOND)
    assert (cluster.server, cluster.replacement) == (SECOND, None)
    assert (cluster.cluster_uid, cluster.authority) == (None, "")
    assert cluster.preflight_state is PreflightState.NEVER
    assert kept(work, cluster).fields["server"] == SECOND


@pytest.mark.parametrize("state", list(RunState)[:-1])
def test_no_kubeconfig_is_taken_while_a_run_is_under_way(
    work: Work, owner: Principal, cluster: Cluster, state: RunState
) -> None:
    run_hold = begun(work, owner, cluster)
    for step in list(RunState)[1:]:
        if work.session.get_one(Run, run_hold.run_id).state is state:
            break
        outcome = Outcome.SUCCEEDED if step is RunState.CLEANING else None
        lifecycle.move(work, run_hold, step, outcome)
    with pytest.raises(ConflictError, match="a run is using the cluster"):
        give(work, owner, cluster, SECOND)
    assert kept(work, cluster).fields["server"] == FIRST
    # The rest may be changed.
    registry.change(work, owner, VAULT, cluster.id, ClusterChange(description="d"), None)


def test_a_worker_that_is_gone_before_it_began_forbids_nothing(
    work: Work, owner: Principal, cluster: Cluster
) -> None:
    begun(work, owner, cluster, timedelta(seconds=-1))
    give(work, owner, cluster, SECOND)
    assert cluster.server == SECOND


def test_a_run_that_only_waits_does_not_forbid_it(
    work: Work, owner: Principal, cluster: Cluster
) -> None:
    experiment = library.create(work, owner, SPEC)
    run = start(work, owner, experiment.id, cluster.id)
    give(work, owner, cluster, SECOND)
    assert cluster.server == SECOND
    # It continues to the cluster that it was started for, and to no other.
    assert work.session.get_one(Run, run.id).state is RunState.QUEUED


def test_while_something_is_to_be_put_back_it_waits(
    work: Work, owner: Principal, cluster: Cluster
) -> None:
    flagged(work, cluster)
    work.jobs.clear()
    give(work, owner, cluster, SECOND)
    assert cluster.replacement is ReplacementState.PENDING
    assert (cluster.server, cluster.cluster_uid) == (FIRST, "uid-1")
    assert cluster.needs_restore
    (job,) = work.jobs
    assert isinstance(job, PreflightCluster)
    seen = kept(work, cluster)
    assert seen.fields["server"] == FIRST
    assert seen.replacement is not None
    assert (seen.replacement["server"], seen.must_be) == (SECOND, "uid-1")
    assert "203.0.113" not in repr(seen)


def test_so_it_does_with_a_saved_mode_alone(work: Work, owner: Principal, cluster: Cluster) -> None:
    run_hold = begun(work, owner, cluster)
    modes.keep(work, run_hold, cluster.id, "uid-1", "kube_proxy_mode", {"mode": "iptables"})
    lifecycle.move(work, run_hold, RunState.CLEANING, Outcome.FAILED, "said")
    lifecycle.move(work, run_hold, RunState.FINISHED)
    give(work, owner, cluster, SECOND)
    assert cluster.replacement is ReplacementState.PENDING


def test_it_is_accepted_once_the_same_cluster_was_seen(
    work: Work, owner: Principal, cluster: Cluster
) -> None:
    flagged(work, cluster)
    give(work, owner, cluster, SECOND)
    kubeconfigs.accept(work, owner.organization_id, cluster.id, kept(work, cluster))
    assert (cluster.server, cluster.replacement) == (SECOND, ReplacementState.ACCEPTED)
    assert (cluster.cluster_uid, cluster.needs_restore) == ("uid-1", True)
    after = kept(work, cluster)
    assert (after.fields["server"], after.replacement) == (SECOND, None)


def test_it_is_forgotten_once_another_one_was_seen(
    work: Work, owner: Principal, cluster: Cluster
) -> None:
    flagged(work, cluster)
    give(work, owner, cluster, SECOND)
    reason = say("another_cluster", uid="uid-2")
    kubeconfigs.refuse(work, owner.organization_id, cluster.id, kept(work, cluster), reason)
    assert (cluster.server, cluster.replacement) == (FIRST, ReplacementState.REFUSED)
    assert "uid-2" in cluster.replacement_reason
    assert kept(work, cluster).replacement is None


def test_what_was_seen_through_an_earlier_one_settles_nothing(
    work: Work, owner: Principal, cluster: Cluster
) -> None:
    flagged(work, cluster)
    give(work, owner, cluster, SECOND)
    earlier = kept(work, cluster)
    give(work, owner, cluster, THIRD)
    for decide in (kubeconfigs.accept, kubeconfigs.postpone_retry):
        more = {"reason": "away"} if decide is kubeconfigs.postpone_retry else {}
        decide(work, owner.organization_id, cluster.id, earlier, **more)
    assert cluster.replacement is ReplacementState.PENDING
    assert (cluster.server, cluster.replacement_reason) == (FIRST, "")
    now_waits = kept(work, cluster).replacement
    assert now_waits is not None
    assert now_waits["server"] == THIRD


def test_with_the_owners_word_that_all_is_restored_it_waits_no_longer(
    work: Work, owner: Principal, cluster: Cluster
) -> None:
    flagged(work, cluster)
    give(work, owner, cluster, SECOND)
    registry.change(work, owner, VAULT, cluster.id, ClusterChange(restored=True), None)
    assert (cluster.server, cluster.needs_restore) == (SECOND, False)
    # It may be any cluster, and needs a preflight.
    assert (cluster.cluster_uid, cluster.preflight_state) == (None, PreflightState.NEVER)


def test_both_may_be_said_at_once(work: Work, owner: Principal, cluster: Cluster) -> None:
    flagged(work, cluster)
    give(work, owner, cluster, SECOND, restored=True)
    assert (cluster.server, cluster.replacement, cluster.needs_restore) == (SECOND, None, False)


def test_a_preflight_takes_no_other_cluster_for_the_one_to_be_restored(
    work: Work, owner: Principal, cluster: Cluster
) -> None:
    early = begin_preflight(work, owner.organization_id, cluster.id)
    assert early is not None
    assert early.must_be is None
    flagged(work, cluster)
    asked = begin_preflight(work, owner.organization_id, cluster.id)
    assert asked is not None
    assert asked.must_be == "uid-1"
    for one in (early, asked):
        preflights.succeed(
            work, owner.organization_id, one, RealCluster("uid-2", "a"), LOOKED_AT, None
        )
        assert cluster.cluster_uid == "uid-1"
        assert cluster.preflight_state is PreflightState.FAILED
        assert "uid-2" in cluster.preflight_error


def test_one_that_waits_is_still_the_same_clusters_once_all_is_restored(
    work: Work, owner: Principal, cluster: Cluster
) -> None:
    """Through the old kubeconfig, while nothing answered through the new one."""
    flagged(work, cluster)
    give(work, owner, cluster, SECOND)
    modes.flag(work, owner.organization_id, cluster.id, "")
    work.session.refresh(cluster)
    seen = kept(work, cluster)
    assert seen.must_be == "uid-1"
    # Nor is it used under a run that begins.
    begun(work, owner, cluster)
    assert kept(work, cluster).replacement is None
    kubeconfigs.accept(work, owner.organization_id, cluster.id, seen)
    assert cluster.server == SECOND


def test_what_was_saved_of_another_cluster_is_not_put_back(
    work: Work, owner: Principal, cluster: Cluster
) -> None:
    run_hold = begun(work, owner, cluster)
    modes.keep(work, run_hold, cluster.id, "uid-1", "kube_proxy_mode", {"mode": "iptables"})
    (saved,) = work.session.query(SavedMode).all()
    assert modes.to_restore(work, owner.organization_id, cluster.id, "uid-2") == []
    assert modes.to_restore(work, uuid.uuid4(), cluster.id, "uid-1") == []
    modes.strike(work, uuid.uuid4(), saved.id)
    (left,) = modes.to_restore(work, owner.organization_id, cluster.id, "uid-1")
    assert left.content == {"mode": "iptables"}
