"""What is lost within the runs of a comparison, each run by its name where a case is in several."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from podmeter.results.projected import Projected
from podmeter.services.comparisons.document import ComparedRun, Comparison
from podmeter.services.headlines import terms
from podmeter.services.headlines.text import Text, text
from podmeter.services.run_results.loss import shares


@dataclass(frozen=True, slots=True)
class LostWithin:
    """The losses of one run, or of several runs that have no case in common; `run` names the one.

    Losses as shares alone, without the differences beside them.
    """

    losses: list[Projected]
    run: Text | None = None


def lost_within(comparison: Comparison) -> list[LostWithin]:
    """By run where several measured a case, which nothing else distinguishes; else together."""
    by_run = [shares(one.losses) for one in comparison.losses]
    if not _overlap(by_run):
        return [LostWithin([loss for losses in by_run for loss in losses])]
    names = names_of_runs(comparison)
    return [LostWithin(losses, run) for losses, run in zip(by_run, names, strict=True)]


def names_of_runs(comparison: Comparison) -> list[Text]:
    """What the runs of a comparison's losses are called, each by what no other one is.

    By their clusters, their names, when they were made, or their places among them.
    """
    sides = [comparison.baseline, *(one.side for one in comparison.contenders)]
    known = {one.run_id: one for one in reversed(sides)}
    runs = [known[one.run_id] for one in comparison.losses]
    for names in (
        [Text(", ".join(one.clusters)) for one in runs],
        [terms.run(one) for one in runs],
        [dated(terms.run(one), one) for one in runs],
    ):
        told = {str(one) for one in names}
        if len(told) == len(runs) and all(told):
            return names
    return [numbered(terms.run(one), place) for place, one in enumerate(runs, start=1)]


def dated(name: Text, run: ComparedRun) -> Text:
    """A name with when its run was made, where that is known."""
    if run.created_at is None:
        return name
    made = f"{run.created_at:%Y-%m-%d %H:%M}"
    return text("phrase", name="in_brackets", text=name.plain, inside=made)


def numbered(name: Text, number: int) -> Text:
    """A name with the place of what it names, from 1."""
    return text("phrase", name="numbered", text=name.plain, number=number)


def _overlap(by_run: Sequence[Iterable[Projected]]) -> bool:
    """Whether two runs have the same case of the same metric."""
    keys = [
        (one.key.metric, one.key.subject, frozenset(one.key.point.items()))
        for losses in by_run
        for one in losses
    ]
    return len(set(keys)) < len(keys)
