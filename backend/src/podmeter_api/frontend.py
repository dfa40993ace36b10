"""The built frontend on the API's own origin; its router knows all paths but the API's."""

import mimetypes
from pathlib import Path

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

#: The build names these by their content.
from podmeter.domain.messages import say

_ASSETS = "assets/"
_LEAST_COMPRESSED_BYTES = 1024


class Pages(StaticFiles):
    """Files as they are; any other path gets the page, whose router knows what to show."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file, or the page."""
        if path == "api" or path.startswith("api/"):
            raise HTTPException(404, say("path_unknown"))
        if path.startswith(_ASSETS):
            return await self._asset(path, scope)
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

    async def _asset(self, path: str, scope: Scope) -> Response:
        """A file that the build named by its content, in its brotli form where there is one."""
        compressed, found = self.lookup_path(f"{path}.br")
        if found is not None and "br" in Headers(scope=scope).get("accept-encoding", ""):
            media_type = mimetypes.guess_type(path)[0]
            response: Response = FileResponse(compressed, media_type=media_type, stat_result=found)
            response.headers["Content-Encoding"] = "br"
        else:
            response = await super().get_response(path, scope)
        response.headers["Vary"] = "Accept-Encoding"
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


def mount_frontend(app: FastAPI, folder: Path | None) -> None:
    """Serve the pages in `folder` wherever no route knows the path.

    Not mounted: a mount takes every method, so it would answer for a route that does not.
    """
    if folder is not None:
        pages = Pages(directory=folder, html=True)
        app.router.default = GZipMiddleware(pages, _LEAST_COMPRESSED_BYTES)
