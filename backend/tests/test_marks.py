"""Tags, notes and favourites: said of things, and changing nothing that was measured of them."""

import uuid
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from podmeter.db.models import Favourite, Role, RunDigest, Snapshot
from podmeter.db.session import Sessions

from .builders import SPEC, register
from .conftest import LogIn
from .everything import ANY
from .measured import Measured, paths, store, throughput

pytestmark = pytest.mark.services
THINGS = ("runs", "experiments", "clusters")


@pytest.fixture
def things(admin: TestClient, sessions: Sessions) -> dict[str, str]:
    """The address of one thing of each sort."""
    experiment = admin.post("/api/v1/experiments", json=SPEC).json()["id"]
    cluster = register(admin)["id"]
    run = store(sessions, Measured(throughput(), paths, cluster_id=uuid.UUID(cluster)))
    ids = {"runs": run, "experiments": experiment, "clusters": cluster}
    return {thing: f"/api/v1/{thing}/{one}" for thing, one in ids.items()}


def marked(client: TestClient, address: str, **change: Any) -> dict[str, Any]:
    answer = client.patch(f"{address}/marks", json=change, headers=ANY)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


@pytest.mark.parametrize("thing", THINGS)
def test_tags_and_notes_are_said_of_it_wherever_it_is_shown(
    admin: TestClient, things: dict[str, str], thing: str
) -> None:
    before = admin.get(things[thing]).json()
    assert before["marks"] == {"tags": [], "notes": "", "version": 1, "favourite": False}
    said = marked(admin, things[thing], tags=[" Kernel 6.12 ", "acme", "ACME"], notes="why")
    expected = {"tags": ["acme", "kernel 6.12"], "notes": "why", "version": 2, "favourite": False}
    assert said == expected
    assert admin.get(f"{things[thing]}/marks").headers["etag"] == '"2"'
    assert admin.get(things[thing]).json() == before | {"marks": expected}
    (listed,) = admin.get(f"/api/v1/{thing}").json()["items"]
    assert listed["marks"] == expected
    assert marked(admin, things[thing], tags=[])["notes"] == "why"


@pytest.mark.parametrize("thing", THINGS)
def test_a_change_is_refused_where_somebody_was_first(
    admin: TestClient, things: dict[str, str], thing: str
) -> None:
    marked(admin, things[thing], tags=["first"])
    stale = {"If-Match": '"1"'}
    answer = admin.patch(f"{things[thing]}/marks", json={"tags": ["second"]}, headers=stale)
    assert answer.status_code == 412
    assert answer.json()["message"]["code"] == "marks_changed_meanwhile"
    assert admin.get(f"{things[thing]}/marks").json()["tags"] == ["first"]


def test_what_is_said_is_of_no_version_of_an_experiment_or_a_cluster(
    admin: TestClient, things: dict[str, str]
) -> None:
    """A new tag causes no conflict for somebody who edits the object."""
    for thing in ("experiments", "clusters"):
        before = admin.get(things[thing]).headers["etag"]
        marked(admin, things[thing], tags=["new"])
        assert admin.get(things[thing]).headers["etag"] == before


@pytest.mark.parametrize(
    "change",
    [
        *({"tags": [tag]} for tag in ("", "a,b", "a\nb", "x" * 41)),
        {"tags": [str(n) for n in range(21)]},
        *({"notes": notes} for notes in ("\x00", "n" * 4001)),
    ],
)
def test_what_is_no_tag_and_no_note_is_refused(
    admin: TestClient, things: dict[str, str], change: dict[str, Any]
) -> None:
    answer = admin.patch(f"{things['runs']}/marks", json=change, headers=ANY)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"].startswith(f"/{next(iter(change))}")


@pytest.mark.parametrize("thing", THINGS)
def test_favourites_are_each_members_own(
    admin: TestClient, log_in: LogIn, things: dict[str, str], thing: str
) -> None:
    viewer = log_in(Role.VIEWER)
    for _ in range(2):
        answer = viewer.put(f"{things[thing]}/favourite", json={"favourite": True})
        assert answer.status_code == 204
    only = {"favourite": "true"}
    assert len(viewer.get(f"/api/v1/{thing}", params=only).json()["items"]) == 1
    assert viewer.get(things[thing]).json()["marks"]["favourite"] is True
    assert admin.get(things[thing]).json()["marks"]["favourite"] is False
    assert admin.get(f"/api/v1/{thing}", params=only).json()["items"] == []
    viewer.put(f"{things[thing]}/favourite", json={"favourite": False})
    assert viewer.get(f"/api/v1/{thing}", params=only).json()["items"] == []


def test_favourites_end_with_the_membership_and_with_what_they_are_of(
    admin: TestClient, log_in: LogIn, things: dict[str, str], sessions: Sessions
) -> None:
    viewer = log_in(Role.VIEWER)
    for client in (admin, viewer):
        for address in things.values():
            client.put(f"{address}/favourite", json={"favourite": True})
    me = viewer.get("/api/v1/me").json()["user_id"]
    assert admin.delete(f"/api/v1/members/{me}", headers=ANY).status_code == 204
    with sessions() as session:
        assert len(session.scalars(select(Favourite.id)).all()) == 3
    for address in things.values():
        assert admin.delete(address, headers=ANY).status_code == 204
    with sessions() as session:
        assert session.scalars(select(Favourite.id)).all() == []


def test_who_may_only_look_says_nothing_for_others(log_in: LogIn, things: dict[str, str]) -> None:
    viewer = log_in(Role.VIEWER)
    for address in things.values():
        answer = viewer.patch(f"{address}/marks", json={"tags": ["mine"]}, headers=ANY)
        assert answer.status_code == 403


def test_nothing_that_was_computed_or_shared_changes(
    admin: TestClient, things: dict[str, str], sessions: Sessions
) -> None:
    run = things["runs"].rpartition("/")[2]
    other = store(sessions, Measured(throughput(), paths, seed=2))
    body = {"baseline": {"run_id": run}, "contenders": [{"run_id": str(other)}]}
    assert admin.post("/api/v1/comparisons", json=body).status_code == 201
    admin.post("/api/v1/snapshots", json={"title": "shared", "run_id": run})
    report = admin.get(f"{things['runs']}/summaries").content
    events = admin.get(f"{things['runs']}/log").content

    def kept() -> list[Any]:
        with sessions() as session:
            digests = select(RunDigest.run_id, RunDigest.last_event, RunDigest.samples)
            return [*session.execute(digests), *session.scalars(select(Snapshot.content))]

    before = kept()
    assert len(before) >= 3
    marked(admin, things["runs"], tags=["secret"], notes="of ours alone")
    assert kept() == before
    assert admin.get(f"{things['runs']}/summaries").content == report
    assert admin.get(f"{things['runs']}/log").content == events
    # The digest is still taken: what was measured is not looked at again.
    admin.post("/api/v1/comparisons", json=body)
    assert kept() == before


def test_tags_are_listed_with_how_many_have_them(admin: TestClient, things: dict[str, str]) -> None:
    assert admin.get("/api/v1/tags").json() == {"items": []}
    for address, tags in zip(things.values(), (["a", "b"], ["b"], ["b"]), strict=True):
        marked(admin, address, tags=tags)
    assert admin.get("/api/v1/tags").json() == {
        "items": [{"tag": "a", "count": 1}, {"tag": "b", "count": 3}]
    }
