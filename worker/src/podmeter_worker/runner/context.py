"""What every part of a run's life works with."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError

from podmeter.db.session import is_temporary
from podmeter.domain.errors import RunCancelledError
from podmeter.domain.messages import say
from podmeter.domain.ports import Access, LogLevel
from podmeter.kinds import sync_periods
from podmeter.kinds.measured_nodes import measured_nodes, seats
from podmeter.kinds.paths import features_of
from podmeter.kinds.registry import access_of, why_not_measured
from podmeter.logs import bound
from podmeter.services.runs import recording
from podmeter_worker.kube.errors import ClusterBusyError
from podmeter_worker.runner.cluster_guard import ClusterGuard
from podmeter_worker.runner.lease_keeper import LeaseKeeper
from podmeter_worker.runner.ports import Handle
from podmeter_worker.runner.stop import Why

if TYPE_CHECKING:
    import threading
    import uuid
    from collections.abc import Callable, Iterator

    from podmeter.domain.messages import Message
    from podmeter.services.execution.environment import Assignment, ClusterIdentity
    from podmeter.services.execution.interim_analysis import InterimAnalysis
    from podmeter.services.experiments.rungs import Rung
    from podmeter.services.runs.lifecycle import RunHold
    from podmeter.services.work import Work
    from podmeter_worker.runner.database import Database
    from podmeter_worker.runner.ports import ClusterLink, Connect
    from podmeter_worker.runner.stop import Stop
    from podmeter_worker.runner.write_deadline import WriteDeadline

#: How often a cluster that another one has is asked for again.
_BUSY_SECONDS = 2.0


def label_of(run_id: uuid.UUID) -> str:
    """The run's label in clusters: every worker that takes the run finds its traces by it."""
    return run_id.hex[:12]


@dataclass
class RunContext:
    """A run that this worker holds.

    `leash` says how long clusters may be changed. `failures` are the keys of cases that could not
    be measured, with why; `touched` the names of clusters in which something may have been made or
    changed; `guards` what stops it before it harms a cluster, by name; `concluded` what the run
    saw when it ended before all its rounds, `rungs_over` what it saw when it left a rung.
    """

    database: Database
    run_hold: RunHold
    stop: Stop
    leash: WriteDeadline
    connect: Connect
    assignment: Assignment
    failures: dict[str, str] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)
    guards: dict[str, ClusterGuard] = field(default_factory=dict)
    concluded: InterimAnalysis | None = None
    rungs_over: dict[Rung, InterimAnalysis] = field(default_factory=dict)

    def log(self, level: LogLevel, message: str) -> None:
        """Add a line to the run's log."""
        self.database.write(lambda work: recording.log(work, self.run_hold, level, message))

    def info(self, message: str) -> None:
        """Add a line for information."""
        self.log(LogLevel.INFO, message)

    def warn(self, message: str) -> None:
        """Add a warning."""
        self.log(LogLevel.WARNING, message)

    def guard_of(self, identity: ClusterIdentity) -> ClusterGuard:
        """What watches over a cluster in this attempt."""
        return self.guards.setdefault(identity.name, ClusterGuard())

    @property
    def why_unsafe(self) -> Message | None:
        """Why the run stops so as not to harm a cluster, or None."""
        return next((one.why for one in self.guards.values() if one.why is not None), None)

    @property
    def held_up_seconds(self) -> float:
        """How long the run had to wait for its database, in all."""
        return self.database.waited_seconds + self.leash.waited_seconds

    def wait(self, seconds: float) -> None:
        """Wait, at most so long. Raises RunCancelledError when the run is to stop."""
        if self.stop.asked.wait(seconds):
            raise RunCancelledError(say("run_to_stop"))

    def steps(self, identity: ClusterIdentity) -> Callable[[str], None]:
        """What notes each step of a switch on a cluster.

        It does not wait for the database, as a node may be without rules at that moment. A step
        that could not be noted is noted with the next one.
        """
        unsaid: list[str] = []

        def note(step: str) -> None:
            unsaid.append(say("log_step", cluster=identity.name, step=step))
            try:
                self.database.once(write)
            except SQLAlchemyError as error:
                if not is_temporary(error):
                    raise
            else:
                unsaid.clear()

        def write(work: Work) -> None:
            for line in unsaid:
                recording.log(work, self.run_hold, LogLevel.INFO, line)

        return note

    @property
    def access(self) -> frozenset[Access]:
        """How close to the nodes its cases come: those that it was planned with."""
        cases = {case.key: case for block in self.assignment.blocks for case in block.cases}
        return access_of(self.assignment.spec, cases.values())

    @contextmanager
    def link(self, identity: ClusterIdentity, stop: threading.Event) -> Iterator[ClusterLink]:
        """A link to one of the run's clusters."""
        spec = self.assignment.spec
        # A run of another version is only cleaned up after: it may have come as near as any.
        own = self.access if why_not_measured(spec) is None else frozenset(Access)
        handle = Handle(
            identity=identity,
            run_label=label_of(self.run_hold.run_id),
            token=self.run_hold.token,
            guard=self.leash.require,
            access=own,
            switching=bool(spec.switched_axes) and identity.allow_mode_switch,
            sync_periods=sync_periods.requested_periods(spec),
            features=features_of(spec),
            measured=partial(measured_nodes, spec),
            seats=partial(seats, spec),
            stop=stop,
        )
        with bound(cluster=identity.cluster_id), self.connect(handle) as link:
            yield link

    @contextmanager
    def holding(
        self, identity: ClusterIdentity, link: ClusterLink, *, patient: bool = False
    ) -> Iterator[None]:
        """Take the Lease in a cluster, and prolong it until leaving.

        From here on the cluster must be cleaned up. If another run holds it, a `patient` one
        waits, until the run is to stop. Raises ClusterBusyError, RunCancelledError.
        """
        told = ""
        while True:
            try:
                link.take_lease()
                break
            except ClusterBusyError as error:
                if not patient:
                    raise
                if told != error.said:
                    self.info(say("log_waits", cluster=identity.name, why=error.said))
                told = error.said
            if self.stop.asked.wait(_BUSY_SECONDS):
                raise RunCancelledError(say("run_to_stop"))
        self.touched.add(identity.name)
        with self._keeping(identity, link):
            yield

    @contextmanager
    def held_link(
        self, identity: ClusterIdentity, stop: threading.Event, *, patient: bool = False
    ) -> Iterator[ClusterLink]:
        """A link to a cluster that is held."""
        with self.link(identity, stop) as link, self.holding(identity, link, patient=patient):
            yield link

    def _keeping(self, identity: ClusterIdentity, link: ClusterLink) -> LeaseKeeper:
        """Prolongs the Lease in a cluster; the run ends where it is lost."""
        return LeaseKeeper(link.prolong, identity.name, lambda: self.stop.ask(Why.CLUSTER_LOST))
