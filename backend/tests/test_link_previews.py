"""What other pages, chats and wikis get of a link: an embed, and a picture with the headline."""

import io
import re
import subprocess
import sys
import uuid
from datetime import timedelta
from html import escape
from typing import Any

import pytest
from fastapi.testclient import TestClient
from PIL import Image
from sqlalchemy import update

from podmeter.db.base import now
from podmeter.db.models import Snapshot
from podmeter.db.session import Sessions
from podmeter_api.public import drawing, picture
from podmeter_api.public.picture import Words

from .conftest import Browser
from .measured import NODES, Measured, paths, store, throughput

ENGLISH = Words("Paths", ["Half − as × fast"], ["One machine"], "A frozen run, taken 2026-11-22")
CHINESE = Words("路径", ["慢了一半"], ["同一台机器"], "冻结的运行，生成于 2026-11-22")


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
    api = browser().get(f"/api/v1/public/snapshots/{made['token']}").json()
    first = api["content"]["run"]["headline"]["sentences"][0]
    for accepted, language in (("zh-CN", "zh"), ("de", "en")):
        answer = browser().get(f"/s/{made['token']}/embed", headers={"Accept-Language": accepted})
        assert escape(first[language]) in answer.text
    text = answer.text
    assert f'<a href="/s/{made["token"]}">' in text
    assert f"taken {made['created_at'][:10]}" in text
    # What is pressed leaves the other page as it is.
    assert '<base target="_blank">' in text
    assert "How it was measured" not in text
    for name in NODES:
        assert name not in text


@pytest.mark.services
def test_a_preview_has_the_headline_escaped_and_absolute_addresses(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    made = share(admin, sessions)
    first = browser().get(f"/api/v1/public/snapshots/{made['token']}").json()["content"]["run"]
    for accepted, language in (("zh-CN", "zh"), ("en", "en")):
        answer = browser().get(f"/s/{made['token']}", headers={"Accept-Language": accepted})
        told = meta(answer.text)
        assert told["og:title"] == "What &lt;we&gt; found"
        said = first["headline"]["sentences"][0][language]
        assert told["og:description"].startswith(escape(said))
        assert told["og:url"] == f"http://127.0.0.1:8080/s/{made['token']}"
        assert told["og:image"] == f"{told['og:url']}/preview.png?lang={language}"
        assert told["twitter:card"] == "summary_large_image"


@pytest.mark.services
def test_the_picture_is_drawn_once_and_only_while_the_link_shows_anything(
    admin: TestClient, browser: Browser, sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[list[Words]] = []
    draw = drawing.draw

    def counting(words: list[Words]) -> bytes:
        drawn.append(words)
        return draw(words)

    monkeypatch.setattr(drawing, "draw", counting)
    made = share(admin, sessions)
    path = f"/s/{made['token']}/preview.png"
    answers = [browser().get(path, params={"lang": lang}) for lang in ("en", "en", "zh", "xx")]
    assert [one.status_code for one in answers] == [200] * 4
    assert {one.headers["content-type"] for one in answers} == {"image/png"}
    assert {one.headers["cache-control"] for one in answers} == {"no-store"}
    assert len(drawn) == 2
    assert answers[0].content == answers[1].content == answers[3].content
    assert (drawn[1][0].said, drawn[1][1].said) != (drawn[0][0].said, drawn[0][0].said)
    with Image.open(io.BytesIO(answers[0].content)) as found:
        assert found.size == (picture.WIDTH, picture.HEIGHT)
        assert (found.format, len(found.getcolors() or ())) != ("PNG", 1)
    assert len(answers[0].content) < 100_000
    assert browser().head(path).status_code == 200
    assert admin.delete(f"/api/v1/snapshots/{made['id']}").status_code == 204
    gone = [path, f"/s/{made['token']}", f"/s/{made['token']}/embed"]
    unknown = [one.replace(made["token"], "A" * 22) for one in gone]
    for was, never in zip(gone, unknown, strict=True):
        answers = [browser().get(one) for one in (was, never)]
        assert {one.status_code for one in answers} == {404}
        assert answers[0].text == answers[1].text
        assert "og:" not in answers[0].text
        assert "What" not in answers[0].text


@pytest.mark.services
def test_an_expired_link_has_no_picture(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    made = share(admin, sessions)
    path = f"/s/{made['token']}/preview.png"
    assert browser().get(path).status_code == 200
    with sessions.begin() as session:
        session.execute(
            update(Snapshot)
            .where(Snapshot.id == uuid.UUID(made["id"]))
            .values(expires_at=now() - timedelta(seconds=1))
        )
    assert browser().get(path).status_code == 404


def test_what_no_font_here_has_is_drawn_in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "_paths", lambda: ())
    english = drawing.draw([ENGLISH])
    assert drawing.draw([CHINESE, ENGLISH]) == english
    # A name alone is no reason: what it lacks is left out, what was found is said.
    named = Words("路径", ENGLISH.said, ENGLISH.caveats, ENGLISH.taken)
    assert drawing.draw([CHINESE, named]) != english
    assert drawing._chosen([named]) == (named, "")


def test_chinese_is_drawn_where_a_font_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    drawing._paths.cache_clear()
    if drawing._font_for("".join([*CHINESE.said, CHINESE.title])) is None:
        pytest.skip("no font of this machine has Chinese")
    assert drawing._chosen([CHINESE, ENGLISH])[0] is CHINESE
    assert drawing.draw([CHINESE, ENGLISH]) != drawing.draw([ENGLISH])


@pytest.mark.parametrize(
    "words",
    [
        Words("", [], [], ""),
        Words("x" * 200, ["y" * 2000], ["z" * 500] * 5, "taken"),
        Words("一" * 200, ["二" * 400, "三" * 400], [], "taken"),
        Words("a\nb\tc", ["\U0001f600 \u200f end"], [], "taken"),
    ],
)
def test_whatever_people_wrote_is_drawn(words: Words) -> None:
    with Image.open(io.BytesIO(drawing.draw([words]))) as found:
        assert found.size == (picture.WIDTH, picture.HEIGHT)


def test_an_api_that_draws_nothing_has_not_loaded_what_draws() -> None:
    code = "import sys, podmeter_api.app; sys.exit('PIL' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=False, timeout=120)
    assert done.returncode == 0
