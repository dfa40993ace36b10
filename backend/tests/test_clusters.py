import uuid
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from podmeter.credentials.envelope import unseal
from podmeter.db.base import now
from podmeter.db.models import Cluster, Role
from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.db.session import Sessions
from podmeter.domain.cluster_report import ClusterReport
from podmeter.domain.messages import say
from podmeter.domain.real_cluster import RealCluster
from podmeter.domain.run import RunState
from podmeter.jobs import PreflightCluster
from podmeter.services.clusters import kubeconfigs
from podmeter.services.clusters.kubeconfigs import binding
from podmeter.services.execution import modes, preflights
from podmeter.services.work import Work
from podmeter_api.state import AppState

from .builders import TOKEN, PlayedWorker, kubeconfig, queue_run, reach, register
from .conftest import LogIn, RememberingQueue
from .everything import ANY

pytestmark = pytest.mark.services
CLUSTERS = "/api/v1/clusters"
T = TypeVar("T")


def test_a_registered_cluster_is_listed_without_its_kubeconfig(admin: TestClient) -> None:
    made = register(admin, allow_mode_switch=True)
    assert made["server"] == "https://203.0.113.7:6443"
    assert made["context"] == "main"
    assert made["preflight_state"] == "never"
    got = admin.get(f"{CLUSTERS}/{made['id']}")
    assert got.headers["etag"] == '"1"'
    assert got.json()["allow_mode_switch"] is True
    listed = admin.get(CLUSTERS).json()["items"]
    assert [item["id"] for item in listed] == [made["id"]]
    for answer in (str(made), got.text, str(listed)):
        assert TOKEN not in answer
        assert "kubeconfig" not in answer


def test_the_kubeconfig_is_stored_encrypted_for_its_row(
    admin: TestClient, sessions: Sessions, state: AppState
) -> None:
    register(admin)
    with sessions() as session:
        row = session.query(Cluster).one()
        assert TOKEN.encode() not in row.kubeconfig
        assert TOKEN.encode() in unseal(row.kubeconfig, binding(row), state.keys)
        everything = session.execute(text("SELECT clusters::text FROM clusters")).scalar_one()
        assert TOKEN not in everything


@pytest.mark.parametrize(
    ("user", "named"),
    [
        ({"exec": {"command": "sh", "args": ["canary"]}}, "exec"),
        ({"auth-provider": {"name": "canary"}}, "auth-provider"),
        ({"tokenFile": "/etc/canary"}, "tokenFile"),
    ],
)
def test_what_could_run_or_read_is_refused_by_name(
    admin: TestClient, user: dict[str, Any], named: str
) -> None:
    answer = admin.post(CLUSTERS, json={"name": "x", "kubeconfig": kubeconfig(**user)})
    assert answer.status_code == 422
    document = answer.json()
    assert document["code"] == "kubeconfig_refused"
    assert any(named in fault["detail"] for fault in document["errors"])
    assert all(fault["pointer"] == "/kubeconfig" for fault in document["errors"])
    assert all(fault["remedy"] for fault in document["errors"])
    assert "text" not in {fault["mend"]["code"] for fault in document["errors"]}
    assert "text" not in {
        fault["message"]["params"]["what"]["code"] for fault in document["errors"]
    }
    assert "canary" not in answer.text


@pytest.mark.parametrize("server", ["https://127.0.0.1:6443", "https://169.254.169.254"])
def test_addresses_of_our_own_are_refused(admin: TestClient, server: str) -> None:
    answer = admin.post(CLUSTERS, json={"name": "x", "kubeconfig": kubeconfig(server)})
    assert answer.status_code == 422


def test_a_name_is_taken_once(admin: TestClient, log_in: LogIn) -> None:
    register(admin)
    again = admin.post(CLUSTERS, json={"name": "prod", "kubeconfig": kubeconfig()})
    assert again.status_code == 409
    other = register(admin, name="other")
    renamed = admin.patch(f"{CLUSTERS}/{other['id']}", json={"name": "prod"}, headers=ANY)
    assert renamed.status_code == 409
    register(log_in(organization="theirs"))


def test_a_change_takes_if_match(admin: TestClient) -> None:
    path = f"{CLUSTERS}/{register(admin)['id']}"
    first = admin.patch(path, json={"description": "a"}, headers={"If-Match": '"1"'})
    assert first.status_code == 200
    assert first.headers["etag"] == '"2"'
    stale = admin.patch(path, json={"description": "b"}, headers={"If-Match": '"1"'})
    assert stale.status_code == 412
    assert admin.patch(path, json={}, headers={"If-Match": "2"}).status_code == 412
    assert admin.get(path).json()["description"] == "a"
    assert admin.delete(path, headers={"If-Match": '"1"'}).status_code == 412
    assert admin.delete(path, headers={"If-Match": '"2"'}).status_code == 204
    assert admin.get(path).status_code == 404


