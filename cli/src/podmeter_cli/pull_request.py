"""One comment of a GitHub pull request, kept up to date: found again by a mark that nobody sees."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
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
class PullRequest:
    """Where to comment, and with which token."""

    api: str
    repository: str
    number: int
    token: str = field(repr=False)


def from_environment(number: int | None) -> PullRequest:
    """The pull request that a GitHub Action runs for. Raises UsageError where there is none."""
    token = os.environ.get("GITHUB_TOKEN", "")
    repository = os.environ.get("GITHUB_REPOSITORY", "")
    if not token or not _REPOSITORY.fullmatch(repository):
        raise UsageError("Set GITHUB_TOKEN and GITHUB_REPOSITORY, as GitHub Actions does.")
    found = number if number is not None else _number_of_event()
    if found is None:
        raise UsageError("This job runs for no pull request. Name one: --pull-request NUMBER")
    api = os.environ.get("GITHUB_API_URL", "https://api.github.com").rstrip("/")
    return PullRequest(api, repository, found, token)


def comment(where: PullRequest, key: str, text: str) -> str:
    """Write the comment with this key, or update the existing one. Returns its URL.

    Raises UsageError for a key that cannot be a mark, CommandError where GitHub refuses.
    """
    if not _KEY.fullmatch(key):
        raise UsageError(f"{key} is not a key: letters, digits, dots, - and _, at most 60")
    mark = f"<!-- podmeter:{key} -->"
    room = _LONGEST - len(mark) - len(_CUT) - 1
    body = f"{mark}\n{text if len(text) <= room else text[:room] + _CUT}"
    headers = {
        "Accept": "application/vnd.github+json",
        "Authorization": f"Bearer {where.token}",
        "X-GitHub-Api-Version": "2022-11-28",
    }
    with httpx.Client(base_url=where.api, headers=headers, timeout=30) as github:
        repository = f"/repos/{where.repository}/issues"
        known = next(
            (
                one["id"]
                for one in _comments(github, f"{repository}/{where.number}/comments")
                if str(one.get("body") or "").startswith(mark)
            ),
            None,
        )
        if known is None:
            made = _asked(github, "POST", f"{repository}/{where.number}/comments", body)
        else:
            made = _asked(github, "PATCH", f"{repository}/comments/{known}", body)
    return str(made.get("html_url", ""))


def _comments(github: httpx.Client, path: str) -> Iterator[dict[str, Any]]:
    page = 1
    while True:
        found = _asked(github, "GET", f"{path}?per_page=100&page={page}")
        yield from found
        if len(found) < 100:
            return
        page += 1


def _asked(github: httpx.Client, method: str, path: str, body: str | None = None) -> Any:
    try:
        answer = github.request(method, path, json=None if body is None else {"body": body})
    except httpx.TransportError as error:
        raise CommandError(f"GitHub does not answer: {error}") from None
    if answer.status_code in (401, 403, 404):
        raise CommandError(
            f"GitHub refuses to {'read' if method == 'GET' else 'write'} comments (HTTP "
            f"{answer.status_code}). The job needs `permissions: pull-requests: write`; a pull "
            "request from a fork has a token that only reads."
        )
    if not answer.is_success:
        raise CommandError(f"GitHub answers HTTP {answer.status_code}: {answer.text[:300]}")
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
