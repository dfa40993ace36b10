"""Remove the Services of a run from a cluster, and say now and then how many are left."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from podmeter.domain.messages import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from podmeter.domain.messages import Message
    from podmeter_worker.runner.ports import ClusterLink

#: Between two lines of the log about Services that are left, and before the first.
_SECONDS_BETWEEN = 10.0


def remove_services(
    link: ClusterLink, run_label: str, cluster: str, log: Callable[[Message], None]
) -> None:
    """Remove a run's Services; of tens of thousands the log says how many are left."""
    logged_at = time.monotonic()

    def show(left: int, every: int) -> None:
        nonlocal logged_at
        now = time.monotonic()
        if now - logged_at >= _SECONDS_BETWEEN:
            logged_at = now
            log(say("log_services_left", cluster=cluster, left=f"{left:,}", all=f"{every:,}"))

    if removed := link.sweep_services(run_label, show):
        log(say("log_services_removed", cluster=cluster, count=removed))
