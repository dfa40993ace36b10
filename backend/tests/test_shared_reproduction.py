"""Articles beside our own figures behind one link: frozen, redacted, the articles as printed."""

import uuid
from html import escape
from typing import Any

import pytest
from fastapi.testclient import TestClient

from podmeter.db.session import Sessions

from .conftest import Browser
from .measured import NODES, Measured, paths, store, throughput
from .test_shared_things import make_cluster, share, shown

pytestmark = pytest.mark.services
CILIUM, CALICO = "cilium-native-routing-2023", "calico-modes-2024"
#: A word that every article prints, too: only the name of the cluster may be replaced.
NAMED_LIKE_AN_ARTICLE = "node"


def measured(client: TestClient, sessions: Sessions, cluster: str) -> uuid.UUID:
    made = make_cluster(client, sessions, cluster)
    spec = {**throughput(), "name": f"paths of {cluster}"}
    return store(sessions, Measured(spec, paths, cluster=cluster, cluster_id=uuid.UUID(made)))


def asked(*runs: uuid.UUID) -> list[dict[str, Any]]:
    ids = [str(one) for one in runs]
    return [{"reference_id": one, "run_ids": ids} for one in (CALICO, CILIUM)]


@pytest.mark.parametrize("name", ["acme-frankfurt", NAMED_LIKE_AN_ARTICLE])
def test_every_table_of_ours_stands_beside_the_published_one(
    admin: TestClient, browser: Browser, sessions: Sessions, name: str
) -> None:
    run = measured(admin, sessions, name)
    content, texts = shown(browser, share(admin, reproduction=asked(run)))
    assert content["subject"] == "reproduction"
    assert [one["reference_id"] for one in content["reproduction"]] == [CALICO, CILIUM]
    for found in content["reproduction"]:
        path = f"/api/v1/references/{found['reference_id']}/reproduction"
        inside = admin.get(path, params={"run_id": str(run)}).json()
        # As it is inside, but for what tells whose it is.
        for part in ("title", "url", "subject", "stand_ins", "tables", "claims"):
            assert found[part] == inside[part]
        (of,) = found["runs"]
        assert of["clusters"] == ["cluster-A"]
        ordinary = name == NAMED_LIKE_AN_ARTICLE
        assert of["name"] == f"paths of {name if ordinary else 'cluster-A'}"
        assert any(table["measured"] for table in found["tables"])
    for text in texts:
        for private in (*NODES, "acme", "uid-1", "203.0.113.7"):
            assert private not in text
    said = [one["text"] for one in content["summary"]["sentences"]]
    assert said[0].startswith("Articles set beside our own figures: 2; of their")
    # What is read without scripts.
    assert all(escape(one) in texts[1] for one in said)
    # A published figure, and one of ours beside it.
    assert "1138 MBytes/sec" in texts[-1]
    assert "published" in texts[-1]
    assert content["method"]["runs"][0]["commands"]


def test_what_is_shared_stays_as_it_was_and_ends_at_once(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    run = measured(admin, sessions, "acme-frankfurt")
    token = share(admin, reproduction=asked(run))
    before, _ = shown(browser, token)
    assert admin.delete(f"/api/v1/runs/{run}", headers={"If-Match": "*"}).status_code == 204
    assert shown(browser, token)[0] == before
    listed = admin.get("/api/v1/snapshots", params={"subject": "reproduction"}).json()["items"]
    (one,) = [each for each in listed if each["reproduction"] == asked(run)]
    assert not admin.get("/api/v1/snapshots", params={"subject": "run"}).json()["items"]
    assert admin.delete(f"/api/v1/snapshots/{one['id']}").status_code == 204
    assert browser().get(f"/api/v1/public/snapshots/{token}").status_code == 404


def test_a_link_preview_says_what_came_of_the_claims(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    token = share(admin, reproduction=asked(measured(admin, sessions, "acme-frankfurt")))
    page = browser().get(f"/s/{token}").text
    said = page[page.index('property="og:description"') :].split(">")[0]
    assert "Articles set beside our own figures: 2" in said
    assert "cannot be decided" in said


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"reference_id": "nobody-published-it"}, 404),
        ({"run_ids": [str(uuid.uuid4())]}, 404),
        ({"run_ids": []}, 422),
        ({"reference_id": "../../runs"}, 422),
    ],
)
def test_what_is_not_there_is_not_shared(
    admin: TestClient, sessions: Sessions, change: dict[str, Any], status: int
) -> None:
    one = asked(measured(admin, sessions, "acme-frankfurt"))[0] | change
    body = {"title": "t", "reproduction": [one]}
    assert admin.post("/api/v1/snapshots", json=body).status_code == status
    both = {"title": "t", "reproduction": asked(uuid.uuid4()), "run_id": str(uuid.uuid4())}
    assert admin.post("/api/v1/snapshots", json=both).status_code == 422
