"""Which operations there are for a token that is held to one cluster or to experiments.

Here alone, for all of them, and what is not named here it does not reach: an operation that is new
is refused until its path names something. That what is named is inside of the scope is seen to by
the queries (`podmeter.db.scopes`).
"""

from fastapi import Request
from fastapi.routing import APIRoute

from podmeter.db.scopes import Scope
from podmeter.domain.messages import say
from podmeter.services.errors import RoleError
from podmeter_api.audited import SAFE, operation_of

#: Lists of what is in the scope; what is made of things that must be in it; what is nobody's.
_ANY = {
    *("get_me", "log_out", "list_kinds", "list_references", "get_reference", "get_rbac"),
    *("list_templates", "get_reproduction"),
    *("list_clusters", "list_experiments", "list_runs", "list_comparisons", "list_snapshots"),
    *("search", "list_tags"),
    *("plan_experiment", "create_comparison", "preview_snapshot", "create_snapshot"),
}
#: Of one of these, whatever is done to it.
_OF_THE_SCOPE = {"run_id", "comparison_id", "snapshot_id"}


def check_scope(request: Request, scope: Scope | None) -> None:
    """Raises RoleError for an operation that a token of this scope does not reach."""
    route = request.scope.get("route")
    if scope is None:
        return
    if not isinstance(route, APIRoute) or not _reaches(scope, request, operation_of(route)):
        raise RoleError(say("scope_too_narrow"))


def _reaches(scope: Scope, request: Request, operation: str) -> bool:
    named = set(request.path_params)
    if operation in _ANY or named & _OF_THE_SCOPE:
        return True
    reads = request.method in SAFE
    if "cluster_id" in named:
        return reads or scope.cluster_id is not None
    if "experiment_id" in named:
        return reads or scope.cluster_id is None or operation == "create_run"
    return False
