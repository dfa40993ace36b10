"""What Podmeter itself took of a run's time, as rows in seconds.

`MEDIAN` is of each counted trial besides its tool, with the `maximum`. `OF_BLOCKS` are what all
blocks took besides their trials.
"""

from collections.abc import Iterable, Sequence

from podmeter.results.projected import Key, Projected
from podmeter.services.run_results.figures import MEDIAN, figure, projected_figure, warned
from podmeter.services.run_results.runs import OVERHEAD, MeasuredRun, MeasuredSample
from podmeter.statistics import Sample, summarize

OF_BLOCKS = ("switching", "preparing", "cleaning")
_KEY = Key(OVERHEAD.name, "", OVERHEAD.unit.value, OVERHEAD.direction.value, {})
#: (case, round, trial, seconds) of a counted trial.
TrialOverhead = tuple[int, int, int, float]


def overhead(measured: MeasuredRun, trials: Iterable[TrialOverhead]) -> list[Projected]:
    """The overhead of all counted trials, and of the blocks where it is known."""
    rounds = [[seconds for *_, seconds in round_] for round_ in _rounds(trials)]
    summary = summarize(Sample.of(*rounds))
    median = projected_figure(
        _KEY,
        figure(summary.median),
        summary.n,
        None,
        MEDIAN,
        maximum=summary.maximum,
        warnings=warned(summary.warnings),
    )
    of_blocks = {name: [getattr(block, name) for block in measured.blocks] for name in OF_BLOCKS}
    totals = [(name, _total(seconds)) for name, seconds in of_blocks.items()]
    return [
        median,
        *(
            Projected(_KEY, total, None, None, None, None, name)
            for name, total in totals
            if total is not None
        ),
    ]


def overhead_samples(trials: Iterable[TrialOverhead]) -> dict[int, MeasuredSample]:
    """The overhead as a metric of each case, like those that its kind measures."""
    by_case: dict[int, list[TrialOverhead]] = {}
    for trial in trials:
        by_case.setdefault(trial[0], []).append(trial)
    return {case_id: _sample(case_id, _rounds(mine)) for case_id, mine in by_case.items()}


def _sample(case_id: int, rounds: Sequence[Sequence[TrialOverhead]]) -> MeasuredSample:
    return MeasuredSample(
        case_id=case_id,
        metric=OVERHEAD,
        subject="",
        sample=Sample.of(*[[seconds for *_, seconds in round_] for round_ in rounds]),
        trials=tuple(tuple(trial for _, _, trial, _ in round_) for round_ in rounds),
    )


def _rounds(trials: Iterable[TrialOverhead]) -> list[list[TrialOverhead]]:
    """By round, from the first one on; a round without any is empty."""
    by_round: dict[int, list[TrialOverhead]] = {}
    for trial in trials:
        by_round.setdefault(trial[1], []).append(trial)
    return [by_round.get(number, []) for number in range(1, max(by_round, default=0) + 1)]


def _total(seconds: Iterable[float | None]) -> float | None:
    """The sum of what is known; None if nothing is."""
    known = [one for one in seconds if one is not None]
    return sum(known) if known else None
