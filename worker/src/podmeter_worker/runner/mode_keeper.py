"""Switching a block's modes, with what stood before noted in the database first."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from podmeter.domain.axes import MODE_AXES
from podmeter.domain.errors import (
    ConvergenceError,
    PodmeterError,
    PreconditionError,
    RunCancelledError,
)
from podmeter.domain.messages import say
from podmeter.domain.modes import ENCAPSULATION, KUBE_PROXY_MODE, may_show
from podmeter.domain.planning import nodes_of_seat
from podmeter.services.execution import modes
from podmeter_worker.runner import by_hand
from podmeter_worker.runner.separately import restore_each

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podmeter.domain.fingerprint import Fingerprint
    from podmeter.domain.messages import Message
    from podmeter.domain.planning import Block
    from podmeter.domain.ports import ExecTarget, ModeSwitch
    from podmeter.domain.switching import NodeWatch, Switched
    from podmeter.services.execution.environment import ClusterIdentity
    from podmeter_worker.runner.context import RunContext
    from podmeter_worker.runner.ports import ClusterLink, ModeControl

#: The state of each axis' component before the first trial.
Standing = dict[str, dict[str, Any]]


def wanted_modes(block: Block) -> dict[str, str]:
    """The modes of a block that a switcher has to see to, by axis."""
    return {axis: str(value) for axis, value in block.modes if axis in MODE_AXES}


def _by_seat(block: Block) -> dict[str, tuple[str, ...]]:
    """Where modes are side by side, the values of each axis by the number of the node."""
    seats = [dict(modes) for modes in block.modes_by_seat]
    return {axis: tuple(str(seat[axis]) for seat in seats) for axis in (seats or [{}])[0]}


def _by_node(control: ModeControl, values: tuple[str, ...]) -> dict[str, str]:
    """The value of each seat by its nodes. Raises PreconditionError where there are too few."""
    needed = 2 * len(values)
    if len(control.seats) != needed:
        raise PreconditionError(say("seats_gone", needed=needed, count=len(control.seats)))
    return {
        node: value
        for seat, value in enumerate(values)
        for node in nodes_of_seat(control.seats, seat)
    }


#: So long after a switch its Services are given to work again, before that is unknown.
_PATIENCE_SECONDS = 10.0


@dataclass(frozen=True)
class BroughtAbout:
    """Modes as they were set up: how they stand, by axis, and what was seen on the way.

    `changed` is False where all of them were in effect already and were left alone.
    """

    standing: Standing
    changed: bool = True
    switched: tuple[Switched, ...] = ()
    watches: tuple[NodeWatch, ...] = ()


def bring_about(
    run: RunContext,
    link: ClusterLink,
    identity: ClusterIdentity,
    block: Block,
    *,
    watched: bool,
) -> BroughtAbout:
    """Set every mode of a block up again, in effect on every node.

    Also the current mode: two blocks may differ in nothing but the mode. Only where modes are side
    by side, nodes that have theirs keep them. What somebody
    switches by hand is waited for if it is not in effect. If it is `watched`, Services
    are while kube-proxy's mode is set up.
    Raises PreconditionError, ConvergenceError, LabError, NobodySwitchedError.
    """
    wanted = wanted_modes(block)
    if not wanted:
        return BroughtAbout({})
    control = _guarded(run, link, identity)
    if block.seating:
        changed = [
            _assign(run, control, identity, axis, _by_node(control, values))
            for axis, values in _by_seat(block).items()
        ]
        return BroughtAbout(_standing_in(control, block), any(changed))
    by_hands = [axis for axis in wanted if by_hand.is_by_hand(identity, control, axis)]
    with ExitStack() as stack:
        to_watch = watched and KUBE_PROXY_MODE in wanted and KUBE_PROXY_MODE not in by_hands
        watch = stack.enter_context(control.watch(_PATIENCE_SECONDS)) if to_watch else None
        switched = [
            by_hand.switch(run, link, identity, axis, value)
            if axis in by_hands
            else _switch(run, control, identity, axis, value)
            for axis, value in wanted.items()
        ]
        if by_hands:
            # Nodes may have been restarted meanwhile.
            control = _guarded(run, link, identity)
        standing = _standing_in(control, block)
        watches = () if watch is None else watch.finish()
    return BroughtAbout(standing, switched=tuple(switched), watches=watches)


def switch_in_block(
    run: RunContext,
    link: ClusterLink,
    identity: ClusterIdentity,
    standing: Standing,
    asked: ModeSwitch,
) -> tuple[Switched, tuple[NodeWatch, ...]]:
    """Set a mode up again in the middle of a block, and note its new state in `component_state`.

    Raises PreconditionError where the block has no such mode, ConvergenceError, LabError.
    """
    if asked.axis not in standing:
        raise PreconditionError(say("mode_not_of_run", axis=asked.axis))
    control = _guarded(run, link, identity)
    if by_hand.is_by_hand(identity, control, asked.axis):
        raise PreconditionError(say("by_hand_in_block", axis=asked.axis))
    if asked.node is not None:
        return _restart(run, control, identity, standing, asked, asked.node), ()
    with control.watch(asked.patience_seconds, asked.services) as watch:
        switched = _switch(run, control, identity, asked.axis, asked.value, asked.added)
        watches = watch.finish()
    standing[asked.axis] = control.component_state(asked.axis)
    return switched, watches


def _guarded(run: RunContext, link: ClusterLink, identity: ClusterIdentity) -> ModeControl:
    """The modes of a cluster, which is checked while a switch waits: it may take many minutes."""
    guard, lab = run.guard_of(identity), link.lab(run.log)

    def check(places: Sequence[ExecTarget]) -> None:
        guard.check(link.node_conditions, lab, places, switching=True)

    return link.modes(run.steps(identity), guard=check)


def _restart(
    run: RunContext,
    control: ModeControl,
    identity: ClusterIdentity,
    standing: Standing,
    asked: ModeSwitch,
    node: str,
) -> Switched:
    """Restart a mode's component on one node. What others did to it before is not overlooked."""
    axis, value = asked.axis, asked.value
    if what := control.why_touched(axis, standing[axis]):
        raise ConvergenceError(say("mode_touched", axis=axis, value=value, what=what))
    about = {"cluster": identity.name, "axis": axis, "value": value, "node": node}
    run.info(say("log_restarting", **about))
    restarted = control.restart(axis, value, node, asked.added)
    standing[axis] = control.component_state(axis)
    run.info(say("log_restarted", **about))
    return restarted


