"""The API server, one client for each use of a cluster. Objects are the API's own JSON."""

from __future__ import annotations

from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from podmeter.domain.messages import say
from podmeter_worker.kube.errors import ApiRefusedError, ApiUnavailableError, MalformedAnswerError
from podmeter_worker.kube.limits import (
    KEPT_BYTES,
    LARGEST_BYTES,
    PAGE,
    PASSED_BYTES,
    Meter,
    clipped,
)
from podmeter_worker.kube.pool import CONNECT_SECONDS
from podmeter_worker.kube.reading import SIGNS, change_in, decoded, page_in
from podmeter_worker.kube.requests import (
    BROKEN,
    VERSION,
    Request,
    Requests,
    failure,
    failure_of,
    read_whole,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

    from urllib3 import BaseHTTPResponse

    from podmeter_worker.kube.resources import Object

#: So long after a watch should have ended by itself it is ended.
WATCH_GRACE_SECONDS = 15.0
#: The least that a page of a list counts for.
_LEAST_BYTES = 4 << 10
#: Who owns the fields that Podmeter applies.
FIELD_MANAGER = "podmeter"


@dataclass(frozen=True, slots=True)
class Listing:
    """All objects that a list gave, and the version of the cluster's state they are of."""

    items: tuple[Object, ...]
    resource_version: str


class KubeClient(Requests):
    """What is asked of an API server, by verb; safe to use from several threads."""

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Object:
        """One object."""
        return self._patiently(Request("GET", path, query))

    def find(self, path: str) -> Object | None:
        """One object, or None where there is none (or the API server knows no such kind)."""
        try:
            return self.get(path)
        except ApiRefusedError as error:
            if error.status == 404:
                return None
            raise

    def list_all(self, path: str, *, labels: str = "", fields: str = "") -> Listing:
        """All objects, fetched in pages and kept."""
        items: list[Object] = []
        version = ""
        for page, of in self._pages(path, labels, fields, Meter(KEPT_BYTES)):
            items += page
            version = of
        return Listing(tuple(items), version)

    def each(self, path: str, *, labels: str = "", fields: str = "") -> Iterator[Object]:
        """All objects, one after the other: of them only a page is in memory."""
        for page, _ in self._pages(path, labels, fields, Meter(PASSED_BYTES)):
            yield from page

    def _pages(
        self, path: str, labels: str, fields: str, meter: Meter
    ) -> Iterator[tuple[list[Object], str]]:
        query = {"limit": str(PAGE), "labelSelector": labels, "fieldSelector": fields}
        query = {name: value for name, value in query.items() if value}
        while True:
            content = self._retried(Request("GET", path, query)).content
            # An empty page counts too: there may be no end of them.
            meter.count(max(len(content), _LEAST_BYTES))
            items, version, further = page_in(decoded(content))
            yield items, version
            if not further:
                return
            query["continue"] = further

    def count(self, path: str) -> int:
        """How many objects there are, without fetching them where the server tells."""
        page = self.get(path, {"limit": "1"})
        items, _, more = page_in(page)
        if not more:
            return len(items)
        further = page["metadata"].get("remainingItemCount")
        if further is None:
            return sum(1 for _ in self.each(path))
        if not isinstance(further, int):
            raise MalformedAnswerError(say("api_no_list"))
        return len(items) + further

    def create(self, path: str, body: Object, *, dry_run: bool = False) -> Object:
        """Create an object under its name.

        The name makes it safe to ask again, but then the first try's object may be found:
        AlreadyExists is raised for that as for any other.
        """
        query = {"dryRun": "All"} if dry_run else None
        return self._patiently(Request("POST", path, query, body))

    def replace(self, path: str, body: Object) -> Object:
        """Replace an object; a `resourceVersion` in it must be the present one (409)."""
        return self._patiently(Request("PUT", path, body=body))

    def patch(self, path: str, body: Object) -> Object:
        """Change the given fields (JSON merge patch: None removes one)."""
        merge = "application/merge-patch+json"
        return self._patiently(Request("PATCH", path, body=body, content_type=merge))

    def apply(self, path: str, body: Object, *, dry_run: bool = False) -> Object:
        """Make the object be as given (server-side apply), taking over fields of others."""
        query = {"fieldManager": FIELD_MANAGER, "force": "true"}
        if dry_run:
            query["dryRun"] = "All"
        return self._patiently(
            Request("PATCH", path, query, body, content_type="application/apply-patch+yaml")
        )

    def delete(self, path: str, *, uid: str | None = None, version: str | None = None) -> None:
        """Delete an object. An object that is missing or has another `uid` is no error.

        Another `version` is no error either.
        """
        body: Object = {"propagationPolicy": "Background"}
        if uid is not None:
            body["preconditions"] = {"uid": uid}
            if version is not None:
                body["preconditions"]["resourceVersion"] = version
        try:
            self._patiently(Request("DELETE", path, body=body))
        except ApiRefusedError as error:
            if error.status != 404 and not (error.status == 409 and uid is not None):
                raise

    def delete_all(self, path: str, labels: str) -> None:
        """Delete every object with the labels."""
        if not labels:
            raise ValueError("all objects of a collection are never deleted")
        query = {"labelSelector": labels}
        self._patiently(Request("DELETE", path, query, {"propagationPolicy": "Background"}))

    def watch(
        self,
        path: str,
        resource_version: str,
        *,
        seconds: int,
        labels: str = "",
        fields: str = "",
        meter: Meter | None = None,
    ) -> Generator[tuple[str, Object], None, None]:
        """Changes after `resource_version` as (type, object), for so many seconds at most.

        Bookmarks are among them; all are counted by `meter`. Raises ApiRefusedError with status
        410 when the version is too old to go on from, ApiUnavailableError for a connection that
        breaks.
        """
        query = {
            "watch": "true",
            "allowWatchBookmarks": "true",
            "resourceVersion": resource_version,
            "timeoutSeconds": str(seconds),
            "labelSelector": labels,
            "fieldSelector": fields,
        }
        query = {name: value for name, value in query.items() if value}
        try:
            answer = self._ask(
                Request("GET", path, query), (CONNECT_SECONDS, seconds + WATCH_GRACE_SECONDS)
            )
            try:
                if answer.status != 200:
                    raise failure_of(read_whole(answer))
                for line in _lines(answer.response):
                    if meter is not None:
                        meter.count(len(line))
                    change, item = change_in(line)
                    if change == "ERROR":
                        raise failure(_code_of(item), item)
                    yield change, item
            finally:
                # Closed first: what is still to come is no beginning of another answer.
                answer.response.close()
                answer.response.release_conn()
        except BROKEN as error:
            raise ApiUnavailableError(say("api_watch_broke", said=clipped(error))) from error

    def now(self) -> str:
        """The API server's clock, as its Date header gives it (RFC 9110, whole seconds)."""
        said = self._retried(VERSION).headers.get("Date") or ""
        try:
            parsedate_to_datetime(said)
        except SIGNS as error:
            raise MalformedAnswerError(say("api_no_date")) from error
        return said

    def _patiently(self, request: Request) -> Object:
        return decoded(self._retried(request).content)


def _lines(response: BaseHTTPResponse) -> Iterator[bytes]:
    rest = bytearray()
    for piece in response.stream():
        *ends, begun = piece.split(b"\n")
        for end in ends:
            yield bytes(rest + end)
            rest.clear()
        rest += begun
        if len(rest) > LARGEST_BYTES:
            raise ValueError("a line has no end")
    if rest:
        yield bytes(rest)


def _code_of(status: Object) -> int:
    code = status.get("code")
    return code if isinstance(code, int) else 500
