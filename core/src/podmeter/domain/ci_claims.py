"""Which tokens of a CI a trust takes, by what they claim: a pure decision about claims."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

LONGEST_PATTERN = 200
#: Claims that say whose job it is. A trust names one: an issuer such as GitHub signs for everybody.
OWNER_CLAIMS = frozenset(
    {
        *("sub", "repository", "repository_id", "repository_owner", "repository_owner_id"),
        *("project_path", "project_id", "namespace_path", "namespace_id"),
    }
)
#: Claims by which GitHub and GitLab say what started the job.
_EVENT_CLAIMS = ("event_name", "pipeline_source")
_PULL_REQUEST_EVENTS = frozenset(
    {
        *("pull_request", "pull_request_review", "pull_request_review_comment", "merge_group"),
        *("merge_request_event", "external_pull_request_event"),
    }
)
#: They run for a fork's pull request with the rights of the repository itself.
_OF_STRANGERS = frozenset({"pull_request_target", "workflow_run", "issue_comment", "issues"})
_PULL_REQUEST_REFS = ("refs/pull/", "refs/merge-requests/")
_REF_CLAIMS = ("ref", "ref_path")
EVENT = "event"


def is_pattern(text: str) -> bool:
    """Whether it is a pattern: `*` is any text without `/`, `**` at the end any text at all."""
    return 0 < len(text) <= LONGEST_PATTERN and "**" not in text.removesuffix("**")


def names_owner(claims: Mapping[str, str]) -> bool:
    """Whether patterns say whose jobs they take: such a claim, and not just any value of it."""
    return any(name in claims and claims[name].strip("*/") for name in OWNER_CLAIMS)


def unmatched(
    patterns: Mapping[str, str], claims: Mapping[str, Any], *, pull_requests: bool
) -> str | None:
    """The claim by which a token is refused; None where the trust takes it.

    Without `pull_requests` no token of a pull request is taken. What runs a fork's code with the
    repository's own rights is never taken: the token does not say whose code it is.
    """
    for name, pattern in patterns.items():
        if not matches(pattern, claims.get(name)):
            return name
    events = [claims.get(name) for name in _EVENT_CLAIMS]
    refs = [claims.get(name) for name in _REF_CLAIMS]
    if any(one in _OF_STRANGERS for one in events if isinstance(one, str)):
        return EVENT
    of_pull_request = any(
        one in _PULL_REQUEST_EVENTS for one in events if isinstance(one, str)
    ) or any(one.startswith(_PULL_REQUEST_REFS) for one in refs if isinstance(one, str))
    return EVENT if of_pull_request and not pull_requests else None


def matches(pattern: str, value: object) -> bool:
    """Whether a claim's whole value has the pattern's form, letter by letter."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return False
    return _compiled(pattern).fullmatch(str(value)) is not None


@lru_cache(maxsize=1000)
def _compiled(pattern: str) -> re.Pattern[str]:
    anything = pattern.endswith("**")
    first, *others = pattern.removesuffix("**").split("*")
    # The first place that fits leaves most to the rest: no other one needs to be tried, so that
    # a long value takes no long time. The last part is where the value ends.
    middle, last = (others[:-1], others[-1:]) if not anything else (others, [])
    found = re.escape(first)
    found += "".join(f"(?>[^/]*?{re.escape(one)})" for one in middle)
    found += "".join(f"[^/]*{re.escape(one)}" for one in last)
    return re.compile(found + (".*" if anything else ""), re.DOTALL)
