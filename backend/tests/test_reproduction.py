"""GET /references/{id}/reproduction: an article beside runs of its experiments."""

import uuid
from typing import Any

import pytest
from fastapi.testclient import TestClient

from podmeter.db.session import Sessions

from .measured import Measured, paths, store, throughput

pytestmark = pytest.mark.services


def beside(client: TestClient, *runs: uuid.UUID) -> Any:
    path = "/api/v1/references/cilium-native-routing-2023/reproduction"
    return client.get(path, params={"run_id": [str(one) for one in runs]})


def test_a_run_is_set_beside_an_article(admin: TestClient, sessions: Sessions) -> None:
    run = store(sessions, Measured(throughput(), paths))
    found = beside(admin, run).json()
    assert [one["run_id"] for one in found["runs"]] == [str(run)]
    assert found["stand_ins"] == [
        {"axis": "encapsulation", "published": "native", "measured": "host-gw"}
    ]
    assert any(table["measured"] for table in found["tables"])
    half = next(one for one in found["claims"] if one["id"] == "half")
    assert half["results"][0]["verdict"] in ("worse", "better", "same", "undecided")


def test_a_run_that_is_not_there_is_not_passed_over(admin: TestClient, sessions: Sessions) -> None:
    run = store(sessions, Measured(throughput(), paths))
    assert beside(admin, run, uuid.uuid4()).status_code == 404
    assert beside(admin).status_code == 422
