"""Figures of all of Podmeter, looked up when they are asked for: runs, queue, workers, database.

Labels are words of the domain alone: no ids, no names of clusters, tenants or machines.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from redis import RedisError
from sqlalchemy.exc import SQLAlchemyError

from podmeter.jobs import RUNS_QUEUE, UPKEEP_QUEUE
from podmeter.services.execution.queue_metrics import QueueMetrics, read_queue_metrics
from podmeter.services.work import work_with
from podmeter.stack import counts, heartbeats, shortages
from podmeter.stack.counts import Count
from podmeter.stack.heartbeats import Health, Part, PartHealth
from podmeter.stack.shortages import DATABASE_RESOURCES, Resource, Shortage
from podmeter_api.readiness import others_shortages
from podmeter_api.state import AppState

logger = logging.getLogger(__name__)

#: What each count is of, and the label that says how it ended.
_COUNTED = {
    Count.RUNS: ("Runs that workers ended", "outcome"),
    Count.BLOCKS: ("Blocks that were measured to their end", "outcome"),
    Count.TRIALS: ("Trials that were stored", "status"),
    Count.PREFLIGHTS: ("Preflights of clusters", "outcome"),
    Count.RENEWALS: ("Renewals of clusters' tokens", "outcome"),
    Count.RECOVERIES: ("Runs without a worker that were ended", "outcome"),
    Count.RESTORES: ("Tries to put a cluster right", "outcome"),
}


@dataclass(frozen=True)
class Figures:
    """What a dependency tells: metrics, and what is short, which it may be without the rest.

    `unread` are the resources of which it tells nothing, though it answers.
    """

    is_up: bool
    families: Sequence[Metric] = ()
    short: Sequence[Shortage] = ()
    unread: Set[Resource] = frozenset()


def database_figures(state: AppState) -> Figures:
    """Blocks as long as the database does."""
    short: list[Shortage] = []
    try:
        short += shortages.of_database(state.engine)
        return Figures(True, list(_of_database(state)), short)
    except SQLAlchemyError as error:
        return no_figures("database", type(error).__name__, short)


def broker_figures(state: AppState) -> Figures:
    """Blocks as long as Redis does, at most until the client's timeouts."""
    short: list[Shortage] = []
    try:
        reading = shortages.read_broker(state.redis)
        short += reading.short
        short += others_shortages(state)
        return Figures(True, list(_of_broker(state)), short, reading.unread)
    except RedisError as error:
        return no_figures("broker", type(error).__name__, short)


def no_figures(name: str, why: str, short: Sequence[Shortage] = ()) -> Figures:
    """That the dependency does not tell its figures."""
    logger.warning("no figures of the %s: %s", name, why)
    return Figures(False, short=short)


def as_text(own: Sequence[Shortage], database: Figures, broker: Figures) -> bytes:
    """All of it for Prometheus, with what this process runs out of itself."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collected(own, database, broker))
    return generate_latest(registry)


@dataclass(frozen=True, eq=False)
class _Collected:
    own: Sequence[Shortage]
    database: Figures
    broker: Figures

    def collect(self) -> Iterator[Metric]:
        yield from self.database.families
        yield from self.broker.families
        up = {"database": int(self.database.is_up), "broker": int(self.broker.is_up)}
        yield _by("podmeter_dependency_up", "Whether it answers the API", "dependency", up)
        short = {one.resource for one in (*self.own, *self.database.short, *self.broker.short)}
        read = short | self._read()
        numbers = {resource: int(resource in short) for resource in Resource if resource in read}
        yield _by("podmeter_short", "Whether something runs out, by what", "resource", numbers)

    def _read(self) -> set[Resource]:
        """The resources whose state the dependencies gave; of others nobody knows it."""
        read: set[Resource] = set()
        if self.database.is_up:
            read |= DATABASE_RESOURCES
        if self.broker.is_up:
            read |= set(Resource) - DATABASE_RESOURCES - self.broker.unread
        return read


def _of_database(state: AppState) -> Iterator[Metric]:
    with work_with(state.sessions, state.queue) as work:
        found = read_queue_metrics(work)
    yield from _of_runs(found)
    yield _by("podmeter_clusters", "Registered clusters", "preflight", found.clusters)
    yield _one(
        "podmeter_clusters_needing_restore",
        "Clusters that take no run until they are put right",
        found.need_restore,
    )
    yield _one(
        "podmeter_clusters_not_renewed",
        "Clusters whose token could not be renewed the last time",
        found.not_renewed,
    )
    yield _by(
        "podmeter_database_connections",
        "Connections to the database, of all of Podmeter and others, by what they do",
        "state",
        {"active": 0, "idle": 0} | dict(found.connections),
    )
    yield _one(
        "podmeter_database_connections_limit",
        "Connections that PostgreSQL takes",
        found.most_connections,
    )
    yield _one(
        "podmeter_database_pool_limit",
        "Connections that each process may hold",
        state.settings.database_pool,
    )


def _of_broker(state: AppState) -> Iterator[Metric]:
    redis = state.redis
    messages = {name: redis.llen(name) for name in (RUNS_QUEUE, UPKEEP_QUEUE)}
    yield _by("podmeter_queue_messages", "Messages that no worker took", "queue", messages)
    now = int(redis.time()[0])
    yield from _of_parts(heartbeats.lives(redis), now)
    found = counts.read(redis)
    for count, (text, label) in _COUNTED.items():
        metric = CounterMetricFamily(f"podmeter_{count}", text, labels=[label])
        for (what, how), number in sorted(found.items()):
            if what is count:
                metric.add_metric([how], number)
        yield metric


def _of_runs(found: QueueMetrics) -> Iterator[Metric]:
    yield _by("podmeter_runs_present", "Runs there are", "state", found.runs)
    yield _by("podmeter_queue_runs", "Queued runs by what they wait for", "waits_for", found.queued)
    yield _one(
        "podmeter_queue_oldest_seconds",
        "How long the oldest queued run has waited",
        found.oldest_seconds,
    )
    yield _one("podmeter_workers_busy", "Places of workers that have a run", found.held)
    yield _one(
        "podmeter_runs_abandoned", "Runs that were begun and have no worker", found.abandoned
    )


def _of_parts(lives: list[PartHealth], now: int) -> Iterator[Metric]:
    alive = GaugeMetricFamily("podmeter_parts", "Processes of a part", labels=["part", "health"])
    age = GaugeMetricFamily(
        "podmeter_part_heartbeat_age_seconds",
        "Since the last sign of life of a part, of whichever process gave one",
        labels=["part"],
    )
    for part in Part:
        own = [life for life in lives if life.part is part]
        for health in Health:
            number = sum(life.health is health for life in own)
            alive.add_metric([part, health], number)
        seen = [life.seen.timestamp() for life in own if life.seen]
        if seen:
            age.add_metric([part], max(0.0, now - max(seen)))
    yield alive
    yield age


def _one(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)


def _by(name: str, text: str, label: str, values: Mapping[Any, int]) -> Metric:
    metric = GaugeMetricFamily(name, text, labels=[label])
    for value, number in values.items():
        metric.add_metric([str(value)], number)
    return metric
