"""How many comparisons a family has once all that a run plans is measured."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from podmeter.kinds.registry import parts_axis

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from podmeter.domain.axes import AxisValue
    from podmeter.domain.experiment import ResolvedSpec

    Point = Mapping[str, AxisValue]


def planned_tests(
    spec: ResolvedSpec, tested: Iterable[Point], cases: Iterable[Point]
) -> int | None:
    """Of a run that measures part by part; None where each round measures everything.

    `tested` has the case of each comparison, once for each of its metrics, `cases` are all that are
    planned. A part that is not measured yet will have as many comparisons as its like has most.
    """
    axis = parts_axis(spec)
    if axis is None:
        return None
    counts = Counter((_rest(point, axis), point.get(axis)) for point in tested)
    most: Counter[frozenset[tuple[str, AxisValue]]] = Counter()
    for (rest, _), count in counts.items():
        most[rest] = max(most[rest], count)
    parts = {(_rest(point, axis), point.get(axis)) for point in cases}
    return sum(most[rest] for rest, _ in parts)


def _rest(point: Point, axis: str) -> frozenset[tuple[str, AxisValue]]:
    return frozenset((name, value) for name, value in point.items() if name != axis)
