"""Clients that ask one after the other as fast as they get answers, and what that took."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count

Request = tuple[str, str, bytes | None]


@dataclass(frozen=True)
class Latencies:
    """Seconds of each answer, ascending, and of all together."""

    seconds: list[float]
    elapsed: float

    def percentile(self, share: float) -> float:
        """The time that this share of the answers did not exceed."""
        return self.seconds[min(len(self.seconds) - 1, int(share * len(self.seconds)))]


Ask = Callable[[int], Request]


def load(
    host: str,
    port: int,
    headers: dict[str, str],
    request: Ask,
    *,
    clients: int,
    requests: int,
    beside: Ask | None = None,
    clients_beside: int = 0,
) -> Latencies:
    """`request(n)` gives the n-th request; raises RuntimeError for an answer that is no success.

    An answer counts as there once its last byte was read. So many of the clients ask what
    `beside` gives instead, as long as the others ask; their answers are not counted.
    """
    seconds: list[float] = []
    failures: list[str] = []
    numbers = iter(range(requests))
    lock = threading.Lock()
    over = threading.Event()

    def counted() -> Iterator[Request]:
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            yield request(number)

    def uncounted(ask: Ask) -> Iterator[Request]:
        for number in count():
            if over.is_set():
                return
            yield ask(number)

    def client(asked: Iterator[Request], took: list[float]) -> None:
        connection = http.client.HTTPConnection(host, port, timeout=60)
        for method, path, body in asked:
            if failures:
                return
            begun = time.perf_counter()
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            text = response.read()
            ended = time.perf_counter()
            if response.status not in (200, 201):
                failures.append(f"{method} {path}: {response.status} {text[:300]!r}")
                return
            took.append(ended - begun)

    main = [
        threading.Thread(target=client, args=(counted(), seconds))
        for _ in range(clients - clients_beside)
    ]
    others = [
        threading.Thread(target=client, args=(uncounted(beside), []))
        for _ in range(clients_beside)
        if beside is not None
    ]
    begun = time.perf_counter()
    for thread in [*others, *main]:
        thread.start()
    for thread in main:
        thread.join()
    elapsed = time.perf_counter() - begun
    over.set()
    for thread in others:
        thread.join()
    if failures:
        raise RuntimeError(failures[0])
    return Latencies(sorted(seconds), elapsed)
