"""An event loop in a thread, for scripted clusters beside code that waits."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Loop:
    """As a context; `wait` runs a coroutine there and gives its outcome, `begin` lets it go on."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="scripted", daemon=True)

    def __enter__(self) -> Loop:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        # Connections that are open still are cut off, and need not say so.
        self._loop.set_exception_handler(lambda loop, context: None)
        self.wait(_cancel_the_others())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def wait(self, body: Coroutine[Any, Any, T]) -> T:
        """The outcome of a coroutine that is run there."""
        return asyncio.run_coroutine_threadsafe(body, self._loop).result()

    def begin(self, body: Coroutine[Any, Any, object]) -> None:
        """Run a coroutine there and do not wait for it."""
        asyncio.run_coroutine_threadsafe(body, self._loop)


async def _cancel_the_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
