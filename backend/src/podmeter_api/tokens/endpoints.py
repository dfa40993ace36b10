"""POST, GET /tokens and DELETE /tokens/{id}."""

import uuid
from http import HTTPStatus

from fastapi import APIRouter

from podmeter.services.accounts import tokens
from podmeter_api.idempotency import Idempotent, IdempotentRoute
from podmeter_api.paging import ListOf, PageDep, listed
from podmeter_api.security import Viewer
from podmeter_api.tokens.schemas import MintedToken, NewToken, Token
from podmeter_api.unit_of_work import WorkDep

router = APIRouter(prefix="/tokens", tags=["accounts"], route_class=IdempotentRoute)


@router.post(
    "",
    operation_id="create_token",
    status_code=HTTPStatus.CREATED,
    dependencies=[Idempotent],
)
def create_token(body: NewToken, principal: Viewer, work: WorkDep) -> MintedToken:
    """Make a token; its secret is in this answer alone. A token cannot make tokens."""
    row, secret = tokens.mint(work, principal, body.name, body.role, body.expires_in_days)
    return MintedToken(**Token.of(row).model_dump(), token=secret)


@router.get("", operation_id="list_tokens")
def list_tokens(principal: Viewer, work: WorkDep, page: PageDep) -> ListOf[Token]:
    """The caller's own tokens, newest first."""
    return listed(tokens.page(work, principal, page), Token.of)


@router.delete("/{token_id}", operation_id="delete_token", status_code=HTTPStatus.NO_CONTENT)
def delete_token(token_id: uuid.UUID, principal: Viewer, work: WorkDep) -> None:
    """Revoke a token, at once."""
    tokens.revoke(work, principal, token_id)
