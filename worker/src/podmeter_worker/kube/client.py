"""The API server, one client for each use of a cluster.

Objects are the API's own JSON. What failed for now (no connection, too many requests, a server
error) is tried again for `patience_seconds`, wherever trying again cannot do harm: reading,
deleting, applying, and creating under a given name.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import TYPE_CHECKING

from kubernetes.client.exceptions import ApiException
from urllib3.exceptions import HTTPError

from podmeter.domain.messages import say
from podmeter_worker.kube.errors import (
    ApiRefusedError,
    ApiUnavailableError,
    MalformedAnswerError,
    PortRefusedError,
)
from podmeter_worker.kube.limits import (
    KEPT_BYTES,
    LARGEST_BYTES,
    PAGE,
    PASSED_BYTES,
    Meter,
    clipped,
)
from podmeter_worker.kube.pool import CONNECT_SECONDS, REQUEST_SECONDS, CheckedPool, api_client
from podmeter_worker.kube.reading import SIGNS, change_in, decoded, page_in, status_in

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping
    from email.message import Message

    from kubernetes.client.rest import RESTResponse
    from urllib3 import BaseHTTPResponse

    from podmeter_worker.kube.access import ClusterAccess
    from podmeter_worker.kube.resources import Object

#: A little more than the minute that an upgrade of a control plane takes it away for.
PATIENCE_SECONDS = 90.0
#: What the libraries between here and a socket raise about an answer, whatever is wrong with it.
BROKEN = (HTTPError, ApiException, HTTPException, OSError, *SIGNS)
#: So long after a watch should have ended by itself it is ended.
WATCH_GRACE_SECONDS = 15.0
#: The least that a page of a list counts for.
_LEAST_BYTES = 4 << 10
_BUSY = (429, 500, 502, 503, 504)
_JSON = "application/json"
_VERSION = "/version"
#: It reads them within a second or two.
_RULES_SECONDS = 10.0
_SIDE_BY_SIDE_SECONDS = 0.3
#: Who owns the fields that Podmeter applies.
FIELD_MANAGER = "podmeter"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as it came; its headers by any case of their names."""

    status: int
    headers: Mapping[str, str] | Message
    content: bytes


@dataclass(frozen=True, slots=True)
class Listing:
    """All objects that a list gave, and the version of the cluster's state they are of."""

    items: tuple[Object, ...]
    resource_version: str


