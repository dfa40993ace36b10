"""What Podmeter itself took of a run's time."""

from collections.abc import Iterable, Sequence

from podmeter.services.measured.figures import figure, notes
from podmeter.services.measured.runs import OVERHEAD, MeasuredRun, MeasuredSample
from podmeter.services.summaries.document import Overhead
from podmeter.statistics import Sample, summarize

#: (case, round, trial, seconds) of a counted trial.
TrialOverhead = tuple[int, int, int, float]


def overhead(measured: MeasuredRun, trials: Iterable[TrialOverhead]) -> Overhead:
    """The overhead of all counted trials, and of the blocks."""
    sample = Sample.of(*[[seconds for *_, seconds in round_] for round_ in _rounds(trials)])
    found = summarize(sample)
    return Overhead(
        n=found.n,
        median=figure(found.median),
        maximum=found.maximum,
        switching=_total(block.switching for block in measured.blocks),
        preparing=_total(block.preparing for block in measured.blocks),
        cleaning=_total(block.cleaning for block in measured.blocks),
        warnings=list(notes(found.warnings)),
    )


def overhead_samples(trials: Iterable[TrialOverhead]) -> dict[int, MeasuredSample]:
    """The overhead as a metric of each case, like those that its kind measures."""
    by_case: dict[int, list[TrialOverhead]] = {}
    for one in trials:
        by_case.setdefault(one[0], []).append(one)
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
    found: dict[int, list[TrialOverhead]] = {}
    for one in trials:
        found.setdefault(one[1], []).append(one)
    return [found.get(number, []) for number in range(1, max(found, default=0) + 1)]


def _total(seconds: Iterable[float | None]) -> float | None:
    """The sum of what is known; None if nothing is."""
    known = [one for one in seconds if one is not None]
    return sum(known) if known else None
