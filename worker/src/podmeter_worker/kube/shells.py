"""Warm exec connections: started once in a pod, used for one command after another.

To start a process in a container takes a runtime a tenth of a second and as much of the CPU of the
very node that is measured; a trial runs about nine commands.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, Protocol

from podmeter.domain.errors import LabError
from podmeter.rbac.guards import CONTAINER
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.exec_stream import STDOUT, ExecStream
from podmeter_worker.kube.framing import BOOT_ARGV, HAIL, HAILED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from podmeter_worker.kube.access import ClusterAccess

#: A namespace and a pod's name.
Key = tuple[str, str]
#: One that works answers within milliseconds.
_ANSWER_SECONDS = 2.0
#: A proxy or NAT in between may drop an idle connection.
_IDLE_SECONDS = 120.0


class Stream(Protocol):
    """The program, with its input and output."""

    def write(self, data: bytes) -> None:
        """Write to its standard input. Raises ApiUnavailableError."""

    def read(self, seconds: float) -> tuple[int, bytes] | None:
        """The next (channel, bytes); None if none came in so many seconds.

        Raises EOFError when it has ended, ApiUnavailableError when the way to it broke.
        """

    def close(self) -> None:
        """End it at once."""


class Streams(Protocol):
    """Where commands can be run, by the pod (namespace, name)."""

    def take(self, key: Key) -> Any:
        """A stream on which nothing runs. Raises ApiRefusedError, ApiUnavailableError."""

    def release(self, key: Key, stream: Any) -> None:
        """Nothing runs on it any more."""


class Shells:
    """The connections to the pods of one cluster, as a context; each runs one command at a time.

    `guard` is called before each command, and raises where none may be run any more.
    """

    def __init__(self, access: ClusterAccess, guard: Callable[[], None] = lambda: None) -> None:
        self._access = access
        self._guard = guard
        self._lock = threading.Lock()
        self._idle: dict[Key, list[tuple[float, ExecStream]]] = {}

    def __enter__(self) -> Shells:
        return self

    def __exit__(self, *_: object) -> None:
        self.close(list(self._idle))

    def take(self, key: Key) -> ExecStream:
        """A connection that was seen to answer, or else a new one.

        Raises ApiRefusedError (no such pod, not allowed) and ApiUnavailableError.
        """
        self._guard()
        while (found := self._pop(key)) is not None:
            since, stream = found
            if time.monotonic() - since < _IDLE_SECONDS and _answers(stream):
                return stream
            stream.close()
        return self._started(key)

    def release(self, key: Key, stream: ExecStream) -> None:
        """Keep a connection whose command has ended for the next one."""
        with self._lock:
            self._idle.setdefault(key, []).append((time.monotonic(), stream))

    def close(self, keys: Iterable[Key]) -> None:
        """Close the idle connections to these pods."""
        for key in keys:
            while (found := self._pop(key)) is not None:
                found[1].close()

    def _started(self, key: Key) -> ExecStream:
        namespace, pod = key
        try:
            return ExecStream(self._access, namespace, pod, CONTAINER, BOOT_ARGV)
        except ApiRefusedError as error:
            if error.status != 403:
                raise
            with KubeClient(self._access) as client:
                client.await_rules(error)
        return ExecStream(self._access, namespace, pod, CONTAINER, BOOT_ARGV)

    def _pop(self, key: Key) -> tuple[float, ExecStream] | None:
        with self._lock:
            waiting = self._idle.get(key)
            return waiting.pop() if waiting else None


def _answers(stream: ExecStream) -> bool:
    """Whether its process is still there: asked before each command, since none is run twice."""
    said, deadline = b"", time.monotonic() + _ANSWER_SECONDS
    try:
        stream.wake()
        stream.write(HAIL)
        while len(said) < len(HAILED):
            message = stream.read(max(0.0, deadline - time.monotonic()))
            if message is None or message[0] != STDOUT:
                return False
            said += message[1]
    except (EOFError, LabError):
        return False
    return said == HAILED
