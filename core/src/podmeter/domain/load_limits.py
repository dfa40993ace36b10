"""What of an experiment breaks the limits of load that a cluster's owner set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.axes import MODE_AXES
from podmeter.domain.feasibility import Obstacle
from podmeter.domain.load import bandwidth_text, rate_text
from podmeter.domain.messages import say
from podmeter.domain.modes import KUBE_PROXY_MODE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from podmeter.domain.axes import AxisValue
    from podmeter.domain.feasibility import ClusterState, Demand, Requirements

#: Codes of a broken limit: the obstacle's, and its causes' at a rate that is set and without one.
_RATE = ("rate_limit", "rate_limit_broken", "rate_limit_unpaced")
_BANDWIDTH = ("bandwidth_limit", "bandwidth_limit_broken", "bandwidth_limit_unpaced")


def broken_limits(requirements: Requirements, state: ClusterState) -> Iterator[Obstacle]:
    """What breaks a limit that the cluster's owner set."""
    limits, demands = state.limits, requirements.demands
    if (most := limits.requests_per_second) is not None:
        loads = [(one, one.load.requests_per_second, one.load.rate_parameters) for one in demands]
        yield from _over(state.cluster, _RATE, loads, most, rate_text)
        watched = requirements.set_up_load.requests_per_second
        if watched is None or watched > most:
            cause = say(
                "watch_over_limit",
                cluster=state.cluster,
                limit=rate_text(most),
                rate=rate_text(watched or 0),
            )
            remedy = say(
                "fix_limit_unpaced", cluster=state.cluster, cases=say("limit_mode_switches")
            )
            yield Obstacle(state.cluster, "rate_limit", cause, remedy, axis=KUBE_PROXY_MODE)
    if (most := limits.bits_per_second) is not None:
        loads = [(one, one.load.bits_per_second, one.load.bandwidth_parameters) for one in demands]
        yield from _over(state.cluster, _BANDWIDTH, loads, most, bandwidth_text)


def _over(
    cluster: str,
    codes: tuple[str, str, str],
    loads: list[tuple[Demand, float | None, tuple[str, ...]]],
    most: int,
    text: Callable[[float], str],
) -> Iterator[Obstacle]:
    """Cases that send more than is allowed: those at a rate that is set, and those without one."""
    for paced in (True, False):
        over = [
            one
            for one in loads
            if (one[1] is not None) is paced and (one[1] is None or one[1] > most)
        ]
        if not over:
            continue
        concerned = [demand for demand, _, _ in over]
        rest = [demand for demand, _, _ in loads if demand not in concerned]
        axis, values = only_of(concerned, rest)
        cases = [str(value) for value in values] or say("limit_all_cases")
        names = list(dict.fromkeys(name for _, _, parameters in over for name in parameters))
        said = {"cluster": cluster, "limit": text(most), "cases": cases}
        code, broken, unpaced = codes
        cause = say(unpaced, **said)
        if paced:
            asked = max(rate for _, rate, _ in over if rate is not None)
            cause = say(broken, **said, asked=text(asked))
        remedy = say("fix_limit_unpaced", cluster=cluster, cases=cases)
        if names:
            remedy = say("fix_limit", cluster=cluster, parameters=names)
        yield Obstacle(cluster, code, cause, remedy, axis=axis)


def only_of(
    concerned: list[Demand], rest: list[Demand]
) -> tuple[str | None, tuple[AxisValue, ...]]:
    """The axis, and its values, by which these cases differ from the rest; None and none without
    such an axis.
    """
    axes = [axis for axis, _ in concerned[0].case.point if axis not in MODE_AXES]
    for axis in axes if rest else ():
        own = {one.case.get(axis) for one in concerned}
        if None not in own and not own & {one.case.get(axis) for one in rest}:
            ordered = dict.fromkeys(one.case.get(axis) for one in concerned)
            return axis, tuple(value for value in ordered if value is not None)
    return None, ()
