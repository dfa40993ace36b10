"""What can be said of figures that the client limited: that they differ, never that they do not.

This is the only place that decides it: for two cases, for a case and what it loses against, for
links, and for the rungs of a curve.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from podmeter.statistics import Reason, Shape, StatisticsWarning, Verdict, WarningCode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import JsonValue

    from podmeter.domain.measurement import MetricDefinition
    from podmeter.kinds.limits import CaseLimits
    from podmeter.results.projected import Projected
    from podmeter.statistics import Comparison, Trend

#: What a clear difference says of it.
CLIENT_WARNINGS = frozenset({WarningCode.CLIENT_LIMITED, WarningCode.SLOWER_CLIENT_LIMITED})
#: The parameters of rows that say it.
CLIENT_LIMITED, CLIENT_TRIALS = "client_limited", "client_limited_trials"


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """In how many of its trials the client limited a metric, and of how many, for each case.

    The cases are the two sides of a comparison, the baseline first, or the rungs of a curve. A
    case whose limits are unknown has no trials here.
    """

    trials: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, metric: MetricDefinition, cases: Iterable[CaseLimits | None]) -> ClientLimits:
        """Of a metric of these cases."""
        found = ((0, 0) if one is None else (one.by_client(metric), one.trials) for one in cases)
        return cls(tuple(found))

    @classmethod
    def read(cls, row: Projected) -> ClientLimits:
        """Those that a row says; none of a row that says none, or of an older version."""
        trials = (tuple(map(int, one)) for one in row.groups(CLIENT_TRIALS))
        return cls(tuple((one[0], one[1]) for one in trials if len(one) == 2))

    @property
    def sides(self) -> tuple[bool, ...]:
        """Which cases the client limited in at least half of their trials."""
        return tuple(limited > 0 and 2 * limited >= total for limited, total in self.trials)

    @property
    def hide(self) -> bool:
        """Whether a difference may be hidden: one case at its limit could do more."""
        return any(self.sides)

    def judged(self, comparison: Comparison) -> Comparison:
        """A comparison as far as the client allows.

        Judged after the correction: an interval inside the threshold is what cannot be trusted, one
        outside of it can. A clear difference stands with a warning. Where the faster side is at the
        limit it may be larger, where the slower one alone is, the client may be a part of it.
        """
        if not self.hide or len(self.sides) != 2:
            return comparison
        if comparison.verdict is Verdict.SAME:
            return replace(comparison, verdict=Verdict.UNDECIDED, reason=Reason.CLIENT_LIMITED)
        if comparison.verdict is Verdict.UNDECIDED:
            return comparison
        faster = self.sides[comparison.verdict is Verdict.BETTER]
        code = WarningCode.CLIENT_LIMITED if faster else WarningCode.SLOWER_CLIENT_LIMITED
        return replace(comparison, warnings=(*comparison.warnings, StatisticsWarning(code)))

    def judged_trend(self, trend: Trend) -> Trend:
        """A trend as far as the client allows: at its limit on one rung it may hide a fall."""
        if self.hide and trend.shape in (Shape.FLAT, Shape.NEARLY_FLAT):
            return replace(trend, shape=Shape.UNDECIDED)
        return trend

    @property
    def parameters(self) -> dict[str, JsonValue]:
        """What a row says of it; nothing where the client hides nothing."""
        if not self.hide:
            return {}
        return {CLIENT_LIMITED: True, CLIENT_TRIALS: [list(one) for one in self.trials]}
