"""From errors to problem documents: the only place where errors get an HTTP status."""

import logging
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import iter_route_contexts
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from starlette.exceptions import HTTPException

from podmeter.credentials.errors import (
    KubeconfigRefusedError,
    PasswordRefusedError,
    ServerRefusedError,
)
from podmeter.db.paging import InvalidCursorError
from podmeter.db.session import is_temporary
from podmeter.domain.errors import InvalidSpecError, PodmeterError, TransitionError
from podmeter.domain.messages import say
from podmeter.domain.problems import fault_message, pointer
from podmeter.domain.stored import DocumentName, StoredDocumentError
from podmeter.services.errors import (
    AlreadyThereError,
    AuthenticationError,
    ConflictError,
    NotFoundError,
    ObstacleError,
    RoleError,
    StaleVersionError,
    WrongPasswordError,
)
from podmeter.services.sign_on.errors import ProviderError
from podmeter_api.problems import MOST_ERRORS, Fault, problem

logger = logging.getLogger(__name__)
_LONGEST_POINTER = 500


class HttpProblemError(Exception):
    """A problem of HTTP itself, such as a header that is missing."""

    def __init__(
        self,
        status: HTTPStatus,
        code: str,
        detail: str,
        *faults: Fault,
        headers: dict[str, str] | None = None,
        fault_count: int | None = None,
        document: DocumentName | None = None,
    ) -> None:
        """`fault_count` where there are more faults than are given."""
        self.status = status
        self.code = code
        self.detail = detail
        self.faults = faults
        self.headers = headers
        self.fault_count = fault_count
        self.document: DocumentName | None = document
        super().__init__(detail)


#: The first class that fits decides; what is not listed is our own fault.
STATUS: dict[type[PodmeterError], HTTPStatus] = {
    NotFoundError: HTTPStatus.NOT_FOUND,
    ProviderError: HTTPStatus.BAD_GATEWAY,
    AuthenticationError: HTTPStatus.UNAUTHORIZED,
    RoleError: HTTPStatus.FORBIDDEN,
    AlreadyThereError: HTTPStatus.PRECONDITION_FAILED,
    StaleVersionError: HTTPStatus.PRECONDITION_FAILED,
    ConflictError: HTTPStatus.CONFLICT,
    TransitionError: HTTPStatus.CONFLICT,
    InvalidCursorError: HTTPStatus.UNPROCESSABLE_ENTITY,
    StoredDocumentError: HTTPStatus.CONFLICT,
    InvalidSpecError: HTTPStatus.UNPROCESSABLE_ENTITY,
    KubeconfigRefusedError: HTTPStatus.UNPROCESSABLE_ENTITY,
    ServerRefusedError: HTTPStatus.UNPROCESSABLE_ENTITY,
    PasswordRefusedError: HTTPStatus.UNPROCESSABLE_ENTITY,
    WrongPasswordError: HTTPStatus.UNPROCESSABLE_ENTITY,
}


def install(app: FastAPI) -> None:
    """Register the handlers."""
    app.add_exception_handler(PodmeterError, _podmeter_error)
    app.add_exception_handler(HttpProblemError, _http_problem)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(HTTPException, _http_exception)
    app.add_exception_handler(DBAPIError, _database_error)
    app.add_exception_handler(PoolTimeoutError, _database_error)
    app.add_exception_handler(Exception, _unexpected)


def _podmeter_error(_: Request, error: Exception) -> Response:
    if not isinstance(error, PodmeterError):
        raise TypeError(type(error))
    for known, status in STATUS.items():
        if isinstance(error, known):
            headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
            allowed = error.allowed if isinstance(error, TransitionError) else None
            document = error.document if isinstance(error, StoredDocumentError) else None
            count = len(getattr(error, "problems", ()))
            faults = _faults(error)
            # Each is listed: the whole says how many there are.
            detail = say("fault_count", count=count) if count > 1 else error.said
            return problem(
                status,
                error.code,
                detail,
                faults,
                headers,
                allowed,
                error_count=max(count, len(faults)),
                document=document,
            )
    logger.error("an error without an HTTP status: %s", error.code, exc_info=error)
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, "internal", say("internal"))


