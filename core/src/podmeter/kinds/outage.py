"""How long Services did not work while a mode was switched, as one node saw it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers.service_watch import GOOD_SECONDS, parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podmeter.domain.switching import NodeWatch
    from podmeter.drivers.service_watch import Stretch, Watched

#: What two clocks that are never set may drift apart by while a switch lasts.
_DRIFT_SECONDS = 0.005


@dataclass(frozen=True, slots=True)
class Outage:
    """From when the switch was accepted until all went well for good, and how long it did not.

    Either may have been shorter by `resolution`. Seconds.
    """

    convergence: float
    seconds: float
    resolution: float


def outage_of(watch: NodeWatch, accepted: float) -> Outage:
    """What a node saw of a switch that was accepted at a moment of the worker's clock.

    Of several Services the longest outage counts. Raises ToolError if it is
    unknown: nothing answered, connections failed before the switch or did not succeed again.
    """
    if watch.output is None:
        raise ToolError(watch.why_unknown)
    seen = parse(watch.output, watch.services)
    if watch.told > accepted:
        raise ToolError(say("watch_failed_before"))
    least, most = _clock(watch, seen)
    earliest, known_to = accepted + least, most - least
    found = [_of_service(one, earliest) for one in seen.services]
    return Outage(
        convergence=max(convergence for convergence, _ in found),
        seconds=max(seconds for _, seconds in found),
        resolution=seen.gap + known_to,
    )


def _clock(watch: NodeWatch, seen: Watched) -> tuple[float, float]:
    """By how much the node's clock is ahead of the worker's, at least and at most.

    It cannot have begun before it was asked to, nor have told later than it was heard, nor have
    noticed the end before it was requested, nor have ended after its response arrived.
    """
    least = max(seen.told - watch.told, seen.ended - watch.answered)
    most = min(seen.begin - watch.begun, seen.asked - watch.asked)
    if least > most + _DRIFT_SECONDS:
        raise ToolError(say("watch_clock_odd"))
    return least, max(least, most)


def _of_service(stretches: Sequence[Stretch], accepted: float) -> tuple[float, float]:
    """Convergence and outage of one Service; `accepted` on the node's clock, at the earliest."""
    before = [one for one in stretches if one.first <= accepted]
    # What failed earlier than a second of success before it is not the switch's.
    if not before or not before[-1].works or accepted - before[-1].first < GOOD_SECONDS:
        raise ToolError(say("watch_failed_before"))
    last = stretches[-1]
    since = stretches[len(before) - 1 :]
    failed = [(one, after) for one, after in pairwise(since) if not one.works]
    if not last.works or last.last - last.first < GOOD_SECONDS:
        raise ToolError(say("watch_not_again"))
    if not failed:
        return 0.0, 0.0
    return (
        failed[-1][1].first - accepted,
        sum(after.first - one.first for one, after in failed),
    )
