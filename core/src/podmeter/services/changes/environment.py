"""What differs between the environments of two runs, in addition to what they switched
themselves.
"""

from podmeter.domain.axes import mode_axes
from podmeter.domain.comparability import Difference, judge
from podmeter.domain.fingerprint import FINGERPRINT
from podmeter.kinds.registry import kind_of
from podmeter.services.comparisons.document import FieldDifference
from podmeter.services.comparisons.gate import (
    GateKeeper,
    needed_fingerprints,
    parameter_differences,
    shown,
)
from podmeter.services.run_results.environments import ReadFingerprints
from podmeter.services.run_results.runs import MeasuredRun


def between_runs(
    since: MeasuredRun, run: MeasuredRun, read_fingerprints: ReadFingerprints
) -> list[FieldDifference]:
    """Fields of the environments of the cases that both have, and parameters, that differ.

    Cases are held against each other in the same modes, so that what a run switched is none.
    """
    earlier = {frozenset(case.point.items()): case for case in since.cases}
    pairs = tuple(
        (earlier[spot], case)
        for case in run.cases
        if (spot := frozenset(case.point.items())) in earlier
    )
    needed = needed_fingerprints(pairs)
    keeper = GateKeeper(
        axes=frozenset(),
        known_axes={axis.name: axis for axis in kind_of(run.spec).axes},
        contents=read_fingerprints(needed) if needed else {},
        parameters=parameter_differences(since, run),
    )
    found: dict[Difference, None] = dict.fromkeys(keeper.parameters)
    for one, two in pairs:
        found |= dict.fromkeys(keeper.judge(one, two)[1])
    return [one for one in shown(found) if one.axis is None]


def between_moments(before: object, after: object) -> list[FieldDifference]:
    """What differs between two fingerprints of one cluster besides its modes."""
    judged = judge(FINGERPRINT.read(before), FINGERPRINT.read(after), mode_axes())
    return [one for one in shown(dict.fromkeys(judged.differences)) if one.axis is None]
