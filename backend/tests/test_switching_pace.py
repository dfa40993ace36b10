"""What a plan takes a switch of modes to last: as on the cluster before, else by its nodes."""

import uuid

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from podmeter.db.models import Block
from podmeter.db.session import Sessions
from podmeter.services.experiments.pace import ASSUMED_SECONDS

from .measured import Measured, paths, store, throughput
from .test_node_pairs import PLAN, known_cluster

pytestmark = pytest.mark.services
SWITCHING = throughput()


def planned(client: TestClient, cluster: str | None = None) -> tuple[float, int]:
    query = {} if cluster is None else {"cluster_id": cluster}
    plan = client.post(PLAN, json=SWITCHING, params=query).json()
    # Each block, and what stood is put back.
    assert plan["switching_seconds"] == plan["switch_seconds"] * (len(plan["switches"]) + 1)
    return plan["switch_seconds"], plan["switches_seen"]


def switched(sessions: Sessions, cluster: str, axis: str, *seconds: float) -> None:
    """A run of the cluster whose blocks took so long to switch an axis."""
    run = store(sessions, Measured(SWITCHING, paths, cluster_id=uuid.UUID(cluster)))
    with sessions.begin() as session:
        blocks = session.scalars(select(Block).where(Block.run_id == run).order_by(Block.position))
        for block, took in zip(blocks, seconds, strict=False):
            block.modes = {axis: "vxlan"}
            block.switching_seconds = took


def test_a_switch_is_planned_by_the_nodes_until_one_was_made(
    admin: TestClient, sessions: Sessions
) -> None:
    small, large = (known_cluster(admin, sessions, nodes) for nodes in (2, 40))
    assert planned(admin) == (ASSUMED_SECONDS, 0)
    assert planned(admin, small) == (20.0, 0)
    assert planned(admin, large) == (210.0, 0)


def test_a_switch_is_planned_as_the_same_took_on_the_cluster(
    admin: TestClient, sessions: Sessions
) -> None:
    cluster, other = (known_cluster(admin, sessions, 2) for _ in range(2))
    switched(sessions, cluster, "kube_proxy_mode", 500.0, 500.0, 500.0)
    # Of other modes it says nothing, nor two blocks of a third.
    switched(sessions, cluster, "encapsulation", 8.0, 9.0)
    assert planned(admin, cluster) == (20.0, 0)
    switched(sessions, cluster, "encapsulation", 10.0, 300.0)
    assert planned(admin, cluster) == (9.5, 4)
    assert planned(admin, other) == (20.0, 0)
