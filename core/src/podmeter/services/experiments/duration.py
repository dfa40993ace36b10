"""How long blocks take as their kind reckons, in seconds; `pace` has what a cluster makes of it."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import fmean

from podmeter.domain.axes import AxisValue
from podmeter.domain.experiment import FIRST_LOOK, MOST_MINUTES, MOST_ROUNDS, ResolvedSpec
from podmeter.domain.modes import CLUSTER
from podmeter.domain.planning import Block
from podmeter.kinds.registry import MOST_TRIALS, kind_of, plan, walk_of
from podmeter.services.experiments.mode_changes import ModeChange, Occasion, mode_changes

#: How long a run may take where nobody says: so many minutes, or as long as so many rounds.
_MINUTES, _ROUNDS = 30, 8

#: Preparing and cleaning of a block: its pods are made, reached and removed; and before its first
#: block and after its last one, a run's preflight and sweep. On the testbed six blocks of
#: network_policy take 34 s besides their trials, and the median of preparing and cleaning is 3.9 to
#: 6.3 s by kind (the notes of `overhead` in docs/explanation/benchmarks.md).
SET_UP_SECONDS, AROUND_SECONDS = 4.0, 10.0


@dataclass(frozen=True, slots=True)
class BlockSeconds:
    """How long a block is reckoned to take: its set-up and trials, and the switch before them."""

    measuring: float
    switching: float

    @property
    def total(self) -> float:
        """Both."""
        return self.measuring + self.switching


@dataclass(frozen=True)
class Reckoning:
    """What a cluster makes of the seconds that are reckoned.

    `switch` is how long one switch of a mode takes. Measuring takes `measuring` times as long as is
    reckoned, with `creating` as in `reckoned_seconds`.
    """

    switch: Callable[[ModeChange], float]
    measuring: float = 1.0
    creating: float = 1.0

    def of_blocks(
        self, spec: ResolvedSpec, blocks: Sequence[Block], failed: Collection[int] = ()
    ) -> list[BlockSeconds]:
        """How long each of these blocks takes, in the order in which they run.

        Those whose index is in `failed` leave nothing to the next one.
        """
        switching: dict[int | None, float] = defaultdict(float)
        for change in mode_changes(spec, blocks, failed):
            if change.occasion is Occasion.BLOCK:
                switching[change.block] += self.switch(change)
        reckoned = reckoned_seconds(spec, blocks, self.creating, failed)
        return [
            BlockSeconds(self.measuring * seconds, switching[block.index])
            for block, seconds in zip(blocks, reckoned, strict=True)
        ]


def reckoned_seconds(
    spec: ResolvedSpec,
    blocks: Iterable[Block],
    creating: float = 1.0,
    failed: Collection[int] = (),
) -> list[float]:
    """About how long each of the blocks takes with its set-up and its trials, switching apart.

    They run in this order: the first block on a rung of a ladder that is climbed once has the climb
    from the rung before it, and one after a block that `failed` the climb from the ground, since
    that removed all Services. The API server takes `creating` times as long for new objects as the
    kind assumes.
    """
    kind = kind_of(spec)
    each: dict[str, float] = {}
    latest: dict[AxisValue | None, Block] = {}
    found = []
    for block in (one.of_kind for one in blocks):
        if not block.trials:
            # All that is left of it is to set up its modes, for which no pods are made.
            found.append(0.0)
            continue
        cluster = dict(block.modes).get(CLUSTER)
        before = latest.pop(cluster, None)
        if block.index not in failed:
            latest[cluster] = block
        for case in block.cases:
            if case.key not in each:
                each[case.key] = kind.trial_seconds(case, spec)
        trials = sum(each[trial.case.key] for trial in block.trials)
        climb = kind.climb_seconds(spec, block, before)
        more = (creating - 1) * kind.creating_seconds(spec, block, before)
        found.append(SET_UP_SECONDS + trials + kind.block_seconds(spec, block) + climb + more)
    return found


def with_rounds(
    spec: ResolvedSpec, reckoning: Reckoning, *, speed_margin: float = 1.0
) -> ResolvedSpec:
    """The spec with as many rounds as its time has room for, where it runs until it is decided.

    They are six at least, with which a run looks for the first time; one whose time ends before
    that decides nothing. A time that is left open is filled in. Rounds are planned for a cluster
    that is `speed_margin` times as fast: its minutes end a run anyway, while a round that is not
    planned cannot be measured.
    """
    until = spec.repetition.until_decided
    if until is None:
        return spec
    # A ladder that is climbed once is climbed in its first round. Side by side not every round
    # swaps the nodes' modes: those of as many rounds as decide at least have their mean.
    before = 0.0
    if walk_of(spec).climbs_once:
        (first, *later), trials = _of_rounds(spec, 1 + FIRST_LOOK, reckoning)
        seconds = fmean(later)
        before = max(0.0, first - seconds)
    else:
        (seconds,), trials = _of_rounds(spec, 1, reckoning)
    minutes = until.most_minutes
    if minutes is None:
        minutes = min(MOST_MINUTES, max(_MINUTES, ceil((before + _ROUNDS * seconds) / 60)))
    fitting = min(
        MOST_ROUNDS,
        MOST_TRIALS // max(1, trials),
        int(speed_margin * max(0.0, 60 * minutes - before) / max(1.0, seconds)),
    )
    changed = {
        "rounds": max(FIRST_LOOK, fitting),
        "until_decided": until.model_copy(update={"most_minutes": minutes}),
    }
    return spec.model_copy(update={"repetition": spec.repetition.model_copy(update=changed)})


def _of_rounds(spec: ResolvedSpec, rounds: int, reckoning: Reckoning) -> tuple[list[float], int]:
    """The seconds of each of so many rounds, and the trials of one."""
    repetition = spec.repetition.model_copy(update={"rounds": rounds})
    some = spec.model_copy(update={"repetition": repetition})
    blocks = plan(some)
    seconds = [0.0] * rounds
    for block, one in zip(blocks, reckoning.of_blocks(some, blocks), strict=True):
        seconds[block.round - 1] += one.total
    return seconds, sum(len(block.trials) for block in blocks if block.round == 1)
