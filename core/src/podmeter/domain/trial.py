"""What one trial leaves behind: its commands, raw output, measurements, or its failure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from podmeter.domain.measurement import Measurement, Series


#: The failure of trials that became void with their block, as somebody changed its mode meanwhile.
MODE_REVERTED = "mode_reverted"
#: The failure of trials that had to wait for Podmeter's database.
HELD_UP = "held_up"
#: Failures that say nothing of a trial's case.
NOT_OF_THE_CASE = (MODE_REVERTED, HELD_UP)
#: The fact that says how long the API server took for the objects that a trial needed.
CREATING = "creating_seconds"


class TrialStatus(StrEnum):
    """What became of a trial; only `counted` ones are in a sample."""

    COUNTED = "counted"
    WARMUP = "warmup"
    VOID = "void"
    FAILED = "failed"


#: Those that have measurements.
MEASURED = (TrialStatus.COUNTED, TrialStatus.WARMUP)


@dataclass(frozen=True, slots=True)
class Invocation:
    """One execution of a tool, kept as it was: what was run where, and all it printed."""

    tool: str
    version: str
    argv: tuple[str, ...]
    place: str
    exit_code: int
    stdout: str
    stderr: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a trial is `failed` or `void`; `temporary` if another attempt may succeed."""

    code: str
    message: str
    temporary: bool


@dataclass(frozen=True, slots=True)
class TrialReport:
    """A trial that ended.

    A `failed` or `void` trial has a failure and no measurements. `seconds` is its whole time
    on the lab's monotonic clock, `tool_seconds` what the measuring tool itself took of it,
    `waited_seconds` what the cluster took until it could be measured, as on the way to a rung.
    `facts` are circumstances of the trial (where its ends sat, a Service's position), as text.
    """

    status: TrialStatus
    measurements: tuple[Measurement, ...] = ()
    series: tuple[Series, ...] = ()
    invocations: tuple[Invocation, ...] = ()
    warnings: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    failure: Failure | None = None
    seconds: float = 0.0
    tool_seconds: float = 0.0
    waited_seconds: float = 0.0

    def __post_init__(self) -> None:
        unfit = self.status in (TrialStatus.FAILED, TrialStatus.VOID)
        if unfit != (self.failure is not None):
            raise ValueError(f"a {self.status} trial must {'' if unfit else 'not '}have a failure")
        if unfit and (self.measurements or self.series):
            raise ValueError(f"a {self.status} trial has no measurements")