def test_a_new_kubeconfig_forgets_what_was_known(admin: TestClient, sessions: Sessions) -> None:
    made = register(admin)
    reach(sessions, made["id"])
    body = {"kubeconfig": kubeconfig("https://203.0.113.8")}
    changed = admin.patch(f"{CLUSTERS}/{made['id']}", json=body, headers=ANY).json()
    assert changed["server"] == "https://203.0.113.8:443"
    assert changed["cluster_uid"] is None
    assert changed["preflight_state"] == "never"


def test_a_preflight_is_enqueued_by_ids_alone(admin: TestClient, queue: RememberingQueue) -> None:
    made = register(admin)
    answer = admin.post(f"{CLUSTERS}/{made['id']}/preflight")
    assert answer.status_code == 202
    assert answer.headers["location"] == f"{CLUSTERS}/{made['id']}"
    assert answer.json()["preflight_state"] == "queued"
    (job,) = queue.sent
    assert isinstance(job, PreflightCluster)
    assert str(job.cluster_id) == made["id"]


def test_a_preflight_survives_a_broker_that_is_away(
    admin: TestClient, queue: RememberingQueue
) -> None:
    made = register(admin)
    queue.away = True
    assert admin.post(f"{CLUSTERS}/{made['id']}/preflight").status_code == 202
    assert admin.get(f"{CLUSTERS}/{made['id']}").json()["preflight_state"] == "queued"


def test_a_cluster_in_use_stays(admin: TestClient, sessions: Sessions) -> None:
    run = queue_run(admin, sessions)
    path = f"{CLUSTERS}/{run['clusters'][0]['cluster_id']}"
    assert admin.delete(path, headers=ANY).status_code == 409
    assert admin.post(f"/api/v1/runs/{run['id']}/cancel").status_code == 202
    assert admin.delete(path, headers=ANY).status_code == 204
    (cluster,) = admin.get(f"/api/v1/runs/{run['id']}").json()["clusters"]
    assert cluster["cluster_id"] is None
    assert admin.post(f"/api/v1/runs/{run['id']}/resume").status_code == 409


def test_a_restored_cluster_is_declared_so_by_its_owner(
    admin: TestClient, sessions: Sessions
) -> None:
    made = register(admin)
    reach(sessions, made["id"])
    path = f"{CLUSTERS}/{made['id']}"
    assert admin.patch(path, json={"needs_restore": False}, headers=ANY).status_code == 409
    organization = admin.get("/api/v1/me").json()["organization_id"]
    with sessions.begin() as session:
        clusters = ClusterRepository(session, uuid.UUID(organization))
        clusters.flag_restore(uuid.UUID(made["id"]), "ipvs is left")
    assert admin.get(path).json()["needs_restore_reason"]["text"] == "ipvs is left"
    assert admin.patch(path, json={"needs_restore": True}, headers=ANY).status_code == 422
    assert (
        admin.patch(path, json={"needs_restore": False}, headers=ANY).json()["needs_restore"]
        is False
    )


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_only_admins_register_change_and_forget(
    admin: TestClient, log_in: LogIn, role: Role
) -> None:
    made = register(admin)
    lesser = log_in(role)
    path = f"{CLUSTERS}/{made['id']}"
    assert lesser.get(path).status_code == 200
    body = {"name": "x", "kubeconfig": kubeconfig()}
    assert lesser.post(CLUSTERS, json=body).status_code == 403
    assert lesser.patch(path, json={"description": "x"}, headers=ANY).status_code == 403
    assert lesser.delete(path, headers=ANY).status_code == 403
    expected = 202 if role is Role.OPERATOR else 403
    assert lesser.post(f"{path}/preflight").status_code == expected


def test_fingerprints_are_listed_once_each(admin: TestClient, sessions: Sessions) -> None:
    made = register(admin)
    organization = uuid.UUID(admin.get("/api/v1/me").json()["organization_id"])
    with sessions.begin() as session:
        clusters = ClusterRepository(session, organization)
        cluster_id = uuid.UUID(made["id"])
        first = clusters.record_fingerprint(cluster_id, b"1", {"kernel": "6.1"}, now())
        clusters.record_fingerprint(cluster_id, b"2", {"kernel": "6.12"}, now())
        assert clusters.record_fingerprint(cluster_id, b"1", {"kernel": "6.1"}, now()) == first
    items = admin.get(f"{CLUSTERS}/{made['id']}/fingerprints").json()["items"]
    assert [item["content"]["kernel"] for item in items] == ["6.12", "6.1"]
    assert items[1]["last_observed_at"] > items[1]["observed_at"]


