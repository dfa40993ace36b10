"""Switches that are cut short: a worker killed, a run cancelled, an API server that is away."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from podmeter.domain.errors import PodmeterError, RunCancelledError
from podmeter_worker.modes.switcher import Saved, Site, Switcher

from ..kube.api_server import Answer, Asked
from .cluster_of_objects import ClusterOfObjects, site_of


class KilledError(Exception):
    """A worker was killed: nothing of ours takes it for an error of its own."""


def killed_at(step: str | None) -> Callable[[str], None]:
    """A site's `progress` by which its worker ends as soon as that step is done; None: never."""

    def progress(reached: str) -> None:
        if reached == step:
            raise KilledError

    return progress


def killed_in_switch(cluster: ClusterOfObjects, switcher: Switcher, value: str, step: str) -> Saved:
    """What stood before a switch whose worker was killed at that step."""
    with site_of(cluster, killed_at(step)) as site:
        saved = switcher.save(site)
        with pytest.raises(KilledError):
            switcher.switch(site, value)
    return saved


def killed_in_restore(
    cluster: ClusterOfObjects, switcher: Switcher, value: str, step: str
) -> Saved:
    """What stood before a switch, which a worker was putting back when it was killed."""
    with site_of(cluster) as site:
        saved = switcher.save(site)
        switcher.switch(site, value)
    with site_of(cluster, killed_at(step)) as site, pytest.raises(KilledError):
        switcher.restore(site, saved)
    return saved


def cancelled_in_switch(cluster: ClusterOfObjects, switcher: Switcher, value: str) -> Saved:
    """What stood before a switch whose run was cancelled after its first step."""
    cancelled: list[bool] = []

    def check() -> None:
        if cancelled:
            raise RunCancelledError("cancelled")

    with site_of(cluster, lambda step: cancelled.append(True), check) as site:
        saved = switcher.save(site)
        with pytest.raises(RunCancelledError):
            switcher.switch(site, value)
    return saved


def away_at_each_change(
    cluster: ClusterOfObjects, switcher: Switcher, value: str, is_put_back: Callable[[Site], None]
) -> int:
    """The API server is away from the first change of a switch on, from the second, and so on.

    In restoring as well; `is_put_back` asserts that what stood stands again, each time. Returns
    how many changes it had to take for a switch to be let through.
    """
    left = 0

    def away(asked: Asked) -> Answer | None:
        nonlocal left
        left -= asked.method in ("PATCH", "DELETE")
        return Answer(503, {"message": "away"}) if left < 0 else None

    cluster.before = away
    for count in range(100):
        left = 10_000
        with site_of(cluster) as site:
            saved = switcher.save(site)
            left = count
            try:
                switcher.switch(site, value)
                whole = True
            except PodmeterError:
                whole = False
            for once_more in (0, 1, 4, 100):
                left = once_more
                try:
                    switcher.restore(site, saved)
                except PodmeterError:
                    continue
                break
            left = 10_000
            is_put_back(site)
        if whole:
            return count
    raise AssertionError("no switch was let through")
