import copy
import re
import uuid
from dataclasses import replace
from datetime import timedelta
from html import escape
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from podmeter.db.base import now
from podmeter.db.models import FingerprintRecord, Role, Snapshot
from podmeter.db.session import Sessions
from podmeter.services.exports.markdown import escape as escaped
from podmeter.services.headlines.text import DIFFERENT
from podmeter.services.snapshots.method_texts import statistics
from podmeter.statistics import METHOD_VERSION
from podmeter_api.app import create_app
from podmeter_api.state import AppState

from .conftest import ORIGIN, Browser, LogIn
from .measured import NODES, Measured, ladder, paths, service_scale, store, throughput
from .result_rows import every_effect, groups

pytestmark = pytest.mark.services
SNAPSHOTS = "/api/v1/snapshots"
PRIVATE = (*NODES, "10.0.0.2", "acme", "uid-1", "api.prod")


def comparison(client: TestClient, sessions: Sessions) -> str:
    run_id = store(sessions, Measured(service_scale(), ladder))
    body = {
        "baseline": {"run_id": str(run_id), "where": {"kube_proxy_mode": "iptables"}},
        "contenders": [{"run_id": str(run_id), "where": {"kube_proxy_mode": "nftables"}}],
    }
    return str(client.post("/api/v1/comparisons", json=body).json()["id"])


def share(client: TestClient, **body: Any) -> dict[str, Any]:
    answer = client.post(SNAPSHOTS, json={"title": "What we found", **body})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def failing(point: Any) -> Any:
    return None if point["path"] == "node-node" else paths(point)


