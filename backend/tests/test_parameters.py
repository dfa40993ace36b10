"""What is asked in the query is understood, or refused by its name, by every operation."""

import pytest
from fastapi.testclient import TestClient

from podmeter.db.session import Sessions

from .everything import DOCUMENT, OPERATIONS, put_in_place, requests_for

pytestmark = pytest.mark.services


def test_a_parameter_that_an_operation_does_not_have_is_refused(
    subtests: pytest.Subtests, admin: TestClient, sessions: Sessions
) -> None:
    things = put_in_place(admin, sessions)
    asked = requests_for(things)
    for operation, (method, path) in OPERATIONS.items():
        with subtests.test(operation):
            one = asked[operation]
            answer = admin.request(
                method,
                path.format(**one.path),
                params={**one.query, "limti": "7", "Limit": "7"},
                json=one.body,
            )
            assert answer.status_code == 422, answer.text
            problem = answer.json()
            assert problem["code"] == "unknown_parameter"
            assert [fault["parameter"] for fault in problem["errors"]] == ["limti", "Limit"]
            known = [
                parameter["name"]
                for parameter in DOCUMENT["paths"][path][method.lower()].get("parameters", [])
                if parameter["in"] == "query"
            ]
            for name in known or ["none"]:
                assert name in problem["errors"][0]["detail"]
            assert "Idempotency" not in problem["errors"][0]["detail"]
