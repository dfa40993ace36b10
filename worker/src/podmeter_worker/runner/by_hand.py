"""Waiting until somebody has switched a mode by hand, which the nodes themselves prove."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from podmeter.db.base import now
from podmeter.domain.by_hand import how_to
from podmeter.domain.errors import (
    PodmeterError,
    PreconditionError,
    RunCancelledError,
)
from podmeter.domain.messages import Message, say
from podmeter.domain.moment import rfc3339
from podmeter.domain.switching import Switched
from podmeter.services.errors import FencedError
from podmeter.services.execution import by_hand, modes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podmeter.domain.by_hand import Waiting
    from podmeter.services.execution.environment import ClusterIdentity
    from podmeter_worker.runner.context import RunContext
    from podmeter_worker.runner.ports import ClusterLink, ModeControl

#: How often the nodes are asked.
_LOOK_SECONDS = 3.0


class NobodySwitchedError(PreconditionError):
    """The time was over before somebody had switched a mode: the run ends."""


def is_by_hand(identity: ClusterIdentity, control: ModeControl, axis: str) -> bool:
    """Whether somebody switches an axis of a cluster, and not Podmeter."""
    if identity.by_hand_minutes is None:
        return False
    return not identity.allow_mode_switch or control.why_fixed(axis) is not None


def switch(
    run: RunContext, link: ClusterLink, identity: ClusterIdentity, axis: str, mode: str
) -> Switched:
    """Wait until a mode is in effect on every node; what stood is noted in the database first.

    Raises NobodySwitchedError, RunCancelledError; PreconditionError if the mode is unknown, or was
    switched by another Podmeter.
    """
    _note(run, link, identity, axis)
    changed = _await(run, link, identity, axis, mode, original=False)
    run.info(say("log_switched", cluster=identity.name, axis=axis, value=mode))
    return Switched(axis, mode, changed, {}, time.monotonic())


def ask_back(run: RunContext) -> None:
    """Wait until somebody restores what was switched by hand, after all cases are measured.

    Modes that nobody restores are reported, and the cleanup marks the cluster. Raises
    RunCancelledError.
    """
    for identity in run.assignment.clusters:
        saved = _switched(run, identity)
        if identity.by_hand_minutes is None or not saved:
            continue
        with run.held_link(identity, run.stop.asked, patient=True) as link:
            for one in saved:
                mode = str(one.content[modes.BY_HAND])
                try:
                    _await(run, link, identity, one.axis, mode, original=True)
                except NobodySwitchedError as error:
                    run.warn(say("log_by_hand_left", cluster=identity.name, why=error.said))


def _switched(run: RunContext, identity: ClusterIdentity) -> Sequence[modes.OriginalMode]:
    return run.database.write(lambda work: by_hand.switched(work, run.run_hold, identity))


def _note(run: RunContext, link: ClusterLink, identity: ClusterIdentity, axis: str) -> None:
    """Note the mode that stands before the first switch; nodes may differ at a later one.

    Raises PreconditionError where a Podmeter's note says that it is not the original mode.
    """
    if any(one.axis == axis for one in _switched(run, identity)):
        return
    stood = link.modes(lambda step: None).observe(axis)
    for one in link.unrestored_switches():
        if one.axis == axis:
            raise PreconditionError(one.said)
    run.database.write(
        lambda work: modes.keep(
            work,
            run.run_hold,
            identity.cluster_id,
            identity.cluster_uid,
            axis,
            {modes.BY_HAND: stood},
        )
    )


def _await(
    run: RunContext,
    link: ClusterLink,
    identity: ClusterIdentity,
    axis: str,
    mode: str,
    *,
    original: bool,
) -> bool:
    """Wait until every node is seen in a mode, twice in a row; whether it had to be waited for."""
    waiting: Waiting | None = None
    right = 0
    while True:
        # Before the look, which may have been a long time ago once it is written.
        late = waiting is not None and now() >= waiting.until
        seen, unclear = _look(link, axis)
        right = right + 1 if seen == mode else 0
        # One that stood all the time is not being rolled out.
        if right > (waiting is not None):
            break
        if waiting is None:
            waiting = _begin(run, link, identity, axis, mode, original=original)
        if (seen, unclear) != (waiting.seen, waiting.unclear):
            waiting = run.database.write(
                partial(
                    by_hand.see, run_hold=run.run_hold, waiting=waiting, seen=seen, unclear=unclear
                )
            )
            said = unclear if seen is None else seen
            run.info(say("log_by_hand_seen", cluster=identity.name, axis=axis, seen=said))
        if late and not right:
            minutes = round((waiting.until - waiting.since).total_seconds() / 60)
            said = unclear if seen is None else seen
            raise NobodySwitchedError(
                say(
                    "nobody_switched",
                    axis=axis,
                    cluster=identity.name,
                    mode=mode,
                    minutes=minutes,
                    seen=said,
                )
            )
        if run.stop.asked.wait(_LOOK_SECONDS):
            raise RunCancelledError(say("run_to_stop"))
    run.database.write(lambda work: by_hand.end(work, run.run_hold))
    return waiting is not None


def _begin(
    run: RunContext,
    link: ClusterLink,
    identity: ClusterIdentity,
    axis: str,
    mode: str,
    *,
    original: bool,
) -> Waiting:
    how = how_to(link.modes(lambda step: None).why_fixed(axis), axis, mode)
    waiting = run.database.write(
        lambda work: by_hand.wait(work, run.run_hold, identity, axis, mode, how, original=original)
    )
    until = rfc3339(waiting.until)
    run.info(say("log_by_hand", cluster=identity.name, axis=axis, mode=mode, until=until))
    return waiting


def _look(link: ClusterLink, axis: str) -> tuple[str | None, Message | None]:
    """The mode in effect, or why none is seen: nodes differ, or the API server is restarted."""
    try:
        return link.modes(lambda step: None).observe(axis), None
    except (RunCancelledError, FencedError):
        raise
    except PodmeterError as error:
        return None, error.said
