"""Watching from every node whether connections to a Service succeed, while its rules are changed.

It takes no object of its own: `default/kubernetes` is in every cluster, and node shells are on the
nodes' own network, which outlives a switch. The watching process ends with the connection that
started it.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from math import inf
from typing import TYPE_CHECKING, TypeVar

from podmeter.domain.errors import PodmeterError, RunCancelledError
from podmeter.domain.messages import say
from podmeter.domain.switching import NodeWatch
from podmeter.drivers.service_watch import argv
from podmeter_worker.kube.resources import SERVICES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.exec import RunningCommand
    from podmeter_worker.kube.node_shells import NodeShell

T = TypeVar("T")

#: How often each node looks; all of them together connect to the API server 500 times a second at
#: most, so on many nodes each looks more seldom.
_EVERY_SECONDS, _MOST_LOOKS = 0.02, 500
#: Longest time until connections succeed for good, and until the command ends, in addition to what
#: it
#: waits for.
_BEGIN_SECONDS, _END_SECONDS = 10.0, 10.0
_AT_ONCE = 16


def standing_service(client: KubeClient) -> str | None:
    """`address:port` of the Service `default/kubernetes`; None where it has no IPv4 address."""
    path, fields = SERVICES.path("default"), "metadata.name=kubernetes"
    try:
        for item in client.each(path, fields=fields):
            address, port = str(item["spec"].get("clusterIP")), item["spec"]["ports"][0]["port"]
            if address.count(".") == 3 and isinstance(port, int):
                return f"{address}:{port}"
    except RunCancelledError:
        raise
    except (PodmeterError, LookupError, TypeError, AttributeError):
        pass  # what is not as Kubernetes has it is not watched
    return None


class ServiceWatch:
    """Watches Services (`address:port`) from nodes, from entering the context until leaving it.

    Once the context is entered, connections succeed for good from every node, or it is unknown.
    When it should end, it waits at most `patience_seconds` until connections succeed for good.
    `check` may raise to end a wait. A node that cannot watch is unknown, which is no error.
    """

    def __init__(
        self,
        shells: Iterable[NodeShell],
        services: Sequence[str],
        check: Callable[[], None],
        patience_seconds: float,
    ) -> None:
        self._shells = list(shells)
        self._services = tuple(services)
        self._check = check
        self._patience = patience_seconds
        every = max(_EVERY_SECONDS, len(self._shells) / _MOST_LOOKS)
        self._argv = argv(self._services, every_seconds=every, patience_seconds=patience_seconds)
        self._running: dict[str, RunningCommand] = {}
        self._begun: dict[str, float] = {}
        self._told: dict[str, float] = {}
        self._unknown: dict[str, str] = {}

    def __enter__(self) -> ServiceWatch:
        try:
            self._on_all(self._start)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._on_all(self._stop)

    def finish(self) -> tuple[NodeWatch, ...]:
        """End it, and say what was seen from each node. Raises RunCancelledError."""
        return tuple(self._on_all(self._ended))

    def _start(self, shell: NodeShell) -> None:
        if not self._services:
            self._unknown[shell.node] = say("no_standing_service")
            return
        self._begun[shell.node] = time.monotonic()
        try:
            command = self._running[shell.node] = shell.start(self._argv, self._check)
            if command.wait_ready(_BEGIN_SECONDS):
                self._told[shell.node] = time.monotonic()
        except RunCancelledError:
            raise
        except PodmeterError as error:
            self._unknown[shell.node] = error.said

    def _ended(self, shell: NodeShell) -> NodeWatch:
        command = self._running.get(shell.node)
        asked, output = time.monotonic(), None
        if command is not None:
            try:
                output = command.finish(self._patience + _END_SECONDS)
            except RunCancelledError:
                raise
            except PodmeterError as error:
                self._unknown[shell.node] = error.said
        return NodeWatch(
            node=shell.node,
            place=shell.place.name,
            argv=self._argv,
            services=self._services,
            output=output,
            why_unknown=self._unknown.get(shell.node, ""),
            begun=self._begun.get(shell.node, asked),
            told=self._told.get(shell.node, inf),
            asked=asked,
            answered=time.monotonic(),
        )

    def _stop(self, shell: NodeShell) -> None:
        command = self._running.pop(shell.node, None)
        if command is not None:
            command.__exit__()

    def _on_all(self, work: Callable[[NodeShell], T]) -> list[T]:
        """What each shell's work gives; the first error is raised once all have ended."""
        if not self._shells:
            return []
        with ThreadPoolExecutor(min(_AT_ONCE, len(self._shells))) as pool:
            running = [pool.submit(work, shell) for shell in self._shells]
        return [one.result() for one in running]
