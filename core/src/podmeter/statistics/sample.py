"""The values of one metric over a case's counted trials, kept by round."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, zip_longest


@dataclass(frozen=True)
class Sample:
    """One metric of one case: a value per counted trial, in the metric's base unit, by round.

    Rounds keep their position: an empty tuple is a round whose trials all failed. A failed
    trial is no value at all, so NaN and infinities are refused with ValueError. Where rounds are
    measured in groups, on different nodes for instance, `groups` has the name of each round's.
    """

    rounds: tuple[tuple[float, ...], ...]
    groups: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.groups and len(self.groups) != len(self.rounds):
            raise ValueError("each round is in one group")
        if not all(map(math.isfinite, chain.from_iterable(self.rounds))):
            raise ValueError("a sample holds finite numbers only; leave failed trials out")

    @classmethod
    def of(cls, *rounds: Iterable[float]) -> "Sample":
        """Make a sample from the values of each round: ``Sample.of([1, 2], [3, 4])``."""
        return cls(tuple(tuple(float(value) for value in one) for one in rounds))

    # Each is asked for several times by whatever looks at a sample.
    @cached_property
    def values(self) -> tuple[float, ...]:
        """All values, round after round."""
        return tuple(chain.from_iterable(self.rounds))

    @cached_property
    def n(self) -> int:
        """How many trials were counted."""
        return sum(map(len, self.rounds))

    @cached_property
    def filled_rounds(self) -> tuple[tuple[float, ...], ...]:
        """The rounds that hold at least one trial."""
        return tuple(one for one in self.rounds if one)

    @cached_property
    def filled_groups(self) -> tuple[str, ...]:
        """The group of each of these rounds; () where rounds are in no groups."""
        pairs = zip(self.groups, self.rounds, strict=bool(self.groups))
        return tuple(group for group, one in pairs if one)

    def of_group(self, group: str) -> "Sample":
        """The rounds of one group, without their positions."""
        rounds = zip(self.groups, self.rounds, strict=bool(self.groups))
        return Sample(tuple(one for name, one in rounds if name == group))

    @cached_property
    def medians(self) -> tuple[float, ...]:
        """Those of the filled rounds."""
        return tuple(middle(sorted(one)) for one in self.filled_rounds)

    @cached_property
    def centre(self) -> float | None:
        """The median of the rounds' medians; None where nothing was counted."""
        return middle(sorted(self.medians)) if self.medians else None

    @property
    def is_constant(self) -> bool:
        """Whether two or more trials all gave the same value."""
        return self.n >= 2 and len(set(self.values)) == 1


def middle(ordered: Sequence[float]) -> float:
    """Give the median of values in ascending order."""
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


Stratum = tuple[tuple[float, ...], tuple[float, ...]]


def common_rounds(baseline: Sample, contender: Sample) -> tuple[dict[int, Stratum], int]:
    """Pair the rounds of two samples by position.

    Returns the (baseline, contender) values of each round that has both, by its position, and the
    number of rounds that have trials of one of them only.
    """
    pairs = list(zip_longest(baseline.rounds, contender.rounds, fillvalue=()))
    both = {number: pair for number, pair in enumerate(pairs) if all(pair)}
    alone = sum(1 for mine, theirs in pairs if bool(mine) != bool(theirs))
    return both, alone
