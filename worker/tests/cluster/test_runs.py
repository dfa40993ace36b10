"""Runs on a real cluster, led by a real Celery worker with the rights of the manifest alone."""

import time
from collections.abc import Callable

import pytest
from sqlalchemy import select

from podmeter.db.models import CaseRecord, FingerprintRecord, MeasurementRecord, Trial
from podmeter.domain.ports import POD_NAMESPACE
from podmeter.domain.run import Outcome, RunState
from podmeter.domain.trial import TrialStatus
from podmeter.jobs import Reap
from podmeter.services.runs import steer
from podmeter.services.work import work_with
from podmeter_testbed import ingress
from podmeter_testbed.layout import Layout
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.resources import PODS
from podmeter_worker.kube.wait import wait_until_gone
from podmeter_worker.modes import notes
from podmeter_worker.modes.registry import configurations

from ..relay import Relay
from .conftest import HeldStack

pytestmark = [pytest.mark.cluster, pytest.mark.services, pytest.mark.timeout(900)]

TWO_PATHS = {
    "name": "two paths",
    "kind": "throughput",
    "axes": {"path": ["node-node", "pod-pod"], "protocol": ["tcp"], "streams": [1]},
    "repetition": {"trials": 2, "seconds": 1, "rounds": 1, "warmup": 0},
}
SWITCHING = {
    **TWO_PATHS,
    "axes": {
        "path": ["pod-pod"],
        "protocol": ["tcp"],
        "streams": [1],
        "kube_proxy_mode": ["iptables", "nftables"],
    },
}


def test_measurements_of_every_trial_are_stored(
    looked_at: HeldStack, left_behind: Callable[[], list[str]]
) -> None:
    looked_at.start_worker()
    run = looked_at.wait_finished(looked_at.start_run(looked_at.cluster_id, TWO_PATHS))
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    trials = looked_at.trials(run.id)
    assert [trial.status for trial in trials] == [TrialStatus.COUNTED] * 4
    assert all(trial.overhead_seconds is not None for trial in trials)
    with looked_at.sessions() as session:
        rates = session.scalars(
            select(MeasurementRecord.value)
            .join(Trial, Trial.id == MeasurementRecord.trial_id)
            .where(Trial.run_id == run.id, MeasurementRecord.metric == "throughput")
        ).all()
    assert len(rates) == 4
    assert min(rates) > 1e6
    # The kernels' own word on each path: what is encapsulated is what goes from pod to pod.
    assert run.environment is not None
    (seen,) = run.environment["clusters"].values()
    ways = {trial.facts["node_route"] for trial in trials}
    tunnels = {way for way in ways if "(vxlan)" in way}
    assert bool(tunnels) is (seen["fingerprint"]["cni"]["encapsulation"] == "vxlan")
    assert ways - tunnels
    with looked_at.sessions() as session:
        placements = session.scalars(
            select(CaseRecord.placement).where(CaseRecord.run_id == run.id)
        ).all()
    nics = {placement["nic"] for placement in placements if placement is not None}
    assert len(nics) == 1
    assert None not in nics
    assert left_behind() == []


EVERY_PAIR = {
    **TWO_PATHS,
    "name": "every pair of nodes",
    "axes": {**TWO_PATHS["axes"], "node_pair": ["all"]},  # type: ignore[dict-item]
    "repetition": {"trials": 2, "seconds": 1, "rounds": 1, "warmup": 0},
}
LATENCY_OF_EVERY_PAIR = {
    "name": "latency of every pair of nodes",
    "kind": "transport",
    "axes": {"node_pair": ["all"], "path": ["pod-pod"], "qperf_test": ["tcp_lat"]},
    "parameters": {"tcp_lat_seconds": 1},
    "repetition": {"trials": 2, "rounds": 1, "warmup": 0},
}


