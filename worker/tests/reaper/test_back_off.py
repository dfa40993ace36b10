"""An unreachable cluster is not asked at each beat."""

from typing import Any

import pytest
from sqlalchemy import update

from podmeter.db.models import Cluster
from podmeter_worker.reaper import reap

from ..bench import Bench

pytestmark = pytest.mark.services


def test_an_unreachable_cluster_is_asked_once_and_then_later(bench: Bench) -> None:
    cluster_id = bench.add_cluster()
    tried: list[str] = []

    def connect(organization_id: Any, handle: Any, patience_seconds: float = 0) -> Any:
        tried.append(handle.identity.name)
        return bench.connect(organization_id, handle)

    here = bench.here(connect=connect)
    with bench.sessions.begin() as session:
        session.execute(update(Cluster).values(needs_restore=True, needs_restore_reason="away"))
    with bench.cluster.change() as state:
        state["away"] = True
    for _ in range(3):
        reap(here)
    assert tried == ["ours"]
    assert bench.registered(cluster_id).restore_attempts == 1
    with bench.cluster.change() as state:
        state["away"] = False
    with bench.sessions.begin() as session:
        session.execute(update(Cluster).values(restore_after=None))
    reap(here)
    assert not bench.registered(cluster_id).needs_restore
