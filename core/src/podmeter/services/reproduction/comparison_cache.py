"""The comparison of two of our cases, as anybody who compares their sides gets it."""

import uuid
from collections.abc import Mapping

from podmeter.domain.axes import AxisValue
from podmeter.domain.comparability import Comparability
from podmeter.services.comparisons.build import compare_sides
from podmeter.services.comparisons.document import Contender
from podmeter.services.comparisons.pairing import choose_cases
from podmeter.services.comparisons.request import InvalidComparisonError, Side
from podmeter.services.headlines.headline import ALPHA, NOISE
from podmeter.services.reproduction.case_matching import MatchedCase
from podmeter.services.run_results.effect_rows import Effect, effects_of
from podmeter.services.run_results.environments import ReadFingerprints

_COMPARABLE = Comparability.COMPARABLE.value
_Where = tuple[tuple[str, AxisValue], ...]


class ComparisonCache:
    """Comparisons inside runs, each made once.

    The sides are whole: all cases that lie where ours do on what differs. So a verdict is corrected
    for as many comparisons as it is in the comparison of these sides, and is the same.
    """

    def __init__(self, read_fingerprints: ReadFingerprints) -> None:
        self._read = read_fingerprints
        self._made: dict[tuple[uuid.UUID, _Where, _Where], Contender | None] = {}

    def effect(self, one: MatchedCase, other: MatchedCase) -> Effect | None:
        """What `one` does against `other`, of the same run; None where they are not compared."""
        mine, theirs = one.case.point, other.case.point
        left, right = _apart(theirs, mine), _apart(mine, theirs)
        contender = self._contender(one, left, right)
        if contender is None:
            return None
        for pair in contender.pairs:
            cases = pair.baseline.case_id, pair.contender.case_id
            if cases == (other.case.id, one.case.id) and pair.comparability == _COMPARABLE:
                for effect in effects_of(pair.effects):
                    if (effect.key.metric, effect.key.subject) == (
                        one.sample.metric.name,
                        one.sample.subject,
                    ):
                        return effect
        return None

    def _contender(self, one: MatchedCase, left: _Where, right: _Where) -> Contender | None:
        measured = one.run
        key = measured.run.id, left, right
        if key not in self._made:
            sides = [Side(measured.run.id, where=dict(where)) for where in (left, right)]
            try:
                baseline, contender = (choose_cases(side, measured, []) for side in sides)
                self._made[key] = compare_sides(
                    baseline, contender, self._read, noise=NOISE, alpha=ALPHA
                )
            except InvalidComparisonError:
                self._made[key] = None
        return self._made[key]


def _apart(point: Mapping[str, AxisValue], other: Mapping[str, AxisValue]) -> _Where:
    """Where the point lies on what the two differ in."""
    return tuple(sorted((axis, at) for axis, at in point.items() if other.get(axis) != at))
