"""What a restricted token does not reach still protects what it does: checks look at everything."""

import uuid
from typing import Any

import pytest
from fastapi.testclient import TestClient

from podmeter.db.models import RunCluster, SavedMode
from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.db.session import Sessions
from podmeter.domain.run import RunState
from podmeter.services.execution import modes
from podmeter.services.work import Work

from .builders import PlayedWorker, kubeconfig, queue_run, reach, register
from .conftest import Browser, Program
from .everything import ANY, STOOD_BEFORE, put_in_place, requests_for

pytestmark = pytest.mark.services
CLUSTERS = "/api/v1/clusters"


@pytest.fixture
def shared_run(admin: TestClient, sessions: Sessions, organization: str) -> dict[str, Any]:
    """A queued run that uses another cluster besides its first one."""
    run = queue_run(admin, sessions)
    other = register(admin, name="another")
    with sessions.begin() as session:
        session.add(
            RunCluster(
                organization_id=uuid.UUID(organization),
                run_id=uuid.UUID(run["id"]),
                name="another",
                cluster_id=uuid.UUID(other["id"]),
                cluster_uid="uid-2",
            )
        )
    return run


def flag(sessions: Sessions, organization: str, cluster: str) -> None:
    with sessions.begin() as session:
        modes.flag(Work(session), uuid.UUID(organization), uuid.UUID(cluster), "ipvs is left")


def test_a_cluster_is_not_changed_under_a_run_that_its_token_does_not_reach(
    sessions: Sessions, organization: str, shared_run: dict[str, Any], program: Program
) -> None:
    cluster = shared_run["clusters"][0]["cluster_id"]
    client, path = program(cluster_id=cluster), f"{CLUSTERS}/{cluster}"
    assert client.get(f"/api/v1/runs/{shared_run['id']}").status_code == 404
    refused = client.delete(path, headers=ANY)
    assert (refused.status_code, refused.json()["message"]["code"]) == (409, "cluster_in_use")
    PlayedWorker(sessions, organization, shared_run["id"]).move(RunState.PREFLIGHT)
    flag(sessions, organization, cluster)
    for body, code in (
        ({"kubeconfig": kubeconfig("https://203.0.113.8")}, "kubeconfig_run_under_way"),
        ({"bench_image": "registry.example/bench:1"}, "image_run_under_way"),
        ({"needs_restore": False}, "cluster_busy"),
    ):
        refused = client.patch(path, json=body, headers=ANY)
        assert (refused.status_code, refused.json()["message"]["code"]) == (409, code)


def test_a_mode_that_another_registration_must_restore_is_not_restored_twice(
    admin: TestClient, sessions: Sessions, program: Program
) -> None:
    things = put_in_place(admin, sessions)
    client = program(cluster_id=things.switched_cluster)
    uid = client.get(f"{CLUSTERS}/{things.switched_cluster}").json()["cluster_uid"]
    other = register(admin, name="the same")["id"]
    reach(sessions, other, uid)
    owner = uuid.UUID(things.organization)
    with sessions.begin() as session:
        saved = SavedMode(
            organization_id=owner,
            cluster_id=uuid.UUID(other),
            cluster_uid=uid,
            axis=STOOD_BEFORE.axis,
            content={},
        )
        ClusterRepository(session, owner).add_saved_mode(saved)
    refused = requests_for(things)["put_back_cluster"].send(client, "put_back_cluster")
    assert (refused.status_code, refused.json()["message"]["code"]) == (409, "cluster_switched")


def test_other_registrations_of_a_restored_cluster_have_a_new_version(
    admin: TestClient, sessions: Sessions, organization: str, program: Program
) -> None:
    ours, other = (register(admin, name=name)["id"] for name in ("ours", "the same"))
    for cluster in (ours, other):
        reach(sessions, cluster)
    flag(sessions, organization, ours)
    before = admin.get(f"{CLUSTERS}/{other}")
    assert before.json()["restored_elsewhere"] is True
    client = program(cluster_id=ours)
    restored = client.patch(f"{CLUSTERS}/{ours}", json={"needs_restore": False}, headers=ANY)
    assert restored.status_code == 200, restored.text
    after = admin.get(f"{CLUSTERS}/{other}")
    assert after.json()["restored_elsewhere"] is False
    assert after.headers["etag"] != before.headers["etag"]


def test_names_of_clusters_outside_of_the_scope_are_redacted_too(
    admin: TestClient, browser: Browser, program: Program
) -> None:
    ours = register(admin, name="ours", description="beside acme-berlin")["id"]
    register(admin, name="acme-berlin")
    body = {"title": "What we do", "cluster_id": ours, "keep": ["notes"]}
    made = program("operator", cluster_id=ours).post("/api/v1/snapshots", json=body)
    assert made.status_code == 201, made.text
    shown = browser().get(f"/api/v1/public/snapshots/{made.json()['token']}")
    assert shown.json()["content"]["cluster"]["notes"].startswith("beside ")
    assert "acme-berlin" not in shown.text
