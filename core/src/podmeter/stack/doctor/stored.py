"""What the database holds: whether what is encrypted can be read, runs and clusters go on."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import timedelta

from sqlalchemy import func, select

from podmeter.credentials.key_ring import KeyRing
from podmeter.db.base import now
from podmeter.db.models import Cluster, PreflightState, Run
from podmeter.db.repositories.clusters import all_clusters
from podmeter.db.repositories.leases import LeaseRepository
from podmeter.db.session import Sessions, make_sessions, unit_of_work
from podmeter.domain.run import RunState
from podmeter.services.keys.rotation import unopened
from podmeter.settings import Settings
from podmeter.stack.doctor.finding import Finding, Level
from podmeter.stack.doctor.servers import engine_of

#: So long a look at all clusters may take, where it is asked for.
LOOKING_S = 120.0
_POLL_S = 0.5
_SOON = timedelta(days=7)
#: Upkeep takes over within seconds of a lease's end.
_ABANDONED = timedelta(minutes=2)
_PENDING = (PreflightState.QUEUED, PreflightState.RUNNING)


def keys(settings: Settings) -> Iterable[Finding]:
    """That every encrypted row opens with the keys there are."""
    ring = KeyRing.parse(settings.require_encryption_keys())
    with engine_of(settings) as engine:
        rows, faults = unopened(make_sessions(engine), ring)
    for one in faults:
        text = f"{one.name} {'/'.join(map(str, one.row))}: {one.reason}"
        mend = "put the key that is named behind the others in PODMETER_ENCRYPTION_KEYS; where it "
        yield Finding("keys", Level.FAULT, text, f"{mend}is lost, register the kubeconfig again")
    if not faults:
        first = ring.primary.key_id.hex()
        yield Finding("keys", Level.OK, f"all {rows} encrypted rows open; key {first} encrypts")


def runs(settings: Settings) -> Iterable[Finding]:
    """The queue, and runs that nobody takes up."""
    with engine_of(settings) as engine, unit_of_work(make_sessions(engine)) as session:
        queued, oldest = session.execute(
            select(func.count(), func.min(Run.queued_at)).where(Run.state == RunState.QUEUED)
        ).one()
        under_way = session.scalar(
            select(func.count()).where(Run.state.not_in([RunState.QUEUED, RunState.FINISHED]))
        )
        late = now() - _ABANDONED
        lost = [
            run.id
            for run in LeaseRepository(session).expired()
            if run.lease_expires_at is None or run.lease_expires_at < late
        ]
    for run_id in lost:
        text = f"run {run_id} has had no worker for over 2 min, and nobody takes it over"
        yield Finding("runs", Level.FAULT, text, "see that the part upkeep runs, and its log")
    waits = f", the oldest for {(now() - oldest).total_seconds():.0f} s" if oldest else ""
    if not lost:
        yield Finding("runs", Level.OK, f"{under_way} running, {queued} queued{waits}")


def clusters(settings: Settings, *, look: bool) -> Iterable[Finding]:
    """How each registered cluster answered its last preflight; with `look`, one of now.

    Only a worker connects to clusters, by its own rules; it is asked to by the database.
    """
    with engine_of(settings) as engine:
        sessions = make_sessions(engine)
        if look:
            _look_at_all(sessions)
        with unit_of_work(sessions) as session:
            registered = all_clusters(session)
        wrong = [finding for one in registered for finding in _wrong(one)]
    yield from wrong
    if not wrong:
        text = "answered just now" if look else "answered their last preflights"
        yield Finding(
            "clusters", Level.OK, f"all {len(registered)} {text}" if registered else "none yet"
        )


def _look_at_all(sessions: Sessions) -> None:
    """Wake upkeep: it does the work that the database lists as due."""
    with unit_of_work(sessions) as session:
        for cluster in all_clusters(session):
            if cluster.preflight_state is not PreflightState.RUNNING:
                cluster.preflight_state = PreflightState.QUEUED
    deadline = time.monotonic() + LOOKING_S
    while time.monotonic() < deadline:
        with unit_of_work(sessions) as session:
            if not any(all_clusters(session, preflight_state=state) for state in _PENDING):
                return
        time.sleep(_POLL_S)


def _wrong(cluster: Cluster) -> Iterable[Finding]:
    if cluster.needs_restore:
        text = f"{cluster.name} needs restore: {cluster.needs_restore_reason}"
        mend = "see docs/how-to/restore-a-cluster.md"
        yield Finding("clusters", Level.FAULT, text, mend)
    state, at = cluster.preflight_state, cluster.preflighted_at
    if state is PreflightState.FAILED:
        when = f"{at:%Y-%m-%dT%H:%M:%SZ}" if at else "its last preflight"
        text = f"{cluster.name} could not be looked at ({when}): {cluster.preflight_error}"
        mend = "fix the problem, then run its preflight again on its page"
        yield Finding("clusters", Level.WARNING, text, mend)
    elif state in _PENDING:
        text = f"{cluster.name} is still to be looked at"
        yield Finding("clusters", Level.WARNING, text, "see that the part upkeep runs")
    elif state is PreflightState.NEVER:
        text = f"{cluster.name} was never looked at"
        yield Finding("clusters", Level.WARNING, text, "look at it on its page")
    if cluster.renewal_error:
        text = f"{cluster.name}: its token was not renewed: {cluster.renewal_error}"
        mend = "fix the problem, or provide a new kubeconfig on its page"
        yield Finding("clusters", Level.WARNING, text, mend)
    ends = cluster.credential_expires_at
    soon = timedelta() if cluster.renews_itself else _SOON
    if ends is not None and ends < now() + soon:
        over = ends < now()
        text = (
            f"{cluster.name}: its credentials {'ended' if over else 'end'} {ends:%Y-%m-%d %H:%M}Z"
        )
        level = Level.FAULT if over else Level.WARNING
        yield Finding("clusters", level, text, "give it a new kubeconfig on its page")
