"""The language that an answer speaks: what the request's Accept-Language asks for first."""

from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from podmeter.texts import ENGLISH, Language, document_language, documents_in, languages


class Speaking:
    """Texts of an answer are in the language that the request asks for."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer in the language, and say to caches that the answer depends on it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def varying(message: Message) -> None:
            if message["type"] == "http.response.start" and scope["path"].startswith(_WITH_TEXTS):
                MutableHeaders(scope=message).add_vary_header("Accept-Language")
            await send(message)

        with documents_in(language_of(Headers(scope=scope).get("accept-language", ""))):
            await self.app(scope, receive, varying)


#: The API, and what a shared link shows.
_WITH_TEXTS = ("/api/", "/s/")


def language_of(accepted: str) -> Language:
    """The language of ours that an Accept-Language asks for first; English where it has none."""
    wanted: list[tuple[float, int, Language]] = []
    for place, one in enumerate(accepted.split(",")):
        tag, *options = (part.strip().lower() for part in one.split(";"))
        for known in languages():
            if tag.partition("-")[0] == known:
                wanted.append((-_weight(options), place, known))
    return min(wanted)[2] if wanted else ENGLISH


def answered_in() -> Language:
    """The language of the answer to the current request."""
    return document_language() or ENGLISH


def _weight(options: Iterable[str]) -> float:
    for option in options:
        name, _, value = option.partition("=")
        if name == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0