class KubeClient:
    """Requests to one API server; safe to use from several threads.

    Methods raise ApiRefusedError for an answer that is no, and ApiUnavailableError when the
    patience is over. `request_seconds` are for one request, however its answer trickles in.
    `guard` is called right before each request that may change something, and raises where that
    may not be any more. Unless `awaits_port`, a refused connection is told at once: an API server
    that restarts is waited for, one that was never met is more likely at another address.
    """

    def __init__(
        self,
        access: ClusterAccess,
        patience_seconds: float = PATIENCE_SECONDS,
        request_seconds: float = REQUEST_SECONDS,
    ) -> None:
        self.access = access
        self.patience_seconds, self.request_seconds = patience_seconds, request_seconds
        self.guard: Callable[[], None] = lambda: None
        self._refuses_for_good = False
        self.awaits_port = True
        self._pool = CheckedPool(access)
        self._api = api_client(access, self._pool)

    def __enter__(self) -> KubeClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def hurry(self, answer_seconds: float, whole_seconds: float) -> None:
        """Wait so long for an answer, tries included, and for everything together."""
        self.patience_seconds = self.request_seconds = answer_seconds
        self.access.until = time.monotonic() + whole_seconds

    def close(self) -> None:
        """Close all connections."""
        self._api.close()  # type: ignore[no-untyped-call]

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Object:
        """One object."""
        return self._patiently("GET", path, query=query)

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
            content = self._retried("GET", path, query, None, _JSON).content
            # An empty page counts too: there may be no end of them.
            meter.count(max(len(content), _LEAST_BYTES))
            items, version, further = page_in(decoded(content))
            yield items, version
            if not further:
                return
            query["continue"] = further

    def count(self, path: str) -> int:
        """How many objects there are, without fetching them."""
        page = self.get(path, {"limit": "1"})
        items, _, _ = page_in(page)
        further = page["metadata"].get("remainingItemCount") or 0
        if not isinstance(further, int):
            raise MalformedAnswerError(say("api_no_list"))
        return len(items) + further

    def create(self, path: str, body: Object, *, dry_run: bool = False) -> Object:
        """Create an object under its name.

        The name makes it safe to ask again, but then the first try's object may be found:
        AlreadyExists is raised for that as for any other.
        """
        query = {"dryRun": "All"} if dry_run else None
        return self._patiently("POST", path, query=query, body=body)

    def replace(self, path: str, body: Object) -> Object:
        """Replace an object; a `resourceVersion` in it must be the present one (409)."""
        return self._patiently("PUT", path, body=body)

    def patch(self, path: str, body: Object) -> Object:
        """Change the given fields (JSON merge patch: None removes one)."""
        return self._patiently(
            "PATCH", path, body=body, content_type="application/merge-patch+json"
        )

    def apply(self, path: str, body: Object, *, dry_run: bool = False) -> Object:
        """Make the object be as given (server-side apply), taking over fields of others."""
        query = {"fieldManager": FIELD_MANAGER, "force": "true"}
        if dry_run:
            query["dryRun"] = "All"
        return self._patiently(
            "PATCH", path, query=query, body=body, content_type="application/apply-patch+yaml"
        )

    def delete(self, path: str, *, uid: str | None = None, version: str | None = None) -> None:
        """Delete an object; one that is gone, or is another than `uid`, is no error.

        Nor is one that has another `version` by now.
        """
        body: Object = {"propagationPolicy": "Background"}
        if uid is not None:
            body["preconditions"] = {"uid": uid}
            if version is not None:
                body["preconditions"]["resourceVersion"] = version
        try:
            self._patiently("DELETE", path, body=body)
        except ApiRefusedError as error:
            if error.status != 404 and not (error.status == 409 and uid is not None):
                raise

    def delete_all(self, path: str, labels: str) -> None:
        """Delete every object with the labels."""
        if not labels:
            raise ValueError("all objects of a collection are never deleted")
        query = {"labelSelector": labels}
        self._patiently("DELETE", path, query=query, body={"propagationPolicy": "Background"})

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
                "GET", path, query, timeout=(CONNECT_SECONDS, seconds + WATCH_GRACE_SECONDS)
            )
            try:
                if answer.status != 200:
                    raise failure_of(_read(answer))
                for line in _lines(answer.response):
                    if meter is not None:
                        meter.count(len(line))
                    change, item = change_in(line)
                    if change == "ERROR":
                        raise _failure(_code_of(item), item)
                    yield change, item
            finally:
                # Closed first: what is still to come is no beginning of another answer.
                answer.response.close()
                answer.response.release_conn()
        except BROKEN as error:
            raise ApiUnavailableError(say("api_watch_broke", said=clipped(error))) from error

    def now(self) -> str:
        """The API server's clock, as its Date header gives it (RFC 9110, whole seconds)."""
        said = self._retried("GET", _VERSION, None, None, _JSON).headers.get("Date") or ""
        try:
            parsedate_to_datetime(said)
        except SIGNS as error:
            raise MalformedAnswerError(say("api_no_date")) from error
        return said

    def _patiently(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Object | None = None,
        content_type: str = _JSON,
    ) -> Object:
        return decoded(self._retried(method, path, query, body, content_type).content)

    def await_rules(self, refusal: ApiRefusedError) -> None:
        """Wait until the API server has read who may do what.

        Right after its start it refuses everything with 403, even its version, which it tells
        everybody. Raises the refusal it is about where the version is refused until the patience
        is over, ApiUnavailableError where it is not told at all.
        """
        try:
            self._tried("GET", _VERSION, None, None, _JSON, _RULES_SECONDS)
        except ApiRefusedError:
            raise refusal from None
        # Cluster roles, which this took, and roles of namespaces are read side by side.
        time.sleep(_SIDE_BY_SIDE_SECONDS)

    def _retried(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None,
        body: Object | None,
        content_type: str,
    ) -> Answer:
        try:
            return self._tried(method, path, query, body, content_type)
        except ApiRefusedError as error:
            if error.status != 403 or self._refuses_for_good:
                raise
            self.await_rules(error)
        try:
            return self._tried(method, path, query, body, content_type)
        except ApiRefusedError as error:
            self._refuses_for_good = error.status == 403
            raise

    def _tried(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None,
        body: Object | None,
        content_type: str,
        at_most: float = math.inf,
    ) -> Answer:
        begun, pause = time.monotonic(), 0.1
        patience = min(at_most, self.patience_seconds)
        deadline = begun + patience
        # The last try is over with the patience, but the first one is always whole.
        end = begun + max(patience, self.request_seconds)
        while True:
            seconds = min(self.request_seconds, end - time.monotonic())
            try:
                if method != "GET":
                    self.guard()
                return self._send(method, path, query, body, content_type, seconds)
            except (ApiUnavailableError, ApiRefusedError) as error:
                if isinstance(error, PortRefusedError) and not self.awaits_port:
                    raise
                if isinstance(error, ApiUnavailableError):
                    # What answers next may be another one, or have been started anew.
                    self._refuses_for_good = False
                    wait = max(pause, error.retry_after or 0.0)
                elif (error.status, path) == (403, _VERSION):
                    wait = pause
                else:
                    raise
                if time.monotonic() + wait > min(deadline, self.access.until):
                    raise
                time.sleep(wait)
                pause = min(2 * pause, 2.0)

    def _send(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None,
        body: Object | None,
        content_type: str,
        seconds: float,
    ) -> Answer:
        timeout = (CONNECT_SECONDS, max(seconds, 0.001))
        try:
            answer = _read(self._ask(method, path, query, body, content_type, timeout))
        except BROKEN as error:
            raise ApiUnavailableError(say("api_unreached", said=clipped(error))) from error
        if not 200 <= answer.status < 300:
            raise failure_of(answer)
        return answer

    def _ask(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: Object | None = None,
        content_type: str = _JSON,
        timeout: tuple[float, float] | None = None,
    ) -> RESTResponse:
        headers = {} if body is None else {"Content-Type": content_type}
        method, url, headers, *_ = self._api.param_serialize(
            method, path, query_params=list((query or {}).items()), header_params=headers
        )
        # The body is the API's own JSON: nothing of it is to be translated.
        return self._api.call_api(method, url, headers, body, _request_timeout=timeout)