def test_an_etag_changes_with_all_that_it_covers(admin: TestClient, sessions: Sessions) -> None:
    made = register(admin)
    path = f"{CLUSTERS}/{made['id']}"
    organization = uuid.UUID(admin.get("/api/v1/me").json()["organization_id"])
    seen: dict[str, dict[str, Any]] = {}

    def look() -> str:
        """The ETag; one that was seen before is of the same body."""
        answer = admin.get(path)
        tag = str(answer.headers["etag"])
        assert seen.setdefault(tag, answer.json()) == answer.json()
        assert tag == f'"{answer.json()["version"]}"'
        return tag

    def do(step: Callable[[Work], T]) -> T:
        with sessions.begin() as session:
            result = step(Work(session))
        look()
        return result

    first = look()
    admin.post(f"{path}/preflight")
    assert look() != first
    asked = do(lambda work: preflights.begin(work, organization, uuid.UUID(made["id"])))
    assert asked is not None
    report = ClusterReport(kubernetes_version="v1.34.1", nodes=[], rights={})
    found = partial(preflights.succeed, asked=asked, real=RealCluster("uid-1"), report=report)
    do(lambda work: found(work, organization_id=organization, fingerprint=None))
    do(lambda work: modes.flag(work, organization, uuid.UUID(made["id"]), "ipvs is left"))
    stale = {"If-Match": look()}
    do(lambda work: modes.flag(work, organization, uuid.UUID(made["id"]), ""))
    assert admin.patch(path, json={"description": "x"}, headers=stale).status_code == 412
    assert len(seen) == 6
    # A change that its owner did not see before does not undo what a preflight found.
    admin.post(f"{path}/preflight")
    asked = do(lambda work: preflights.begin(work, organization, uuid.UUID(made["id"])))
    assert asked is not None
    admin.patch(path, json={"description": "x"}, headers={"If-Match": look()})
    do(lambda work: preflights.fail(work, organization, asked, "of another kubeconfig"))
    assert admin.get(path).json()["preflight_error"] is None


def flag(sessions: Sessions, organization: str, cluster_id: str, reason: str) -> None:
    with sessions.begin() as session:
        modes.flag(Work(session), uuid.UUID(organization), uuid.UUID(cluster_id), reason)


def test_a_kubeconfig_is_not_changed_under_a_run(
    admin: TestClient, sessions: Sessions, organization: str
) -> None:
    run = queue_run(admin, sessions)
    path = f"{CLUSTERS}/{run['clusters'][0]['cluster_id']}"
    PlayedWorker(sessions, organization, run["id"]).move(RunState.PREFLIGHT)
    body = {"kubeconfig": kubeconfig("https://203.0.113.8")}
    refused = admin.patch(path, json=body, headers=ANY)
    assert refused.status_code == 409
    assert refused.json()["message"]["code"] == "kubeconfig_run_under_way"
    assert admin.get(path).json()["server"] == "https://203.0.113.7:6443"


IMAGE = {"bench_image": "registry.example:5000/team/bench:1", "image_pull_secret": "registry"}


def test_a_cluster_has_an_image_and_a_pull_secret_of_its_own(admin: TestClient) -> None:
    made = register(admin, **IMAGE)
    path = f"{CLUSTERS}/{made['id']}"
    assert IMAGE.items() <= made.items()
    assert IMAGE.items() <= admin.get(path).json().items()
    other = {"bench_image": f"registry.example/bench@sha256:{'a' * 64}"}
    changed = admin.patch(path, json=other, headers={"If-Match": '"1"'})
    assert (changed.status_code, changed.headers["etag"]) == (200, '"2"')
    assert {**IMAGE, **other}.items() <= changed.json().items()
    assert admin.patch(path, json=IMAGE, headers={"If-Match": '"1"'}).status_code == 412
    # What is absent stays; null is the installation's image, and no secret.
    kept = admin.patch(path, json={"description": "x"}, headers=ANY).json()
    assert {**IMAGE, **other}.items() <= kept.items()
    without = admin.patch(path, json=dict.fromkeys(IMAGE), headers=ANY).json()
    assert dict.fromkeys(IMAGE).items() <= without.items()
    assert dict.fromkeys(IMAGE).items() <= register(admin, name="another").items()


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("bench_image", "https://registry.example/bench", "image_scheme"),
        ("bench_image", "registry.example/bench:1 # latest", "image_space"),
        ("bench_image", "registry.example/bench@sha256:abc", "image_digest"),
        ("image_pull_secret", "not a name", "secret_name_malformed"),
    ],
)
def test_what_is_no_image_is_refused_with_the_fault(
    admin: TestClient, field: str, value: str, code: str
) -> None:
    path = f"{CLUSTERS}/{register(admin)['id']}"
    for answer in (
        admin.patch(path, json={field: value}, headers=ANY),
        admin.get("/api/v1/rbac", params={field: value}),
    ):
        assert answer.status_code == 422
        (fault,) = answer.json()["errors"]
        assert fault["message"]["code"] == code
    assert admin.get(path).json()[field] is None