def test_the_link_shows_a_redacted_copy(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    run_id = store(sessions, Measured(throughput(), failing))
    made = share(admin, run_id=str(run_id))
    assert re.fullmatch(r"http://127\.0\.0\.1:8080/s/[A-Za-z0-9_-]{22}", made["url"])
    answer = browser().get(f"/api/v1/public/snapshots/{made['token']}")
    assert answer.status_code == 200
    assert answer.headers["x-robots-tag"].startswith("noindex")
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["referrer-policy"] == "no-referrer"
    for name in PRIVATE:
        assert name not in answer.text
    content = answer.json()["content"]
    assert content["subject"] == "run"
    assert content["withheld"] == ["address", "cluster", "node"]
    (run,) = content["method"]["runs"]
    assert run["commands"] == [
        {
            "tool": "iperf3",
            "version": "3.18",
            "argv": ["iperf3", "--client", "address-A", "--json"],
            "count": 24,
        }
    ]
    assert run["repetition"]["trials"] == 2
    assert content["method"]["version"] == METHOD_VERSION
    assert "(Holm)" in content["method"]["statistics"]
    environments = [one["fingerprint"] for one in content["method"]["environments"]]
    assert sorted(one["cni"]["encapsulation"] for one in environments) == ["host-gw", "vxlan"]
    assert [node["name"] for node in environments[0]["nodes"]] == ["node-A", "node-B"]
    # Why a case failed stays, with pseudonyms.
    failures = [one for case in content["run"]["cases"] for one in case["failures"]]
    why = "no route to node-B (address-A)"
    assert [(one["code"], one["message"]["text"]) for one in failures] == [("tool_failed", why)] * 2


def test_page_file_and_api_say_the_same_headline_in_the_readers_language(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    made = share(admin, comparison_id=comparison(admin, sessions))
    api = f"/api/v1/public/snapshots/{made['token']}"
    first = _first_sentence(browser(), api, "en")
    chinese = _first_sentence(browser(), api, "zh")
    assert first["code"] == chinese["code"]
    assert first["code"] in DIFFERENT
    assert first["parameters"] == chinese["parameters"]
    assert first["text"] != chinese["text"]
    page = f"/s/{made['token']}"
    for accepted, one in (
        ("zh-CN,zh;q=0.9,en;q=0.8", chinese),
        ("en-GB,en;q=0.9,zh;q=0.8", first),
        ("de", first),
        ("en;q=0.2, zh;q=0.9", chinese),
    ):
        answer = browser().get(page, headers={"Accept-Language": accepted})
        assert f"<strong>{escape(one['text'])}</strong>" in answer.text
        assert "Accept-Language" in answer.headers["vary"]
    markdown = browser().get(f"{api}/export", params={"format": "markdown"}).text
    assert escaped(first["text"]) in markdown
    # What is stored has no text in any language.
    with sessions.begin() as session:
        stored = session.scalars(select(Snapshot.content)).one()
    assert stored["comparison"]["headline"]["sentences"][0]["text"] == ""


def _first_sentence(client: TestClient, api: str, language: str) -> Any:
    answer = client.get(api, headers={"Accept-Language": language})
    assert "Accept-Language" in answer.headers["vary"]
    return answer.json()["content"]["comparison"]["headline"]["sentences"][0]


def test_one_machine_is_said_on_the_public_page(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    run_id = store(sessions, Measured(throughput(), paths))
    with sessions.begin() as session:
        for row in session.scalars(select(FingerprintRecord)):
            row.content = {**row.content, "shared_host": True}
    made = share(admin, run_id=str(run_id))
    text = browser().get(f"/s/{made['token']}").text
    assert "traffic between them crosses no real network" in text


def test_the_preview_tells_what_is_replaced(admin: TestClient, sessions: Sessions) -> None:
    run_id = store(sessions, Measured(throughput(), failing))
    body = {"run_id": str(run_id), "title": "t"}
    answer = admin.post(f"{SNAPSHOTS}/preview", json=body)
    assert answer.status_code == 200, answer.text
    replaced = {one["original"]: one["pseudonym"] for one in answer.json()["replacements"]}
    assert replaced[NODES[0]] == "node-A"
    assert replaced["10.0.0.2"] == "address-A"
    assert admin.get(SNAPSHOTS).json()["items"] == []


def test_names_can_be_kept_on_purpose(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    run_id = store(sessions, Measured(throughput(), failing))
    made = share(admin, run_id=str(run_id), keep=["node"])
    text = browser().get(f"/api/v1/public/snapshots/{made['token']}").text
    assert NODES[0] in text
    assert "10.0.0.2" not in text


def test_secrets_cannot_be_kept(admin: TestClient, sessions: Sessions) -> None:
    run_id = store(sessions, Measured(throughput(), paths))
    body = {"run_id": str(run_id), "title": "t", "keep": ["token"]}
    assert admin.post(SNAPSHOTS, json=body).status_code == 422


def test_a_subject_is_needed_and_only_one(admin: TestClient) -> None:
    both = {"run_id": str(uuid.uuid4()), "comparison_id": str(uuid.uuid4())}
    for body in ({}, both):
        assert admin.post(SNAPSHOTS, json={"title": "t", **body}).status_code == 422
    assert admin.post(SNAPSHOTS, json={"title": "t", "run_id": both["run_id"]}).status_code == 404
    body = {"title": "t", "comparison_id": both["run_id"]}
    assert admin.post(SNAPSHOTS, json=body).status_code == 404


def test_content_is_frozen(admin: TestClient, browser: Browser, sessions: Sessions) -> None:
    run_id = store(sessions, Measured(throughput(), paths))
    url = f"/api/v1/public/snapshots/{share(admin, run_id=str(run_id))['token']}"
    before = browser().get(url).json()
    assert admin.delete(f"/api/v1/runs/{run_id}").status_code == 204
    assert browser().get(url).json() == before


@pytest.mark.parametrize("subject", ["run", "comparison"])
def test_what_an_older_method_said_stays_said_and_is_marked(
    admin: TestClient, browser: Browser, sessions: Sessions, subject: str
) -> None:
    if subject == "run":
        run = store(sessions, Measured(throughput(), paths))
        made = share(admin, run_id=str(run))
    else:
        made = share(admin, comparison_id=comparison(admin, sessions))
    with sessions.begin() as session:
        row = session.scalars(select(Snapshot)).one()
        old = copy.deepcopy(row.content)
        old["method"]["version"] = 1
        if subject == "comparison":
            old["comparison"]["method_version"] = 1
            for pair in old["comparison"]["contenders"][0]["pairs"]:
                for effect in groups(pair["effects"]):
                    effect["ratio"]["verdict"] = "better"
                    effect["ratio"]["parameters"]["reason"] = "clear_effect"
        row.content = old
    path = f"/api/v1/public/snapshots/{made['token']}"
    content = browser().get(path).json()["content"]
    assert content["method"]["version"] == 1
    assert content["method"]["statistics"] == statistics(1)
    if subject == "comparison":
        assert content["comparison"]["method_version"] == 1
        (contender,) = content["comparison"]["contenders"]
        said = {effect["verdict"] for effect in every_effect(contender)}
        assert said == {"better"}
    # The same run judged today is of today's method, and nobody rewrote what was shared.
    with sessions() as session:
        assert session.scalars(select(Snapshot)).one().content == old


def test_gone_links_look_like_ones_that_never_were(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    run_id = store(sessions, Measured(throughput(), paths))
    revoked, expired = (share(admin, run_id=str(run_id), title=t) for t in ("r", "e"))
    assert admin.delete(f"{SNAPSHOTS}/{revoked['id']}").status_code == 204
    assert admin.delete(f"{SNAPSHOTS}/{revoked['id']}").status_code == 204
    with sessions.begin() as session:
        session.execute(
            update(Snapshot)
            .where(Snapshot.id == uuid.UUID(expired["id"]))
            .values(expires_at=now() - timedelta(seconds=1))
        )
        row = session.scalars(select(Snapshot).where(Snapshot.title == "r")).one()
        assert row.content == {}
    client = browser()
    tokens = (revoked["token"], expired["token"], "A" * 22, "short", "../../etc", "x" * 3000)
    places = (("/api/v1/public/snapshots/", ""), ("/s/", ""), ("/s/", "/embed"))
    for prefix, suffix in (*places, ("/s/", "/preview.png")):
        answers = [client.get(f"{prefix}{token}{suffix}") for token in tokens if "/" not in token]
        assert {(one.status_code, one.text) for one in answers} == {(404, answers[0].text)}
        assert {one.headers["cache-control"] for one in answers} == {"no-store"}
        assert {one.headers["referrer-policy"] for one in answers} == {"no-referrer"}
        assert all("noindex" in one.headers["x-robots-tag"] for one in answers)
    listed = {one["title"]: one for one in admin.get(SNAPSHOTS).json()["items"]}
    assert listed["r"]["live"] is listed["e"]["live"] is False
    assert listed["r"]["revoked_at"] is not None


def test_the_token_is_nowhere_but_in_the_first_answer(
    admin: TestClient, sessions: Sessions
) -> None:
    run_id = store(sessions, Measured(throughput(), paths))
    token = share(admin, run_id=str(run_id))["token"]
    assert token not in admin.get(SNAPSHOTS).text
    with sessions() as session:
        row = session.scalars(select(Snapshot)).one()
        assert token not in str([row.token_hash, row.request, row.content])


def test_organizations_and_roles(log_in: LogIn, sessions: Sessions) -> None:
    ours, theirs = log_in(), log_in(organization="theirs")
    viewer = log_in(Role.VIEWER)
    run_id = store(sessions, Measured(throughput(), paths))
    made = share(ours, run_id=str(run_id))
    body = {"run_id": str(run_id), "title": "t"}
    for path in (SNAPSHOTS, f"{SNAPSHOTS}/preview"):
        assert theirs.post(path, json=body).status_code == 404
        assert viewer.post(path, json=body).status_code == 403
    assert theirs.delete(f"{SNAPSHOTS}/{made['id']}").status_code == 404
    assert viewer.delete(f"{SNAPSHOTS}/{made['id']}").status_code == 403
    assert theirs.get(SNAPSHOTS).json()["items"] == []
    assert len(viewer.get(SNAPSHOTS).json()["items"]) == 1


def test_the_page_for_browsers(admin: TestClient, browser: Browser, sessions: Sessions) -> None:
    made = share(
        admin,
        comparison_id=comparison(admin, sessions),
        title="<script>alert(1)</script> & more",
    )
    answer = browser().get(f"/s/{made['token']}")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    page = answer.text
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in page
    assert '<meta property="og:title"' in page
    assert '<meta name="robots" content="noindex, nofollow, noarchive">' in page
    assert f'href="/api/v1/public/snapshots/{made["token"]}/export?format=csv"' in page
    assert "<noscript><p>Charts, tables and the method need JavaScript" in page
    for name in PRIVATE:
        assert name not in page
    assert browser().head(f"/s/{made['token']}").status_code == 200


def test_the_built_frontend_takes_the_page_over(
    state: AppState, admin: TestClient, sessions: Sessions, tmp_path: Path
) -> None:
    (tmp_path / "snapshot.html").write_text(
        "<html><head><!--head--></head><body><div id=root><!--body--></div>"
        "<script type=module src=/assets/snapshot.js></script></body></html>"
    )
    made = share(admin, comparison_id=comparison(admin, sessions), title="A & B")
    settings = state.settings.model_copy(update={"frontend_dir": tmp_path})
    app = create_app(state=replace(state, settings=settings))
    with TestClient(app, base_url=ORIGIN) as visitor:
        answer = visitor.get(f"/s/{made['token']}")
        unknown = visitor.get("/s/unknown")
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "default-src 'none'" in policy
    assert answer.headers["x-robots-tag"] == "noindex, nofollow, noarchive"
    head, _, body = answer.text.partition("</head>")
    assert '<meta property="og:title" content="A &amp; B">' in head
    assert "<h1>A &amp; B</h1>" in body  # read without scripts, and by link previews
    assert "src=/assets/snapshot.js" in body
    assert unknown.status_code == 404
    assert "<script" not in unknown.text


def test_what_a_link_shows_is_compressed_and_what_a_login_shows_is_not(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    compared = comparison(admin, sessions)
    made = share(admin, comparison_id=compared)
    visitor = browser()
    for path in (f"/s/{made['token']}", f"/api/v1/public/snapshots/{made['token']}"):
        answer = visitor.get(path, headers={"Accept-Encoding": "gzip, br"})
        assert answer.headers["content-encoding"] == "gzip"
        assert "content-encoding" not in visitor.get(path, headers={"Accept-Encoding": ""}).headers
    inside = admin.get(f"/api/v1/comparisons/{compared}", headers={"Accept-Encoding": "gzip"})
    # What is shorter is never compressed.
    assert len(inside.content) >= 1024
    assert "content-encoding" not in inside.headers


@pytest.mark.parametrize(
    ("format_", "media_type"),
    [("json", "application/json"), ("csv", "text/csv"), ("markdown", "text/markdown")],
)
def test_files_of_a_link(
    admin: TestClient, browser: Browser, sessions: Sessions, format_: str, media_type: str
) -> None:
    made = share(admin, comparison_id=comparison(admin, sessions))
    url = f"/api/v1/public/snapshots/{made['token']}/export?format={format_}"
    answer = browser().get(url)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(media_type)
    assert answer.headers["content-disposition"].startswith('attachment; filename="what-we-found.')
    assert "noindex" in answer.headers["x-robots-tag"]
