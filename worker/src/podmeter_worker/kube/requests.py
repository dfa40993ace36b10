"""One request to an API server, tried again while that cannot do harm.

What failed for now (no connection, too many requests, a server error) is tried again for
`patience_seconds`: reading, deleting, applying, and creating under a given name.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from http.client import HTTPException
from typing import TYPE_CHECKING

from kubernetes.client.exceptions import ApiException
from urllib3.exceptions import HTTPError

from podmeter.domain.messages import say
from podmeter_worker.kube.errors import ApiRefusedError, ApiUnavailableError, PortRefusedError
from podmeter_worker.kube.limits import LARGEST_BYTES, clipped
from podmeter_worker.kube.pool import CONNECT_SECONDS, REQUEST_SECONDS, CheckedPool, api_client
from podmeter_worker.kube.reading import SIGNS, status_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from email.message import Message
    from typing import Self

    from kubernetes.client.rest import RESTResponse

    from podmeter_worker.kube.access import ClusterAccess
    from podmeter_worker.kube.resources import Object

#: A little more than the minute that an upgrade of a control plane takes it away for.
PATIENCE_SECONDS = 90.0
#: What the libraries between here and a socket raise about an answer, whatever is wrong with it.
BROKEN = (HTTPError, ApiException, HTTPException, OSError, *SIGNS)
_BUSY = (429, 500, 502, 503, 504)
#: It reads them within a second or two.
_RULES_SECONDS = 10.0
_SIDE_BY_SIDE_SECONDS = 0.3


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked; a body is the API's own JSON."""

    method: str
    path: str
    query: Mapping[str, str] | None = None
    body: Object | None = None
    content_type: str = "application/json"


#: Told to everybody, once the API server has read who may do what.
VERSION = Request("GET", "/version")


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as it came; its headers by any case of their names."""

    status: int
    headers: Mapping[str, str] | Message
    content: bytes


class Requests:
    """Requests to one API server; safe to use from several threads.

    Methods raise ApiRefusedError for an answer that is no, and ApiUnavailableError when the
    patience is over. `request_seconds` are for one request, however its answer trickles in.
    `guard` is called right before each request that may change something, and raises where that
    may not be any more. Unless `awaits_port`, a refused connection is raised at once: an API server
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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def set_timeouts(self, answer_seconds: float, whole_seconds: float) -> None:
        """Wait so long for an answer, tries included, and for everything together."""
        self.patience_seconds = self.request_seconds = answer_seconds
        self.access.until = time.monotonic() + whole_seconds

    def close(self) -> None:
        """Close all connections."""
        self._api.close()  # type: ignore[no-untyped-call]

    def await_rules(self, refusal: ApiRefusedError) -> None:
        """Wait until the API server has read who may do what.

        Right after its start it refuses everything with 403, even its version, which it tells
        everybody. Raises the refusal it is about where the version is refused until the patience
        is over, ApiUnavailableError if the server cannot be reached.
        """
        try:
            self._tried(VERSION, _RULES_SECONDS)
        except ApiRefusedError:
            raise refusal from None
        # Cluster roles, which this took, and roles of namespaces are read side by side.
        time.sleep(_SIDE_BY_SIDE_SECONDS)

    def _retried(self, request: Request) -> Answer:
        try:
            return self._tried(request)
        except ApiRefusedError as error:
            if error.status != 403 or self._refuses_for_good:
                raise
            self.await_rules(error)
        try:
            return self._tried(request)
        except ApiRefusedError as error:
            self._refuses_for_good = error.status == 403
            raise

    def _tried(self, request: Request, at_most: float = math.inf) -> Answer:
        begun, pause = time.monotonic(), 0.1
        patience = min(at_most, self.patience_seconds)
        deadline = begun + patience
        # The last try is over with the patience, but the first one is always whole.
        end = begun + max(patience, self.request_seconds)
        while True:
            seconds = min(self.request_seconds, end - time.monotonic())
            try:
                if request.method != "GET":
                    self.guard()
                return self._send(request, seconds)
            except (ApiUnavailableError, ApiRefusedError) as error:
                if isinstance(error, PortRefusedError) and not self.awaits_port:
                    raise
                if isinstance(error, ApiUnavailableError):
                    # The next response may come from another or restarted server.
                    self._refuses_for_good = False
                    wait = max(pause, error.retry_after or 0.0)
                elif (error.status, request) == (403, VERSION):
                    wait = pause
                else:
                    raise
                if time.monotonic() + wait > min(deadline, self.access.until):
                    raise
                time.sleep(wait)
                pause = min(2 * pause, 2.0)

    def _send(self, request: Request, seconds: float) -> Answer:
        timeout = (CONNECT_SECONDS, max(seconds, 0.001))
        try:
            answer = read_whole(self._ask(request, timeout))
        except BROKEN as error:
            raise ApiUnavailableError(say("api_unreached", said=clipped(error))) from error
        if not 200 <= answer.status < 300:
            raise failure_of(answer)
        return answer

    def _ask(self, request: Request, timeout: tuple[float, float]) -> RESTResponse:
        method, url, headers, *_ = self._api.param_serialize(
            request.method,
            request.path,
            query_params=list((request.query or {}).items()),
            header_params={} if request.body is None else {"Content-Type": request.content_type},
        )
        # The body is the API's own JSON and needs no translation.
        return self._api.call_api(method, url, headers, request.body, _request_timeout=timeout)


def read_whole(answer: RESTResponse) -> Answer:
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


def failure_of(answer: Answer) -> ApiRefusedError | ApiUnavailableError:
    """The error that an answer other than 2xx is."""
    return failure(answer.status, status_in(answer.content), answer.headers.get("Retry-After"))


def failure(
    code: int, status: Object, retry_after: str | None = None
) -> ApiRefusedError | ApiUnavailableError:
    """The error that such a status code is, with what the Status object beside it says."""
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
