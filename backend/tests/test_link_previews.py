"""What other pages, chats and wikis get of a link: an embed, and a picture with the headline."""

import base64
import re
import uuid
from datetime import timedelta
from html import escape
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from podmeter.db.base import now
from podmeter.db.models import Role, Snapshot
from podmeter.db.session import Sessions

from .conftest import Browser, LogIn
from .everything import PICTURE
from .measured import NODES, Measured, paths, store, throughput

#: What a browser draws, as far as the server looks into it.
PNG = base64.b64decode(PICTURE)


def share(client: TestClient, sessions: Sessions, **body: Any) -> dict[str, Any]:
    run = store(sessions, Measured(throughput(), paths))
    given = {"title": "What <we> found", "run_id": str(run), **body}
    answer = client.post("/api/v1/snapshots", json=given)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def meta(page: str) -> dict[str, str]:
    return dict(re.findall(r'<meta (?:property|name)="([^"]+)" content="([^"]*)">', page))


@pytest.mark.services
def test_only_the_embed_may_stand_inside_of_other_pages(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    made = share(admin, sessions)
    page = f"/s/{made['token']}"
    embed = browser().get(f"{page}/embed")
    assert embed.status_code == 200
    policy = embed.headers["content-security-policy"]
    assert policy.endswith("; frame-ancestors *")
    assert "default-src 'none'" in policy
    assert "x-frame-options" not in embed.headers
    assert "noindex" in embed.headers["x-robots-tag"]
    api = f"/api/v1/public/snapshots/{made['token']}"
    gone = f"/s/{'A' * 22}/embed"
    for path in (page, api, f"{api}/export", f"{page}/preview.png", gone, "/method", "/", "/runs"):
        answer = browser().get(path)
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"], path
        assert answer.headers["x-frame-options"] == "DENY", path


@pytest.mark.services
def test_the_embed_is_the_headline_the_date_and_the_way_to_the_whole(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    made = share(admin, sessions)
    for accepted in ("zh-CN", "de"):
        answer = browser().get(f"/s/{made['token']}/embed", headers={"Accept-Language": accepted})
        assert escape(first_sentence(browser(), made["token"], accepted)) in answer.text
    text = answer.text
    assert f'<a href="/s/{made["token"]}">' in text
    assert f"made {made['created_at'][:10]}" in text
    # What is pressed leaves the other page as it is.
    assert '<base target="_blank">' in text
    assert "How it was measured" not in text
    for name in NODES:
        assert name not in text


def first_sentence(client: TestClient, token: str, accepted: str) -> str:
    """As the API gives it to a reader of that language."""
    headers = {"Accept-Language": accepted}
    found = client.get(f"/api/v1/public/snapshots/{token}", headers=headers).json()
    return str(found["content"]["run"]["headline"]["sentences"][0]["text"])


@pytest.mark.services
def test_a_preview_has_the_headline_escaped_and_absolute_addresses(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    made = share(admin, sessions)
    for accepted in ("zh-CN", "en"):
        answer = browser().get(f"/s/{made['token']}", headers={"Accept-Language": accepted})
        told = meta(answer.text)
        assert told["og:title"] == "What &lt;we&gt; found"
        said = first_sentence(browser(), made["token"], accepted)
        assert told["og:description"].startswith(escape(said))
        assert told["og:url"] == f"http://127.0.0.1:8080/s/{made['token']}"
        assert "og:image" not in told


def drawn(client: TestClient, snapshot: str, png: bytes = PNG) -> int:
    body = {"png": base64.b64encode(png).decode()}
    return int(client.put(f"/api/v1/snapshots/{snapshot}/picture", json=body).status_code)


@pytest.mark.services
def test_the_picture_that_a_browser_drew_is_shown_while_the_link_shows_anything(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    made = share(admin, sessions)
    path = f"/s/{made['token']}/preview.png"
    assert browser().get(path).status_code == 404
    assert meta(browser().get(f"/s/{made['token']}").text)["twitter:card"] == "summary"
    assert drawn(admin, made["id"]) == 204
    answer = browser().get(path)
    assert (answer.content, answer.headers["content-type"]) == (PNG, "image/png")
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert browser().head(path).status_code == 200
    told = meta(browser().get(f"/s/{made['token']}").text)
    assert told["og:image"] == f"{told['og:url']}/preview.png"
    assert told["twitter:card"] == "summary_large_image"
    assert admin.delete(f"/api/v1/snapshots/{made['id']}").status_code == 204
    with sessions() as session:
        assert session.get_one(Snapshot, uuid.UUID(made["id"])).picture is None
    assert drawn(admin, made["id"]) == 404
    gone = [path, f"/s/{made['token']}", f"/s/{made['token']}/embed"]
    unknown = [one.replace(made["token"], "A" * 22) for one in gone]
    for was, never in zip(gone, unknown, strict=True):
        answers = [browser().get(one) for one in (was, never)]
        assert {one.status_code for one in answers} == {404}
        assert answers[0].text == answers[1].text
        assert "og:" not in answers[0].text
        assert "What" not in answers[0].text


@pytest.mark.services
@pytest.mark.parametrize(
    "png",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        PNG.replace((1200).to_bytes(4, "big"), (1201).to_bytes(4, "big")),
        PNG + bytes(256 * 1024),
    ],
)
def test_what_is_no_such_picture_is_refused(
    admin: TestClient, sessions: Sessions, png: bytes
) -> None:
    assert drawn(admin, share(admin, sessions)["id"], png) == 422


@pytest.mark.services
def test_who_does_not_share_draws_nothing(
    admin: TestClient, log_in: LogIn, sessions: Sessions
) -> None:
    made = share(admin, sessions)
    assert drawn(log_in(Role.VIEWER), made["id"]) == 403
    assert drawn(log_in(Role.ADMIN, "theirs"), made["id"]) == 404


@pytest.mark.services
def test_an_expired_link_has_no_picture(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    made = share(admin, sessions)
    assert drawn(admin, made["id"]) == 204
    path = f"/s/{made['token']}/preview.png"
    assert browser().get(path).status_code == 200
    with sessions.begin() as session:
        session.execute(
            update(Snapshot)
            .where(Snapshot.id == uuid.UUID(made["id"]))
            .values(expires_at=now() - timedelta(seconds=1))
        )
    assert browser().get(path).status_code == 404
