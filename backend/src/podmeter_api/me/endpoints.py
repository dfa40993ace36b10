"""GET /me."""

from fastapi import APIRouter, Request

from podmeter_api.me.schemas import Me
from podmeter_api.security import COOKIE, Viewer, csrf_token

router = APIRouter(tags=["accounts"])


@router.get("/me", operation_id="get_me")
def get_me(principal: Viewer, request: Request) -> Me:
    """Who is asking, and with a session its CSRF token."""
    token = request.cookies.get(COOKIE) if principal.session_id else None
    return Me.of(principal, csrf_token(token) if token else None)
