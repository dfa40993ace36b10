"""Remove the Services of runs from a cluster, and say now and then how many are left."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from podmeter.domain.errors import TemporaryError
from podmeter.domain.messages import say
from podmeter_worker.runner.separately import Separately

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from podmeter.domain.messages import Message
    from podmeter_worker.runner.ports import ClusterLink

#: Between two lines of the log about Services that are left, and before the first.
_SECONDS_BETWEEN = 10.0
#: A worker that is to end has 120 s for everything: the modes matter more than the Services.
_STOPPING_SECONDS = 45.0


class TimeLeft:
    """How long a worker that is `stopping` removes Services, of all runs on all its clusters."""

    def __init__(self, stopping: Callable[[], bool]) -> None:
        self._stopping = stopping
        self._since: float | None = None

    def check(self) -> None:
        """Raise TemporaryError if none is left."""
        if not self._stopping():
            return
        now = time.monotonic()
        self._since = now if self._since is None else self._since
        if now - self._since >= _STOPPING_SECONDS:
            raise TemporaryError("the worker is to end")


def remove_services(
    link: ClusterLink,
    run_labels: Iterable[str],
    cluster: str,
    log: Callable[[Message], None],
    time_left: TimeLeft,
) -> None:
    """Remove the Services of runs ahead of everything else, as far as that succeeds.

    kube-proxy then has none of their rules to write in the original mode. What is left is for the
    sweep, which raises: a mode is restored first, and soon if there is no `time_left`. Of tens of
    thousands the log says how many are left.
    """
    logged_at = time.monotonic()

    def show(left: int, every: int) -> None:
        nonlocal logged_at
        now = time.monotonic()
        if now - logged_at >= _SECONDS_BETWEEN:
            logged_at = now
            log(say("log_services_left", cluster=cluster, left=f"{left:,}", all=f"{every:,}"))
        time_left.check()

    runs = Separately()
    for run_label in run_labels:
        with runs.part(f"removing the Services of {run_label} from {cluster}"):
            time_left.check()
            if removed := link.sweep_services(run_label, show):
                log(say("log_services_removed", cluster=cluster, count=removed))
