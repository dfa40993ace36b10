"""Rungs of a ladder that is climbed once: the rounds and the share of the time that each has."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from podmeter.db.repositories.runs import RunRepository
from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.planning import Block
from podmeter.services.experiments.rungs import Rung, rung_of
from podmeter.services.runs.lifecycle import RunHold
from podmeter.services.work import Work


@dataclass(frozen=True)
class TimeOnRung:
    """Seconds that a rung may take with the climb to it, what it took, and what one round takes."""

    share: float
    spent: float
    a_round: float

    @property
    def is_over(self) -> bool:
        """Whether no further round fits."""
        return self.spent + self.a_round > self.share


def time_on_rung(
    spec: ResolvedSpec,
    blocks: Sequence[Block],
    reckoned: Sequence[float],
    spent: dict[int, float],
    rung: Rung,
    most: float,
) -> TimeOnRung:
    """How a rung stands; `spent` are the seconds of the blocks that are over, by their index.

    `reckoned` are those that each of the blocks is expected to take, switching included.

    What the rungs below have left of the `most` seconds of the run is shared by this one and those
    above it, by what a round on each is reckoned to take, once every climb has its time.
    """
    climbs: dict[Rung, float] = {}
    rounds: dict[Rung, float] = {}
    own: dict[int, float] = {}
    below = 0.0
    order: list[Rung] = []
    for block, seconds in zip(blocks, reckoned, strict=True):
        where = rung_of(spec, block)
        if where not in order:
            order.append(where)
        took = spent.get(block.index, 0.0)
        if where == rung:
            own[block.round] = own.get(block.round, 0.0) + took
        elif rung not in order:
            below += took
        if block.round == 1:
            climbs[where] = climbs.get(where, 0.0) + seconds
        else:
            rounds[where] = rounds.get(where, 0.0) + seconds / (spec.repetition.rounds - 1)
    ahead = order[order.index(rung) :]
    # The first round has the climb; the mean of the others is what one takes without it.
    climb = {where: max(0.0, climbs[where] - rounds[where]) for where in ahead}
    free = most - below - sum(climb.values())
    weight = rounds[rung] / sum(rounds[where] for where in ahead)
    later = [seconds for number, seconds in own.items() if number > 1 and seconds]
    return TimeOnRung(
        share=climb[rung] + free * weight,
        spent=sum(own.values()),
        a_round=fmean(later) if later else sum(own.values()),
    )


def spent_seconds(work: Work, run_hold: RunHold) -> dict[int, float]:
    """How long the blocks took that are over, in all attempts."""
    blocks = RunRepository(work.session, run_hold.organization_id).blocks(run_hold.run_id)
    return {
        one.position: (one.ended_at - one.started_at).total_seconds()
        for one in blocks
        if one.started_at is not None and one.ended_at is not None
    }
