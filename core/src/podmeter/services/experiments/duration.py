"""How long blocks take as their kind reckons, in seconds; `pace` has what a cluster makes of it."""

from collections.abc import Iterable
from math import ceil

from podmeter.domain.experiment import FIRST_LOOK, MOST_MINUTES, MOST_ROUNDS, ResolvedSpec
from podmeter.domain.planning import Block, Modes
from podmeter.kinds.registry import MOST_TRIALS, kind_of, plan, walk_of

#: How long a run may take where nobody says: so many minutes, or as long as so many rounds.
_MINUTES, _ROUNDS = 30, 8

#: Preparing and cleaning of a block: its pods are made, reached and removed; and before its first
#: block and after its last one, a run's preflight and sweep. On the testbed six blocks of
#: network_policy take 34 s besides their trials, and the median of preparing and cleaning is 3.9 to
#: 6.3 s by kind (the notes of `overhead` in docs/explanation/benchmarks.md).
SET_UP_SECONDS, AROUND_SECONDS = 4.0, 10.0


def reckoned_seconds(
    spec: ResolvedSpec, blocks: Iterable[Block], creating: float = 1.0
) -> list[float]:
    """About how long each of the blocks takes with its set-up and its trials, switching apart.

    The API server takes `creating` times as long for new objects as the kind assumes.
    """
    kind = kind_of(spec)
    each: dict[str, float] = {}
    found = []
    for block in (one.of_kind for one in blocks):
        for case in block.cases:
            if case.key not in each:
                each[case.key] = kind.trial_seconds(case, spec)
        trials = sum(each[trial.case.key] for trial in block.trials)
        more = (creating - 1) * kind.creating_seconds(spec, block)
        found.append(SET_UP_SECONDS + trials + kind.block_seconds(spec, block) + more)
    return found


def switching_blocks(blocks: Iterable[Block]) -> list[Block]:
    """Those that switch modes: all, but of modes side by side those alone that begin a slot."""
    found: list[Block] = []
    stand: tuple[Modes, ...] = ()
    for block in blocks:
        if not block.seating or block.modes_by_seat != stand:
            found.append(block)
        stand = block.modes_by_seat
    return found


def with_rounds(
    spec: ResolvedSpec,
    *,
    switch_seconds: float,
    measuring: float,
    creating: float = 1.0,
    speed_margin: float = 1.0,
) -> ResolvedSpec:
    """The spec with as many rounds as its time has room for, where it runs until it is decided.

    They are six at least, with which a run looks for the first time; one whose time ends before
    that decides nothing. A time that is left open is filled in. Each axis of modes is switched in
    `switch_seconds`, and measuring takes `measuring` times as long as is reckoned, with `creating`
    as in `reckoned_seconds`. Rounds are planned for a cluster that is `speed_margin` times as fast:
    its minutes end a run anyway, while a round that is not planned cannot be measured.
    """
    until = spec.repetition.until_decided
    if until is None:
        return spec
    # A ladder that is climbed once is climbed in its first round; all others take as long as that.
    seconds, trials = _of_rounds(spec, 1, switch_seconds, measuring, creating)
    before = 0.0
    if walk_of(spec).climbs_once:
        two, _ = _of_rounds(spec, 2, switch_seconds, measuring, creating)
        seconds, before = two - seconds, 2 * seconds - two
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


def _of_rounds(
    spec: ResolvedSpec, rounds: int, switch_seconds: float, measuring: float, creating: float
) -> tuple[float, int]:
    """The seconds and the trials of so many rounds."""
    repetition = spec.repetition.model_copy(update={"rounds": rounds})
    some = spec.model_copy(update={"repetition": repetition})
    blocks = plan(some)
    seconds = measuring * sum(reckoned_seconds(some, blocks, creating))
    seconds += switch_seconds * len(spec.switched_axes) * len(switching_blocks(blocks))
    return seconds, sum(len(block.trials) for block in blocks)
