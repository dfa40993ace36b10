"""One unit of work for each request, committed before the answer is sent."""

from collections.abc import Iterator
from typing import Annotated

from fastapi import Depends, Request

from podmeter.services.work import Work, work_with
from podmeter_api.state import state_of


def get_work(request: Request) -> Iterator[Work]:
    """The request's unit of work."""
    state = state_of(request)
    with work_with(state.sessions, state.queue) as work:
        yield work


# Scope "function": a commit that fails must become an error, so it comes before the answer.
WorkDep = Annotated[Work, Depends(get_work, scope="function")]
