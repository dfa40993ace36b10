"""Each operation and the least role that it takes: a lesser one is refused, whatever is asked.

An operation that changes something and that is added must be put into one of the sets. The role is
asked for twice, by the route and by the service behind it, and each is tested without the other.
"""

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from podmeter.db.models import Role
from podmeter.db.session import Sessions
from podmeter_api.app import RESOURCES
from podmeter_api.security import Admin, Operator, get_principal

from .conftest import LogIn
from .everything import OPERATIONS, put_in_place, requests_for
from .test_audit import changing
from .test_isolation import PUBLIC, stored

pytestmark = pytest.mark.services

ADMINS = {
    *("create_cluster", "update_cluster", "delete_cluster", "put_back_cluster"),
    *("create_invitation", "list_invitations", "delete_invitation"),
    *("update_member", "delete_member", "reset_member"),
    *("create_ci_trust", "replace_ci_trust", "delete_ci_trust", "list_ci_trusts"),
    *("create_organization", "update_organization", "list_audit", "export_audit"),
}
OPERATORS = {
    *("preflight_cluster", "measure_noise_floor", "update_cluster_marks"),
    *("create_experiment", "replace_experiment", "delete_experiment", "update_experiment_marks"),
    *(
        "create_run",
        "cancel_run",
        "conclude_run",
        "retry_run",
        "resume_run",
        "repeat_run",
        "delete_run",
    ),
    *("update_run_marks", "delete_comparison", "preview_import", "create_import"),
    *("preview_snapshot", "create_snapshot", "set_snapshot_picture", "delete_snapshot"),
}
#: What everybody may change: what is their own, and comparisons, which change nothing else.
VIEWERS = {
    *("log_in", "log_out", "change_password", "switch_organization", "leave_organization"),
    *("delete_session", "delete_sessions", "delete_token", "create_comparison"),
    *("set_cluster_favourite", "set_experiment_favourite", "set_run_favourite"),
}
#: A token of a role above one's own is refused, which test_accounts tries.
BY_WHAT_IS_ASKED = {"create_token"}
#: Viewers may delete the comparisons that they made, so the service alone can tell.
BY_THE_SERVICE_ALONE = {"delete_comparison"}
#: Reads a paste and touches nothing, so nothing is the organization's.
BY_THE_ROUTE_ALONE = {"preview_import"}


#: What each role is refused.
REFUSED = {Role.VIEWER: ADMINS | OPERATORS, Role.OPERATOR: ADMINS}


def test_every_operation_that_changes_something_says_whose_it_is() -> None:
    named = ADMINS | OPERATORS | VIEWERS | PUBLIC | BY_WHAT_IS_ASKED
    assert named <= set(OPERATIONS)
    assert {one for one in OPERATIONS if changing(one)} <= named


def test_every_route_declares_its_role() -> None:
    admin, operator = dependency(Admin), dependency(Operator)
    declared: dict[str, set[str]] = {"admin": set(), "operator": set()}
    for route in (route for resource in RESOURCES for route in resource.routes):
        if isinstance(route, APIRoute) and route.operation_id:
            calls = set(dependencies(route.dependant))
            declared["admin"] |= {route.operation_id} if admin in calls else set()
            declared["operator"] |= {route.operation_id} if operator in calls else set()
    assert declared["admin"] == ADMINS
    assert declared["operator"] == OPERATORS - BY_THE_SERVICE_ALONE


@pytest.fixture
def routes_ask_no_role(app: FastAPI) -> Iterator[None]:
    roles = [dependency(declared) for declared in (Admin, Operator)]
    app.dependency_overrides |= dict.fromkeys(roles, get_principal)
    yield
    for role in roles:
        del app.dependency_overrides[role]


@pytest.mark.usefixtures("routes_ask_no_role")
def test_the_services_refuse_a_lesser_role_themselves(
    subtests: pytest.Subtests, admin: TestClient, sessions: Sessions, log_in: LogIn
) -> None:
    requests = requests_for(put_in_place(admin, sessions))
    for role, refused in REFUSED.items():
        assert_refused(subtests, requests, log_in(role), role, refused - BY_THE_ROUTE_ALONE)


def test_a_lesser_role_is_refused(
    subtests: pytest.Subtests, admin: TestClient, sessions: Sessions, log_in: LogIn
) -> None:
    requests = requests_for(put_in_place(admin, sessions))
    for role, refused in REFUSED.items():
        lesser = log_in(role)
        before = stored(sessions)
        assert_refused(subtests, requests, lesser, role, refused)
        after = stored(sessions)
        # Refusals are in the audit log.
        assert {table for table in after if after[table] != before[table]} <= {"audit_entries"}


def test_an_operator_is_not_refused_what_is_an_operators(
    subtests: pytest.Subtests, admin: TestClient, sessions: Sessions, log_in: LogIn
) -> None:
    requests = requests_for(put_in_place(admin, sessions))
    operator = log_in(Role.OPERATOR)
    for operation in sorted(OPERATORS):
        with subtests.test(operation):
            assert requests[operation].send(operator, operation).status_code != 403


def assert_refused(
    subtests: pytest.Subtests,
    requests: dict[str, Any],
    lesser: TestClient,
    role: Role,
    operations: set[str],
) -> None:
    for operation in sorted(operations):
        with subtests.test(operation, role=role):
            answer = requests[operation].send(lesser, operation)
            assert (answer.status_code, answer.json()["code"]) == (403, "role"), answer.text


def dependency(declared: Any) -> Any:
    """The function that an annotated dependency calls."""
    return get_args(declared)[1].dependency


def dependencies(dependant: Dependant) -> Iterator[Any]:
    """All that a route depends on, by itself and through others."""
    for one in dependant.dependencies:
        yield one.call
        yield from dependencies(one)
