import http.server
import json
import os
import shutil
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from statistics import median

import pytest

from podmeter.domain.errors import ToolError
from podmeter.domain.ports import CommandOutput
from podmeter.drivers import curl

VERSIONS = ("7.88.1", "8.14.1")
TOOLS = tuple(f"curl-{version}" for version in VERSIONS)
TOOL = TOOLS[-1]
OPTIONS = curl.Options("http://10.99.0.2:8080/", requests=10, body_bytes=9)
WHOLE = replace(OPTIONS, first_counts=True)


def changed(output, place, **fields):
    """The answer with other fields in one of its requests, framed as the script frames it."""
    lines = output.stdout.split("\n")
    told = json.dumps(json.loads(lines[2 * place + 1]) | fields)
    head = lines[2 * place].rsplit(" ", 1)[0]
    lines[2 * place : 2 * place + 2] = [f"{head} {len(told)}", told]
    return replace(output, stdout="\n".join(lines))


@pytest.mark.parametrize("tool", TOOLS)
def test_phases_ascend_and_the_process_takes_longer(captured, tool):
    requests = curl.parse(captured(tool, "phases"), OPTIONS)
    assert len(requests) == 10
    for one in requests:
        phases = (one.namelookup, one.connect, one.pretransfer, one.starttransfer, one.total)
        assert [0, *phases, one.process] == sorted([0, *phases, one.process])
        assert one.total < one.process


@pytest.mark.parametrize("tool", TOOLS)
def test_the_first_request_is_discarded_unless_it_counts(captured, tool):
    output = captured(tool, "phases")
    totals = [json.loads(line)["time_total"] for line in output.stdout.split("\n")[1:22:2]]
    assert len(totals) == 11
    assert [one.total for one in curl.parse(output, OPTIONS)] == totals[1:]
    all_of_them = curl.parse(output, replace(WHOLE, requests=11))
    assert [one.total for one in all_of_them] == totals


@pytest.mark.parametrize("tool", TOOLS)
def test_who_answered_and_where(captured, tool):
    for name, options in (("phases", OPTIONS), ("phases-by-name", WHOLE)):
        requests = curl.parse(captured(tool, name), options)
        assert {one.address for one in requests} == {"10.99.0.2"}
        assert {one.server for one in requests} == {"pm-ab12cd-server"}


@pytest.mark.parametrize("tool", TOOLS)
def test_a_name_is_looked_up_and_an_address_is_not(captured, tool):
    by_name = curl.parse(captured(tool, "phases-by-name"), WHOLE)
    by_address = curl.parse(captured(tool, "phases"), OPTIONS)
    name, address = (median(one.namelookup for one in some) for some in (by_name, by_address))
    assert name > 3 * address


def test_what_is_asked_for():
    argv = curl.argv(replace(WHOLE, host_name="web.test", timeout_seconds=2))
    assert argv[3] == "10"
    command = argv[4:]
    assert command[command.index("--header") + 1] == "Host: web.test"
    assert command[command.index("--max-time") + 1] == "2"
    # Whatever proxy the machine of a client outside is set to use.
    assert command[command.index("--noproxy") + 1] == "*"
    assert command[-1] == OPTIONS.url
    assert "--header" not in curl.argv(OPTIONS)
    assert curl.argv(OPTIONS)[3] == "11"


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("refused", "curl ended with exit code 7"),
        (
            "resolve-failure",
            "curl ended with exit code 6: .*Could not resolve host: nowhere.invalid",
        ),
        ("timeout", "curl ended with exit code 28: .*timed out after"),
        ("empty-reply", "curl ended with exit code 52: .*Empty reply"),
        ("not-found", "received HTTP 418"),
    ],
)
def test_a_failure_is_an_error(captured, tool, name, complaint):
    with pytest.raises(ToolError, match=complaint):
        curl.parse(captured(tool, name), OPTIONS)


@pytest.mark.parametrize("place", [0, 5, 10])
@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"http_code": 503}, "HTTP 503"),
        ({"size": 8}, "size 8 instead of 9"),
        ({"time_pretransfer": 0.0}, "not in chronological order"),
        ({"time_connect": 9.0}, "not in chronological order"),
        ({"time_total": 9.0}, "not in chronological order"),
        ({"time_total": "0.1"}, "no number for time_total"),
        ({"address": None}, "no text for address"),
        ({"server": 7}, "no text for server"),
    ],
)
def test_every_request_is_checked_a_discarded_one_too(captured, place, fields, complaint):
    output = changed(captured(TOOL, "phases"), place, **fields)
    with pytest.raises(ToolError, match=complaint):
        curl.parse(output, OPTIONS)


