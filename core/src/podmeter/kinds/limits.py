"""What limited a trial, told from counters that it left and from how its kind loads the path.

A figure says what the slowest part carries. Where that is the client, two modes give the same
figure however different they are, so a verdict has to know.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

from podmeter.domain.measurement import Direction, Unit
from podmeter.kinds import usage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podmeter.domain.measurement import MetricDefinition

#: A thread that never waits keeps one CPU busy. Starting, connecting, and a host that steals some
#: of its time leave less: a tenth is allowed for them. Not calibrated on clusters yet.
BUSY = 0.9
#: A quota takes this share of the rate at most, which is about what verdicts call noise.
THROTTLED = 0.05
#: What arrived is counted over another time than what was sent.
REACHED = 0.99


class LimitedBy(StrEnum):
    """What kept a trial from a higher rate.

    client_cpu
        The tool: as many CPUs as it has threads were busy; or the client's whole node.
    client_quota
        A CPU quota of the client's cgroup.
    server_cpu
        The same of the server: its threads, its quota, or its node.
    link
        The path: a sender that sends all it can lost packets while no CPU was at its limit.
    tool_rate
        The rate that the tool was set to, which it reached.
    concurrency
        Too few requests at a time: each waits for the one before, and no CPU was at its limit.
    unknown
        None of these can be told from what was counted.
    """

    CLIENT_CPU = "client_cpu"
    CLIENT_QUOTA = "client_quota"
    SERVER_CPU = "server_cpu"
    LINK = "link"
    TOOL_RATE = "tool_rate"
    CONCURRENCY = "concurrency"
    UNKNOWN = "unknown"


#: Limits that a mode under test does not move, so that a rate measured at them hides what it costs.
#: A rate at too few requests at a time is one of them: it is the reciprocal of the latency, whose
#: larger part is the client's and the server's own, and says nothing of how much the path carries.
RATE_LIMITS = frozenset({LimitedBy.CLIENT_CPU, LimitedBy.CLIENT_QUOTA, LimitedBy.CONCURRENCY})
#: Those that hide it in times, too. A quota stops the client for less time if it waits longer for
#: the path, so the sum of both may stay the same. A busy CPU does not: one request at a time is
#: sent after the other, so that each shows whatever the path adds to it.
TIME_LIMITS = frozenset({LimitedBy.CLIENT_QUOTA})


@dataclass(frozen=True, slots=True)
class LoadShape:
    """How a kind's trials load the path at one point of the matrix.

    `threads` and `server_threads` are how many CPUs the tool and its server can keep busy, None for
    all of their node. `at_once` is how many requests are in progress at a time where each waits for
    its response; None where data is sent in a stream. `set_rate` is the rate that the tool is set
    to and `rate` the metric that reaches it. `lost` has metrics that exceed a value only where
    packets were lost on the way.
    """

    threads: int | None = 1
    server_threads: int | None = None
    at_once: int | None = None
    rate: str = ""
    set_rate: float | None = None
    lost: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))


#: A trial's values by metric and subject.
Values = Mapping[tuple[str, str], float]


#: In seconds, and not of a clock.
_CPU_TIMES = frozenset({usage.NODE_CPU_PER_REQUEST.name})
#: The metrics that show every limit, besides those that loads name.
COUNTER_NAMES = frozenset(one.name for one in (*usage.COUNTERS, usage.NODE_CPU))


def limited_by(shape: LoadShape, values: Values) -> LimitedBy:
    """What limited a trial. The first of these that holds:

    1. It reached its set rate (99 % of it): `tool_rate`, whatever else was busy.
    2. It lacks the tool's CPU time, as trials of older versions do: `unknown`.
    3. A quota stopped the client for 5 % of the tool's time: `client_quota`.
    4. The tool kept 90 % of as many CPUs busy as it has threads: `client_cpu`.
    5. The same of the server's pod, its quota first: `server_cpu`.
    6. One end's node was 90 % busy: that end's CPU. Where both were, neither is known to be the
       limit: `unknown`. A node that shares its machine with another one has no CPUs of its own, so
       that its load says nothing of its end, and only rules 3 to 5 tell.
    7. One request at a time: `concurrency`, as nothing can be busy while it waits for the others.
       Several: only where less than one CPU was busy on each node, as then no single CPU can have
       been at its limit, which an average over many would hide.
    8. A stream lost packets, and no node was busy: `link`. A sender without a set rate fills the
       narrowest queue until it overflows.
    """
    if shape.set_rate and values.get((shape.rate, ""), 0.0) >= REACHED * shape.set_rate:
        return LimitedBy.TOOL_RATE
    tool = values.get((usage.TOOL_CPUS.name, ""))
    if tool is None:
        return LimitedBy.UNKNOWN
    if values.get((usage.TOOL_THROTTLED.name, ""), 0.0) >= THROTTLED:
        return LimitedBy.CLIENT_QUOTA
    client, server = _End.of(values, "client"), _End.of(values, "server")
    if client.is_full(tool, shape.threads):
        return LimitedBy.CLIENT_CPU
    if values.get((usage.SERVER_THROTTLED.name, ""), 0.0) >= THROTTLED or server.is_full(
        values.get((usage.SERVER_CPUS.name, "")), shape.server_threads
    ):
        return LimitedBy.SERVER_CPU
    if client.is_busy or server.is_busy:
        if client.is_busy and server.is_busy:
            return LimitedBy.UNKNOWN
        return LimitedBy.CLIENT_CPU if client.is_busy else LimitedBy.SERVER_CPU
    if shape.at_once is not None:
        alone = shape.at_once == 1 or (client.is_idle and server.is_idle)
        return LimitedBy.CONCURRENCY if alone else LimitedBy.UNKNOWN
    if client.is_known and server.is_known and _lost(shape, values):
        return LimitedBy.LINK
    return LimitedBy.UNKNOWN


@dataclass(frozen=True, slots=True)
class _End:
    """One end's node: the share of its CPUs that was busy, and how many it has of its own."""

    busy: float | None
    cpus: float | None

    @classmethod
    def of(cls, values: Values, role: str) -> _End:
        return cls(
            values.get((usage.NODE_CPU.name, role)), values.get((usage.NODE_CPUS.name, role))
        )

    @property
    def is_known(self) -> bool:
        return self.busy is not None and self.cpus is not None

    @property
    def is_busy(self) -> bool:
        return self.busy is not None and self.cpus is not None and self.busy >= BUSY

    @property
    def is_idle(self) -> bool:
        """Whether no single CPU of it can have been at its limit."""
        return self.busy is not None and self.cpus is not None and self.busy * self.cpus < BUSY

    def is_full(self, used: float | None, threads: int | None) -> bool:
        """Whether so many CPUs are all that the threads can keep busy on this node."""
        known = [one for one in (threads, self.cpus) if one is not None]
        return used is not None and bool(known) and used >= BUSY * min(known)


