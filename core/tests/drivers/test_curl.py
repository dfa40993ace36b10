from dataclasses import replace

import pytest

from podmeter.domain.errors import ToolError
from podmeter.drivers import curl

TOOL = "curl-8.14.1"
OPTIONS = curl.Options("http://10.99.0.2:8080/", requests=10)


def test_phases_ascend_and_the_process_takes_longer(captured):
    requests = curl.parse(captured(TOOL, "phases"), OPTIONS)
    assert len(requests) == 10
    for one in requests:
        assert 0 <= one.namelookup <= one.connect <= one.starttransfer <= one.total < one.process


def test_the_first_request_is_discarded(captured):
    output = captured(TOOL, "phases")
    assert output.stdout.count("http_code") == 11
    second = float(output.stdout.split('time_total":')[2].split(",")[0])
    assert curl.parse(output, OPTIONS)[0].total == second


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("refused", "curl ended with 7"),
        ("resolve-failure", "curl ended with 6: .*Could not resolve host: nowhere.invalid"),
        ("timeout", "curl ended with 28: .*timed out after"),
        ("empty-reply", "curl ended with 52: .*Empty reply"),
        ("not-found", "answered by HTTP 418"),
    ],
)
def test_a_failure_is_an_error(captured, name, complaint):
    with pytest.raises(ToolError, match=complaint):
        curl.parse(captured(TOOL, name), OPTIONS)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95, 0.999])
def test_a_cut_answer_is_an_error(captured, share):
    whole = captured(TOOL, "phases")
    cut = replace(whole, stdout=whole.stdout[: int(len(whole.stdout) * share)])
    with pytest.raises(ToolError):
        curl.parse(cut, OPTIONS)


def test_another_number_of_requests_is_an_error(captured):
    with pytest.raises(ToolError, match="11 of 21"):
        curl.parse(captured(TOOL, "phases"), replace(OPTIONS, requests=20))


def test_the_version(captured):
    assert curl.parse_version(captured(TOOL, "version")) == "8.14.1"
