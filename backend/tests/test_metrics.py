"""What /metrics answers, and that dashboard and alerts ask for nothing else."""

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest
import redis
import yaml
from core.tests.away import away
from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import update

from podmeter.db.models import Cluster, Run
from podmeter.db.session import Sessions, make_engine, make_sessions
from podmeter.domain.run import RunState
from podmeter.jobs import RUNS_QUEUE
from podmeter.services.execution.queue_metrics import QueueMetrics, read_queue_metrics
from podmeter.services.work import Work
from podmeter.stack import counts, heartbeats
from podmeter.stack.counts import Count
from podmeter.stack.heartbeats import Part
from podmeter.stack.process import wait_until
from podmeter_api import queue_metrics
from podmeter_api.connection_refusals import NO_ROOM, Refusals
from podmeter_api.state import AppState

from .builders import queue_run
from .conftest import opened

pytestmark = pytest.mark.services
GRAFANA = Path(__file__).parents[2] / "docs" / "grafana"
#: What may follow from the words that there are; the rest of a label's values is bounded by these.
LABELS = {
    *("method", "route", "status", "le", "dependency", "state", "waits_for", "preflight"),
    *("queue", "part", "health", "outcome", "resource", "code"),
}
#: How a metric is put together over all containers that are asked: how, by which labels, and which.
AGGREGATED = re.compile(
    r"\b(sum|max|min|absent)(?: (?:by|without) \(([^)]*)\))? ?"
    r"\((?:(?:increase|rate)\()?podmeter_(\w+)"
)


def read(client: TestClient) -> dict[str, dict[tuple[str, ...], float]]:
    """Each sample's name, and its values by those of its labels."""
    found: dict[str, dict[tuple[str, ...], float]] = {}
    answer = client.get("/metrics")
    assert answer.status_code == 200
    for family in text_string_to_metric_families(answer.text):
        for sample in family.samples:
            assert set(sample.labels) <= LABELS or not sample.name.startswith("podmeter_"), sample
            found.setdefault(sample.name, {})[tuple(sample.labels.values())] = sample.value
    return found


@pytest.fixture
def watcher(state: AppState) -> Iterator[TestClient]:
    """Who asks from a network that may."""
    settings = state.settings.model_copy(update={"metrics_networks": ("192.0.2.0/24",)})
    with opened(replace(state, settings=settings), client=("192.0.2.7", 4711)) as client:
        yield client


def test_runs_and_the_queue(watcher: TestClient, admin: TestClient, sessions: Sessions) -> None:
    first, second = (queue_run(admin, sessions, "u")["id"] for _ in range(2))
    elsewhere = queue_run(admin, sessions, "v")["id"]
    found = read(watcher)
    assert found["podmeter_runs_present"]["queued",] == 3
    assert found["podmeter_queue_runs"] == {
        ("restore",): 0,
        ("cluster",): 0,
        ("turn",): 1,
        ("worker",): 2,
    }
    assert found["podmeter_queue_oldest_seconds"][()] > 0
    assert found["podmeter_clusters"]["succeeded",] == 3
    with sessions.begin() as session:
        session.execute(update(Run).where(Run.id == first).values(state=RunState.RUNNING))
        of_v = update(Cluster).where(Cluster.cluster_uid == "v")
        session.execute(of_v.values(needs_restore=True))
    found = read(watcher)
    assert found["podmeter_queue_runs"]["restore",] == 1
    assert found["podmeter_queue_runs"]["turn",] == 1
    assert found["podmeter_clusters_needing_restore"][()] == 1
    assert found["podmeter_workers_busy"][()] == 0
    assert len({first, second, elsewhere}) == 3


def test_workers(watcher: TestClient, redis_client: redis.Redis) -> None:
    heartbeats.beat(redis_client, Part.RUNS, "one")
    heartbeats.beat(redis_client, Part.RUNS, "two")
    counts.add(redis_client, {(Count.TRIALS, "counted"): 3, (Count.RUNS, "succeeded"): 1})
    counts.add(redis_client, {(Count.TRIALS, "counted"): 2})
    redis_client.hset(counts.KEY, "unheard of", 7)
    found = read(watcher)
    assert found["podmeter_parts"]["ok", "runs"] == 2
    assert found["podmeter_parts"]["unseen", "beat"] == 1
    assert found["podmeter_part_heartbeat_age_seconds"]["runs",] < 20
    assert found["podmeter_trials_total"] == {("counted",): 5}
    assert found["podmeter_runs_total"] == {("succeeded",): 1}
    assert found["podmeter_dependency_up"] == {("database",): 1, ("broker",): 1}


