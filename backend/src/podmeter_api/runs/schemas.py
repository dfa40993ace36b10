"""Runs, cases and trials, in the API's shape."""

import uuid
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from podmeter.db.models import Block, CaseRecord, RunLogLine
from podmeter.domain.axes import AxisValue
from podmeter.domain.by_hand import Waiting
from podmeter.domain.displayed import Displayed
from podmeter.domain.experiment import (
    FROZEN,
    MOST_ROUNDS,
    MOST_SECONDS,
    MOST_TRIALS,
    WRITTEN,
    ExperimentSpec,
    KindName,
    ResolvedSpec,
)
from podmeter.domain.messages import Message, Reason
from podmeter.domain.moment import Moment
from podmeter.domain.ports import LogLevel
from podmeter.domain.run import CaseStatus, Outcome, RunState
from podmeter.services.experiments.plan import Plan, measuring_seconds_of_run
from podmeter.services.headlines.document import Answer
from podmeter.services.runs.read import RunView
from podmeter.services.runs.repeat import Changes
from podmeter.services.runs.time_left import TimeLeft
from podmeter_api.experiments.schemas import PlannedMatrix
from podmeter_api.fields import Force
from podmeter_api.marks.schemas import Marks
from podmeter_api.runs.environment import RunEnvironment

LabelKey = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9._/-]{0,62}$")]
LabelValue = Annotated[str, StringConstraints(min_length=1, max_length=200), Displayed()]
_NO_CASES = dict.fromkeys(CaseStatus, 0)


class NewRun(BaseModel):
    """Where to run; absent if the experiment's axis `cluster` says so itself."""

    model_config = ConfigDict(extra="forbid")

    cluster_id: uuid.UUID | None = None
    version: int | None = Field(
        None,
        ge=1,
        description="the experiment's version whose plan was agreed to: another one is refused "
        "with 412; absent runs the current one",
    )
    force: Force = False
    labels: dict[LabelKey, LabelValue] = Field(
        default_factory=dict,
        max_length=20,
        description="what the run is of, as commit or branch; fixed from then on",
    )


class NewRepetition(BaseModel):
    """What a repeated run has more or less of; what is absent stays as it was."""

    model_config = ConfigDict(extra="forbid")

    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS)] | None = None
    seconds: Annotated[int, Field(ge=1, le=MOST_SECONDS)] | None = None
    trials: Annotated[int, Field(ge=1, le=MOST_TRIALS)] | None = None
    force: Force = False

    @property
    def changes(self) -> Changes:
        """What is changed of the repetition."""
        return Changes(self.rounds, self.seconds, self.trials)


class RunClusterView(BaseModel):
    """A cluster of a run; `cluster_id` is null once it is not registered any more."""

    name: str
    cluster_id: uuid.UUID | None
    cluster_uid: str


class Progress(BaseModel):
    """How many cases have which status."""

    pending: int
    running: int
    succeeded: int
    failed: int
    skipped: int


class RunSummary(BaseModel):
    """A run as lists show it."""

    id: uuid.UUID
    experiment_id: uuid.UUID | None
    name: str
    kind: KindName
    state: RunState
    outcome: Outcome | None
    reason: Reason
    attempt: int
    clusters: list[RunClusterView]
    progress: Progress
    queue_position: int | None = Field(
        description="among the runs, of whatever organization, that wait for a real cluster it "
        "needs; 1 is next; null for a run that is not queued any more"
    )
    cancel_requested_at: Moment | None
    conclude_requested_at: Moment | None
    created_at: Moment
    queued_at: Moment
    started_at: Moment | None
    finished_at: Moment | None
    labels: dict[str, str] = Field(description="given when it was started; they never change")
    marks: Marks
    answer: Answer | None = Field(
        description="the first sentence of a finished run's headline, with its caveats, some "
        "seconds after its end; null until then, and where it compares nothing"
    )

    @classmethod
    def fields_of(cls, view: RunView) -> dict[str, Any]:
        """The fields that lists and details share."""
        run = view.run
        return {
            "id": run.id,
            "experiment_id": run.experiment_id,
            "name": run.name,
            "kind": run.kind,
            "state": run.state,
            "outcome": run.outcome,
            "reason": run.reason,
            "attempt": run.attempt,
            # What is in it is validated with it, at once: a list has two hundred such parts.
            "clusters": [one._asdict() for one in view.clusters],
            "progress": _NO_CASES | view.progress,
            "queue_position": view.queue_position,
            "cancel_requested_at": run.cancel_requested_at,
            "conclude_requested_at": run.conclude_requested_at,
            "created_at": run.created_at,
            "queued_at": run.queued_at,
            "started_at": run.started_at,
            "finished_at": run.finished_at,
            "labels": dict(one.split("=", 1) for one in run.labels),
            "marks": vars(view.marks),
            "answer": view.answer,
        }

    @classmethod
    def of(cls, view: RunView) -> "RunSummary":
        """The view's shape."""
        return cls(**cls.fields_of(view))


