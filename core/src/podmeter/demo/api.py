"""A client of Podmeter's REST API, as much of it as the demo needs."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx

from podmeter.domain.errors import PodmeterError
from podmeter.domain.untrusted_text import printable


class DemoError(PodmeterError):
    """Why the demo cannot go on, for the person at the terminal."""


class Api:
    """One session with a running Podmeter."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._client = httpx.Client(base_url=f"{url}/api/v1", timeout=30)

    def ready(self) -> bool:
        """Whether the API answers and reaches its databases."""
        try:
            return httpx.get(f"{self.url}/readyz", timeout=2).status_code == httpx.codes.OK
        except httpx.TransportError:
            return False

    def log_in(self, email: str, password: str) -> None:
        """Start a session. Raises DemoError where the password is not the account's."""
        me = self.post("/auth/login", {"email": email, "password": password})
        self._client.headers["X-CSRF-Token"] = me["csrf_token"]

    def get(self, path: str, **query: str | int | list[str]) -> Any:
        """The answer's JSON."""
        return self._answer(self._client.get(path, params=query))

    def all(self, path: str) -> Iterator[Any]:
        """Every item of a list, page by page."""
        query: dict[str, str | int] = {"limit": 100}
        while True:
            page = self.get(path, **query)
            yield from page["items"]
            if page["next_cursor"] is None:
                return
            query["cursor"] = page["next_cursor"]

    def post(self, path: str, body: object = None) -> Any:
        """The answer's JSON."""
        return self._answer(self._client.post(path, json=body))

    def patch(self, path: str, version: int, body: object) -> Any:
        """Change what has this version."""
        headers = {"If-Match": f'"{version}"'}
        return self._answer(self._client.patch(path, json=body, headers=headers))

    def text(self, path: str, **query: str) -> str:
        """An answer that is not JSON."""
        answer = self._client.get(path, params=query)
        self._check(answer)
        return answer.text

    def events(self, run_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """(type, content) of a run's events until it ends; a lost connection is taken up again."""
        last = "0"
        while True:
            try:
                headers = {"Last-Event-ID": last}
                timeout = httpx.Timeout(30, read=60)
                path = f"/runs/{run_id}/events"
                with self._client.stream("GET", path, headers=headers, timeout=timeout) as stream:
                    for number, kind, content in _server_sent(stream.iter_lines()):
                        if kind == "end":
                            return
                        last = number or last
                        yield kind, content
            except httpx.TransportError:
                time.sleep(1)

    def _answer(self, answer: httpx.Response) -> Any:
        self._check(answer)
        # It is printed in a terminal.
        return _printable(answer.json()) if answer.content else None

    def _check(self, answer: httpx.Response) -> None:
        if answer.is_success:
            return
        try:
            problem = answer.json()
        except json.JSONDecodeError:
            problem = {}
        said = problem.get("detail") or problem.get("title") or answer.text[:500]
        faults = [f"{one.get('pointer', '')} {one['detail']}" for one in problem.get("errors", ())]
        request = f"{answer.request.method} {answer.request.url.path}"
        raise DemoError("; ".join([f"{request}: {said}", *faults]))


def _server_sent(lines: Iterator[str]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(id, type, content) of each event of a stream."""
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")
        elif fields:
            if "data" in fields or "event" in fields:
                content = json.loads(fields.get("data") or "{}")
                yield fields.get("id", ""), fields.get("event", "message"), content
            fields = {}


def _printable(node: Any) -> Any:
    """The JSON, without what steers a terminal in its texts."""
    if isinstance(node, dict):
        return {name: _printable(one) for name, one in node.items()}
    if isinstance(node, list):
        return [_printable(one) for one in node]
    return printable(node)
