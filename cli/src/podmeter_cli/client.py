"""A client of the REST API: calls, pages, events, and what is wrong with a request.

The shapes of requests and answers are `podmeter_cli.api_types`, generated from docs/openapi.json;
they are types alone and cost no time at start. A test holds every path that is used here to the
OpenAPI document.
"""

from __future__ import annotations

import json
import re
import time
import uuid
from collections.abc import Callable, Generator, Iterator, Mapping
from http import HTTPStatus
from typing import Any

import httpx

from podmeter_cli import ci_login, login_file
from podmeter_cli.exits import CommandError, ExitCode
from podmeter_cli.login_file import JobLogin, Login

#: How long a server may be away while a command works: a restart, a network that changes.
PATIENCE_SECONDS = 90.0
_PAUSE_SECONDS = 1.0
#: How long before its end a job's token is exchanged for the next one.
_BEFORE_SECONDS = 60.0
_AWAY = frozenset({502, 503, 504})
#: The first of a stream's events, which the server does not send: it answers.
_OPEN = "open"
#: Comes while nothing happens.
PING = "ping"
#: What steers a terminal instead of being read, and what nobody sees.
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
#: Values of a query: one, or several of the same name.
Query = Mapping[str, str | int | bool | list[str] | None]


class ApiError(CommandError):
    """The server refused a request; `problem` is its problem document (RFC 9457)."""

    def __init__(self, request: str, status: int, problem: dict[str, Any]) -> None:
        self.status, self.problem = status, problem
        super().__init__(_explained(request, status, problem), _exit_code(status))


class _Bearer(httpx.Auth):
    """Sends the token. A job's, which lasts 15 min, is exchanged again before it expires, and where
    it has ended: an administrator may have changed the trust.
    """

    def __init__(self, login: Login) -> None:
        self._login = login

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """The request with it."""
        job = self._login.job
        if job is not None and job.ends_within(_BEFORE_SECONDS):
            self._exchange(job)
        answer = yield self._with_token(request)
        if job is not None and answer.status_code == HTTPStatus.UNAUTHORIZED:
            self._exchange(job)
            yield self._with_token(request)

    def _exchange(self, job: JobLogin) -> None:
        self._login = ci_login.exchange(self._login.url, job.trust, job.audience)
        login_file.keep(self._login)

    def _with_token(self, request: httpx.Request) -> httpx.Request:
        request.headers["Authorization"] = f"Bearer {self._login.token}"
        return request


