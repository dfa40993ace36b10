"""How long a change takes until it works: what every kind that waits for one measures of it."""

from __future__ import annotations

from dataclasses import dataclass

from podmeter.domain.measurement import Direction, MetricDefinition, Unit

RESOLUTION = MetricDefinition(
    name="convergence_resolution",
    unit=Unit.SECONDS,
    direction=Direction.NONE,
)


@dataclass(frozen=True, slots=True)
class Convergence:
    """Seconds from a change until it worked, and the same without what the API took of them.

    Either may have been shorter by `resolution`: the time since the last look found it wanting.
    """

    seconds: float
    without_api: float
    resolution: float

    @classmethod
    def over(cls, now: float, begun: float, accepted: float, wanting: float | None) -> Convergence:
        """Of a change that works `now`, all on one clock.

        It was `begun`, the API server had `accepted` it, and it was last seen `wanting`; None where
        it never was.
        """
        last = accepted if wanting is None else wanting
        return cls(now - begun, now - accepted, now - last)
