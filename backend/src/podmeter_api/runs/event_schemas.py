"""The events of a run, in the API's shape: one model for each type."""

import logging
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from podmeter.db.models import RunEvent
from podmeter.domain.messages import Message, Reason
from podmeter.domain.moment import Moment
from podmeter.domain.ports import LogLevel
from podmeter.domain.run import CaseStatus, Outcome, Reopening, RunState
from podmeter.domain.trial import TrialStatus

logger = logging.getLogger(__name__)


class _Event(BaseModel):
    at: Moment


class _Status(_Event):
    state: RunState
    outcome: Outcome | None = None
    reason: Reason = None
    attempt: int


class StateEvent(_Status):
    """The run is in another state; `why` says by what a finished one was taken up again."""

    type: Literal["state"]
    why: Reopening | None = None


class CancelRequestedEvent(_Status):
    """The run's owner asked to cancel it."""

    type: Literal["cancel_requested"]


class ConcludeRequestedEvent(_Status):
    """The run's owner asked it to conclude."""

    type: Literal["conclude_requested"]


class BlockEvent(_Event):
    """The block at a position has another status."""

    type: Literal["block"]
    block: int
    status: CaseStatus
    reason: Reason = None


class CaseEvent(_Event):
    """A case has another status."""

    type: Literal["case"]
    case: int
    status: CaseStatus
    reason: Reason = None


class TrialEvent(_Event):
    """A trial was stored, or is void after the fact."""

    type: Literal["trial"]
    trial: int
    case: int
    status: TrialStatus


class LogEvent(_Event):
    """A line was added to the run's log."""

    type: Literal["log"]
    level: LogLevel
    message: Message


class EndEvent(BaseModel):
    """Nothing follows: the run has finished, or was deleted."""

    type: Literal["end"]


AnyEvent = Annotated[
    StateEvent
    | CancelRequestedEvent
    | ConcludeRequestedEvent
    | BlockEvent
    | CaseEvent
    | TrialEvent
    | LogEvent
    | EndEvent,
    Field(discriminator="type"),
]
EVENT: TypeAdapter[AnyEvent] = TypeAdapter(AnyEvent)


def event_of(row: RunEvent) -> AnyEvent | None:
    """The row's shape; None for one of a version that has events this one does not know."""
    try:
        return EVENT.validate_python({**row.content, "type": row.type, "at": row.created_at})
    except ValidationError:
        logger.warning("event %d of run %s is left out: %s", row.number, row.run_id, row.type)
        return None


def event_schema() -> dict[str, Any]:
    """The JSON Schema of what an event's `data` holds."""
    return EVENT.json_schema(ref_template="#/components/schemas/{model}", mode="serialization")
