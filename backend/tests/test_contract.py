"""The API against its own OpenAPI document, as an administrator who has one of everything.

Each operation answers 2xx to what it should take, and never 5xx to what is generated from the
document or against it; all answers have the shape that the document promises. `make test` tries
a part of the operations, `make test-full` all of them.
"""

from collections.abc import Callable, Iterator

import pytest
import redis
import requests
import schemathesis
from core.tests.sampling import sampled
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from podmeter.db.session import Sessions
from podmeter_api.security import CSRF_HEADER

from .conftest import PASSWORD
from .everything import OPERATIONS, Things, put_in_place, requests_for, uses_up
from .generated import Case, body_of, cases, operation_of

pytestmark = pytest.mark.services

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
#: Described as the text they are: several YAML documents, and a stream of events. Schemathesis
#: would take them apart and find that the parts are no text.
TEXT = {"get_rbac", "stream_events"}
#: So many operations in `make test`.
TAKEN, GENERATED = 15, 8
#: Of each operation. The same ones every time.
EXAMPLES = settings(
    max_examples=20,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
Send = Callable[[Case], schemathesis.Response]


@pytest.fixture
def log_in_anew(served: str, redis_client: redis.Redis) -> Callable[[str], Send]:
    """Sends cases in a session of their own, and checks what is answered."""

    def enter(email: str) -> Send:
        redis_client.flushdb()  # what was generated for /auth/login counts as failed logins
        session = requests.Session()
        login = {"email": email, "password": PASSWORD}
        answer = session.post(f"{served}/api/v1/auth/login", json=login, timeout=30)
        headers = {CSRF_HEADER: answer.json()["csrf_token"]}

        def send(case: Case) -> schemathesis.Response:
            response = case.call(base_url=served, session=session, headers=headers)
            text = case.operation.definition.raw["operationId"] in TEXT
            excluded = [response_schema_conformance] if text else []
            case.validate_response(response, checks=CHECKS, excluded_checks=excluded)
            return response

        return send

    return enter


def test_every_operation_takes_what_it_should(
    subtests: pytest.Subtests,
    admin: TestClient,
    sessions: Sessions,
    log_in_anew: Callable[[str], Send],
) -> None:
    tried, taken = sampled(OPERATIONS, TAKEN), []
    for operation, things in with_things(admin, sessions, tried, uses_up):
        with subtests.test(operation):
            asked = requests_for(things)[operation]
            case = operation_of(operation).Case(
                path_parameters=asked.path,
                query=asked.query,
                headers=asked.headers,
                cookies=asked.cookies,
                **body_of(asked),
            )
            response = log_in_anew(things.email)(case)
            assert 200 <= response.status_code < 300, response.content
            taken.append(operation)
    assert taken == tried


def test_nothing_that_is_generated_breaks_an_operation(
    subtests: pytest.Subtests,
    admin: TestClient,
    sessions: Sessions,
    log_in_anew: Callable[[str], Send],
) -> None:
    tried = sampled(OPERATIONS, GENERATED)
    for operation, things in with_things(admin, sessions, tried, may_change):
        with subtests.test(operation):
            try_all(cases(operation, requests_for(things)[operation]), log_in_anew(things.email))


def with_things(
    client: TestClient,
    sessions: Sessions,
    operations: list[str],
    needs_its_own: Callable[[str], bool],
) -> Iterator[tuple[str, Things]]:
    """Each operation with one of everything: its own, which takes long to make, or that of all."""
    shared = put_in_place(client, sessions)
    for operation in operations:
        if needs_its_own(operation):
            enter(client, shared.email)  # what was tried before may have ended the session
            yield operation, put_in_place(client, sessions)
        else:
            yield operation, shared


def may_change(operation: str) -> bool:
    """Whether something generated can change what another operation is to find."""
    return uses_up(operation) or OPERATIONS[operation][0] in ("PUT", "PATCH")


def enter(client: TestClient, email: str) -> None:
    answer = client.post("/api/v1/auth/login", json={"email": email, "password": PASSWORD})
    client.headers[CSRF_HEADER] = answer.json()["csrf_token"]


def try_all(generated: st.SearchStrategy[Case], send: Send) -> None:
    @EXAMPLES
    @given(generated)
    def each(case: Case) -> None:
        send(case)

    each()
