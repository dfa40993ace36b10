"""GET /s/{token}/preview.png: what chats and wikis show beside a link, if anybody drew it."""

from http import HTTPStatus

from fastapi import APIRouter, Response

from podmeter.domain.messages import say
from podmeter_api.errors import HttpProblemError
from podmeter_api.public.reading import HEADERS, shown
from podmeter_api.unit_of_work import WorkDep

router = APIRouter(include_in_schema=False)
PICTURE = "preview.png"


@router.api_route(f"/s/{{token}}/{PICTURE}", methods=["GET", "HEAD"])
def preview_picture(token: str, work: WorkDep) -> Response:
    """The picture that the browser drew when the link was made; nothing where there is none."""
    row, _ = shown(work, token)
    if row.picture is None:
        raise HttpProblemError(
            HTTPStatus.NOT_FOUND, "not_found", say("path_unknown"), headers=HEADERS
        )
    return Response(row.picture, media_type="image/png", headers=HEADERS)