class BlockView(BaseModel):
    """A block of a run, its times in seconds."""

    model_config = ConfigDict(from_attributes=True)

    position: int
    round: int
    modes: dict[str, AxisValue]
    status: CaseStatus
    reason: Reason
    fingerprint_id: uuid.UUID | None
    switching_seconds: float | None
    preparing_seconds: float | None
    cleaning_seconds: float | None
    started_at: Moment | None
    ended_at: Moment | None


class TimeLeftView(BaseModel):
    """About how long a run still measures: until `block_until`, then for `seconds_after`.

    Clients count down to `block_until`. A block that runs for longer than expected adds nothing.
    """

    model_config = ConfigDict(from_attributes=True)

    block_until: Moment | None = Field(
        description="when the current block is expected to end; null between blocks"
    )
    seconds_after: float = Field(
        description="what the blocks after it take: what the plan expects of each, times what the "
        "blocks so far took against what it expects of them"
    )


class RunDetail(RunSummary):
    """A run with the spec and environment it ran with, and its blocks."""

    spec: ResolvedSpec = Field(
        description="what the run runs with, every default filled in when it was started"
    )
    written: ExperimentSpec = Field(description="the experiment as its author had written it")
    environment: RunEnvironment | None
    waiting: Waiting | None = Field(
        description="what somebody is to switch by hand; null unless the run waits for that"
    )
    warnings: list[Message]
    forced: list[Message] = Field(description="uncertain obstacles that it was forced past")
    blocks: list[BlockView]
    time_left: TimeLeftView | None = Field(
        description="null once the run measures nothing more, and where this version cannot "
        "measure the run"
    )

    @classmethod
    def with_blocks(cls, view: RunView, blocks: list[Block], left: TimeLeft | None) -> "RunDetail":
        """The view's shape, with its blocks and how long it still measures."""
        run = view.run
        return cls(
            **cls.fields_of(view),
            spec=FROZEN.read(run.spec),
            written=WRITTEN.read(run.written),
            environment=RunEnvironment.of(run.environment),
            waiting=None if run.waiting is None else Waiting.model_validate(run.waiting),
            warnings=run.warnings,
            forced=run.forced,
            blocks=[BlockView.model_validate(block) for block in blocks],
            time_left=None if left is None else TimeLeftView.model_validate(left),
        )


class RunPlan(PlannedMatrix):
    """What a run was planned to do when it was started, at its cluster's pace of today."""

    measuring_seconds: float | None = Field(
        description="null where this version cannot measure such a run any more"
    )

    @classmethod
    def of(cls, plan: Plan) -> "RunPlan":
        """The plan's shape."""
        return cls(**cls.fields_of(plan), measuring_seconds=measuring_seconds_of_run(plan))


class CaseView(BaseModel):
    """One point of a run's matrix."""

    id: int
    position: int
    key: str
    point: dict[str, AxisValue]
    once: bool = Field(description="a single trial in each round, whatever the repetition says")
    status: CaseStatus
    reason: Reason
    fingerprint_id: uuid.UUID | None
    placement: dict[str, Any] | None

    @classmethod
    def of(cls, row: CaseRecord) -> "CaseView":
        """The row's shape."""
        return cls.model_validate(row, from_attributes=True)


class LogLine(BaseModel):
    """A line of a run's log."""

    id: int
    attempt: int
    level: LogLevel
    message: Message
    created_at: Moment

    @classmethod
    def of(cls, row: RunLogLine) -> "LogLine":
        """The row's shape."""
        return cls.model_validate(row, from_attributes=True)
