"""What a run until decided sees after its rounds: whether it, or a rung of it, is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.messages import Message, say
from podmeter.services.execution.blocks import RUNG_OVER
from podmeter.services.execution.blocks import skip as blocks_skip
from podmeter.services.execution.rungs import spent_seconds
from podmeter.services.experiments.rungs import rung_of

if TYPE_CHECKING:
    from podmeter.services.experiments.rungs import Rung
    from podmeter_worker.runner.context import RunContext


def run_is_over(run: RunContext, rounds: int) -> bool:
    """Look at what so many rounds decided; whether the run ends with them."""
    # Judging takes numpy, 20 MB that a worker which waits need not hold.
    from podmeter.services.execution import interim_analysis

    spec, run_hold = run.assignment.spec, run.run_hold
    seen = run.database.write(lambda work: interim_analysis.analyse(work, run_hold, spec, rounds))
    decided = seen.cases - seen.open
    run.info(say("log_look", rounds=rounds, decided=decided, cases=seen.cases))
    if seen.why is not None:
        run.info(seen.why)
        run.concluded = seen
    return seen.why is not None


def why_no_further(run: RunContext, rung: Rung) -> Message | None:
    """Why a rung is not begun any more, or None: rungs below have taken all of the run's time."""
    until = run.assignment.spec.repetition.until_decided
    if until is None or until.most_minutes is None:
        return None
    spent = run.database.write(lambda work: spent_seconds(work, run.run_hold))
    begun = {
        rung_of(run.assignment.spec, one) for one in run.assignment.blocks if one.index in spent
    }
    if rung in begun or sum(spent.values()) <= 60 * until.most_minutes:
        return None
    ((axis, value),) = rung
    return say("ladder_out_of_time", minutes=until.most_minutes, axis=axis, value=value)


def rung_is_over(run: RunContext, rung: Rung, rounds: int) -> bool:
    """Look at what so many rounds decided on a rung; whether it is over, so that the next is next.

    What is left of it is skipped.
    """
    from podmeter.services.execution import interim_analysis

    spec, run_hold, blocks = run.assignment.spec, run.run_hold, run.assignment.blocks
    seen = run.database.write(
        lambda work: interim_analysis.analyse(work, run_hold, spec, rounds, blocks, rung)
    )
    ((axis, value),) = rung
    decided = seen.cases - seen.open
    run.info(
        say(
            "log_look_at_rung",
            axis=axis,
            value=value,
            rounds=rounds,
            decided=decided,
            cases=seen.cases,
        )
    )
    if seen.why is None:
        return False
    why = say(RUNG_OVER, axis=axis, value=value, why=seen.why)
    run.info(why)
    run.rungs_over[rung] = seen
    positions = {one.index for one in blocks if rung_of(spec, one) == rung}
    run.database.write(lambda work: blocks_skip(work, run_hold, why, positions))
    return True