def test_what_is_away_is_told_and_the_rest_is_there(state: AppState) -> None:
    engine = make_engine("postgresql+psycopg://nobody@127.0.0.1:1/none")
    settings = state.settings.model_copy(update={"metrics_networks": ("192.0.2.0/24",)})
    without = replace(
        state,
        settings=settings,
        engine=engine,
        sessions=make_sessions(engine),
        redis=away(),
    )
    with opened(without, client=("192.0.2.7", 1)) as client:
        found = read(client)
        assert found["podmeter_dependency_up"] == {("database",): 0, ("broker",): 0}
        assert "podmeter_runs_present" not in found
        client.get("/healthz")
        assert any("/healthz" in one for one in read(client)["podmeter_http_requests_total"])


def test_a_database_that_hangs_keeps_back_its_own_figures_alone(
    state: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each scrape held a thread and a place for requests, until its scraper gave up, and longer."""
    free, looks = Event(), SimpleNamespace(count=0)

    def hang(work: Work) -> QueueMetrics:
        looks.count += 1
        assert free.wait(120)
        return read_queue_metrics(work)

    monkeypatch.setattr(queue_metrics, "read_queue_metrics", hang)
    settings = state.settings.model_copy(update={"metrics_networks": ("192.0.2.0/24",)})
    asked = replace(state, settings=settings)
    with opened(asked, client=("192.0.2.7", 1)) as client, ThreadPoolExecutor(21) as pool:
        with ExitStack() as stack:
            stack.callback(free.set)
            scrapes = [pool.submit(read, client) for _ in range(20)]
            assert wait_until(lambda: looks.count > 0, 30)
            # A request that needs the database gets it meanwhile.
            assert pool.submit(client.get, "/api/v1/me").result(60).status_code == 401
            for scrape in scrapes:
                found = scrape.result(60)
                assert found["podmeter_dependency_up"] == {("database",): 0, ("broker",): 1}
                assert "podmeter_runs_present" not in found
                assert found["podmeter_queue_messages"][RUNS_QUEUE,] == 0
            assert looks.count <= 3
        assert any("/metrics" in one for one in read(client)["podmeter_http_requests_total"])
        assert wait_until(lambda: "podmeter_runs_present" in read(client), 30)


def asked_for() -> dict[str, str]:
    """Every expression of the dashboard and of the alerts, by what it is for."""
    dashboard = json.loads((GRAFANA / "podmeter.json").read_text())
    found = {
        f"{panel['title']} {target['refId']}": target["expr"]
        for panel in dashboard["panels"]
        for target in panel.get("targets", [])
    }
    groups = yaml.safe_load((GRAFANA / "alerts.yaml").read_text())["groups"]
    # Those of the volumes ask for the kubelet's metrics.
    (rules,) = [group["rules"] for group in groups if group["name"] == "podmeter"]
    return found | {rule["alert"]: rule["expr"] for rule in rules}


@pytest.mark.parametrize(("what", "expression"), asked_for().items())
def test_two_containers_of_the_api_do_not_double_a_figure(what: str, expression: str) -> None:
    """Each answers for all of Podmeter, but for requests, which each counts by itself."""
    found = AGGREGATED.findall(expression)
    assert len(found) == len(re.findall(r"\bpodmeter_", expression)), what
    for how, labels, metric in found:
        if metric.startswith("http_"):
            assert how == "sum", what
        elif how == "sum":
            # One container's own, of which the greatest is taken.
            assert f"max(sum without ({labels}) (podmeter_{metric}))" in expression, what


def test_dashboard_and_alerts_ask_for_what_there_is(
    watcher: TestClient, redis_client: redis.Redis
) -> None:
    heartbeats.beat(redis_client, Part.RUNS, "one")
    every = {(what, "status" if what is Count.TRIALS else "outcome"): 1 for what in Count}
    counts.add(redis_client, every)
    Refusals().add(NO_ROOM, None)
    watcher.get("/healthz")
    watcher.get("/healthz")
    answer = watcher.get("/metrics").text
    labels: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(answer):
        for sample in family.samples:
            labels.setdefault(sample.name, set()).update(sample.labels)
    expressions = asked_for()
    assert len(expressions) > 25
    for what, expression in expressions.items():
        names = re.findall(r"\bpodmeter_\w+", expression)
        assert names, what
        assert set(names) <= set(labels), f"{what}: {set(names) - set(labels)}"
        known = set().union(*(labels[name] for name in names))
        used = set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)\s*\"", expression))
        for group in re.findall(r"\bby \(([^)]*)\)", expression):
            used |= {one.strip() for one in group.split(",")}
        assert used <= known, f"{what}: {used - known}"
    shown = set(re.findall(r"\bpodmeter_\w+", " ".join(expressions.values())))
    own = {name for name in labels if name.startswith("podmeter_")}
    unshown = {name for name in own if not name.endswith(("_count", "_sum", "_created"))}
    assert unshown - shown == set()
