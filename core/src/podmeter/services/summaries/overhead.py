"""What Podmeter itself took of a run's time."""

from collections.abc import Iterable

from podmeter.services.samples.figures import median_figure, notes
from podmeter.services.samples.material import Material
from podmeter.services.summaries.document import Overhead
from podmeter.statistics import Sample, summarize


def overhead(material: Material, seconds: Iterable[tuple[int, float]]) -> Overhead:
    """The overhead of the counted trials, given as (round, seconds), and of the blocks."""
    by_round: dict[int, list[float]] = {}
    for round_, value in seconds:
        by_round.setdefault(round_, []).append(value)
    last = max(by_round, default=0)
    sample = Sample.of(*[by_round.get(number, []) for number in range(1, last + 1)])
    found = summarize(sample)
    return Overhead(
        n=found.n,
        median=median_figure(sample),
        maximum=found.maximum,
        switching=_total(block.switching for block in material.blocks),
        preparing=_total(block.preparing for block in material.blocks),
        cleaning=_total(block.cleaning for block in material.blocks),
        warnings=list(notes(found.warnings)),
    )


def _total(seconds: Iterable[float | None]) -> float | None:
    """The sum of what is known; None if nothing is."""
    known = [one for one in seconds if one is not None]
    return sum(known) if known else None
