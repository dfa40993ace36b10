"""Which case of the contender stands against which of the baseline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from podmeter.domain.axes import AxisValue
from podmeter.domain.messages import say
from podmeter.domain.problems import Problem, pointer
from podmeter.services.comparisons.request import InvalidComparisonError, Side
from podmeter.services.run_results.runs import MeasuredCase, MeasuredRun

_Value = AxisValue | None


@dataclass(frozen=True, kw_only=True)
class Part:
    """The cases of a side, on `where`; `pointer` is the side's JSON pointer in the request."""

    where: Mapping[str, AxisValue]
    cases: tuple[MeasuredCase, ...]
    pointer: str


@dataclass(frozen=True, kw_only=True)
class Chosen(Part):
    """A part of a run."""

    side: Side
    measured: MeasuredRun
    #: What tells its run from others of the same name: the labels that these do not share.
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Paired:
    """The axes that differ on purpose, the pairs in the baseline's order, and who is left."""

    axes: frozenset[str]
    pairs: tuple[tuple[MeasuredCase, MeasuredCase], ...]
    baseline_alone: tuple[MeasuredCase, ...]
    contender_alone: tuple[MeasuredCase, ...]


def choose_cases(side: Side, measured: MeasuredRun, where: Sequence[str | int]) -> Chosen:
    """The side's cases. Raises InvalidComparisonError if there is none."""
    cases = [
        case
        for case in measured.cases
        if (side.case_id is None or case.id == side.case_id)
        and all(case.point.get(axis) == value for axis, value in side.where.items())
    ]
    if cases:
        return Chosen(
            where=side.where,
            cases=tuple(cases),
            pointer=pointer(where),
            side=side,
            measured=measured,
        )
    if side.case_id is not None and not any(case.id == side.case_id for case in measured.cases):
        fault = Problem(pointer([*where, "case_id"]), say("case_unknown"))
    else:
        fault = Problem(pointer([*where, "where"]), say("nothing_there"))
    raise InvalidComparisonError([fault])


def pair(baseline: Part, contender: Part) -> Paired:
    """Pair the cases that agree on every axis but the compared ones.

    An axis is compared if one of the sides picks a value of it, or if each side has just one
    value on it and the two differ. Raises InvalidComparisonError where a compared axis has
    several values on a side, or no case has a counterpart.
    """
    axes = _compared(baseline, contender)
    left, right = _by_key(baseline, axes), _by_key(contender, axes)
    pairs = tuple((case, right[key]) for key, case in left.items() if key in right)
    if not pairs:
        text = say("no_pair")
        raise InvalidComparisonError([Problem(contender.pointer, text)])
    return Paired(
        axes=axes,
        pairs=pairs,
        baseline_alone=tuple(case for key, case in left.items() if key not in right),
        contender_alone=tuple(case for key, case in right.items() if key not in left),
    )


def _compared(baseline: Part, contender: Part) -> frozenset[str]:
    found = set()
    faults = []
    named = {*baseline.where, *contender.where}
    for axis in sorted({axis for side in (baseline, contender) for axis in _axes(side)}):
        left, right = _values(baseline, axis), _values(contender, axis)
        lone = len(left) == len(right) == 1
        missing = left == {None} or right == {None}
        if (lone and left == right) or not (lone or missing or axis in named):
            continue
        found.add(axis)
        for side, values in ((baseline, left), (contender, right)):
            if len(values) > 1:
                listed = sorted(str(one) for one in values if one is not None)
                text = say("pick_value", axis=axis, values=listed)
                faults.append(Problem(side.pointer, text))
    if faults:
        raise InvalidComparisonError(faults)
    return frozenset(found)


def _axes(side: Part) -> set[str]:
    return {axis for case in side.cases for axis in case.point}


def _values(side: Part, axis: str) -> set[_Value]:
    return {case.point.get(axis) for case in side.cases}


def _by_key(
    side: Part, compared: frozenset[str]
) -> Mapping[frozenset[tuple[str, AxisValue]], MeasuredCase]:
    return {
        frozenset((axis, value) for axis, value in case.point.items() if axis not in compared): case
        for case in side.cases
    }
