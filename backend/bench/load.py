"""Clients that ask one after the other as fast as they get answers, and what that took."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

Request = tuple[str, str, bytes | None]


@dataclass(frozen=True)
class Latencies:
    """Seconds of each answer, ascending, and of all together."""

    seconds: list[float]
    elapsed: float

    def percentile(self, share: float) -> float:
        """The time that this share of the answers did not exceed."""
        return self.seconds[min(len(self.seconds) - 1, int(share * len(self.seconds)))]


def load(
    host: str,
    port: int,
    headers: dict[str, str],
    request: Callable[[int], Request],
    *,
    clients: int,
    requests: int,
) -> Latencies:
    """`request(n)` gives the n-th request; raises RuntimeError for an answer that is no success.

    An answer counts as there once its last byte was read.
    """
    seconds: list[float] = []
    failures: list[str] = []
    numbers = iter(range(requests))
    lock = threading.Lock()

    def client() -> None:
        connection = http.client.HTTPConnection(host, port, timeout=60)
        while not failures:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            method, path, body = request(number)
            begun = time.perf_counter()
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            text = response.read()
            took = time.perf_counter() - begun
            if response.status not in (200, 201):
                failures.append(f"{method} {path}: {response.status} {text[:300]!r}")
                return
            seconds.append(took)

    threads = [threading.Thread(target=client) for _ in range(clients)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise RuntimeError(failures[0])
    return Latencies(sorted(seconds), time.perf_counter() - begun)
