import threading

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update

from podmeter.db.base import now
from podmeter.db.models import ApiToken, IdempotencyKey, Membership, Role
from podmeter.db.session import Sessions

from .conftest import Program

pytestmark = pytest.mark.services
TOKENS = "/api/v1/tokens"
KEY = {"Idempotency-Key": "a-key"}


def count(sessions: Sessions) -> int:
    with sessions() as session:
        return session.scalar(select(func.count()).select_from(ApiToken)) or 0


def test_a_repeated_request_gets_the_first_answer(admin: TestClient, sessions: Sessions) -> None:
    first = admin.post(TOKENS, json={"name": "a"}, headers=KEY)
    again = admin.post(TOKENS, json={"name": "a"}, headers=KEY)
    assert first.status_code == again.status_code == 201
    assert again.json() == first.json()
    assert again.headers["idempotency-replayed"] == "true"
    assert count(sessions) == 1


def test_without_a_key_each_request_counts(admin: TestClient, sessions: Sessions) -> None:
    admin.post(TOKENS, json={"name": "a"})
    admin.post(TOKENS, json={"name": "a"})
    assert count(sessions) == 2


def test_a_key_used_for_another_request_is_refused(admin: TestClient, sessions: Sessions) -> None:
    admin.post(TOKENS, json={"name": "a"}, headers=KEY)
    answer = admin.post(TOKENS, json={"name": "b"}, headers=KEY)
    assert answer.status_code == 422
    assert answer.json()["code"] == "idempotency_key_reused"
    assert count(sessions) == 1


@pytest.mark.parametrize("role", ["viewer", "admin"])
def test_an_answer_is_not_given_to_a_token_that_may_not_ask(
    admin: TestClient, program: Program, role: str
) -> None:
    body = {"name": "a", "role": "admin"}
    assert admin.post(TOKENS, json=body, headers=KEY).status_code == 201
    answer = program(role).post(TOKENS, json=body, headers=KEY)
    assert answer.status_code == 422
    assert answer.json()["code"] == "idempotency_key_reused"


def test_an_answer_is_not_given_once_the_role_is_less(
    admin: TestClient, sessions: Sessions
) -> None:
    body = {"email": "ada@example.org"}
    invite = "/api/v1/invitations"
    assert admin.post(invite, json=body, headers=KEY).status_code == 201
    with sessions.begin() as session:
        session.execute(update(Membership).values(role=Role.VIEWER))
    assert admin.post(invite, json=body, headers=KEY).status_code == 422


def test_a_refused_request_leaves_its_key_free(admin: TestClient) -> None:
    answer = admin.post(TOKENS, json={"name": "a", "expires_in_days": 0}, headers=KEY)
    assert answer.status_code == 422
    assert admin.post(TOKENS, json={"name": "a"}, headers=KEY).status_code == 201


def test_an_expired_key_is_forgotten(admin: TestClient, sessions: Sessions) -> None:
    admin.post(TOKENS, json={"name": "a"}, headers=KEY)
    with sessions.begin() as session:
        session.execute(update(IdempotencyKey).values(expires_at=now()))
    assert admin.post(TOKENS, json={"name": "b"}, headers=KEY).status_code == 201
    assert count(sessions) == 2


def test_requests_at_the_same_time_have_one_effect(admin: TestClient, sessions: Sessions) -> None:
    answers: list[dict[str, str]] = []

    def ask() -> None:
        answers.append(admin.post(TOKENS, json={"name": "a"}, headers=KEY).json())

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 6
    assert {answer["token"] for answer in answers} == {answers[0]["token"]}
    assert count(sessions) == 1


@pytest.mark.parametrize("key", ["", "a b", "x" * 201])
def test_a_malformed_key_is_refused(admin: TestClient, key: str) -> None:
    answer = admin.post(TOKENS, json={"name": "a"}, headers={"Idempotency-Key": key})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["header"].lower() == "idempotency-key"
