"""One unit of work for each request, committed before the answer is sent; a GET's only reads."""

from collections.abc import AsyncIterator
from typing import Annotated

from anyio import CancelScope
from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool

from podmeter.services.quotas import Quotas
from podmeter.services.work import Work, work_with
from podmeter.settings import Settings
from podmeter_api.audited import SAFE, note
from podmeter_api.callers import caller_of
from podmeter_api.lanes import Lane, lanes_of
from podmeter_api.state import state_of

#: The operations that hash a password, by their ids: they work in a lane of their own.
HASHING = frozenset(
    {"log_in", "accept_invitation", "use_password_reset", "change_password"},
)


def quotas_of(settings: Settings) -> Quotas:
    """What each organization may have."""
    return Quotas(
        clusters=settings.quota_clusters,
        queued_runs=settings.quota_queued_runs,
        preflights=settings.quota_preflights,
        organizations=settings.quota_organizations,
    )


async def get_work(request: Request) -> AsyncIterator[Work]:
    """The request's unit of work, once there is a place for it.

    There are no more places than connections: else threads would wait for connections, and
    those that have one for threads.
    """
    state = state_of(request)
    async with _lane(request).place(caller_of(request)):
        reading = state.reading if request.method in SAFE else None
        unit = work_with(state.sessions, state.queue, quotas_of(state.settings), reading=reading)
        # Takes no connection yet, so it needs no thread.
        work = unit.__enter__()
        work.outside_client = state.settings.outside_client
        try:
            yield work
            note(request, work)
        except BaseException as error:
            with CancelScope(shield=True):
                await run_in_threadpool(unit.__exit__, type(error), error, error.__traceback__)
            raise
        await run_in_threadpool(unit.__exit__, None, None, None)


def _lane(request: Request) -> Lane:
    lanes = lanes_of(request)
    hashes = getattr(request.scope["route"], "operation_id", None) in HASHING
    return lanes.hashing if hashes else lanes.work


# Scope "function": a commit that fails must become an error, so it comes before the answer.
WorkDep = Annotated[Work, Depends(get_work, scope="function")]


async def _in_turn(request: Request) -> AsyncIterator[None]:
    async with lanes_of(request).computing.place(caller_of(request)):
        yield


async def _in_turn_to_export(request: Request) -> AsyncIterator[None]:
    async with lanes_of(request).exporting.place(caller_of(request)):
        yield


#: For what mostly computes: requests of one process that do so at the same time would share one
#: interpreter, and all of them end when the last one does. Waits without taking a place.
ComputeSlot = Depends(_in_turn, scope="function")
#: For files of all rows: the same, apart from what people wait for on pages.
ExportSlot = Depends(_in_turn_to_export, scope="function")
