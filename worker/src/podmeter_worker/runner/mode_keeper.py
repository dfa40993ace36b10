"""Switching a block's modes, with what stood before noted in the database first."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from podmeter.domain.errors import PodmeterError, RunCancelledError
from podmeter.domain.messages import say
from podmeter.domain.modes import CLUSTER
from podmeter.services.execution import modes

if TYPE_CHECKING:
    from podmeter.domain.planning import Block
    from podmeter.services.execution.environment import ClusterIdentity
    from podmeter_worker.runner.context import RunContext
    from podmeter_worker.runner.ports import ClusterLink, ModeControl


def wanted_modes(block: Block) -> dict[str, str]:
    """The modes of a block that a switcher has to see to, by axis."""
    return {axis: str(value) for axis, value in block.modes if axis != CLUSTER}


def bring_about(
    run: RunContext, link: ClusterLink, identity: ClusterIdentity, wanted: dict[str, str]
) -> None:
    """See every mode in effect on every node, switching where it is not.

    Raises PreconditionError, ConvergenceError, LabError.
    """
    if not wanted:
        return
    control = link.modes(run.steps(identity))
    for axis, value in wanted.items():
        _bring_about(run, control, identity, axis, value)


def why_not_seen(link: ClusterLink, wanted: dict[str, str]) -> str | None:
    """Why what was measured in these modes does not stand, or None: they are seen once more.

    Raises RunCancelledError.
    """
    if not wanted:
        return None
    try:
        control = link.modes(lambda step: None)
        for axis, value in wanted.items():
            if (seen := control.observe(axis)) != value:
                return say("mode_changed", axis=axis, value=value, seen=seen)
    except RunCancelledError:
        raise
    except PodmeterError as error:
        # Unseen is not the same as unchanged.
        return say("modes_unseen", error=error.said)
    return None


def restore_all(
    run: RunContext, link: ClusterLink, identity: ClusterIdentity, saved: list[modes.Kept]
) -> None:
    """Put back what stood before. Raises as `ModeControl.restore`."""
    control = link.modes(run.steps(identity))
    for kept in saved:
        run.info(say("log_putting_back", cluster=identity.name, axis=kept.axis))
        control.restore(kept.axis, kept.content)
        run.database.write(
            partial(modes.strike, organization_id=run.run_hold.organization_id, saved_id=kept.id)
        )


def _bring_about(
    run: RunContext, control: ModeControl, identity: ClusterIdentity, axis: str, value: str
) -> None:
    if control.observe(axis) == value:
        return
    saved = control.save(axis)
    run.database.write(
        lambda work: modes.keep(
            work, run.run_hold, identity.cluster_id, identity.cluster_uid, axis, saved
        )
    )
    run.info(say("log_switching", cluster=identity.name, axis=axis, value=value))
    control.switch(axis, value)
    run.info(say("log_switched", cluster=identity.name, axis=axis, value=value))
