"""What a process keeps of what it computed: the latest few, by what they were computed of."""

from collections import OrderedDict
from collections.abc import Hashable, Iterable
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LruCache(Generic[Key, Value]):
    """At most `most` values, the ones asked for last; safe to use from several threads.

    For what never changes under its key: a key holds all that the value depends on.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._lock = Lock()
        self._values: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key) -> Value | None:
        """The value; None where it is not kept any more, or never was."""
        with self._lock:
            return self._get(key)

    def get_all(self, keys: Iterable[Key]) -> list[Value | None]:
        """As `get` of each, in their order."""
        with self._lock:
            return [self._get(key) for key in keys]

    def put(self, key: Key, value: Value) -> Value:
        """Keep the value, and drop the least recently used one. Returns the value."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            if len(self._values) > self.most:
                self._values.popitem(last=False)
        return value

    def _get(self, key: Key) -> Value | None:
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value