@pytest.mark.parametrize(
    ("spec", "paths"), [(EVERY_PAIR, 2), (LATENCY_OF_EVERY_PAIR, 1)], ids=["throughput", "latency"]
)
def test_both_ordered_pairs_of_two_nodes_are_measured(
    looked_at: HeldStack, left_behind: Callable[[], list[str]], spec: dict[str, object], paths: int
) -> None:
    looked_at.start_worker()
    run = looked_at.wait_finished(looked_at.start_run(looked_at.cluster_id, spec))
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    assert len(looked_at.trials(run.id)) == 2 * 2 * paths
    with looked_at.sessions() as session:
        cases = session.execute(
            select(CaseRecord.point, CaseRecord.placement).where(CaseRecord.run_id == run.id)
        ).all()
    assert len(cases) == 2 * paths
    pairs = {point["node_pair"] for point, _ in cases}
    first, second = sorted(pair.partition("~")[::2] for pair in pairs)
    assert first == (second[1], second[0])
    for point, placement in cases:
        assert placement is not None
        sat = f"{placement['client_node']}~{placement['server_node']}"
        assert sat == point["node_pair"]
    # What each trial's own ends say, and not only what was planned.
    for trial in looked_at.trials(run.id):
        client = trial.facts["client"].rpartition(" on ")[2]
        assert f" on {client} " not in trial.facts["server"]
    assert left_behind() == []


TRANSPORT = {
    "name": "three paths by qperf",
    "kind": "transport",
    "parameters": {
        **{f"{test}_seconds": 1 for test in ("tcp_bw", "tcp_lat", "udp_bw", "udp_lat")},
        "replicas": 2,
    },
    "repetition": {"trials": 1, "rounds": 1, "warmup": 0},
}


def test_transport_measures_every_path_and_who_answers(
    looked_at: HeldStack, left_behind: Callable[[], list[str]]
) -> None:
    looked_at.start_worker()
    run = looked_at.wait_finished(looked_at.start_run(looked_at.cluster_id, TRANSPORT))
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    assert len(looked_at.trials(run.id)) == 13
    with looked_at.sessions() as session:
        rows = session.execute(
            select(MeasurementRecord.metric, MeasurementRecord.subject, MeasurementRecord.value)
            .join(Trial, Trial.id == MeasurementRecord.trial_id)
            .where(Trial.run_id == run.id)
        ).all()
    found: dict[str, list[float]] = {}
    for metric, _, value in rows:
        found.setdefault(metric, []).append(value)
    assert len(found["bandwidth"]) == len(found["message_latency"]) == 6
    assert min(found["bandwidth"]) > 1e6
    assert 1e-7 < min(found["message_latency"]) <= max(found["message_latency"]) < 0.1
    assert len(found["udp_loss"]) == len(found["bandwidth_sent"]) == 3
    assert len(found["replica_share"]) == 2
    assert sum(found["replica_share"]) == pytest.approx(1)
    # Of 100 connections, by chance, a replica gets fewer than 20 once in 10 ** 9 runs.
    assert min(found["replica_share"]) > 0.2
    assert left_behind() == []


def test_request_latency_measures_every_path_and_who_answers(
    looked_at: HeldStack, left_behind: Callable[[], list[str]]
) -> None:
    looked_at.start_worker()
    spec = {
        "name": "paths by curl",
        "kind": "request_latency",
        "parameters": {"requests": 10, "placement": "all-nodes"},
        "repetition": {"trials": 1, "rounds": 1, "warmup": 0},
    }
    run = looked_at.wait_finished(looked_at.start_run(looked_at.cluster_id, spec))
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    trials = looked_at.trials(run.id)
    assert [trial.status for trial in trials] == [TrialStatus.COUNTED] * 6
    with looked_at.sessions() as session:
        rows = session.execute(
            select(Trial.id, MeasurementRecord.metric, MeasurementRecord.value)
            .join(Trial, Trial.id == MeasurementRecord.trial_id)
            .where(Trial.run_id == run.id)
        ).all()
    of_trial: dict[int, dict[str, list[float]]] = {}
    for trial_id, metric, value in rows:
        of_trial.setdefault(trial_id, {}).setdefault(metric, []).append(value)
    for found in of_trial.values():
        (total,) = found["curl_total_mean"]
        assert 1e-5 < total < 1
        assert sum(found["request_parts"]) == pytest.approx(total)
    # Through a Service there are three replicas, on both nodes, and every request is answered.
    shares = [found["replica_share"] for found in of_trial.values() if "replica_share" in found]
    assert len(shares) == 4
    assert [len(one) for one in shares] == [3] * 4
    assert [sum(one) for one in shares] == [pytest.approx(1)] * 4
    assert left_behind() == []


