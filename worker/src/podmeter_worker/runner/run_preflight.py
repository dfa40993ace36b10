"""A run's preflight: everything that may refuse it, before anything is created for it."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import Message, say
from podmeter.domain.ports import Access
from podmeter.kinds.host_names import named_hosts
from podmeter.kinds.registry import why_not_measured
from podmeter.services.execution import environment
from podmeter.services.experiments.feasible import limit_obstacles
from podmeter.services.experiments.plan import Plan
from podmeter.services.runs import lifecycle
from podmeter.services.runs.credential_life import credentials_too_short
from podmeter_worker.runner.by_hand import is_by_hand
from podmeter_worker.runner.mode_keeper import wanted_modes
from podmeter_worker.runner.waiting import await_nodes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from podmeter.services.execution.environment import ClusterIdentity
    from podmeter_worker.runner.context import RunContext
    from podmeter_worker.runner.ports import ClusterLink, ModeControl


def preflight(run: RunContext) -> None:
    """Look at every cluster of the run, and freeze what was found into it.

    Raises PreconditionError with everything that stands against the run, LabError for a cluster
    that is not reached.
    """
    if reason := why_not_measured(run.assignment.spec):
        raise PreconditionError(reason)
    found: dict[str, Any] = {}
    planned = Plan(run.assignment.spec, run.assignment.blocks)
    problems: list[str] = run.database.write(
        lambda work: credentials_too_short(work, lifecycle.lock_run(work, run.run_hold), planned)
    )
    if problems:
        raise PreconditionError(say("several", several=problems))
    for identity in run.assignment.clusters:
        with run.link(identity, run.stop.asked) as link:
            await_nodes(run, link, identity)
            problems += _on(identity, _problems(run, link, identity))
            if not problems:
                with run.holding(identity, link, patient=True):
                    if left := [one.said for one in link.unrestored_switches()]:
                        # Such a cluster is not in its owner's modes, and nobody restores them now.
                        problems += _on(identity, left)
                        continue
                    problems += _on(identity, _modes(run, link, identity))
                    outside, refused = _outside(run, link)
                    problems += _on(identity, refused)
                    found[identity.name] = {
                        "cluster_uid": identity.cluster_uid,
                        "fingerprint": link.fingerprint().model_dump(mode="json"),
                        **outside,
                    }
    if problems:
        raise PreconditionError(say("several", several=problems))
    frozen = {
        "clusters": found,
        "worker": {"podmeter": version("podmeter-worker"), "python": platform.python_version()},
    }
    run.database.write(lambda work: environment.freeze(work, run.run_hold, frozen))
    run.info(say("log_preflight_passed"))


def _problems(run: RunContext, link: ClusterLink, identity: ClusterIdentity) -> list[str]:
    spec = run.assignment.spec
    switched = spec.switched_axes
    if switched and not identity.allow_mode_switch and identity.by_hand_minutes is None:
        return [say("switch_not_allowed_now", axes=sorted(switched))]
    hosts = named_hosts(spec)
    if hosts and not identity.allow_host_names:
        return [say("host_names_not_allowed_now", hosts=hosts)]
    cases = {case.key: case for block in run.assignment.blocks for case in block.cases}
    broken = limit_obstacles(spec, cases.values(), identity.name, identity.limits)
    if broken:
        return [one.cause for one in broken]
    return link.problems()


def _outside(run: RunContext, link: ClusterLink) -> tuple[dict[str, Any], list[str]]:
    """The client outside as it is kept with the run, and why it is none; nothing without one."""
    if Access.OUTSIDE not in run.access:
        return {}, []
    try:
        return {"outside": link.outside().frozen()}, []
    except PreconditionError as error:
        return {}, [error.said]


def _on(identity: ClusterIdentity, problems: Iterable[str]) -> list[str]:
    return [say("on_cluster", cluster=identity.name, what=what) for what in problems]


def _modes(run: RunContext, link: ClusterLink, identity: ClusterIdentity) -> list[str]:
    """Why modes that the run needs on this cluster cannot be had."""
    wanted: dict[str, dict[str, None]] = {}
    for block in run.assignment.blocks:
        if cluster_of(run, block.modes) is identity:
            for axis, value in wanted_modes(block).items():
                wanted.setdefault(axis, {})[value] = None
    if not wanted:
        return []
    control = link.modes(lambda step: None)
    by_hand = {axis for axis in wanted if is_by_hand(identity, control, axis)}
    found: list[str] = [
        say("mode_impossible", axis=axis, value=value, why=Message.of(why).causes)
        for axis, values in wanted.items()
        for value in values
        if (why := control.why_not(axis, value, by_hand=axis in by_hand))
    ]
    return found or [*_unseen(control, by_hand)]


def _unseen(control: ModeControl, axes: Iterable[str]) -> Iterator[str]:
    """Why what somebody is to switch cannot be proved: its present mode is not seen already."""
    for axis in axes:
        try:
            control.observe(axis)
        except PreconditionError as error:
            yield say("by_hand_unseen", axis=axis, why=error.said)


def cluster_of(run: RunContext, modes: tuple[tuple[str, str | int], ...]) -> ClusterIdentity:
    """The cluster that a block with these modes runs on."""
    name = dict(modes).get("cluster")
    clusters = run.assignment.clusters
    return clusters[0] if name is None else next(one for one in clusters if one.name == name)