def test_an_image_is_not_changed_under_a_run(
    admin: TestClient, sessions: Sessions, organization: str
) -> None:
    run = queue_run(admin, sessions)
    path = f"{CLUSTERS}/{run['clusters'][0]['cluster_id']}"
    # One that waits its turn begins with the new one.
    assert admin.patch(path, json=IMAGE, headers=ANY).status_code == 200
    PlayedWorker(sessions, organization, run["id"]).move(RunState.PREFLIGHT)
    refused = admin.patch(path, json={"image_pull_secret": None}, headers=ANY)
    assert refused.status_code == 409
    assert refused.json()["message"]["code"] == "image_run_under_way"
    # As it is it may be said again, and the rest changed.
    same = admin.patch(path, json={**IMAGE, "description": "x"}, headers=ANY)
    assert same.status_code == 200
    assert IMAGE.items() <= same.json().items()


def test_another_image_has_a_cluster_put_right_at_once(
    admin: TestClient, sessions: Sessions, organization: str
) -> None:
    made = register(admin)
    with sessions.begin() as session:
        session.query(Cluster).update({"restore_after": now()})
    admin.patch(f"{CLUSTERS}/{made['id']}", json=IMAGE, headers=ANY)
    with sessions() as session:
        assert session.query(Cluster).one().restore_after is None


def test_a_kubeconfig_that_waits_says_so(
    admin: TestClient, sessions: Sessions, organization: str, state: AppState
) -> None:
    made = register(admin)
    reach(sessions, made["id"])
    assert made["replacement"] is None
    path = f"{CLUSTERS}/{made['id']}"
    flag(sessions, organization, made["id"], "ipvs is left")
    before = admin.get(path).headers["etag"]
    answer = admin.patch(
        path, json={"kubeconfig": kubeconfig("https://203.0.113.8")}, headers={"If-Match": before}
    )
    assert answer.status_code == 200
    assert TOKEN not in answer.text
    waits = answer.json()
    assert (waits["server"], waits["preflight_state"]) == ("https://203.0.113.7:6443", "queued")
    assert waits["cluster_uid"] == "uid-1"
    shown = waits["replacement"]
    assert (shown["state"], shown["reason"]) == ("pending", None)
    assert shown["server"] == "https://203.0.113.8:443"
    ids = uuid.UUID(organization), uuid.UUID(made["id"])
    with sessions.begin() as session:
        kept = kubeconfigs.stored_kubeconfig(Work(session), *ids, state.keys)
        kubeconfigs.postpone_retry(Work(session), *ids, kept, "no answer yet")
    put_off = admin.get(path)
    assert put_off.json()["replacement"]["reason"]["text"] == "no answer yet"
    assert put_off.headers["etag"] not in (before, answer.headers["etag"])
    with sessions.begin() as session:
        kubeconfigs.refuse(Work(session), *ids, kept, say("another_cluster", uid="uid-2"))
    refused = admin.get(path).json()
    assert refused["replacement"]["state"] == "refused"
    assert refused["replacement"]["reason"]["code"] == "another_cluster"
    assert refused["server"] == "https://203.0.113.7:6443"


def test_of_another_organizations_restore_only_that_there_is_one_is_told(
    admin: TestClient, log_in: LogIn, sessions: Sessions, organization: str
) -> None:
    ours, stranger = register(admin), log_in(organization="theirs")
    theirs = register(stranger)
    for made in (ours, theirs):
        reach(sessions, made["id"])
    path = f"{CLUSTERS}/{theirs['id']}"
    before = stranger.get(path).headers["etag"]
    flag(sessions, organization, ours["id"], "ipvs is left on db-primary")
    told = stranger.get(path)
    assert told.headers["etag"] != before
    assert (told.json()["needs_restore"], told.json()["restored_elsewhere"]) == (False, True)
    assert "db-primary" not in told.text
    assert stranger.get(CLUSTERS).json()["items"] == [told.json()]
    mended = stranger.patch(path, json={"needs_restore": False}, headers=ANY)
    assert mended.status_code == 409
    assert admin.get(f"{CLUSTERS}/{ours['id']}").json()["needs_restore"] is True