def why_unlike(seen: Fingerprint, wanted: dict[str, str]) -> str | None:
    """Why the cluster is not in the modes it was switched to, as far as new pods show it, or None.

    Switchers ask the nodes of what they have set; this is what packets to a new pod go through.
    """
    shown = {ENCAPSULATION: seen.cni.encapsulation, KUBE_PROXY_MODE: seen.kube_proxy.mode}
    for axis, value in wanted.items():
        if shown.get(axis) not in (None, *may_show(value)):
            return say("mode_not_shown", axis=axis, value=value, seen=shown[axis])
    return None


def why_not_seen(link: ClusterLink, block: Block, standing: Standing) -> str | None:
    """Why what was measured in a block's modes does not stand, or None: they stood all the time.

    `component_state` is how they stood before. Raises RunCancelledError.
    """
    wanted = wanted_modes(block)
    if not wanted:
        return None
    try:
        control = link.modes(lambda step: None)
        if unlike := _why_unlike(control, block):
            return unlike
        for axis, value in wanted.items():
            if what := control.why_touched(axis, standing.get(axis, {})):
                return say("mode_touched", axis=axis, value=value, what=what)
    except RunCancelledError:
        raise
    except PodmeterError as error:
        # Unseen is not the same as unchanged.
        return say("modes_unseen", error=error.said)
    return None


def restore_all(
    run: RunContext, link: ClusterLink, identity: ClusterIdentity, saved: list[modes.OriginalMode]
) -> None:
    """Restore the original modes. Raises as `ModeControl.restore`, in the end."""
    control = link.modes(run.steps(identity))

    def restore(kept: modes.OriginalMode) -> None:
        if not kept.by_hand:
            run.info(say("log_putting_back", cluster=identity.name, axis=kept.axis))
        control.restore(kept.axis, kept.content)
        run.database.write(
            partial(modes.strike, organization_id=run.run_hold.organization_id, saved_id=kept.id)
        )

    restore_each(saved, identity.name, restore)


def _standing_in(control: ModeControl, block: Block) -> Standing:
    """How what brings a block's modes about stands. Raises ConvergenceError where they are others.

    In this order: what changes after the first look is seen by a second one.
    """
    standing = {axis: control.component_state(axis) for axis in wanted_modes(block)}
    if unlike := _why_unlike(control, block):
        raise ConvergenceError(unlike)
    return standing


def _why_unlike(control: ModeControl, block: Block) -> Message | None:
    """The first of a block's modes that is not in effect where it should be, or None."""
    by_seat = _by_seat(block)
    for axis, value in wanted_modes(block).items():
        if axis not in by_seat:
            if (seen := control.observe(axis)) != value:
                return say("mode_changed", axis=axis, value=value, seen=seen)
            continue
        for node, own in _by_node(control, by_seat[axis]).items():
            if (seen := control.observe(axis, node)) != own:
                changed = say("mode_changed", axis=axis, value=own, seen=seen)
                return say("on_node", node=node, what=changed)
    return None


def _assign(
    run: RunContext,
    control: ModeControl,
    identity: ClusterIdentity,
    axis: str,
    values: dict[str, str],
) -> bool:
    """Have each node in a value of its own, with what stood before noted first; whether any was in
    another one.
    """
    if by_hand.is_by_hand(identity, control, axis):
        raise PreconditionError(say("by_hand_in_block", axis=axis))
    _keep(run, control, identity, axis)
    changed = control.assign(axis, values)
    if changed:
        for node, value in values.items():
            run.info(say("log_assigned", cluster=identity.name, axis=axis, node=node, value=value))
    return changed


def _keep(run: RunContext, control: ModeControl, identity: ClusterIdentity, axis: str) -> None:
    """Store the current mode in the database, then note it in the cluster, before it is changed."""
    saved = control.save(axis)
    kept = run.database.write(
        lambda work: modes.keep(
            work, run.run_hold, identity.cluster_id, identity.cluster_uid, axis, saved
        )
    )
    control.note(axis, kept)


def _switch(
    run: RunContext,
    control: ModeControl,
    identity: ClusterIdentity,
    axis: str,
    value: str,
    added: int = 0,
) -> Switched:
    _keep(run, control, identity, axis)
    run.info(say("log_switching", cluster=identity.name, axis=axis, value=value))
    switched = control.switch(axis, value, added)
    done = say("log_switched", cluster=identity.name, axis=axis, value=value)
    if switched.nodes is not None:
        nodes = list(switched.nodes)
        done = say("log_switched_on", cluster=identity.name, axis=axis, value=value, nodes=nodes)
    run.info(done)
    return switched
