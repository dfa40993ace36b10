"""The API server, one client for each use of a cluster.

Objects are the API's own JSON. What failed for now (no connection, too many requests, a server
error) is tried again for `patience_seconds`, wherever trying again cannot do harm: reading,
deleting, applying, and creating under a given name.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kubernetes.client.exceptions import ApiException
from urllib3.exceptions import HTTPError

from podmeter.domain.messages import say
from podmeter_worker.kube.errors import ApiRefusedError, ApiUnavailableError
from podmeter_worker.kube.pool import CONNECT_SECONDS, CheckedPool, api_client

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping
    from email.message import Message

    from kubernetes.client.rest import RESTResponse
    from urllib3 import BaseHTTPResponse

    from podmeter_worker.kube.access import ClusterAccess
    from podmeter_worker.kube.resources import Object

#: A little more than the minute that an upgrade of a control plane takes it away for.
PATIENCE_SECONDS = 90.0
_PAGE = 500
#: No answer is that long: a page of 500 nodes with all their images takes some 15 MB.
LARGEST_BYTES = 64 << 20
_BUSY = (429, 500, 502, 503, 504)
_JSON = "application/json"
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
    patience is over.
    """

    def __init__(self, access: ClusterAccess, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self.access = access
        self.patience_seconds = patience_seconds
        self._pool = CheckedPool(access)
        self._api = api_client(access, self._pool)

    def __enter__(self) -> KubeClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

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
        """All objects, fetched in pages."""
        query = {"limit": str(_PAGE), "labelSelector": labels, "fieldSelector": fields}
        query = {name: value for name, value in query.items() if value}
        items: list[Object] = []
        while True:
            page = self.get(path, query)
            items += page.get("items") or []
            metadata = page["metadata"]
            if not metadata.get("continue"):
                return Listing(tuple(items), metadata["resourceVersion"])
            query["continue"] = metadata["continue"]

    def count(self, path: str) -> int:
        """How many objects there are, without fetching them."""
        page = self.get(path, {"limit": "1"})
        return len(page.get("items") or []) + int(page["metadata"].get("remainingItemCount") or 0)

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

    def delete(self, path: str, *, uid: str | None = None) -> None:
        """Delete an object; one that is gone, or is another than `uid`, is no error."""
        body: Object = {"propagationPolicy": "Background"}
        if uid is not None:
            body["preconditions"] = {"uid": uid}
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
        self, path: str, resource_version: str, *, seconds: int, labels: str = "", fields: str = ""
    ) -> Generator[tuple[str, Object], None, None]:
        """Changes after `resource_version` as (type, object), for so many seconds at most.

        Bookmarks are among them. Raises ApiRefusedError with status 410 when the version is too
        old to go on from, ApiUnavailableError for a connection that breaks.
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
            answer = self._ask("GET", path, query, timeout=(CONNECT_SECONDS, seconds + 15.0))
            try:
                if answer.status != 200:
                    raise failure_of(_read(answer))
                for line in _lines(answer.response):
                    event = json.loads(line)
                    if event["type"] == "ERROR":
                        raise _failure(int(event["object"].get("code", 500)), event["object"])
                    yield event["type"], event["object"]
            finally:
                # Closed first: what is still to come is no beginning of another answer.
                answer.response.close()
                answer.response.release_conn()
        except (HTTPError, ApiException, ValueError) as error:
            raise ApiUnavailableError(say("api_watch_broke", said=str(error))) from error

    def now(self) -> str:
        """The API server's clock, as its Date header gives it (RFC 9110, whole seconds)."""
        return self._retried("GET", "/version", None, None, _JSON).headers["Date"]

    def _patiently(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Object | None = None,
        content_type: str = _JSON,
    ) -> Object:
        answer = self._retried(method, path, query, body, content_type)
        try:
            document: Any = json.loads(answer.content)
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise ApiUnavailableError(say("api_no_object"))
        return document

    def _retried(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None,
        body: Object | None,
        content_type: str,
    ) -> Answer:
        deadline = time.monotonic() + self.patience_seconds
        pause = 0.1
        while True:
            try:
                return self._send(method, path, query, body, content_type)
            except ApiUnavailableError as error:
                wait = max(pause, error.retry_after or 0.0)
                if time.monotonic() + wait > deadline:
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
    ) -> Answer:
        try:
            answer = _read(self._ask(method, path, query, body, content_type))
        except (HTTPError, ApiException) as error:
            raise ApiUnavailableError(say("api_unreached", said=str(error))) from error
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
    rest = b""
    for piece in response.stream():
        *whole, rest = (rest + piece).split(b"\n")
        yield from whole
        if len(rest) > LARGEST_BYTES:
            raise ValueError("a line has no end")
    if rest:
        yield rest


def failure_of(answer: Answer) -> ApiRefusedError | ApiUnavailableError:
    """The error that an answer other than 2xx is."""
    try:
        status = json.loads(answer.content)
    except ValueError:
        status = {}
    retry_after = answer.headers.get("Retry-After")
    return _failure(answer.status, status if isinstance(status, dict) else {}, retry_after)


def _failure(
    code: int, status: Object, retry_after: str | None = None
) -> ApiRefusedError | ApiUnavailableError:
    told = status.get("message")
    said = str(told) if told else say("no_further_word")
    if code in _BUSY:
        seconds = str((status.get("details") or {}).get("retryAfterSeconds") or retry_after or "")
        wait = float(seconds) if seconds.isdigit() else None
        return ApiUnavailableError(say("api_answered", status=code, said=said), wait)
    return ApiRefusedError(code, str(status.get("reason") or code), said)
