"""What a worker process holds: settings, database, broker, keys. One for each process."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Protocol

from podmeter.credentials.key_ring import KeyRing
from podmeter.db.session import make_engine, make_sessions
from podmeter.jobs import Queue
from podmeter.services.clusters.addresses import address_policy
from podmeter_worker import shutdown
from podmeter_worker.connection import Connector
from podmeter_worker.runner.database import Database

if TYPE_CHECKING:
    import uuid
    from contextlib import AbstractContextManager

    from podmeter.db.session import Sessions
    from podmeter.settings import Settings
    from podmeter_worker.runner.ports import ClusterLink, Connect, Handle


class WatchedQueue(Queue, Protocol):
    """A queue that can be asked whether anything waits in it."""

    def waiting(self, queue: str) -> int:
        """How many messages no worker has fetched yet. Raises ConnectionError."""


class ConnectFor(Protocol):
    """Opens links to the clusters of an organization."""

    def __call__(
        self, organization_id: uuid.UUID, handle: Handle, patience_seconds: float = ...
    ) -> AbstractContextManager[ClusterLink]:
        """Open a link."""


@dataclass(frozen=True)
class WorkerState:
    """Made in each process after the fork: connections are never shared across one."""

    settings: Settings
    database: Database
    queue: WatchedQueue
    connector: Connector
    connect: ConnectFor

    @property
    def sessions(self) -> Sessions:
        """Those of the database."""
        return self.database.sessions

    def connect_for(self, organization_id: uuid.UUID) -> Connect:
        """What opens links to the clusters of an organization."""
        return partial(self.connect, organization_id)

    @property
    def holder(self) -> str:
        """Who this process is, in a run's lease."""
        return f"{socket.gethostname()}:{os.getpid()}"

    @property
    def lease(self) -> timedelta:
        """How long a run is ours after a heartbeat."""
        return timedelta(seconds=self.settings.lease_seconds)


def make_state(settings: Settings, queue: WatchedQueue) -> WorkerState:
    """Connect to what the settings name. Raises MissingSettingError, KeyRingError."""
    engine = make_engine(settings.require_database_url(), pool_size=settings.database_pool)
    database = Database(make_sessions(engine), queue, shutdown.begun)
    keys = KeyRing.parse(settings.require_encryption_keys())
    connector = Connector(
        database,
        keys,
        address_policy(settings),
        settings.bench_image,
        outside=settings.outside_client,
    )
    return WorkerState(settings, database, queue, connector, connector.open)
