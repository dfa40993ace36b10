"""Figures of all of Podmeter, looked up when they are asked for: runs, queue, workers, database.

Labels are words of the domain alone: no ids, no names of clusters, tenants or machines.
"""

import logging
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from redis import RedisError
from sqlalchemy.exc import SQLAlchemyError

from podmeter.jobs import RUNS_QUEUE, UPKEEP_QUEUE
from podmeter.services.execution.queue_metrics import QueueMetrics, read_queue_metrics
from podmeter.services.work import work_with
from podmeter.stack import counts, heartbeats, shortages
from podmeter.stack.counts import Count
from podmeter.stack.heartbeats import Health, Part, PartHealth
from podmeter.stack.shortages import Resource, Shortage
from podmeter_api.readiness import others_shortages, own_shortages
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


def collect_queue_metrics(state: AppState) -> CollectorRegistry:
    """What can be found out now; of what is away only that it is."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collected(state))
    return registry


class _Collected:
    def __init__(self, state: AppState) -> None:
        self._state = state

    def describe(self) -> list[Metric]:
        """Nothing beforehand: it would look everything up."""
        return []

    def collect(self) -> Iterator[Metric]:
        up = GaugeMetricFamily(
            "podmeter_dependency_up", "Whether it answers the API", labels=["dependency"]
        )
        short = own_shortages(self._state)
        asked = (
            ("database", self._database, partial(shortages.of_database, self._state.engine)),
            ("broker", self._broker, self._short_of_broker),
        )
        for name, figures, looked in asked:
            try:
                short += looked()
                yield from list(figures())
                up.add_metric([name], 1)
            except (SQLAlchemyError, RedisError) as error:
                logger.warning("no figures of the %s: %s", name, type(error).__name__)
                up.add_metric([name], 0)
        yield up
        told = Counter(one.resource for one in short)
        numbers = {resource: min(1, told[resource]) for resource in Resource}
        yield _by("podmeter_short", "Whether something runs out, by what", "resource", numbers)

    def _short_of_broker(self) -> Iterator[Shortage]:
        yield from shortages.of_broker(self._state.redis)
        yield from others_shortages(self._state)

    def _database(self) -> Iterator[Metric]:
        with work_with(self._state.sessions, self._state.queue) as work:
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
            self._state.settings.database_pool,
        )

    def _broker(self) -> Iterator[Metric]:
        redis = self._state.redis
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
