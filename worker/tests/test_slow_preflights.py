"""Clusters that hardly answer, or not in words: each preflight ends soon, by their fault."""

import uuid
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from sqlalchemy import update
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.db.models import Cluster, PreflightState
from podmeter.domain.real_cluster import RealCluster
from podmeter_worker import cluster_preflight
from podmeter_worker.cluster_preflight import look_at_cluster
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.facts.identity import Identity

from .bench import Bench
from .kube.api_server import fake_api_server
from .kube.hostile import Script, answered, for_ever, hostile, once

pytestmark = [pytest.mark.services, pytest.mark.timeout(120)]

KINDS: dict[str, Script] = {
    "a byte now and then": for_ever(
        b" ", first=b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", pause=0.02
    ),
    "nothing": once(b""),
    "HTML": once(answered(b"<html>")),
    "busy": once(answered(b"{}", "503 No")),
    "no metadata": once(answered(b'{"metadata": []}')),
    "an odd version": once(answered(b'{"metadata": {"uid": "u"}, "status": []}')),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_preflight_ends_with_the_clusters_fault(
    bench: Bench, kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(cluster_preflight, "ANSWER_SECONDS", 0.4)
    cluster_id = queued(bench)
    with hostile(tmp_path, KINDS[kind]) as access, KubeClient(access) as client:
        look_at_cluster(here_of(bench, client), bench.owner.organization_id, cluster_id)
    found = bench.registered(cluster_id)
    assert found.preflight_state is PreflightState.FAILED
    assert "internal error" not in found.preflight_error


def test_a_refused_port_is_told_at_once(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(cluster_preflight, "ANSWER_SECONDS", 3600.0)
    cluster_id = queued(bench)
    with fake_api_server(tmp_path) as gone:
        pass
    access = ClusterAccess(gone.kept, AddressPolicy.of(["127.0.0.0/8"]))
    with KubeClient(access) as client:
        look_at_cluster(here_of(bench, client), bench.owner.organization_id, cluster_id)
    found = bench.registered(cluster_id)
    assert found.preflight_state is PreflightState.FAILED
    assert getattr(found.preflight_error, "code", "") == "api_port_refused"


def test_the_whole_look_has_an_end_whatever_is_answered(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each answer is whole and quick, and there is always one more page."""
    monkeypatch.setattr(cluster_preflight, "WHOLE_SECONDS", 0.5)
    page = b'{"status": {"allowed": true}, "gitVersion": "v1", "items": [], "metadata": '
    page += b'{"uid": "u", "resourceVersion": "1", "continue": "more"}}'
    cluster_id = queued(bench)
    with hostile(tmp_path, once(answered(page))) as access, KubeClient(access) as client:
        look_at_cluster(here_of(bench, client), bench.owner.organization_id, cluster_id)
    found = bench.registered(cluster_id)
    assert (found.preflight_state, "timed out" in found.preflight_error) == (
        PreflightState.FAILED,
        True,
    )


@pytest.mark.parametrize(
    "error",
    [OperationalError("SELECT", {}, psycopg.OperationalError("no route")), PoolTimeoutError()],
    ids=["away", "no connection is free"],
)
def test_a_database_that_stays_away_is_no_internal_error(bench: Bench, error: Exception) -> None:
    """It was away until nobody waited for it any longer, and came back."""
    cluster_id = queued(bench)

    def opened(*_: object) -> Any:
        raise error

    connector = SimpleNamespace(image="bench", client=opened)
    here = bench.here(connector=connector)
    look_at_cluster(here, bench.owner.organization_id, cluster_id)
    found = bench.registered(cluster_id)
    assert found.preflight_state is PreflightState.FAILED
    assert getattr(found.preflight_error, "code", "") == "look_database_away"


def test_a_message_for_what_is_done_does_nothing(bench: Bench) -> None:
    cluster_id = bench.add_cluster()
    look_at_cluster(here_of(bench, None), bench.owner.organization_id, cluster_id)
    assert bench.registered(cluster_id).preflight_state is PreflightState.SUCCEEDED


def queued(bench: Bench) -> uuid.UUID:
    cluster_id = bench.add_cluster()
    with bench.sessions.begin() as session:
        session.execute(update(Cluster).values(preflight_state=PreflightState.QUEUED))
    return cluster_id


def here_of(bench: Bench, client: KubeClient | None) -> Any:
    def opened(organization_id: uuid.UUID, cluster_id: uuid.UUID, identity: Identity) -> Any:
        identity.seen = RealCluster("u", "its authority")
        return nullcontext(client)

    connector = SimpleNamespace(image="bench", client=opened)
    return bench.here(connector=connector)
