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

import httpx

from podmeter_worker.kube.errors import ApiRefusedError, ApiUnavailableError
from podmeter_worker.kube.transport import TIMEOUT, CheckedTransport

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from podmeter_worker.kube.access import ClusterAccess
    from podmeter_worker.kube.resources import Object

#: A little more than the minute that an upgrade of a control plane takes it away for.
PATIENCE_SECONDS = 90.0
_CONNECTIONS = 16
_PAGE = 500
_BUSY = (429, 500, 502, 503, 504)
#: Who owns the fields that Podmeter applies.
FIELD_MANAGER = "podmeter"


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
        self._http = httpx.Client(
            transport=CheckedTransport(access, _CONNECTIONS),
            base_url=str(access.url),
            headers=access.headers,
            timeout=TIMEOUT,
            follow_redirects=False,
            trust_env=False,
        )

    def __enter__(self) -> KubeClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

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
    ) -> Iterator[tuple[str, Object]]:
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
        timeout = httpx.Timeout(30.0, connect=10.0, read=seconds + 15.0)
        try:
            with self._http.stream("GET", path, params=query, timeout=timeout) as response:
                if response.status_code != 200:
                    response.read()
                    raise _failure_of(response)
                for line in response.iter_lines():
                    event = json.loads(line)
                    if event["type"] == "ERROR":
                        raise _failure(int(event["object"].get("code", 500)), event["object"])
                    yield event["type"], event["object"]
        except (httpx.TransportError, ValueError) as error:
            raise ApiUnavailableError(f"the watch broke: {error}") from error

    def now(self) -> str:
        """The API server's clock, as its Date header gives it (RFC 9110, whole seconds)."""
        response = self._retried("GET", "/version", None, None, "application/json")
        return str(response.headers["Date"])

    def _patiently(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Object | None = None,
        content_type: str = "application/json",
    ) -> Object:
        response = self._retried(method, path, query, body, content_type)
        document: Any = response.json()
        if not isinstance(document, dict):
            raise ApiUnavailableError("the API server's answer is no object")
        return document

    def _retried(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None,
        body: Object | None,
        content_type: str,
    ) -> httpx.Response:
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
    ) -> httpx.Response:
        content = None if body is None else json.dumps(body, separators=(",", ":")).encode()
        headers = {} if body is None else {"Content-Type": content_type}
        try:
            response = self._http.request(
                method, path, params=query, content=content, headers=headers
            )
        except httpx.TransportError as error:
            raise ApiUnavailableError(f"the API server was not reached: {error}") from error
        if not response.is_success:
            raise _failure_of(response)
        return response


def _failure_of(response: httpx.Response) -> ApiRefusedError | ApiUnavailableError:
    retry_after = response.headers.get("Retry-After")
    return failure_of(response.status_code, response.content, retry_after)


def failure_of(
    code: int, content: bytes, retry_after: str | None
) -> ApiRefusedError | ApiUnavailableError:
    """The error that an answer other than 2xx is."""
    try:
        status = json.loads(content)
    except ValueError:
        status = {}
    return _failure(code, status if isinstance(status, dict) else {}, retry_after)


def _failure(
    code: int, status: Object, retry_after: str | None = None
) -> ApiRefusedError | ApiUnavailableError:
    said = str(status.get("message") or "no further word")
    if code in _BUSY:
        seconds = str((status.get("details") or {}).get("retryAfterSeconds") or retry_after or "")
        wait = float(seconds) if seconds.isdigit() else None
        return ApiUnavailableError(f"the API server answered {code}: {said}", wait)
    return ApiRefusedError(code, str(status.get("reason") or code), said)
