"""Trials and measurements, in the API's shape. Values are in the metric's base unit."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from podmeter.db.models import InvocationRecord, MeasurementRecord, SeriesRecord, Trial
from podmeter.domain.measurement import Direction, MetricDefinition, Unit
from podmeter.domain.messages import Message
from podmeter.domain.moment import Moment
from podmeter.domain.trial import TrialStatus
from podmeter.kinds.limits import LimitedBy
from podmeter.services.runs.read import ListedTrial, MeasurementOfRun, TrialView
from podmeter.services.runs.recording import decompress


class TrialFailure(BaseModel):
    """Why a trial is failed or void; `temporary` if another attempt may succeed."""

    code: str
    message: Message
    temporary: bool


class TrialSummary(BaseModel):
    """A trial as lists show it; times in seconds."""

    id: int
    case_id: int
    round: int
    number: int
    warmup: bool
    attempt: int
    status: TrialStatus
    failure: TrialFailure | None
    warnings: list[Message]
    seconds: float | None = Field(
        description="null of an imported trial whose text does not tell it, as `tool_seconds`"
    )
    tool_seconds: float | None
    overhead_seconds: float | None = Field(
        description="from the trial's start until it was stored, less the tool's own time and the "
        "way to its rung"
    )
    started_at: Moment | None = Field(description="null of an imported trial")
    stored_at: Moment
    limited_by: LimitedBy | None = Field(
        description="what kept the trial from a higher rate; null of a trial that failed or is "
        "void, and where no tool loads the path"
    )

    @classmethod
    def fields_of(cls, row: Trial, limited_by: LimitedBy | None) -> dict[str, Any]:
        """The fields that lists and details share."""
        names = set(cls.model_fields) - {"failure", "limited_by"}
        fields = {name: getattr(row, name) for name in names if hasattr(row, name)}
        failure = None
        if row.failure_code is not None:
            failure = TrialFailure(
                code=row.failure_code,
                message=Message.of(row.failure_message),
                temporary=bool(row.failure_temporary),
            )
        return {**fields, "failure": failure, "limited_by": limited_by}

    @classmethod
    def of(cls, listed: ListedTrial) -> "TrialSummary":
        """The trial's shape."""
        return cls(**cls.fields_of(listed.trial, listed.limited_by))


class InvocationView(BaseModel):
    """One execution of a tool; its output is null once its retention has passed."""

    tool: str
    version: str
    argv: list[str]
    place: str
    exit_code: int | None = Field(description="null of an imported output")
    seconds: float | None = Field(description="null of an imported output that does not tell it")
    stdout: str | None
    stderr: str | None

    @classmethod
    def of(cls, row: InvocationRecord) -> "InvocationView":
        """The row's shape, its output unpacked."""
        return cls(
            tool=row.tool,
            version=row.version,
            argv=row.argv,
            place=row.place,
            exit_code=row.exit_code,
            seconds=row.seconds,
            stdout=decompress(row.stdout),
            stderr=decompress(row.stderr),
        )


class MetricView(BaseModel):
    """Of which metric something is; `subject` tells several of one trial apart."""

    metric: str
    subject: str
    unit: Unit | None = Field(
        description="the metric's base unit; null for a metric this version does not know"
    )
    direction: Direction | None = Field(description="which way the metric is better")

    @classmethod
    def fields_of(
        cls, row: MeasurementRecord | SeriesRecord, metrics: Mapping[str, MetricDefinition]
    ) -> dict[str, Any]:
        """The fields that values and series share."""
        known = metrics.get(row.metric)
        return {
            "metric": row.metric,
            "subject": row.subject,
            "unit": known and known.unit,
            "direction": known and known.direction,
        }


class MetricValue(MetricView):
    """A metric's value."""

    value: float


class SeriesView(MetricView):
    """A metric over the trial: `values[i]` at `offsets[i]` seconds after its start."""

    offsets: list[float]
    values: list[float]


class TrialDetail(TrialSummary):
    """A trial with its commands, raw output, measurements and series."""

    case_key: str
    facts: dict[str, str]
    invocations: list[InvocationView]
    measurements: list[MetricValue]
    series: list[SeriesView]

    @classmethod
    def of_view(cls, view: TrialView) -> "TrialDetail":
        """The view's shape."""
        return cls(
            **TrialSummary.fields_of(view.trial, view.limited_by),
            case_key=view.case.key,
            facts=view.trial.facts,
            invocations=[InvocationView.of(one) for one in view.invocations],
            measurements=[
                MetricValue(**MetricValue.fields_of(one, view.metrics), value=one.value)
                for one in view.measurements
            ],
            series=[
                SeriesView(
                    **SeriesView.fields_of(one, view.metrics),
                    offsets=one.offsets,
                    values=one.values,
                )
                for one in view.series
            ],
        )


class MeasurementView(MetricValue):
    """One measurement of a run, with where it belongs."""

    trial_id: int
    case_id: int
    round: int
    status: TrialStatus

    @classmethod
    def of(cls, one: MeasurementOfRun) -> "MeasurementView":
        """The measurement's shape."""
        return cls(
            **cls.fields_of(one.record, one.metrics),
            value=one.record.value,
            trial_id=one.record.trial_id,
            case_id=one.case_id,
            round=one.round,
            status=one.status,
        )
