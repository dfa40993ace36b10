"""Many requests to one API server at the same time, each for little CPU.

An API server often shares its CPUs with the measurement: with urllib3 such a request took 0.39 ms
of CPU here, written by hand to the same connections 0.14, by the barest loop 0.05.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor, wait
from http.client import HTTPException, HTTPResponse
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlencode

from podmeter.domain.messages import say
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.errors import ApiUnavailableError
from podmeter_worker.kube.limits import HEAD_BYTES, LARGEST_BYTES
from podmeter_worker.kube.pool import CONNECTIONS
from podmeter_worker.kube.requests import BROKEN, Answer, failure_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from podmeter_worker.kube.requests import Request

T = TypeVar("T")
#: Between two calls of `progress`.
_PROGRESS_SECONDS = 1.0


class BulkClient(KubeClient):
    """As the client it is made of, and over its pool; but requests are written by hand."""

    def __init__(self, client: KubeClient) -> None:
        self.access, self.guard = client.access, client.guard
        self.patience_seconds = client.patience_seconds
        self.request_seconds = client.request_seconds
        self._pool, self._api = client._pool, client._api
        self._refuses_for_good, self.awaits_port = False, client.awaits_port
        url = client.access.url
        self._host = str(url).removeprefix("https://").removesuffix(url.path)

    def _send(self, request: Request, seconds: float) -> Answer:
        target = f"{self.access.url.path}{request.path}"
        if request.query:
            target += f"?{urlencode(request.query)}"
        # With the token of this moment: creating Services may take longer than a token is valid.
        headers = {"Host": self._host, "Accept-Encoding": "identity", **self.access.headers}
        content = b""
        if request.body is not None:
            content = json.dumps(request.body, separators=(",", ":")).encode()
            headers |= {"Content-Type": request.content_type, "Content-Length": str(len(content))}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        written = f"{request.method} {target} HTTP/1.1\r\n{head}\r\n".encode() + content
        try:
            with self._pool.lend(seconds) as connection:
                connection.sock.sendall(written)
                with HTTPResponse(connection.sock, method=request.method) as response:
                    response.begin()
                    connection.allow(LARGEST_BYTES + HEAD_BYTES)
                    answer = Answer(response.status, response.headers, _read(response))
                    if response.will_close:
                        connection.close()
        except BROKEN as error:
            raise ApiUnavailableError(say("api_unreached", said=str(error))) from error
        if not 200 <= answer.status < 300:
            raise failure_of(answer)
        return answer


def _read(response: HTTPResponse) -> bytes:
    """The whole response. Raises HTTPException if it is truncated or has no end."""
    content = response.read(LARGEST_BYTES)
    if response.length or not response.isclosed():
        raise HTTPException("the answer was cut, or is too long")
    return content


def for_all(
    one: Callable[[str], T],
    names: Sequence[str],
    check: Callable[[], None] = lambda: None,
    progress: Callable[[int], None] | None = None,
) -> list[T]:
    """The outcomes for all names, in their order; the first error ends the others.

    Each connection's thread is given the next name as soon as it is free. `check` is called
    before each and may raise to end them all. `progress` is called now and then, on the caller's
    own thread, with how many are done.
    """
    waiting: SimpleQueue[tuple[int, str]] = SimpleQueue()
    for numbered in enumerate(names):
        waiting.put(numbered)
    done: dict[int, T] = {}
    errors: list[BaseException] = []

    def work() -> None:
        try:
            while not errors:
                number, name = waiting.get_nowait()
                check()
                done[number] = one(name)
        except Empty:
            return
        except BaseException as error:
            errors.append(error)

    threads = min(CONNECTIONS, len(names))
    if threads:
        with ThreadPoolExecutor(threads) as pool:
            try:
                running = {pool.submit(work) for _ in range(threads)}
                while running:
                    ended, running = wait(running, timeout=_PROGRESS_SECONDS)
                    for one_thread in ended:
                        one_thread.result()
                    if progress is not None:
                        progress(len(done))
            except BaseException as error:
                errors.append(error)  # the one who waits is interrupted: so are they
                raise
    if errors:
        raise errors[0]
    return [done[number] for number in range(len(names))]
