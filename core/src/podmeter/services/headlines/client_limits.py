"""In how many trials the client was at its limit, and what to do: why something is not the same."""

from collections.abc import Iterable, Sequence

from podmeter.results.projected import Projected
from podmeter.services.headlines.text import Text, joined, text
from podmeter.services.run_results.client_limits import ClientLimits


def limited_trials(rows: Iterable[Projected], sides: Sequence[Text]) -> Text | None:
    """How many trials of each side that was at its limit, in all rows where it was.

    `sides` has the names of the two, the baseline first. None where an older version did not count.
    """
    counts = [[0, 0] for _ in sides]
    for limits in map(ClientLimits.read, rows):
        for count, trials, at_limit in zip(counts, limits.trials, limits.sides, strict=False):
            if at_limit:
                count[0] += trials[0]
                count[1] += trials[1]
    named = [
        text("phrase", name="trials_of", limited=limited, all=total, side=side.plain)
        for side, (limited, total) in zip(sides, counts, strict=True)
        if limited
    ]
    return joined(named, "and") if named else None


def why_not_the_same(row: Projected, sides: Sequence[Text]) -> Text | None:
    """That the client was at its limit, and how to get a verdict; None where nothing says so."""
    trials = limited_trials([row], sides)
    return None if trials is None else text("phrase", name="client_at_limit", trials=trials.plain)


def why_not_flat(row: Projected) -> Text | None:
    """The same of an undecided curve: on how many rungs."""
    sides = ClientLimits.read(row).sides
    if not any(sides):
        return None
    return text("phrase", name="client_at_limit_on_rungs", limited=sum(sides), all=len(sides))
