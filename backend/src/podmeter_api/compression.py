"""Compressed answers of public links, whose documents are up to several hundred KB of JSON."""

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

#: Answers to a login are not compressed: their size would hint at the CSRF token beside text that
#: somebody else chose (BREACH).
_PUBLIC = ("/api/v1/public/", "/s/")
_LEAST_BYTES = 1024
#: Of 9: the higher levels take several times as long for 3 % less.
_LEVEL = 6


class PublicCompression:
    """Gzip for what anyone with a link may read."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.compressing = GZipMiddleware(app, _LEAST_BYTES, _LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Compress the answer where the path is public."""
        is_public = scope["type"] == "http" and scope["path"].startswith(_PUBLIC)
        await (self.compressing if is_public else self.app)(scope, receive, send)
