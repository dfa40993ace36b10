"""POST, GET /tokens and DELETE /tokens/{id}."""

import uuid
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query

from podmeter.services.accounts import tokens
from podmeter.services.accounts.tokens import TokenScope
from podmeter_api.idempotency import Idempotent, IdempotentRoute
from podmeter_api.paging import ListOf, PageDep, listed
from podmeter_api.problems import may
from podmeter_api.security import Viewer
from podmeter_api.tokens.schemas import MintedToken, NewToken, Token
from podmeter_api.unit_of_work import WorkDep

router = APIRouter(prefix="/tokens", tags=["accounts"], route_class=IdempotentRoute)


@router.post(
    "",
    operation_id="create_token",
    status_code=HTTPStatus.CREATED,
    responses=may(404),
    dependencies=[Idempotent],
)
def create_token(body: NewToken, principal: Viewer, work: WorkDep) -> MintedToken:
    """Make a token; its secret is in this answer alone. A token cannot make tokens.

    It may be held to one cluster (with the runs that measured it alone) or to one experiment (with
    its runs), and is gone with that; whatever lies outside answers 404 or 403.
    """
    held_to = TokenScope(body.cluster_id, body.experiment_id)
    row, secret = tokens.mint(work, principal, body.name, body.role, body.expires_in_days, held_to)
    return MintedToken(**Token.of(row).model_dump(), token=secret)


@router.get("", operation_id="list_tokens", responses=may(403))
def list_tokens(
    principal: Viewer,
    work: WorkDep,
    page: PageDep,
    everyones: Annotated[
        bool, Query(description="all of the organization's; for its administrators")
    ] = False,
) -> ListOf[Token]:
    """The caller's own tokens, newest first, or everybody's."""
    return listed(tokens.page(work, principal, page, everyones=everyones), Token.of)


@router.delete("/{token_id}", operation_id="delete_token", status_code=HTTPStatus.NO_CONTENT)
def delete_token(token_id: uuid.UUID, principal: Viewer, work: WorkDep) -> None:
    """Revoke a token at once: people their own, administrators anybody's, a token only itself."""
    tokens.revoke(work, principal, token_id)
