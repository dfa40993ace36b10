"""Runs on a real cluster, led by a real Celery worker with the rights of the manifest alone."""

from collections.abc import Callable

import pytest
from sqlalchemy import select

from podmeter.db.models import CaseRecord, MeasurementRecord, Trial
from podmeter.domain.run import Outcome
from podmeter.domain.trial import TrialStatus
from podmeter_testbed import ingress
from podmeter_testbed.layout import Layout

from .conftest import HeldStack
from .specs import REQUESTS, TRANSPORT, TWO_PATHS

pytestmark = [pytest.mark.cluster, pytest.mark.services, pytest.mark.timeout(900)]


@pytest.mark.smoke
def test_measurements_of_every_trial_are_stored(
    looked_at: HeldStack, left_behind: Callable[[], list[str]]
) -> None:
    looked_at.start_worker()
    run = looked_at.wait_finished(looked_at.start_run(looked_at.cluster_id, TWO_PATHS))
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    trials = looked_at.not_void(run.id)
    assert [trial.status for trial in trials] == [TrialStatus.COUNTED] * 4
    assert all(trial.overhead_seconds is not None for trial in trials)
    with looked_at.sessions() as session:
        rates = session.scalars(
            select(MeasurementRecord.value)
            .join(Trial, Trial.id == MeasurementRecord.trial_id)
            .where(Trial.run_id == run.id, Trial.status == TrialStatus.COUNTED)
            .where(MeasurementRecord.metric == "throughput")
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
    assert len(looked_at.not_void(run.id)) == 2 * 2 * paths
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


def test_transport_measures_every_path_and_who_answers(
    looked_at: HeldStack, left_behind: Callable[[], list[str]]
) -> None:
    looked_at.start_worker()
    run = looked_at.wait_finished(looked_at.start_run(looked_at.cluster_id, TRANSPORT))
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    assert len(looked_at.not_void(run.id)) == 13
    with looked_at.sessions() as session:
        rows = session.execute(
            select(MeasurementRecord.metric, MeasurementRecord.subject, MeasurementRecord.value)
            .join(Trial, Trial.id == MeasurementRecord.trial_id)
            .where(Trial.run_id == run.id, Trial.status == TrialStatus.COUNTED)
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
    run = looked_at.wait_finished(looked_at.start_run(looked_at.cluster_id, REQUESTS))
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    trials = looked_at.not_void(run.id)
    assert [trial.status for trial in trials] == [TrialStatus.COUNTED] * 6
    with looked_at.sessions() as session:
        rows = session.execute(
            select(Trial.id, MeasurementRecord.metric, MeasurementRecord.value)
            .join(Trial, Trial.id == MeasurementRecord.trial_id)
            .where(Trial.run_id == run.id, Trial.status == TrialStatus.COUNTED)
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


@pytest.mark.addons("load-balancers")
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
    trials = looked_at.not_void(run.id)
    assert [trial.status for trial in trials] == [TrialStatus.COUNTED] * 2
    assert {trial.facts["client"] for trial in trials} == {"outside"}
    assert run.environment is not None
    (seen,) = run.environment["clusters"].values()
    assert set(seen["outside"]["tools"]) == {"curl", "ab"}
    assert len(seen["outside"]["ways"]) == 2
    assert left_behind() == []


@pytest.mark.addons("load-balancers")
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
        trials = looked_at.not_void(run.id)
        assert [trial.status for trial in trials] == [TrialStatus.COUNTED] * 2
        assert len({trial.facts["client"] for trial in trials}) == 2
        (said,) = {trial.facts["ingress"] for trial in trials}
        assert said.endswith("by class easyhaproxy of byjg.com/easyhaproxy")
        assert left_behind() == []
    finally:
        ingress.remove(layout)
