"""What of a run's plan is still to be measured, given what was kept already."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from podmeter.domain.planning import Block, PlannedTrial

#: (case key, round, warmup, number) of a trial that was kept.
TrialKey = tuple[str, int, bool, int]


def left_to_run(blocks: Sequence[Block], kept: Collection[TrialKey]) -> tuple[Block, ...]:
    """The blocks with the cases and trials that are not kept yet, in the planned order.

    A case whose counted trials are all there is done with. Where some are missing its pods are
    recreated, so its warm-up is done again too, under numbers that follow those kept.
    """
    there = set(kept)
    left = []
    for block in blocks:
        missing = {
            trial.case.key
            for trial in block.trials
            if not trial.warmup and trial_key(trial) not in there
        }
        trials = tuple(
            _fresh(trial, there) if trial.warmup else trial
            for trial in block.trials
            if trial.case.key in missing and (trial.warmup or trial_key(trial) not in there)
        )
        cases = tuple(case for case in block.cases if case.key in missing)
        if trials:
            left.append(replace(block, cases=cases, trials=trials))
    return tuple(left)


def trial_key(trial: PlannedTrial) -> TrialKey:
    """What a trial is known by once it is kept."""
    return (trial.case.key, trial.round, trial.warmup, trial.number)


def _fresh(trial: PlannedTrial, kept: set[TrialKey]) -> PlannedTrial:
    case, round_ = trial.case.key, trial.round
    used = [number for key, r, warm, number in kept if (key, r, warm) == (case, round_, True)]
    return replace(trial, number=trial.number + max(used, default=0))