SCALED = {
    "name": "switches of a population",
    "kind": "service_scale",
    "parameters": {"mode_switch_from": 40},
    "axes": {
        "kube_proxy_mode": ["iptables", "nftables"],
        "services": [10, 40],
        "probe": ["climb", "mode-switch"],
    },
    "repetition": {"trials": 1, "rounds": 1, "warmup": 0},
}


def test_switches_are_timed_with_the_cluster_s_own_services_and_with_a_population(
    looked_at: HeldStack, proxy_mode: Callable[[], str], left_behind: Callable[[], list[str]]
) -> None:
    before = proxy_mode()
    looked_at.start_worker()
    run = looked_at.wait_finished(looked_at.start_run(looked_at.cluster_id, SCALED), 600)
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    with looked_at.sessions() as session:
        rows = session.execute(
            select(MeasurementRecord.trial_id, MeasurementRecord.metric, MeasurementRecord.value)
            .join(Trial, Trial.id == MeasurementRecord.trial_id)
            .where(Trial.run_id == run.id)
        ).all()
    found: dict[int, dict[str, float]] = {}
    for trial, metric, value in rows:
        found.setdefault(trial, {})[metric] = value
    trials = [*looked_at.set_ups(run.id), *looked_at.trials(run.id)]
    own = [found[one.id] for one in trials if "mode_stood" in one.facts]
    switched = [found[one.id] for one in trials if one.facts.get("switched_from")]
    # Two set-ups of blocks, of which one at least is a switch, and one switch on the rung of each.
    assert len(own) == 4
    assert len(switched) == 2
    assert all("switch_convergence" in one for one in switched)
    for one in own:
        assert min(one.values()) >= 0
        assert one.get("switch_seconds", one.get("roll_seconds", 0)) > 0
        assert one["switch_resolution"] > 0
    assert proxy_mode() == before
    assert left_behind() == []


SYNCED = {
    **SCALED,
    "name": "sync periods",
    "parameters": {"sync_period_seconds": 75, "min_sync_period_seconds": 2},
    "axes": {
        "kube_proxy_mode": ["iptables"],
        "services": [10],
        "probe": ["climb", "service-ready"],
    },
}


def test_sync_periods_are_measured_with_recorded_and_put_back(
    looked_at: HeldStack, proxy_mode: Callable[[], str], left_behind: Callable[[], list[str]]
) -> None:
    before = proxy_mode()
    looked_at.start_worker()
    run = looked_at.wait_finished(looked_at.start_run(looked_at.cluster_id, SYNCED), 600)
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    with looked_at.sessions() as session:
        (seen,) = session.scalars(
            select(FingerprintRecord.content)
            .join(CaseRecord, CaseRecord.fingerprint_id == FingerprintRecord.id)
            .where(CaseRecord.run_id == run.id)
            .distinct(FingerprintRecord.id)
        ).all()
        measured = session.execute(
            select(MeasurementRecord.metric, MeasurementRecord.value)
            .join(Trial, Trial.id == MeasurementRecord.trial_id)
            .where(Trial.run_id == run.id)
        ).all()
    assert seen["kube_proxy"]["sync_period"] == 75.0
    assert seen["kube_proxy"]["min_sync_period"] == 2.0
    found = {one.metric: one.value for one in measured}
    # One after the other, each waits for the least time between two syncs.
    for metric in ("service_convergence", "service_removal_convergence"):
        assert 0 < found[metric] < 10
    assert found["removal_resolution"] <= found["service_removal_convergence"]
    assert proxy_mode() == before
    assert left_behind() == []


def test_sync_periods_of_a_killed_worker_are_put_back_by_the_next(
    looked_at: HeldStack, proxy_mode: Callable[[], str], left_behind: Callable[[], list[str]]
) -> None:
    before = proxy_mode()
    looked_at.hold_at("rolled")
    run_id = looked_at.start_run(looked_at.cluster_id, SYNCED)
    worker = looked_at.start_worker()
    looked_at.wait(looked_at.is_held, "kube-proxy runs with them", 240)
    assert "syncPeriod: 75s" in proxy_mode()
    looked_at.kill(worker)
    looked_at.let_go()
    looked_at.start_worker()

    def over() -> bool:
        looked_at.send(Reap())
        return looked_at.run(run_id).state is RunState.FINISHED and left_behind() == []

    looked_at.wait(over, "the next one puts it right", 240)
    assert proxy_mode() == before


