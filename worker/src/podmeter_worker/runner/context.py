"""What every part of a run's life works with."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from podmeter.domain.messages import say
from podmeter.domain.ports import Access, LogLevel
from podmeter.experiments.registry import kind_of, why_not_measured
from podmeter.services.experiments.plan import switched_axes
from podmeter.services.runs import recording
from podmeter_worker.runner.lease_keeper import LeaseKeeper
from podmeter_worker.runner.ports import Handle

if TYPE_CHECKING:
    import threading
    import uuid
    from collections.abc import Callable, Iterator

    from podmeter.services.execution.environment import Assignment, ClusterIdentity
    from podmeter.services.runs.lifecycle import RunHold
    from podmeter_worker.runner.database import Database
    from podmeter_worker.runner.ports import ClusterLink, Connect
    from podmeter_worker.runner.stop import Stop


def label_of(run_id: uuid.UUID) -> str:
    """The run's label in clusters: every worker that takes the run finds its traces by it."""
    return run_id.hex[:12]


@dataclass
class RunContext:
    """A run that this worker holds.

    `failures` are the keys of cases that could not be measured, with why; `touched` the names of
    clusters in which something may have been made or changed.
    """

    database: Database
    run_hold: RunHold
    stop: Stop
    connect: Connect
    assignment: Assignment
    failures: dict[str, str] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)

    def log(self, level: LogLevel, message: str) -> None:
        """Add a line to the run's log."""
        self.database.write(lambda work: recording.log(work, self.run_hold, level, message))

    def info(self, message: str) -> None:
        """Add a line for information."""
        self.log(LogLevel.INFO, message)

    def warn(self, message: str) -> None:
        """Add a warning."""
        self.log(LogLevel.WARNING, message)

    def steps(self, identity: ClusterIdentity) -> Callable[[str], None]:
        """What notes each step of a switch on a cluster."""
        return lambda step: self.info(say("log_step", cluster=identity.name, step=step))

    @contextmanager
    def link(self, identity: ClusterIdentity, stop: threading.Event) -> Iterator[ClusterLink]:
        """A link to one of the run's clusters."""
        spec = self.assignment.spec
        # A run of another version is only cleaned up after: it may have come as near as any.
        own = kind_of(spec).access(spec) if why_not_measured(spec) is None else frozenset(Access)
        handle = Handle(
            identity=identity,
            run_label=label_of(self.run_hold.run_id),
            access=own,
            switching=bool(switched_axes(spec)),
            stop=stop,
        )
        with self.connect(handle) as link:
            yield link

    def hold(self, identity: ClusterIdentity, link: ClusterLink) -> None:
        """Take the Lease in a cluster: from here on it is to be cleaned up."""
        link.hold()
        self.touched.add(identity.name)

    @contextmanager
    def held_link(self, identity: ClusterIdentity, stop: threading.Event) -> Iterator[ClusterLink]:
        """A link whose Lease in the cluster is taken, and prolonged until leaving."""
        with self.link(identity, stop) as link:
            self.hold(identity, link)
            with LeaseKeeper(link, identity.name):
                yield link
