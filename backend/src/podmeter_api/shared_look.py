"""One look at what may not answer, for all who ask meanwhile."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Thread
from typing import Generic, TypeVar

#: How many looks may be in progress: the latest, and others without an end.
_MOST_LOOKS = 3

T = TypeVar("T")


@dataclass
class _Look(Generic[T]):
    """A look that began, by the clock; `ended` is set before its result."""

    began: float
    result: asyncio.Future[T]
    ended: float | None = None


class SharedLook(Generic[T]):
    """One look at a time, in a thread of its own, whose result all who ask share.

    A look blocks while the database is away. Those who wait hold no thread and no connection to the
    database, so nobody is refused: an orchestrator that is takes the API away.

    A server that is stopped while its kernel still acknowledges may block a look for ever: it is
    replaced after a while, by few others.

    Belongs to one event loop.
    """

    def __init__(
        self,
        look: Callable[[], T],
        *,
        missing: Callable[[str], T],
        kept_seconds: float,
        deadline_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`look` is called again once its result is `kept_seconds` old by `clock`, or once it has
        not ended within `deadline_seconds`, which is also how long anyone waits for it. `missing`
        makes the result, with the reason, of a look that could not begin or did not end in time.
        """
        self._look, self._missing = look, missing
        self._kept_seconds = kept_seconds
        self._deadline_seconds = deadline_seconds
        self._clock = clock
        self._latest: _Look[T] | None = None
        self._in_progress: list[_Look[T]] = []

    async def latest(self) -> T:
        """The result of the look in progress, or of the last one, or of a new one; that it is
        missing where none can be had.
        """
        try:
            shared = self._shared()
        except RuntimeError as error:  # no further thread
            return self._missing(str(error))
        if shared is not None:
            # Neither a timeout nor a client that leaves ends the look of the others, or leaves a
            # callback on it: a look may be in progress for hours.
            await asyncio.wait([shared.result], timeout=self._deadline_seconds)
            if shared.result.done():
                return shared.result.result()
        return self._missing(f"got no answer within {self._deadline_seconds:g} s")

    def _shared(self) -> _Look[T] | None:
        """The look to wait for; none where too many are late. Raises RuntimeError where no thread
        can be started.
        """
        now = self._clock()
        if self._latest is not None and not self._is_over(self._latest, now):
            return self._latest
        self._in_progress = [look for look in self._in_progress if look.ended is None]
        if len(self._in_progress) == _MOST_LOOKS:
            return None
        shared = _Look[T](now, asyncio.get_running_loop().create_future())
        # A process that ends does not wait for a look that blocks.
        Thread(target=self._fulfil, args=(shared,), daemon=True).start()
        self._in_progress.append(shared)
        self._latest = shared
        return shared

    def _is_over(self, shared: _Look[T], now: float) -> bool:
        if shared.ended is None:
            return now >= shared.began + self._deadline_seconds
        return now >= shared.ended + self._kept_seconds

    def _fulfil(self, shared: _Look[T]) -> None:
        try:
            outcome = self._look()
        except Exception as error:  # raised in all who wait
            publish = partial(shared.result.set_exception, error)
        else:
            publish = partial(shared.result.set_result, outcome)
        shared.ended = self._clock()
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            shared.result.get_loop().call_soon_threadsafe(publish)
