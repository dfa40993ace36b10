"""A run's modes against each other: each further value of an axis against the first."""

from collections.abc import Iterator
from dataclasses import dataclass

from podmeter.domain.axes import AxisScope, AxisValue
from podmeter.services.comparisons.build import compare_sides
from podmeter.services.comparisons.document import Contender
from podmeter.services.comparisons.pairing import choose_cases
from podmeter.services.comparisons.request import InvalidComparisonError, Side
from podmeter.services.run_results.environments import ReadFingerprints
from podmeter.services.run_results.runs import MeasuredRun


@dataclass(frozen=True)
class ModePair:
    """Two values of one axis, and what the further one is against the first."""

    axis: str
    baseline: AxisValue
    value: AxisValue
    contender: Contender


def mode_pairs(
    measured: MeasuredRun, read_fingerprints: ReadFingerprints, *, noise: float, alpha: float
) -> Iterator[ModePair]:
    """Each further value of a mode's axis against the first one of the spec; they share alpha."""
    axes = [
        axis
        for axis in measured.spec.axes
        if axis.scope is not AxisScope.CASE and len(axis.values) > 1
    ]
    contenders = sum(len(axis.values) - 1 for axis in axes)
    for axis in axes:
        first, *others = axis.values
        for value in others:
            sides = [Side(measured.run.id, where={axis.name: one}) for one in (first, value)]
            try:
                one, two = (choose_cases(side, measured, [axis.name]) for side in sides)
                contender = compare_sides(
                    one, two, read_fingerprints, noise=noise, alpha=alpha, contenders=contenders
                )
            except InvalidComparisonError:
                # A value that left no case, as one whose cases have no meaning does.
                continue
            yield ModePair(axis.name, first, value, contender)
