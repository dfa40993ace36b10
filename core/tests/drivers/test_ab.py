from dataclasses import replace

import pytest

from podmeter.domain.errors import ToolError
from podmeter.drivers import ab

TOOL = "ab-2.3"
PLAIN = ab.Options(
    "http://10.99.0.2:8080/", requests=2000, concurrency=10, keepalive=False, document_bytes=9
)


def test_without_keepalive(captured):
    answer = ab.parse(captured(TOOL, "plain"), PLAIN)
    assert answer.requests_per_second > 1000
    assert answer.requests_per_second == pytest.approx(2000 / answer.seconds, rel=0.02)
    assert answer.mean_seconds == pytest.approx(10 / answer.requests_per_second, rel=0.02)
    assert dict(answer.percentiles).keys() == {50, 66, 75, 80, 90, 95, 98, 99, 100}
    assert answer.document_bytes == 9
    assert answer.keepalive_requests is None


def test_with_keepalive(captured):
    answer = ab.parse(captured(TOOL, "keepalive"), replace(PLAIN, keepalive=True))
    assert answer.keepalive_requests == 2000
    assert "-k" in ab.argv(replace(PLAIN, keepalive=True))


def test_keepalive_that_was_asked_for_and_not_reported_is_an_error(captured):
    with pytest.raises(ToolError, match="Keep-Alive requests"):
        ab.parse(captured(TOOL, "plain"), replace(PLAIN, keepalive=True))


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("refused", r"Connection refused \(111\)"),
        ("bad-host", "Temporary failure in name resolution"),
        ("length-varies", r"of 2000 requests failed \(Connect: 0, Receive: 0, Length: \d+"),
        ("non-2xx", "2000 responses were not 2xx"),
    ],
)
def test_a_failure_is_an_error(captured, name, complaint):
    with pytest.raises(ToolError, match=complaint):
        ab.parse(captured(TOOL, name), PLAIN)


def test_connections_closed_without_an_answer_are_no_requests(captured):
    """ab itself calls them complete and not failed, and gives a rate."""
    output = captured(TOOL, "closed-without-answer")
    assert "Failed requests:        0" in output.stdout
    with pytest.raises(ToolError, match="without a response"):
        ab.parse(output, replace(PLAIN, requests=50))


def test_fewer_requests_than_asked_for_are_an_error(captured):
    with pytest.raises(ToolError, match="completed 2000 of 5000"):
        ab.parse(captured(TOOL, "plain"), replace(PLAIN, requests=5000))


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8, 0.97])
def test_a_cut_answer_is_an_error(captured, share):
    whole = captured(TOOL, "plain")
    cut = replace(whole, stdout=whole.stdout[: int(len(whole.stdout) * share)])
    with pytest.raises(ToolError):
        ab.parse(cut, PLAIN)


def test_it_runs_by_count(captured):
    argv = ab.argv(PLAIN)
    assert argv[argv.index("-n") + 1] == "2000"
    assert "-t" not in argv
    assert ab.parse_version(captured(TOOL, "version")).startswith("2.3 ")
