"""An interval, and an estimate that carries one."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """A confidence interval, both ends included.

    ``confidence`` is what the method really attains: an interval made of order statistics can
    only attain certain levels, so a 95 % one of six trials is in truth a 96.9 % one.
    """

    low: float
    high: float
    confidence: float

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError("an interval's low end must not be above its high end")

    def contains(self, value: float) -> bool:
        """Whether the value is inside, ends included."""
        return self.low <= value <= self.high

    def lies_within(self, low: float, high: float) -> bool:
        """Whether the whole interval is inside [low, high]."""
        return low <= self.low and self.high <= high


@dataclass(frozen=True)
class Estimate:
    """A value and its interval; the interval is None where there are too few trials."""

    value: float
    interval: Interval | None