def _read(answer: RESTResponse) -> Answer:
    """The whole answer. Raises ApiUnavailableError for one without an end."""
    content = b""
    # Only a read that finds nothing more tells a whole answer from one that was cut.
    while piece := answer.response.read(LARGEST_BYTES):
        content += piece
        if len(content) > LARGEST_BYTES:
            answer.response.close()
            answer.response.release_conn()
            raise ApiUnavailableError(say("api_too_long"))
    return Answer(answer.status, answer.headers, content)


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


def failure_of(answer: Answer) -> ApiRefusedError | ApiUnavailableError:
    """The error that an answer other than 2xx is."""
    return _failure(answer.status, status_in(answer.content), answer.headers.get("Retry-After"))


def _failure(
    code: int, status: Object, retry_after: str | None = None
) -> ApiRefusedError | ApiUnavailableError:
    told, details = status.get("message"), status.get("details")
    said = clipped(told) if told else say("no_further_word")
    if code in _BUSY:
        asked = details.get("retryAfterSeconds") if isinstance(details, dict) else None
        seconds = str(asked or retry_after or "")
        wait = float(seconds) if seconds.isascii() and seconds.isdigit() else None
        return ApiUnavailableError(say("api_answered", status=code, said=said), wait)
    if 300 <= code < 400:
        said = say("api_redirects", status=code)
    elif not told:
        said = say("api_answered", status=code, said=said)
    return ApiRefusedError(code, clipped(status.get("reason") or code), said)


def _code_of(status: Object) -> int:
    code = status.get("code")
    return code if isinstance(code, int) else 500