def test_a_client_outside_asks_node_ports_and_load_balancers(
    looked_at: HeldStack, left_behind: Callable[[], list[str]]
) -> None:
    """This machine: it shares its kernel with the nodes, and no network."""
    looked_at.extra |= {"PODMETER_OUTSIDE_CLIENT": "true"}
    looked_at.start_worker()
    spec = {
        "name": "from outside",
        "kind": "request_latency",
        "axes": {"path": ["outside-nodeport", "outside-loadbalancer"]},
        "repetition": {"trials": 1, "rounds": 1, "warmup": 0},
    }
    run = looked_at.wait_finished(looked_at.start_run(looked_at.cluster_id, spec))
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    trials = looked_at.trials(run.id)
    assert [trial.status for trial in trials] == [TrialStatus.COUNTED] * 2
    assert {trial.facts["client"] for trial in trials} == {"outside"}
    assert run.environment is not None
    (seen,) = run.environment["clusters"].values()
    assert set(seen["outside"]["tools"]) == {"curl", "ab"}
    assert len(seen["outside"]["ways"]) == 2
    assert left_behind() == []


def test_paths_by_an_ingress(
    looked_at: HeldStack, layout: Layout, left_behind: Callable[[], list[str]]
) -> None:
    """From outside and from a pod; without a controller the run fails, and says so."""
    looked_at.extra |= {"PODMETER_OUTSIDE_CLIENT": "true"}
    looked_at.start_worker()
    spec = {
        "name": "by an Ingress",
        "kind": "request_latency",
        "axes": {"path": ["pod-ingress", "outside-ingress"]},
        "repetition": {"trials": 1, "rounds": 1, "warmup": 0},
    }
    refused = looked_at.wait_finished(looked_at.start_run(looked_at.cluster_id, spec))
    assert refused.outcome is Outcome.FAILED
    assert "no IngressClass" in refused.reason
    assert left_behind() == []
    ingress.start(layout)
    try:
        run = looked_at.wait_finished(looked_at.start_run(looked_at.cluster_id, spec))
        assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
        trials = looked_at.trials(run.id)
        assert [trial.status for trial in trials] == [TrialStatus.COUNTED] * 2
        assert len({trial.facts["client"] for trial in trials}) == 2
        (said,) = {trial.facts["ingress"] for trial in trials}
        assert said.endswith("by class easyhaproxy of byjg.com/easyhaproxy")
        assert left_behind() == []
    finally:
        ingress.remove(layout)


#: Steps at which what stood before is noted in the cluster: each block sets its mode up anew.
NOTED = ("preparing", "trial", "patched", "rolled", "restoring")


@pytest.mark.parametrize(
    "step", ["preparing", "trial", "patched", "rolled", "restoring", "sweeping"]
)
def test_a_killed_worker_leaves_nothing_that_the_next_one_does_not_put_right(
    looked_at: HeldStack,
    admin: KubeClient,
    proxy_mode: Callable[[], str],
    left_behind: Callable[[], list[str]],
    step: str,
) -> None:
    before = proxy_mode()
    looked_at.hold_at(step)
    run_id = looked_at.start_run(looked_at.cluster_id, SWITCHING)
    worker = looked_at.start_worker()
    looked_at.wait(looked_at.is_held, f"it stands at {step}", 240)
    stored = [trial.id for trial in looked_at.trials(run_id)]
    state = looked_at.run(run_id).state

    looked_at.kill(worker)
    # Whoever comes finds in the cluster itself that it is switched, if it is.
    assert bool(notes.read_all(admin, configurations(admin))) == (step in NOTED)

    looked_at.let_go()
    looked_at.start_worker()

    def over() -> bool:
        looked_at.send(Reap())
        return looked_at.run(run_id).state is RunState.FINISHED

    looked_at.wait(over, "the run is ended", 300)
    run = looked_at.run(run_id)
    cleaning = state is RunState.CLEANING
    assert run.outcome is (Outcome.SUCCEEDED if cleaning else Outcome.INTERRUPTED), run.reason
    assert [trial.id for trial in looked_at.trials(run_id)] == stored
    assert proxy_mode() == before
    assert notes.read_all(admin, configurations(admin)) == []
    assert left_behind() == []
    assert not looked_at.cluster(looked_at.cluster_id).needs_restore


