"""Ending the blocks in which a run was stopped: by a cancel, a shutdown, or its worker's death."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from podmeter.domain.errors import PodmeterError, RunCancelledError
from podmeter.domain.messages import say
from podmeter.services.errors import FencedError
from podmeter.services.execution import blocks
from podmeter_worker.runner import mode_keeper
from podmeter_worker.runner.block import void
from podmeter_worker.runner.run_preflight import cluster_of

if TYPE_CHECKING:
    from podmeter.domain.planning import Block
    from podmeter_worker.runner.context import RunContext

_STOPPED = say("stopped_during")


def end_stopped_blocks(run: RunContext) -> None:
    """End them; what they counted stands only if their modes are seen once more, as after any.

    Raises FencedError and RunCancelledError where another worker has the run.
    """
    planned = {block.index: block for block in run.assignment.blocks}
    for stopped in run.database.write(lambda work: blocks.stopped(work, run.run_hold)):
        block, failure = planned[stopped.position], _STOPPED
        if stopped.has_counted and (reason := _why_not_seen(run, block, stopped.standing)):
            failure = say("stopped_and_void", void=void(run, block.index, reason))
            run.failures |= {case.key: failure for case in block.cases}
        run.database.write(
            partial(blocks.end, run_hold=run.run_hold, position=block.index, failure=failure)
        )


def _why_not_seen(run: RunContext, block: Block, standing: mode_keeper.Standing) -> str | None:
    if not mode_keeper.wanted_modes(block):
        return None
    try:
        with run.held_link(cluster_of(run, block.modes), run.stop.lost) as link:
            return mode_keeper.why_not_seen(link, block, standing)
    except (FencedError, RunCancelledError):
        raise
    except PodmeterError as error:
        return say("modes_unseen", error=error.said)
