"""What an analysis gives: rows again, each with a key, a figure and what is said of it."""

from dataclasses import dataclass, field

from pydantic import JsonValue

from podmeter.domain.axes import AxisValue


@dataclass(frozen=True, slots=True)
class Key:
    """What a projected row is of: a metric of the cases at a point, against another point or not.

    `point` has the axes that the row's cases share. `direction` is the metric's better one, or
    `none`.
    """

    metric: str
    subject: str
    unit: str
    direction: str
    point: dict[str, AxisValue]
    against: dict[str, AxisValue] | None = None


@dataclass(frozen=True, slots=True)
class Projected:
    """A row of an analysis: a figure with its interval, of `n` counted trials, and its verdict.

    `code` says what the row is, with `parameters` for its text. What is not known is null, never 0.
    """

    key: Key
    value: float | None
    low: float | None
    high: float | None
    n: int
    verdict: str | None
    code: str
    parameters: dict[str, JsonValue] = field(default_factory=dict)