def test_a_cancel_during_a_switch_puts_the_mode_back(
    looked_at: HeldStack, proxy_mode: Callable[[], str], left_behind: Callable[[], list[str]]
) -> None:
    before = proxy_mode()
    looked_at.hold_at("patched")
    run_id = looked_at.start_run(looked_at.cluster_id, SWITCHING)
    looked_at.start_worker()
    looked_at.wait(looked_at.is_held, "the mode is patched", 240)
    assert proxy_mode() != before
    with work_with(looked_at.sessions, looked_at.queue) as work:
        steer.cancel(work, looked_at.owner, run_id)
    looked_at.let_go()
    run = looked_at.wait_finished(run_id)
    assert run.outcome is Outcome.CANCELLED
    assert proxy_mode() == before
    assert left_behind() == []


def test_a_deleted_pod_fails_its_trial_alone(
    looked_at: HeldStack,
    admin: KubeClient,
    left_behind: Callable[[], list[str]],
) -> None:
    looked_at.hold_at("trial")
    run_id = looked_at.start_run(looked_at.cluster_id, TWO_PATHS)
    looked_at.start_worker()
    looked_at.wait(looked_at.is_held, "a trial begins", 240)
    path, pods = PODS.path(POD_NAMESPACE), admin.list_all(PODS.path(POD_NAMESPACE)).items
    for pod in pods:
        admin.delete(PODS.path(POD_NAMESPACE, pod["metadata"]["name"]))
    gone = {pod["metadata"]["uid"] for pod in pods}
    wait_until_gone(admin, path, gone, what="the pods are gone", deadline_seconds=120)
    looked_at.let_go()
    run = looked_at.wait_finished(run_id)
    statuses = [trial.status for trial in looked_at.trials(run_id)]
    assert len(statuses) == 4
    # The paths between nodes need none of the pods that were deleted.
    assert statuses.count(TrialStatus.FAILED) == 1, run.reason
    assert run.outcome is Outcome.PARTIAL
    assert left_behind() == []


def test_an_api_server_away_for_a_minute_is_waited_for(
    looked_at: HeldStack, relay: Relay, left_behind: Callable[[], list[str]]
) -> None:
    looked_at.hold_at("trial")
    run_id = looked_at.start_run(looked_at.cluster_id, TWO_PATHS)
    looked_at.start_worker()
    looked_at.wait(looked_at.is_held, "a trial begins", 240)
    relay.go_away()
    looked_at.let_go()
    back = time.monotonic() + 60
    looked_at.wait(lambda: time.monotonic() > back, "a minute is over", 70)
    relay.come_back()
    run = looked_at.wait_finished(run_id)
    trials = looked_at.trials(run_id)
    assert len(trials) == 4
    assert [trial.status for trial in trials].count(TrialStatus.COUNTED) >= 3, run.reason
    assert left_behind() == []


def test_a_mode_that_was_changed_and_changed_back_during_a_block_is_seen(
    looked_at: HeldStack, admin: KubeClient, left_behind: Callable[[], list[str]]
) -> None:
    """Somebody rolls kube-proxy: its configuration says what it said, its pods are others."""
    looked_at.hold_at("trial")
    run_id = looked_at.start_run(looked_at.cluster_id, SWITCHING)
    looked_at.start_worker()
    looked_at.wait(looked_at.is_held, "a trial begins", 240)
    path = PODS.path("kube-system")
    pods = admin.list_all(path, labels="k8s-app=kube-proxy").items
    gone = {pod["metadata"]["uid"] for pod in pods}
    for pod in pods:
        admin.delete(PODS.path("kube-system", pod["metadata"]["name"]))
    wait_until_gone(admin, path, gone, what="the pods are gone", deadline_seconds=120)
    looked_at.let_go()
    run = looked_at.wait_finished(run_id)
    first, second = [
        [trial for trial in looked_at.trials(run_id) if trial.block_id == block]
        for block in sorted({trial.block_id for trial in looked_at.trials(run_id)})
    ]
    assert TrialStatus.COUNTED not in {trial.status for trial in first}
    assert {trial.status for trial in second} == {TrialStatus.COUNTED}
    assert "somebody touched what brings it about" in run.reason
    assert run.outcome is Outcome.PARTIAL
    assert left_behind() == []
