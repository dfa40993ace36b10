"""A TLS socket that gives no more than it was allowed: so many bytes, until such a moment.

A timeout for each read is evaded by one byte now and then, and libraries read handshakes, headers
and frames without an end. Everything that a cluster says comes through here.
"""

from __future__ import annotations

import ssl
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Buffer

#: A library may ask for as much as a peer has announced; that much is not set aside for it.
_AT_ONCE = 1 << 20


class TooMuchError(OSError):
    """More came than an answer may have."""


class BoundedSocket(ssl.SSLSocket):
    """Nothing may be read, nor written, before `allow`."""

    _bytes = 0
    _until = 0.0

    def allow(self, most_bytes: int, until: float) -> None:
        """Let so many bytes be read from now on, and nothing after a moment (monotonic)."""
        self._bytes, self._until = most_bytes, until

    def read(self, len: int = 1024, buffer: Buffer | None = None) -> bytes:  # noqa: A002
        """As the parent's. Raises TooMuchError, and TimeoutError once the moment has passed."""
        if self._bytes <= 0:
            raise TooMuchError("more came than an answer may have")
        with _Hurried(self, self._until):
            # Into a buffer, it gives how many were read.
            got: Any = super().read(min(len, self._bytes, _AT_ONCE), buffer)
        self._bytes -= got if isinstance(got, int) else got.__len__()
        return got  # type: ignore[no-any-return]

    def send(self, data: Buffer, flags: int = 0) -> int:
        """As the parent's. Raises TimeoutError once the moment has passed."""
        with _Hurried(self, self._until):
            return super().send(data, flags)


class _Hurried:
    """A socket's own timeout, cut to what is left until a moment."""

    def __init__(self, held: ssl.SSLSocket, until: float) -> None:
        self._held, self._until = held, until
        self._own: float | None = None

    def __enter__(self) -> None:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        own = self._held.gettimeout()
        if own is None or own > left:
            self._own = own
            self._held.settimeout(left)
            self._cut = True
        else:
            self._cut = False

    def __exit__(self, *_: object) -> None:
        if self._cut:
            self._held.settimeout(self._own)
