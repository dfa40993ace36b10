"""ETag and If-Match: a change says which version it was made from."""

import re
from http import HTTPStatus
from typing import Annotated

from fastapi import Depends, Header

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
            "say in If-Match which version the change is based on: the ETag that a GET gave, "
            'which is the `version` in quotes, such as "3"; * is any',
            Fault(header="If-Match", detail="missing"),
        )
    if if_match.strip() == "*":
        return None
    match = re.fullmatch(r'"(\d{1,9})"', if_match.strip())
    if match is None:
        raise HttpProblemError(
            HTTPStatus.PRECONDITION_FAILED,
            "stale_version",
            "If-Match is not an ETag that this API gave",
            Fault(header="If-Match", detail="not one of our ETags"),
        )
    return int(match.group(1))


IfMatch = Annotated[int | None, Depends(get_if_match)]
