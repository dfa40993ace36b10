"""vegeta's driver, on what two of its versions printed."""

import re
from dataclasses import replace

import pytest

from podmeter.domain.errors import ToolError
from podmeter.drivers import vegeta

VERSIONS = ("vegeta-12.11.1", "vegeta-12.12.0")
PLAIN = vegeta.Options("http://10.99.0.2:8080/512", 200, 1000, keepalive=False, body_bytes=512)
KEPT = replace(PLAIN, keepalive=True)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("name", "options"), [("plain", PLAIN), ("kept", KEPT)])
def test_every_request_has_its_time(captured, version, name, options):
    answer = vegeta.parse(captured(version, name), options)
    assert 200 <= len(answer.seconds) <= 205
    assert 10e-6 < min(answer.seconds) < max(answer.seconds) < 1
    # Nanoseconds, not the tenths of a millisecond that others print.
    assert len({round(one * 1e9) % 1000 for one in answer.seconds}) > 50
    assert answer.requests_per_second == pytest.approx(1000, rel=0.02)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_large_answer_is_read_whole(captured, version):
    options = replace(PLAIN, url="http://10.99.0.2:8080/1048576", requests=20, rate=50)
    options = replace(options, body_bytes=1048576)
    answer = vegeta.parse(captured(version, "large"), options)
    assert 20 <= len(answer.seconds) <= 25
    with pytest.raises(ToolError, match="Content-Length 1048576"):
        vegeta.parse(captured(version, "large"), replace(options, body_bytes=1048575))


@pytest.mark.parametrize("version", VERSIONS)
def test_as_many_as_the_path_takes(captured, version):
    answer = vegeta.parse(captured(version, "full"), PLAIN)
    assert len(answer.seconds) > 200
    assert answer.requests_per_second > 1000


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("refused", "connection refused"),
        ("not-found", "404 Not Found"),
        ("closed-without-answer", "EOF"),
        ("server-killed", "EOF|reset|refused"),
        ("timeout", "deadline exceeded|Client.Timeout"),
    ],
)
def test_a_request_that_failed_is_no_figure(captured, version, name, why):
    with pytest.raises(ToolError, match=why):
        vegeta.parse(captured(version, name), PLAIN)


def test_what_did_not_end_well_is_no_figure(captured):
    output = captured(VERSIONS[-1], "plain")
    lines = output.stdout.split("\n")
    for text in (
        "",
        "\n" * 9,
        output.stdout[:-1],
        output.stdout + "more\n",
        "\n".join([*lines[:5], *lines[6:]]),
        "\n".join([*lines[:5], lines[5], *lines[5:]]),
        re.sub(r"end (\d+) 0", r"end \1 1", output.stdout),
        output.stdout.replace(" 200 ", " 204 ", 1),
        output.stdout.replace("headers ", "headers é", 1),
        output.stdout.replace("headers ", "headers =", 1),
    ):
        with pytest.raises(ToolError):
            vegeta.parse(replace(output, stdout=text), PLAIN)
    with pytest.raises(ToolError, match="ended with exit code 137"):
        vegeta.parse(replace(output, exit_code=137), PLAIN)


def test_its_report_has_to_agree_with_its_requests(captured):
    output = captured(VERSIONS[-1], "plain")
    line = output.stdout.split("\n")[7]
    number, start, status, took = line.split(" ")
    changed = f"{number} {start} {status} {int(took) + 100_000}"
    with pytest.raises(ToolError, match="output contradicts itself: total"):
        vegeta.parse(replace(output, stdout=output.stdout.replace(line, changed)), PLAIN)


def test_a_few_more_are_sent_than_are_needed():
    assert "-duration=204500000ns" in vegeta.argv(PLAIN)
    assert "-duration=2019500000ns" in vegeta.argv(replace(PLAIN, requests=2000))
    assert "-rate=1000/1s" in vegeta.argv(PLAIN)
    assert "-keepalive=false" in vegeta.argv(PLAIN)


@pytest.mark.parametrize("version", VERSIONS)
def test_version(captured, version):
    assert vegeta.parse_version(captured(version, "version")) == version.partition("-")[2]
