"""What the audit log gets of a request: one entry of each that changed something, by itself.

An operation changes something unless its method is safe or it says `CHANGES_NOTHING`. So a new one
is noted without doing anything for it; a service says by `work.act.to` what it was done to.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from fastapi import Request
from fastapi.routing import APIRoute

from podmeter import logs
from podmeter.services.audit.record import Counted, Origin, record, record_refused_login
from podmeter.services.errors import AuthenticationError
from podmeter.services.work import Work
from podmeter_api.refusals import counted_refusals
from podmeter_api.state import state_of

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_MARK = "x-changes-nothing"
#: For `openapi_extra` of an operation that takes a body, and keeps nothing.
CHANGES_NOTHING: dict[str, Any] = {_MARK: True}


def changes(route: APIRoute, method: str) -> bool:
    """Whether an operation changes something where it goes well."""
    return method not in SAFE and _MARK not in (route.openapi_extra or {})


def note(request: Request, work: Work) -> None:
    """Have the request's own transaction store what it did. Asks the database nothing."""
    route = request.scope["route"]
    if not isinstance(route, APIRoute) or not changes(route, request.method):
        return
    if getattr(request.state, "answered_before", False):  # by its Idempotency-Key
        return
    act = work.audit
    if act.object_kind is None and request.path_params:
        name, one = list(request.path_params.items())[-1]
        act.to(name.removesuffix("_id"), one)
    origin = origin_of(request)
    work.at_end.append(partial(record, work.session, act, operation_of(route), origin))


@contextmanager
def logins(request: Request, work: Work, email: str) -> Iterator[None]:
    """Note where what is done inside does not let somebody in; raises as that does."""
    try:
        yield
    except AuthenticationError:
        operation = operation_of(request.scope["route"])
        counted = refusals_of(request)
        record_refused_login(work, operation, email, origin_of(request), counted)
        raise


def refusals_of(request: Request) -> Counted:
    """Counts refusals where a request comes from."""
    address = request.client.host if request.client else "unknown"
    return counted_refusals(state_of(request).redis, address)


def operation_of(route: APIRoute) -> str:
    """The operation's id, which every one of ours has."""
    return route.operation_id or route.name


def origin_of(request: Request) -> Origin:
    """Where a request comes from."""
    address = request.client.host if request.client else None
    return Origin(address, logs.about().get("request"))
