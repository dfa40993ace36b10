"""kube-proxy's sync periods as parameters: what a spec asks for, and what is wrong with that.

They are set together with kube-proxy's mode, and restored with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.messages import say
from podmeter.domain.modes import KUBE_PROXY_MODE
from podmeter.domain.problems import Problem, pointer
from podmeter.domain.switching import SyncPeriods

if TYPE_CHECKING:
    from podmeter.domain.experiment import ResolvedSpec

#: Of a kind that has them, in seconds.
PERIOD, MINIMUM = "sync_period_seconds", "min_sync_period_seconds"


def requested_periods(spec: ResolvedSpec) -> SyncPeriods | None:
    """The periods that a spec sets, None where it leaves both as they are."""
    period, minimum = (_seconds(spec, name) for name in (PERIOD, MINIMUM))
    return None if period is minimum is None else SyncPeriods(period, minimum)


def problems(spec: ResolvedSpec) -> list[Problem]:
    """Obstacles to setting them: a run changes kube-proxy only through its axis."""
    if requested_periods(spec) is None or KUBE_PROXY_MODE in spec.matrix:
        return []
    given = [name for name in (PERIOD, MINIMUM) if _seconds(spec, name) is not None]
    why = say("periods_need_mode", axis=KUBE_PROXY_MODE)
    return [Problem(pointer(["parameters", name]), why) for name in given]


def _seconds(spec: ResolvedSpec, name: str) -> float | None:
    value = spec.parameters.get(name)
    return float(value) if isinstance(value, (int, float)) else None
