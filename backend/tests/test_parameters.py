"""Parameters and headers that every operation treats alike: what it lacks, what it must have."""

from dataclasses import replace

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
                headers=one.headers,
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


def test_a_change_says_which_version_it_is_based_on(
    subtests: pytest.Subtests, admin: TestClient, sessions: Sessions
) -> None:
    asked = requests_for(put_in_place(admin, sessions))
    versioned = {"update_cluster", "delete_cluster", "delete_experiment"}
    versioned |= {"replace_ci_trust", "delete_ci_trust"}
    versioned |= {"update_member", "delete_member", "update_organization"}
    versioned |= {"update_run_marks", "update_experiment_marks", "update_cluster_marks"}
    for operation in sorted(versioned):
        with subtests.test(operation):
            answer = replace(asked[operation], headers={}).send(admin, operation)
            assert answer.status_code == 428, answer.text
            problem = answer.json()
            assert problem["code"] == "precondition_required"
            (fault,) = problem["errors"]
            assert (fault["header"], fault["message"]["code"]) == ("If-Match", "header_missing")
            assert "ETag" in problem["detail"]
    needed = {
        operation
        for operation, (method, path) in OPERATIONS.items()
        for one in DOCUMENT["paths"][path][method.lower()].get("parameters", [])
        if one["name"] == "if-match" and one["required"]
    }
    assert needed == versioned
