"""Problem documents (RFC 9457): one shape for every error of the API."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Self

from fastapi import Response
from pydantic import BaseModel, Field

from podmeter.domain.messages import Message

MEDIA_TYPE = "application/problem+json"


class Fault(BaseModel):
    """One thing that is wrong, and where: in the body, a parameter or a header.

    `detail` and `remedy` are what `message` and `mend` say in English.
    """

    detail: str
    message: Message
    pointer: str | None = Field(
        default=None, description="JSON pointer (RFC 6901) into the request body"
    )
    parameter: str | None = Field(default=None, description="a query or path parameter")
    header: str | None = Field(default=None, description="a request header")
    remedy: str | None = Field(default=None, description="how to mend it")
    mend: Message | None = None

    @classmethod
    def at(cls, message: str, mend: str | None = None, **where: str) -> Self:
        """A fault of what is said, and where."""
        said = Message.of(message)
        how = None if mend is None else Message.of(mend)
        return cls(detail=said, message=said, remedy=how, mend=how, **where)


class Problem(BaseModel):
    """What went wrong. `code` is stable and says what kind of problem it is.

    `detail` is what `message` says in English.
    """

    type: str
    title: str
    status: int
    detail: str
    code: str
    message: Message
    errors: list[Fault] = []


def problem(
    status: HTTPStatus,
    code: str,
    detail: str,
    errors: Sequence[Fault] = (),
    headers: dict[str, str] | None = None,
) -> Response:
    """The response for a problem."""
    document = Problem(
        type=f"urn:podmeter:problem:{code}",
        title=status.phrase,
        status=status,
        detail=detail,
        code=code,
        message=Message.of(detail),
        errors=list(errors),
    )
    return Response(
        document.model_dump_json(exclude_none=True),
        status_code=status,
        media_type=MEDIA_TYPE,
        headers=headers,
    )


#: Declared on every operation: whatever is not a success is a problem document.
RESPONSES: dict[int | str, dict[str, Any]] = {
    "default": {
        "description": "A problem document (RFC 9457)",
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
}
