"""A job of a CI logs in by the token that its CI signs about it: no secret is stored."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from podmeter_cli.exits import CommandError, ExitCode, UsageError
from podmeter_cli.login_file import JobLogin, Login

if TYPE_CHECKING:
    from collections.abc import Mapping

    import httpx

#: The variable that GitLab's `id_tokens` fills in.
ID_TOKEN = "PODMETER_ID_TOKEN"  # noqa: S105 (a name)
_AGENT = {"User-Agent": "podmeter-cli"}


def exchange(url: str, trust: str, audience: str) -> Login:
    """Exchange the job's token for one of the server's, which lasts 15 min.

    Raises UsageError where the CI gives none or the server refuses it, CommandError where one of
    the two fails, httpx.TransportError where it is away.
    """
    import httpx

    body = {"trust_id": trust, "token": _signed(audience)}
    with httpx.Client(headers=_AGENT, timeout=30) as http:
        answer = http.post(f"{url}/api/v1/auth/ci", json=body)
    document = _document(answer)
    if answer.is_success:
        job = JobLogin(trust, audience, document["expires_at"])
        return Login(url, document["token"], job)
    said = document.get("detail") or f"HTTP {answer.status_code}"
    code = ExitCode.USAGE if answer.status_code in (401, 422) else ExitCode.FAILED
    raise CommandError(f"{url} does not let this job in: {said}", code)


def _signed(audience: str) -> str:
    """What the CI signs about this job."""
    import httpx

    if given := os.environ.get(ID_TOKEN):
        return given
    url = os.environ.get("ACTIONS_ID_TOKEN_REQUEST_URL")
    bearer = os.environ.get("ACTIONS_ID_TOKEN_REQUEST_TOKEN")
    if not url or not bearer:
        raise UsageError(
            "The CI gives this job no token. On GitHub the job needs the permission "
            f"`id-token: write`; on GitLab `id_tokens` names {ID_TOKEN}."
        )
    asked = httpx.URL(url).copy_add_param("audience", audience)
    answer = httpx.get(asked, headers={"Authorization": f"Bearer {bearer}"}, timeout=30)
    token = _document(answer).get("value")
    if not answer.is_success or not isinstance(token, str):
        raise CommandError(f"GitHub gives no token for this job: HTTP {answer.status_code}")
    return token


def _document(answer: httpx.Response) -> Mapping[str, Any]:
    try:
        found = answer.json()
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