class Client:
    """Calls the API of one server as one user. Closed by `with`."""

    def __init__(
        self, login: Login, agent: str = "podmeter-cli", patience: float = PATIENCE_SECONDS
    ) -> None:
        self.url = login.url
        self.patience = patience
        #: Told once whenever the server is away, and the command waits for it.
        self.on_away: Callable[[str], None] = lambda _: None
        self._http = httpx.Client(
            base_url=f"{login.url}/api/v1",
            auth=_Bearer(login),
            headers={"User-Agent": agent},
            timeout=httpx.Timeout(30, read=90),
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def get(self, path: str, query: Query | None = None) -> Any:
        """The answer's JSON."""
        return _json(self.send("GET", path, query=query))

    def pages(
        self, path: str, query: Query | None = None, most: int | None = None
    ) -> Iterator[Any]:
        """The items of a list, page by page; at most so many."""
        asked: dict[str, Any] = {**(query or {}), "limit": min(most or 100, 100)}
        count = 0
        while True:
            page = self.get(path, asked)
            for item in page["items"]:
                yield item
                count += 1
                if count == most:
                    return
            if page["next_cursor"] is None:
                return
            asked["cursor"] = page["next_cursor"]

    def post(self, path: str, body: object = None, query: Query | None = None) -> Any:
        """The answer's JSON. Sent again where no answer came: the key makes it count once."""
        key = {"Idempotency-Key": str(uuid.uuid4())}
        return _json(self.send("POST", path, body, query, headers=key))

    def put(self, path: str, body: object, headers: Mapping[str, str] | None = None) -> Any:
        """The answer's JSON."""
        return _json(self.send("PUT", path, body, headers=headers))

    def patch(self, path: str, body: object, etag: str) -> Any:
        """The answer's JSON, of a change based on a version."""
        return _json(self.send("PATCH", path, body, headers={"If-Match": etag}))

    def delete(self, path: str, etag: str | None = None) -> None:
        """Delete it, where given only the version that was read."""
        self.send("DELETE", path, headers={"If-Match": etag} if etag else None)

    def text(self, path: str, query: Query | None = None) -> str:
        """An answer that is not JSON."""
        return self.send("GET", path, query=query).text

    def send(
        self,
        method: str,
        path: str,
        body: object = None,
        query: Query | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """The answer, once there is one.

        Raises ApiError for a refusal, CommandError where the server does not answer.
        """
        words = {name: value for name, value in (query or {}).items() if value is not None}
        sent = dict(headers or {})
        content = None
        if isinstance(body, bytes):
            content = body
        elif body is not None:
            content = json.dumps(body).encode()
            sent.setdefault("Content-Type", "application/json")
        # A change without a key is not sent twice: whether the first one arrived is not known.
        again = method in ("GET", "DELETE", "PUT") or "Idempotency-Key" in sent
        request = self._http.build_request(
            method, path.lstrip("/"), params=words, content=content, headers=sent
        )
        answer = self._answered(request, again=again)
        if not answer.is_success:
            answer.read()
            raise ApiError(f"{method} {request.url.path}", answer.status_code, _problem(answer))
        return answer

    def download(self, path: str, query: Query) -> Iterator[bytes]:
        """A file's bytes, piece by piece."""
        with self._http.stream("GET", path.lstrip("/"), params=dict(query)) as answer:
            if not answer.is_success:
                answer.read()
                raise ApiError(f"GET {answer.url.path}", answer.status_code, _problem(answer))
            yield from answer.iter_bytes()

    def events(self, run_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """(type, content) of what happens in a run, from its beginning to its end.

        While nothing happens a `PING` comes every 15 s.
        Continues with the next event where a connection is lost. Raises CommandError where the
        server stays away longer than `patience`.
        """
        last = "0"
        deadline: float | None = None
        while True:
            try:
                for number, kind, content in self._stream(run_id, last):
                    # A server that answers is back, also where nothing happens in the run.
                    deadline = None
                    if kind == _OPEN:
                        continue
                    last = number or last
                    if kind == "end":
                        return
                    yield kind, content
                wrong = "the stream ended"
            except httpx.TransportError as error:
                wrong = _transport(error)
            except ApiError as error:
                if error.status not in _AWAY and error.status != 429:
                    raise
                wrong = f"HTTP {error.status}"
            if deadline is None:
                deadline = time.monotonic() + self.patience
                self.on_away(wrong)
            elif time.monotonic() > deadline:
                raise self._lost(wrong)
            time.sleep(_PAUSE_SECONDS)

    def _stream(self, run_id: str, last: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
        headers = {"Last-Event-ID": last, "Accept": "text/event-stream"}
        # A comment comes every 15 s: a connection that is silent for longer is lost.
        timeout = httpx.Timeout(30, read=45)
        path = f"runs/{run_id}/events"
        with self._http.stream("GET", path, headers=headers, timeout=timeout) as answer:
            if not answer.is_success:
                answer.read()
                raise ApiError(f"GET /api/v1/{path}", answer.status_code, _problem(answer))
            yield "", _OPEN, {}
            yield from server_sent(answer.iter_lines())

    def _answered(self, request: httpx.Request, *, again: bool) -> httpx.Response:
        deadline: float | None = None
        while True:
            try:
                answer = self._http.send(request)
                if answer.status_code == 429:
                    pause = float(answer.headers.get("Retry-After") or _PAUSE_SECONDS)
                    wrong = "too many requests"
                elif answer.status_code in _AWAY and again:
                    pause, wrong = _PAUSE_SECONDS, f"HTTP {answer.status_code}"
                else:
                    return answer
            except httpx.TransportError as error:
                pause, wrong = _PAUSE_SECONDS, _transport(error)
                # What was never connected was never sent.
                if not again and not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
                    raise self._lost(wrong) from error
            if deadline is None:
                deadline = time.monotonic() + self.patience
                if self.patience:
                    self.on_away(wrong)
            if time.monotonic() + pause > deadline:
                raise self._lost(wrong)
            time.sleep(pause)

    def _lost(self, wrong: str) -> CommandError:
        return CommandError(f"{self.url} does not answer: {wrong}")


def server_sent(lines: Iterator[str]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(id, type, content) of each event of a stream."""
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")
        elif fields:
            if fields.keys() == {""}:
                # A comment, by which the server keeps a quiet connection open.
                yield "", PING, {}
            elif "data" in fields or "event" in fields:
                content = printable(json.loads(fields.get("data") or "{}"))
                yield fields.get("id", ""), fields.get("event", "message"), content
            fields = {}


def printable(node: Any) -> Any:
    """JSON without what steers a terminal in its texts."""
    if isinstance(node, dict):
        return {name: printable(value) for name, value in node.items()}
    if isinstance(node, list):
        return [printable(value) for value in node]
    return _STEERING.sub("\ufffd", node.replace("\r\n", "\n")) if isinstance(node, str) else node


def _json(answer: httpx.Response) -> Any:
    return printable(answer.json()) if answer.content else None


def _problem(answer: httpx.Response) -> dict[str, Any]:
    try:
        found = answer.json()
    except ValueError:
        found = None
    return printable(found) if isinstance(found, dict) else {}


def _explained(request: str, status: int, problem: dict[str, Any]) -> str:
    if status == 401:
        return "The token is unknown, expired or revoked. Run `podmeter login` again."
    said = problem.get("detail") or problem.get("title") or f"{request}: HTTP {status}"
    faults: list[dict[str, Any]] = problem.get("errors") or []
    if len(faults) == 1 and faults[0]["detail"] in said:
        # The first line says it already.
        return f"{said}. {faults[0]['remedy']}" if faults[0].get("remedy") else str(said)
    lines = [str(said)]
    for fault in faults:
        where = fault.get("pointer") or fault.get("parameter") or fault.get("header") or ""
        line = f"  {where}: {fault['detail']}" if where else f"  {fault['detail']}"
        lines.append(line + (f". {fault['remedy']}" if fault.get("remedy") else ""))
    return "\n".join(lines)


def _exit_code(status: int) -> ExitCode:
    # A conflict is the state of what is asked for (an obstacle, a quota), not the question.
    usage = 400 <= status < 500 and status not in (408, 409, 429)
    return ExitCode.USAGE if usage else ExitCode.FAILED


def _transport(error: httpx.TransportError) -> str:
    return str(error) or type(error).__name__
