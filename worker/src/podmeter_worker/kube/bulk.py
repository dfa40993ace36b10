"""Many requests to one API server at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, TypeVar

from podmeter_worker.kube.pool import CONNECTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")


def for_all(
    one: Callable[[str], T], names: Sequence[str], check: Callable[[], None] = lambda: None
) -> list[T]:
    """The outcomes for all names, in their order; the first error ends the others.

    Each connection's thread is given the next name as soon as it is free. `check` is called
    before each and may raise to end them all.
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
                for ended in [pool.submit(work) for _ in range(threads)]:
                    ended.result()
            except BaseException as error:
                errors.append(error)  # the one who waits is interrupted: so are they
                raise
    if errors:
        raise errors[0]
    return [done[number] for number in range(len(names))]