def _lost(shape: LoadShape, values: Values) -> bool:
    return any(values.get((metric, ""), 0.0) > most for metric, most in shape.lost.items())


@dataclass(frozen=True, slots=True)
class CaseLimits:
    """What limited a case's counted trials: how many by what."""

    counts: Mapping[LimitedBy, int]

    @classmethod
    def of(cls, trials: Iterable[LimitedBy]) -> CaseLimits:
        """Of what limited each trial."""
        return cls(Counter(trials))

    @property
    def most(self) -> LimitedBy:
        """What limited more than half of them; unknown where nothing did."""
        total = sum(self.counts.values())
        most = (one for one, count in self.counts.items() if 2 * count > total)
        return next(most, LimitedBy.UNKNOWN)

    def by_client(self, metric: MetricDefinition) -> int:
        """In how many of them the client's own limit may be all that the metric shows."""
        return sum(self.counts.get(limit, 0) for limit in limits_that_hide(metric))

    @property
    def trials(self) -> int:
        """How many there are."""
        return sum(self.counts.values())


def limits_that_hide(metric: MetricDefinition) -> frozenset[LimitedBy]:
    """The limits of the client that may be all that a metric shows of the path.

    Of a rate, and of what restates one, each of them. Of times that a tool measures of single
    requests a quota alone. CPU time, memory and counts are what they are at any limit.
    """
    if shows_a_rate(metric):
        return RATE_LIMITS
    is_time = metric.unit is Unit.SECONDS and metric.direction is Direction.LOWER
    return TIME_LIMITS if is_time and metric.name not in _CPU_TIMES else frozenset()


def shows_a_rate(metric: MetricDefinition) -> bool:
    """Whether it is a rate, the higher the better, or the time that restates one."""
    rates = (Unit.PER_SECOND, Unit.BITS_PER_SECOND)
    is_rate = metric.unit in rates and metric.direction is Direction.HIGHER
    return is_rate or metric.reciprocal_of is not None
