"""One block: modes brought about, pods prepared, trials run, modes seen once more."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from podmeter.domain.errors import LabError, PodmeterError, RunCancelledError
from podmeter.domain.messages import say
from podmeter.domain.trial import MODE_REVERTED
from podmeter.kinds import switching
from podmeter.kinds.registry import kind_of, placed
from podmeter.kinds.rotation import placement_over
from podmeter.services.errors import FencedError
from podmeter.services.execution import blocks
from podmeter.services.execution.blocks import BlockTimes
from podmeter.stack.counts import Count
from podmeter_worker.counting import tally
from podmeter_worker.runner import mode_keeper
from podmeter_worker.runner.by_hand import NobodySwitchedError
from podmeter_worker.runner.tracked_lab import TrackedLab
from podmeter_worker.runner.trials import Begun, TrialQueue, run_trials, store_set_up

if TYPE_CHECKING:
    from podmeter.domain.planning import Block
    from podmeter.domain.ports import ModeSwitch
    from podmeter.domain.switching import NodeWatch, Switched
    from podmeter.services.execution.environment import ClusterIdentity
    from podmeter_worker.runner.context import RunContext
    from podmeter_worker.runner.ports import ClusterLink

#: How often in a row the setup of a block's trials may break and be prepared again.
_MAX_PREPARATIONS = 3


def run_block(run: RunContext, link: ClusterLink, identity: ClusterIdentity, block: Block) -> str:
    """Run what is left of a block; why it failed, or ''. What fails is noted with its cases.

    Raises RunCancelledError, FencedError where another worker has the run, and NobodySwitchedError
    where the run waited in vain; the block is ended by `stopped_blocks` then.
    """
    block_id = run.database.write(lambda work: blocks.begin(work, run.run_hold, block.index))
    queue = TrialQueue(block, block_id, run.assignment.spec.repetition)
    times = BlockTimes()
    failure: str | None = None
    try:
        failure = _switch_and_measure(run, link, identity, queue, times)
    finally:
        if not run.stop.lost.is_set():
            if failure:
                run.failures |= {case.key: failure for case in block.cases}
            run.database.write(
                lambda work: blocks.spent(work, run.run_hold, block.index, times, queue.overhead)
            )
            if failure is not None:
                run.database.write(
                    lambda work: blocks.end(work, run.run_hold, block.index, failure)
                )
                tally.note(Count.BLOCKS, "failed" if failure else "succeeded")
    return failure or ""


def void(run: RunContext, position: int, reason: str) -> str:
    """Void what a block counted; what to say of it."""
    count = run.database.write(
        lambda work: blocks.void(work, run.run_hold, position, MODE_REVERTED, reason)
    )
    failure = say("trials_void", reason=reason, count=count)
    run.warn(say("log_block_void", block=position, what=failure))
    return failure


def _switch_and_measure(
    run: RunContext,
    link: ClusterLink,
    identity: ClusterIdentity,
    queue: TrialQueue,
    times: BlockTimes,
) -> str:
    """Bring the modes about, run the trials, see the modes again; why it failed, or ''."""
    standing: mode_keeper.Standing = {}
    failure = ""
    try:
        run.guard_of(identity).settle(link.node_conditions, None, (), run.wait)
        begun, before = Begun(), run.held_up_seconds
        watched = queue.set_up is not None
        brought = mode_keeper.bring_about(run, link, identity, queue.block, watched=watched)
        held_up = run.held_up_seconds - before
        standing = brought.standing
        if standing:
            if brought.changed:
                times.switching = time.monotonic() - begun.clock
            position = queue.block.index
            run.database.write(lambda work: blocks.stand(work, run.run_hold, position, standing))
        failure = _measure(run, link, identity, queue, times, (begun, brought, held_up)) or ""
    except (RunCancelledError, FencedError, NobodySwitchedError):
        raise
    except PodmeterError as error:
        failure = error.said
    stored = queue.overhead is not None
    if stored and (reason := mode_keeper.why_not_seen(link, queue.block, standing)):
        return void(run, queue.block.index, reason)
    return failure


def _measure(
    run: RunContext,
    link: ClusterLink,
    identity: ClusterIdentity,
    queue: TrialQueue,
    times: BlockTimes,
    set_up: tuple[Begun, mode_keeper.BroughtAbout, float],
) -> str | None:
    """Run the trials, and prepare broken parts again. Returns why it gave up, or None."""
    broken_in_a_row, broken = 0, None
    block = queue.block
    seen = link.fingerprint(block.seat if block.seating else None)
    if unlike := mode_keeper.why_unlike(seen, mode_keeper.wanted_modes(queue.block)):
        return unlike
    fingerprint = seen.model_dump(mode="json")
    if (trial := queue.set_up) is not None:
        begun, brought, held_up = set_up
        report = switching.report(brought.switched, brought.watches, times.switching or 0.0)
        placements = {trial.case.key: None}
        position = queue.block.index
        case_ids = run.database.write(
            lambda work: blocks.prepared(
                work, run.run_hold, position, identity, fingerprint, placements
            )
        )
        store_set_up(run, queue, case_ids, report, begun, held_up)
    standing = set_up[1].standing
    while not queue.over and broken_in_a_row < _MAX_PREPARATIONS:
        before = queue.position
        broken = _prepare_and_run(run, link, identity, queue, times, fingerprint, standing)
        # The trial that met the fault counts for nothing; another one before it was progress.
        progressed = queue.position > before + 1
        broken_in_a_row = 1 if progressed else broken_in_a_row + 1
        if broken and not queue.over:
            run.warn(say("log_preparing_anew", cluster=identity.name, why=broken))
    return broken if not queue.over else None


def _prepare_and_run(
    run: RunContext,
    link: ClusterLink,
    identity: ClusterIdentity,
    queue: TrialQueue,
    times: BlockTimes,
    fingerprint: dict[str, Any],
    standing: mode_keeper.Standing,
) -> str | None:
    spec, block = run.assignment.spec, queue.block.of_kind
    guard = run.guard_of(identity)
    # A node that was lost would break what is prepared again.
    guard.settle(link.node_conditions, None, (), run.wait)

    def switch(asked: ModeSwitch) -> tuple[Switched, tuple[NodeWatch, ...]]:
        found = mode_keeper.switch_in_block(run, link, identity, standing, asked)
        run.database.write(lambda work: blocks.stand(work, run.run_hold, block.index, standing))
        return found

    lab = TrackedLab(link.lab(run.log), switch, guard, link.node_conditions)
    begun = time.monotonic()
    leaving = begun
    try:
        with kind_of(spec).prepared(lab, placed(spec, block), block) as ready:
            times.preparing = (times.preparing or 0.0) + time.monotonic() - begun
            leaving = time.monotonic()
            placements = {
                case.key: placement_over(spec, block.node_pair, ready.placement(case)).model_dump(
                    mode="json"
                )
                for case in block.cases
            }
            case_ids = run.database.write(
                lambda work: blocks.prepared(
                    work, run.run_hold, block.index, identity, fingerprint, placements
                )
            )
            try:
                return run_trials(run, lab, ready, queue, case_ids)
            finally:
                leaving = time.monotonic()
    except LabError as error:
        # Preparing again may repair what broke.
        return error.said
    finally:
        times.cleaning = (times.cleaning or 0.0) + time.monotonic() - leaving
