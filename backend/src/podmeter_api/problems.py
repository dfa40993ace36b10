"""Problem documents (RFC 9457): one shape for every error of the API."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Self

from fastapi import Response
from pydantic import BaseModel, Field

from podmeter import logs
from podmeter.domain.feasibility import Obstacle
from podmeter.domain.messages import Message
from podmeter.domain.run import Step
from podmeter.domain.stored import DocumentName

MEDIA_TYPE = "application/problem+json"
#: A request may be wrong in thousands of places; nobody reads more.
MOST_ERRORS = 20


class Fault(BaseModel):
    """One thing that is wrong, and where: in the body, a parameter or a header.

    `detail` and `remedy` are the texts of `message` and `mend`.
    """

    detail: str
    message: Message
    pointer: str | None = Field(
        default=None, description="JSON pointer (RFC 6901) into the request body"
    )
    parameter: str | None = Field(default=None, description="a query or path parameter")
    header: str | None = Field(default=None, description="a request header")
    remedy: str | None = Field(default=None, description="how to fix it")
    mend: Message | None = None
    obstacle: Obstacle | None = Field(
        default=None, description="the obstacles to a run, as in its plan"
    )

    @classmethod
    def at(
        cls, message: str, mend: str | None = None, obstacle: Obstacle | None = None, **where: str
    ) -> Self:
        """A fault of what is said, and where."""
        said = Message.of(message)
        how = None if mend is None else Message.of(mend)
        return cls(
            detail=said.spoken,
            message=said,
            remedy=None if how is None else how.spoken,
            mend=how,
            obstacle=obstacle,
            **where,
        )


class Problem(BaseModel):
    """What went wrong. `code` is stable and says what kind of problem it is.

    `detail` is the text of `message`.
    """

    type: str
    title: str
    status: int
    detail: str
    code: str
    message: Message
    errors: list[Fault] = Field(default=[], description="at most 20 of them")
    error_count: int | None = Field(
        default=None, description="how many errors there are, where not all are listed"
    )
    request_id: str | None = Field(
        default=None, description="the request's id, as in X-Request-ID and in Podmeter's log"
    )
    allowed: list[Step] | None = Field(
        default=None, description="where a run refuses a step: those that it takes now"
    )
    document: DocumentName | None = Field(
        default=None, description="which stored document has a form that cannot be read any more"
    )


def problem(
    status: HTTPStatus,
    code: str,
    detail: str,
    errors: Sequence[Fault] = (),
    headers: dict[str, str] | None = None,
    allowed: Sequence[Step] | None = None,
    error_count: int | None = None,
    document: DocumentName | None = None,
) -> Response:
    """The response for a problem; `error_count` where there are more errors than are given."""
    count = len(errors) if error_count is None else error_count
    message = Message.of(detail)
    made = Problem(
        type=f"urn:podmeter:problem:{code}",
        title=status.phrase,
        status=status,
        detail=message.spoken,
        code=code,
        message=message,
        errors=list(errors[:MOST_ERRORS]),
        error_count=count if count > MOST_ERRORS else None,
        request_id=logs.about().get("request"),
        allowed=None if allowed is None else list(allowed),
        document=document,
    )
    return Response(
        made.model_dump_json(exclude_none=True),
        status_code=status,
        media_type=MEDIA_TYPE,
        headers=headers,
    )


#: When an answer has which status; an operation declares those that it can give.
MEANING: dict[int, str] = {
    304: "it is still what the ETag in If-None-Match is of",
    400: "the body is not valid JSON",
    401: "nobody known is asking",
    403: "the caller's role, the token's scope, origin or CSRF token does not allow it",
    404: "no such thing, or it belongs to somebody else",
    408: "the request did not arrive in time",
    409: "the current state does not allow it",
    412: "it was changed since the ETag in If-Match",
    413: "the body is too large, nests too deep, or has too many keys and items",
    414: "the query is too long",
    415: "the body's media type is not taken",
    421: "Podmeter does not answer to the host that the request names",
    422: "the request is understood and at fault; `errors` says where",
    428: "If-Match is missing",
    429: "too many requests; Retry-After says when to try again",
    431: "the headers are too large or too many",
    500: "a fault of Podmeter's own",
    502: "the single sign-on provider is away, or answers what nothing can be done with",
    503: "busy, or database or broker cannot be reached; Retry-After says when to try again",
}


def may(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """For OpenAPI: that an operation can answer with problems of these statuses."""
    return {status: {"description": MEANING[status]} for status in statuses}


#: What every operation can answer; `openapi` adds what follows from what one depends on.
RESPONSES = may(408, 414, 421, 422, 429, 431, 500, 503)
