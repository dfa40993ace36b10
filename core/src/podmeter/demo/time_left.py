"""How long it takes yet: the plans' seconds, by what the runs that are done took of theirs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Protocol

#: Before so much of a run is done, its own pace tells nothing.
_TELLING = 0.1
#: What the plans say counts as much as so much of them that was done: the first trials of a short
#: run, which take its set-up too, say little of all the others.
_PLANS = 0.15


class Planned(Protocol):
    """What its plan says of a run."""

    @property
    def seconds(self) -> float:
        """How long it takes."""


@dataclass(frozen=True)
class PlannedRun:
    """A run without further details."""

    seconds: float


class TimeLeft:
    """Counts what is done against what the plans said.

    A run that ends once it is decided begins no further round after `most_seconds`.
    """

    def __init__(
        self,
        to_do: Sequence[Planned],
        clock: Callable[[], float] = time.monotonic,
        most_seconds: float = inf,
    ) -> None:
        self._to_do = list(to_do)
        self._clock = clock
        self._most = most_seconds
        self._prior = _PLANS * sum(one.seconds for one in to_do)
        self._planned = self._took = 0.0
        self._begun = clock()

    def _factor(self, planned: float = 0.0, took: float = 0.0) -> float:
        """What a planned second takes, by the runs that ended and what is added to them."""
        planned += self._planned + self._prior
        return (self._took + self._prior + took) / planned if planned else 1.0

    def begin(self) -> None:
        """The next run begins."""
        self._begun = self._clock()

    def end(self, one: Planned, took: float | None = None) -> float:
        """A run has ended, now if `took` is not given; the seconds it took."""
        took = self._clock() - self._begun if took is None else took
        self._planned += one.seconds
        self._took += took
        self._to_do.remove(one)
        self.begin()
        return took

    def seconds(self, share: float = 0.0) -> float:
        """What is left, once so much of the first run that is left is done."""
        if not self._to_do:
            return 0.0
        first, *rest = self._to_do
        passed = self._clock() - self._begun
        if share >= _TELLING:
            # The run in progress tells of those to come, too: the first one that switches, how long
            # that takes here.
            own = passed * (1 - share) / share
            factor = self._factor(share * first.seconds, passed)
        else:
            factor = self._factor()
            planned = first.seconds * factor
            own = max(planned - passed, planned * 0.05)
        if passed < self._most:
            own = min(own, self._most - passed)
        return own + factor * sum(one.seconds for one in rest)

    def said(self, share: float = 0.0) -> str:
        """In words."""
        return f"about {max(1, round(self.seconds(share) / 60))} min left"
