"""Remove the Services of a run from a cluster, and say now and then how many are left."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from podmeter.domain.errors import TemporaryError
from podmeter.domain.messages import say
from podmeter_worker.runner.separately import Separately

if TYPE_CHECKING:
    from collections.abc import Callable

    from podmeter.domain.messages import Message
    from podmeter_worker.runner.ports import ClusterLink

#: Between two lines of the log about Services that are left, and before the first.
_SECONDS_BETWEEN = 10.0
#: A worker that is to end has 120 s for everything: the modes matter more than the Services.
_STOPPING_SECONDS = 45.0


def remove_services(
    link: ClusterLink,
    run_label: str,
    cluster: str,
    log: Callable[[Message], None],
    stopping: Callable[[], bool],
) -> None:
    """Remove a run's Services ahead of everything else, as far as that succeeds.

    kube-proxy then has none of their rules to write in the original mode. What is left is for the
    sweep, which raises: a mode is restored first, and soon if the worker is `stopping`. Of tens of
    thousands the log says how many are left.
    """
    logged_at = time.monotonic()
    stopping_since: float | None = None

    def show(left: int, every: int) -> None:
        nonlocal logged_at, stopping_since
        now = time.monotonic()
        if stopping():
            stopping_since = now if stopping_since is None else stopping_since
            if now - stopping_since >= _STOPPING_SECONDS:
                raise TemporaryError(f"the worker is to end, with {left} of {every} left")
        if now - logged_at >= _SECONDS_BETWEEN:
            logged_at = now
            log(say("log_services_left", cluster=cluster, left=f"{left:,}", all=f"{every:,}"))

    with Separately().part(f"removing the Services of {run_label} from {cluster}"):
        if removed := link.sweep_services(run_label, show):
            log(say("log_services_removed", cluster=cluster, count=removed))
