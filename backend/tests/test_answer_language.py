"""What the API says is in the language of the request's Accept-Language."""

import uuid

import pytest
from fastapi.testclient import TestClient

from podmeter_api.language import language_of

pytestmark = pytest.mark.services


@pytest.mark.parametrize(
    ("accepted", "language"),
    [("", "en"), ("fr", "en"), ("zh-CN,zh;q=0.9,en;q=0.8", "zh"), ("zh;q=0.1, en;q=0.2", "en")],
)
def test_the_language_is_what_is_asked_for_first(accepted: str, language: str) -> None:
    assert language_of(accepted) == language


def test_a_problem_and_its_faults_are_in_the_language_asked_for(admin: TestClient) -> None:
    spec = {"name": "x", "kind": "throughput", "axes": {"protocol": ["sctp"]}}
    english, chinese = (
        admin.post("/api/v1/experiments", json=spec, headers={"Accept-Language": language})
        for language in ("en", "zh-CN")
    )
    (said,), (told,) = (answer.json()["errors"] for answer in (english, chinese))
    assert said["message"]["params"] == told["message"]["params"]
    assert said["detail"] == said["message"]["text"]
    assert told["detail"] == told["message"]["text"]
    assert "不在 tcp、udp 之中" in told["detail"], told
    assert "sctp" in said["detail"]
    for answer in (english, chinese):
        assert "Accept-Language" in answer.headers["vary"]


def test_an_answer_without_texts_of_its_own_says_so_in_the_language(admin: TestClient) -> None:
    path = f"/api/v1/runs/{uuid.uuid4()}"
    english, chinese = (
        admin.get(path, headers={"Accept-Language": language}).json() for language in ("en", "zh")
    )
    assert english["code"] == chinese["code"] == "not_found"
    assert english["detail"] != chinese["detail"]
    assert chinese["detail"] == chinese["message"]["text"]
