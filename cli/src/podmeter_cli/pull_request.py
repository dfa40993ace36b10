"""One comment of a pull or merge request, kept up to date: a mark that nobody sees finds it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from podmeter_cli.exits import CommandError, UsageError

#: GitHub refuses a longer comment.
_LONGEST = 65_536
_CUT = "\n\n*The rest is left out: a comment has room for no more.*"
_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
_KEY = re.compile(r"[A-Za-z0-9_.-]{1,60}")


@dataclass(frozen=True)
class Discussion:
    """The comments of one pull request: where they are, and with which token."""

    forge: str
    api: str
    #: The path of all of them; of one, by its id; and the method that changes one.
    comments: str
    one: str
    change: str
    #: What is missing where the forge refuses.
    permission: str
    headers: Mapping[str, str] = field(repr=False)
    #: The address of a comment, where the forge's answer has none.
    address: str = ""


def from_environment(number: int | None) -> Discussion:
    """The pull request that a job of GitHub or GitLab runs for.

    Raises UsageError where there is none.
    """
    if os.environ.get("CI_PROJECT_ID"):
        return _of_gitlab(number)
    token = os.environ.get("GITHUB_TOKEN", "")
    repository = os.environ.get("GITHUB_REPOSITORY", "")
    if not token or not _REPOSITORY.fullmatch(repository):
        raise UsageError("Set GITHUB_TOKEN and GITHUB_REPOSITORY, as GitHub Actions does.")
    found = number if number is not None else _number_of_event()
    if found is None:
        raise UsageError("This job runs for no pull request. Name one: --pull-request NUMBER")
    return Discussion(
        forge="GitHub",
        api=os.environ.get("GITHUB_API_URL", "https://api.github.com").rstrip("/"),
        comments=f"/repos/{repository}/issues/{found}/comments",
        one=f"/repos/{repository}/issues/comments/{{id}}",
        change="PATCH",
        permission="The job needs `permissions: pull-requests: write`; a pull request from a fork "
        "has a token that only reads.",
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {token}",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )


def _of_gitlab(number: int | None) -> Discussion:
    token, api = os.environ.get("GITLAB_TOKEN", ""), os.environ.get("CI_API_V4_URL", "")
    if not token or not api:
        raise UsageError("Set GITLAB_TOKEN, a project access token with the scope `api`.")
    found = str(number) if number is not None else os.environ.get("CI_MERGE_REQUEST_IID")
    if not found:
        raise UsageError("This job runs for no merge request. Name one: --pull-request NUMBER")
    notes = f"/projects/{os.environ['CI_PROJECT_ID']}/merge_requests/{found}/notes"
    project = os.environ.get("CI_PROJECT_URL", "")
    return Discussion(
        forge="GitLab",
        api=api.rstrip("/"),
        comments=notes,
        one=f"{notes}/{{id}}",
        change="PUT",
        permission="GITLAB_TOKEN needs the scope `api` and the role Reporter.",
        headers={"PRIVATE-TOKEN": token},
        address=f"{project}/-/merge_requests/{found}#note_{{id}}",
    )


def comment(where: Discussion, key: str, text: str) -> str:
    """Write the comment with this key, or update the existing one. Returns its URL.

    Raises UsageError for a key that cannot be a mark, CommandError where the forge refuses.
    """
    if not _KEY.fullmatch(key):
        raise UsageError(f"{key} is not a key: letters, digits, dots, - and _, at most 60")
    mark = f"<!-- podmeter:{key} -->"
    room = _LONGEST - len(mark) - len(_CUT) - 1
    body = f"{mark}\n{text if len(text) <= room else text[:room] + _CUT}"
    with httpx.Client(base_url=where.api, headers=where.headers, timeout=30) as http:
        known = next(
            (
                one["id"]
                for one in _comments(http, where)
                if str(one.get("body") or "").startswith(mark)
            ),
            None,
        )
        if known is None:
            made = _asked(http, where, "POST", where.comments, body)
        else:
            made = _asked(http, where, where.change, where.one.format(id=known), body)
    return str(made.get("html_url") or where.address.format(id=made.get("id")))


def _comments(http: httpx.Client, where: Discussion) -> Iterator[dict[str, Any]]:
    page = 1
    while True:
        found = _asked(http, where, "GET", f"{where.comments}?per_page=100&page={page}")
        yield from found
        if len(found) < 100:
            return
        page += 1


def _asked(
    http: httpx.Client, where: Discussion, method: str, path: str, body: str | None = None
) -> Any:
    try:
        answer = http.request(method, path, json=None if body is None else {"body": body})
    except httpx.TransportError as error:
        raise CommandError(f"{where.forge} does not answer: {error}") from None
    if answer.status_code in (401, 403, 404):
        raise CommandError(
            f"{where.forge} refuses to {'read' if method == 'GET' else 'write'} comments (HTTP "
            f"{answer.status_code}). {where.permission}"
        )
    if not answer.is_success:
        raise CommandError(f"{where.forge} answers HTTP {answer.status_code}: {answer.text[:300]}")
    return answer.json()


def _number_of_event() -> int | None:
    path = os.environ.get("GITHUB_EVENT_PATH")
    if not path:
        return None
    try:
        event = json.loads(Path(path).read_text())
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from None
    number = (event.get("pull_request") or {}).get("number")
    return number if isinstance(number, int) else None
