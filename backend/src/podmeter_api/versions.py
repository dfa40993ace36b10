"""ETag and If-Match: a change says which version it was made from."""

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated

from fastapi import Depends, Header

from podmeter.domain.messages import say
from podmeter_api.errors import HttpProblemError
from podmeter_api.problems import Fault


def etag(version: int) -> str:
    """The entity tag of a version."""
    return f'"{version}"'


async def get_if_match(
    if_match: Annotated[
        str | None,
        Header(
            description="needed: the ETag that the change is based on, or * for any; 428 without, "
            "412 if it has changed since"
        ),
    ] = None,
) -> int | None:
    """The version in If-Match; None where any will do. Raises HttpProblemError."""
    if if_match is None:
        raise HttpProblemError(
            HTTPStatus.PRECONDITION_REQUIRED,
            "precondition_required",
            say("etag_missing"),
            Fault.at(say("header_missing"), header="If-Match"),
        )
    return _version(if_match)


@dataclass(frozen=True)
class Precondition:
    """What a PUT is based on: that there is nothing yet, or a version; None is any."""

    creates: bool
    version: int | None = None


async def get_precondition(
    if_match: Annotated[
        str | None, Header(description="to update: the ETag that it is based on, or * for any")
    ] = None,
    if_none_match: Annotated[
        str | None, Header(description="to create: *; 412 if it exists. Without both 428")
    ] = None,
) -> Precondition:
    """What If-Match or If-None-Match says. Raises HttpProblemError."""
    if if_none_match is None:
        if if_match is None:
            raise HttpProblemError(
                HTTPStatus.PRECONDITION_REQUIRED,
                "precondition_required",
                say("precondition_missing"),
                Fault.at(say("header_missing"), header="If-Match"),
            )
        return Precondition(creates=False, version=_version(if_match))
    if if_match is not None or if_none_match.strip() != "*":
        said = say("none_match_any" if if_match is None else "precondition_both")
        raise HttpProblemError(
            HTTPStatus.PRECONDITION_FAILED,
            "stale_version",
            said,
            Fault.at(said, header="If-None-Match"),
        )
    return Precondition(creates=True)


def _version(if_match: str) -> int | None:
    """The version of an entity tag; None for *. Raises HttpProblemError."""
    if if_match.strip() == "*":
        return None
    match = re.fullmatch(r'"(\d{1,9})"', if_match.strip())
    if match is None:
        raise HttpProblemError(
            HTTPStatus.PRECONDITION_FAILED,
            "stale_version",
            say("etag_unknown"),
            Fault.at(say("etag_unknown"), header="If-Match"),
        )
    return int(match.group(1))


IfMatch = Annotated[int | None, Depends(get_if_match)]
PreconditionDep = Annotated[Precondition, Depends(get_precondition)]
