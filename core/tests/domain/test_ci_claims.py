import pytest

from podmeter.domain.ci_claims import is_pattern, matches, names_owner, unmatched

GITHUB = {
    "sub": "repo:acme/net:ref:refs/heads/main",
    "repository": "acme/net",
    "ref": "refs/heads/main",
    "event_name": "push",
    "repository_id": 42,
    "ref_protected": True,
}
TRUST = {"repository": "acme/net", "ref": "refs/heads/*"}


@pytest.mark.parametrize(
    ("pattern", "value", "taken"),
    [
        ("acme/net", "acme/net", True),
        ("acme/net", "Acme/net", False),
        ("acme/net", "acme/net2", False),
        ("acme/net", "evil/acme/net", False),
        # Nothing but * is special: neither the dot nor what else a regular expression has.
        ("acme/n.t", "acme/net", False),
        ("acme/(net|x)", "acme/net", False),
        ("acme/[a-z]et", "acme/net", False),
        ("acme/net", "acme/net\n", False),
        ("acme/*", "acme/net", True),
        ("acme/*", "acme/", True),
        ("acme/*", "acme/net/x", False),
        ("acme/*", "acme/net\nx", True),
        ("refs/heads/**", "refs/heads/feature/x", True),
        ("refs/heads/**", "refs/tags/x", False),
        ("refs/heads/release-*-fix", "refs/heads/release-1-fix", True),
        ("refs/heads/release-*-fix", "refs/heads/release-1-fix-fix", True),
        ("refs/heads/release-*-fix", "refs/heads/release-1/-fix", False),
        ("*/net", "acme/net", True),
        ("*/net", "a/b/net", False),
        ("a*b*c", "aXbYbZc", True),
        ("a*b*c", "aXc", False),
        ("a*", "a", True),
        ("42", 42, True),
        ("true", True, False),
        ("x", None, False),
        ("x", ["x"], False),
        ("*", "", True),
    ],
)
def test_a_pattern_is_of_the_whole_value(pattern: str, value: object, taken: bool) -> None:
    assert is_pattern(pattern)
    assert matches(pattern, value) is taken


@pytest.mark.parametrize("pattern", ["", "a**b", "**a", "x" * 201])
def test_what_is_no_pattern(pattern: str) -> None:
    assert not is_pattern(pattern)


def test_a_long_value_is_matched_in_a_moment() -> None:
    # Tried place by place, each of the stars would multiply the work by 10,000.
    pattern = "*a" * 60 + "*b"
    assert not matches(pattern, "a" * 10_000)


@pytest.mark.parametrize(
    ("claims", "named"),
    [
        ({"repository": "acme/*"}, True),
        ({"project_path": "acme/net"}, True),
        ({"sub": "repo:acme/net:**"}, True),
        ({"repository": "*/*"}, False),
        ({"repository": "**"}, False),
        ({"ref": "refs/heads/main"}, False),
    ],
)
def test_patterns_say_whose_jobs_they_take(claims: dict[str, str], named: bool) -> None:
    assert names_owner(claims) is named


@pytest.mark.parametrize(
    ("changes", "refused"),
    [
        ({}, None),
        ({"repository": "evil/net"}, "repository"),
        ({"ref": "refs/pull/7/merge"}, "ref"),
        ({"ref": "refs/tags/v1"}, "ref"),
        ({"ref": None}, "ref"),
        ({"event_name": "pull_request"}, "event"),
        ({"event_name": "pull_request_target"}, "event"),
        ({"event_name": "workflow_run"}, "event"),
        ({"pipeline_source": "merge_request_event"}, "event"),
        ({"ref_path": "refs/merge-requests/1/head"}, "event"),
    ],
)
def test_no_pull_request_is_taken_by_default(
    changes: dict[str, object], refused: str | None
) -> None:
    assert unmatched(TRUST, {**GITHUB, **changes}, pull_requests=False) == refused


@pytest.mark.parametrize(
    ("changes", "refused"),
    [
        ({"event_name": "pull_request", "ref": "refs/pull/7/merge"}, None),
        ({"event_name": "pull_request_target"}, "event"),
        ({"event_name": "issue_comment"}, "event"),
        ({"event_name": "pull_request", "repository": "fork/net"}, "repository"),
    ],
)
def test_pull_requests_of_the_repository_are_taken_where_they_are_wanted(
    changes: dict[str, object], refused: str | None
) -> None:
    patterns = {"repository": "acme/net", "ref": "refs/**"}
    assert unmatched(patterns, {**GITHUB, **changes}, pull_requests=True) == refused
