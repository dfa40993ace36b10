"""The built frontend on the API's own origin; its router knows all paths but the API's."""

import os
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from podmeter.domain.messages import say

#: The build names these by their content.
_ASSETS = "assets/"
#: The forms that the build makes of a file, the smallest first: content coding and suffix.
_FORMS = {"br": ".br", "gzip": ".gz"}


class Pages(StaticFiles):
    """Files as they are; any other path gets the page, whose router knows what to show."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file, or the page."""
        if path == "api" or path.startswith("api/"):
            raise HTTPException(404, say("path_unknown"))
        if path.startswith(_ASSETS):
            response = await super().get_response(path, scope)
            response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
            return response
        try:
            response = await super().get_response(path, scope)
        except HTTPException as error:
            # A missing script must not be answered by a page.
            if error.status_code != 404 or Path(path).suffix:
                raise
            response = await super().get_response("index.html", scope)
        # The page names the current assets. Files beside it, such as the icon, change rarely, and
        # a page requests the icon several times.
        is_page = Path(path).suffix in ("", ".html")
        response.headers["Cache-Control"] = "no-cache" if is_page else "public, max-age=3600"
        return response

    def file_response(
        self, full_path: Any, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """The file in the smallest form that the build made and the client takes."""
        taken = _codings(Headers(scope=scope).get("accept-encoding", ""))
        for coding, suffix in _FORMS.items():
            form = Path(f"{full_path}{suffix}")
            if coding in taken and form.is_file():
                response = super().file_response(form, form.stat(), scope, status_code)
                response.headers["Content-Encoding"] = coding
                break
        else:
            response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers["Vary"] = "Accept-Encoding"
        return response


def _codings(accept_encoding: str) -> set[str]:
    """What an Accept-Encoding header takes; `q=0` refuses."""
    taken = set()
    for one in accept_encoding.lower().split(","):
        coding, _, weight = one.replace(" ", "").partition(";q=")
        if weight.rstrip("0.") or not weight:
            taken.add(coding)
    return taken


def mount_frontend(app: FastAPI, folder: Path | None) -> None:
    """Serve the pages in `folder` wherever no route knows the path.

    Not mounted: a mount takes every method, so it would answer for a route that does not.
    """
    if folder is not None:
        app.router.default = Pages(directory=folder, html=True)