def test_an_answer_of_any_length_will_do_where_none_is_known(captured):
    output = changed(captured(TOOL, "phases"), 3, size=7)
    assert len(curl.parse(output, replace(OPTIONS, body_bytes=None))) == 10


def test_a_server_cannot_write_its_own_figures(captured):
    """Its name is copied into what curl prints as it is."""
    name = 'x","time_total":0.000001,"server":"x'
    output = captured(TOOL, "phases")
    lines = output.stdout.split("\n")
    lines[3] = lines[3].replace("pm-ab12cd-server", name)
    head = lines[2].rsplit(" ", 1)[0]
    lines[2] = f"{head} {len(lines[3])}"
    with pytest.raises(ToolError):
        curl.parse(replace(output, stdout="\n".join(lines)), OPTIONS)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95, 0.999])
def test_a_cut_answer_is_an_error(captured, share):
    whole = captured(TOOL, "phases")
    cut = replace(whole, stdout=whole.stdout[: int(len(whole.stdout) * share)])
    with pytest.raises(ToolError):
        curl.parse(cut, OPTIONS)


def test_another_number_of_requests_is_an_error(captured):
    with pytest.raises(ToolError, match="11 of 21"):
        curl.parse(captured(TOOL, "phases"), replace(OPTIONS, requests=20))


@pytest.mark.parametrize("version", VERSIONS)
def test_the_version(captured, version):
    assert curl.parse_version(captured(f"curl-{version}", "version")) == version


class Mortal(http.server.BaseHTTPRequestHandler):
    """Answers so many times, then shuts the door."""

    left = 5

    def do_GET(self):
        type(self).left -= 1
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
        if type(self).left == 0:
            self.server.socket.close()
            threading.Thread(target=self.server.shutdown).start()

    def log_message(self, *_):
        pass


def asked_until_silent(url, seconds):
    argv = curl.until_silent_argv(url, seconds)
    ended = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
    return CommandOutput(ended.stdout, ended.stderr, ended.returncode, 1.0)


@pytest.fixture
def exit_codes(tmp_path, monkeypatch):
    """How each curl ended that the program ran, in turn."""
    told, wrapped = tmp_path / "exit-codes", tmp_path / "curl"
    wrapped.write_text(
        f'#!/bin/sh\n"{shutil.which("curl")}" "$@"\ncode=$?\necho $code >>"{told}"\nexit $code\n'
    )
    wrapped.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return lambda: told.read_text().split()


def test_a_server_that_goes_away_falls_silent_once_it_has_answered(exit_codes, monkeypatch):
    # A server that gets no CPU for seconds is no silence.
    in_a_row = 6
    monkeypatch.setattr(curl, "_VAIN_IN_A_ROW", in_a_row)
    Mortal.left = 5
    server = http.server.HTTPServer(("127.0.0.1", 0), Mortal)
    url = f"http://127.0.0.1:{server.server_address[1]}/"
    with ThreadPoolExecutor(1) as pool:
        serving = pool.submit(server.serve_forever, 0.01)
        output = asked_until_silent(url, 30)
        server.shutdown()
        serving.result(timeout=30)
    codes = exit_codes()
    # What curl received: on a busy machine it may give up before the server answers.
    assert output.stdout.startswith(f"{codes.count('0')} ")
    assert codes[-in_a_row - 1] == "0"
    found = curl.parse_until_silent(output)
    assert 0 < found.since < found.answered
    # Nobody was there from the beginning: the first attempt was in vain.
    assert curl.parse_until_silent(asked_until_silent(url, 30)).answered is None


def test_a_server_that_stays_is_no_silence():
    Mortal.left = -1
    server = http.server.HTTPServer(("127.0.0.1", 0), Mortal)
    url = f"http://127.0.0.1:{server.server_address[1]}/"
    with ThreadPoolExecutor(1) as pool:
        serving = pool.submit(server.serve_forever, 0.01)
        output = asked_until_silent(url, 1)
        server.shutdown()
        serving.result(timeout=30)
    server.server_close()
    assert (output.exit_code, output.stdout) == (1, "")
    with pytest.raises(ToolError):
        curl.parse_until_silent(output)


@pytest.mark.parametrize(
    "text", ["", "1 2 3\n", "1 2 3 end", "1 3 2 end\n", "1 -2 3 end\n", "x 2 3 end\n"]
)
def test_no_silence_is_read_of_anything_else(text):
    with pytest.raises(ToolError):
        curl.parse_until_silent(CommandOutput(text, "", 0, 1.0))