def _faults(error: PodmeterError) -> list[Fault]:
    if isinstance(error, InvalidSpecError):
        return [
            Fault.at(one.message, pointer=_shortened(one.pointer))
            for one in error.problems[:MOST_ERRORS]
        ]
    if isinstance(error, KubeconfigRefusedError):
        return [
            Fault.at(
                say("fault_at", pointer=one.pointer or "/", what=one.message),
                one.remedy,
                pointer="/kubeconfig",
            )
            for one in error.problems[:MOST_ERRORS]
        ]
    if isinstance(error, ObstacleError):
        return [Fault.at(one.cause, one.remedy, obstacle=one) for one in error.obstacles]
    if isinstance(error, ServerRefusedError):
        return [Fault.at(error.message, error.remedy, pointer="/kubeconfig")]
    if isinstance(error, ProviderError):
        return [Fault.at(error.message, error.remedy)]
    if isinstance(error, WrongPasswordError):
        return [Fault.at(error.said, pointer="/current_password")]
    if isinstance(error, InvalidCursorError):
        return [Fault.at(error.said, parameter="cursor")]
    return []


def _http_problem(_: Request, error: Exception) -> Response:
    if not isinstance(error, HttpProblemError):
        raise TypeError(type(error))
    return problem(
        error.status,
        error.code,
        error.detail,
        error.faults,
        error.headers,
        error_count=error.fault_count,
        document=error.document,
    )


def _validation_error(_: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise TypeError(type(error))
    found = error.errors()
    faults = [_fault(one) for one in found[:MOST_ERRORS]]
    unreadable = any(one["type"] == "json_invalid" for one in found)
    if unreadable:
        return problem(HTTPStatus.BAD_REQUEST, "not_json", say("body_not_json"), faults)
    return problem(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "invalid_request",
        say("request_invalid"),
        faults,
        error_count=len(found),
    )


def _fault(fault: Any) -> Fault:
    """Where and what; never the offending input, which may be a secret."""
    where, *path = fault["loc"]
    if fault["type"] == "json_invalid":
        return Fault.at(say("body_not_json"), pointer="")
    message = fault_message(fault)
    if where == "body":
        return Fault.at(message, pointer=_shortened(pointer(path)))
    if where == "header":
        return Fault.at(message, header=str(path[0]))
    return Fault.at(message, parameter=str(path[0]) if path else str(where))


def _shortened(where: str) -> str:
    """A pointer, or the longest start of it that is one and not too long: a key may have 1 MB."""
    while len(where) > _LONGEST_POINTER:
        where = where[: where.rindex("/")]
    return where


def _http_exception(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise TypeError(type(error))
    status = HTTPStatus(error.status_code)
    code = status.phrase.lower().replace(" ", "_")
    headers = dict(error.headers or {})
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(_methods(request))
    return problem(status, code, _of_http(error.detail), headers=headers)


_OF_HTTP = {"Not Found": "path_unknown", "Method Not Allowed": "method_not_allowed"}


def _of_http(detail: str) -> str:
    """What the framework says of a request that reached none of our endpoints."""
    return say(_OF_HTTP[detail]) if detail in _OF_HTTP else detail


def _methods(request: Request) -> list[str]:
    """What can be done at a path: by all its routes, of which Starlette names the first alone."""
    found: set[str] = set()
    for route in iter_route_contexts(request.app.routes):
        if route.methods and route.path_regex.match(request.url.path):
            found |= route.methods
    return sorted(found or {"GET", "HEAD"})


def _database_error(request: Request, error: Exception) -> Response:
    if not is_temporary(error):
        return _unexpected(request, error)
    logger.error("the database cannot be reached", exc_info=error)
    return problem(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "database_away",
        say("database_away"),
        headers={"Retry-After": "2"},
    )


def _unexpected(_: Request, error: Exception) -> Response:
    logger.error("unexpected error", exc_info=error)
    # The server closes the connection of what raised: a client must not ask on it again.
    closing = {"Connection": "close"}
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, "internal", say("internal"), headers=closing)
