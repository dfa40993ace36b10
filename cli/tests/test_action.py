"""The comment of a pull request and the action's script, on a GitHub API that is played."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from podmeter_cli.exits import ExitCode

from .conftest import ROOT, Podmeter

ACTION = ROOT / "cli/action"


class GitHub(ThreadingHTTPServer):
    """Keeps the comments of pull request 7; `refuses` plays a token that only reads."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.comments: list[dict[str, Any]] = []
        self.tokens: set[str] = set()
        self.refuses = False


class _Handler(BaseHTTPRequestHandler):
    server: GitHub

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        found = re.fullmatch(
            r"/repos/acme/net/issues/7/comments\?per_page=100&page=(\d+)", self.path
        )
        assert found, self.path
        first = 100 * (int(found[1]) - 1)
        self._answer(200, self.server.comments[first : first + 100])

    def do_POST(self) -> None:
        assert self.path == "/repos/acme/net/issues/7/comments"
        if self.server.refuses:
            self._body()
            return self._answer(403, {"message": "Resource not accessible by integration"})
        number = len(self.server.comments) + 1
        address = f"https://github.example/acme/net/pull/7#{number}"
        self.server.comments.append({"id": number, "html_url": address, **self._body()})
        return self._answer(201, self.server.comments[-1])

    def do_PATCH(self) -> None:
        number = int(self.path.removeprefix("/repos/acme/net/issues/comments/"))
        self.server.comments[number - 1] |= self._body()
        self._answer(200, self.server.comments[number - 1])

    def _body(self) -> dict[str, Any]:
        self.server.tokens.add(self.headers["Authorization"])
        length = int(self.headers["Content-Length"])
        return dict(json.loads(self.rfile.read(length)))

    def _answer(self, status: int, document: object) -> None:
        content = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@pytest.fixture
def github(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHub]:
    """The API, and the environment of a job for its pull request."""
    with GitHub() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        event = tmp_path / "event.json"
        event.write_text(json.dumps({"pull_request": {"number": 7}}))
        for name, value in {
            "GITHUB_API_URL": f"http://127.0.0.1:{server.server_port}",
            "GITHUB_REPOSITORY": "acme/net",
            "GITHUB_TOKEN": "github-token",
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_SHA": "1a2b3c",
            "GITHUB_HEAD_REF": "topic",
            "GITHUB_SERVER_URL": "https://g",
            "GITHUB_RUN_ID": "9",
        }.items():
            monkeypatch.setenv(name, value)
        yield server
        server.shutdown()
        thread.join()


def test_three_runs_keep_one_comment_beside_those_of_others(
    podmeter: Podmeter, github: GitHub, tmp_path: Path
) -> None:
    github.comments += [
        {"id": n, "body": "a person's <!-- podmeter:results -->"} for n in range(101)
    ]
    file = tmp_path / "results.md"
    for verdict in ("worse", "undecided", "nothing is worse"):
        file.write_text(f"### Podmeter: {verdict}\n")
        written = podmeter("comment", str(file))
        assert written.code == 0, written.err
        assert written.out == "https://github.example/acme/net/pull/7#102\n"
    (own,) = github.comments[101:]
    assert own["body"] == "<!-- podmeter:results -->\n### Podmeter: nothing is worse\n"
    assert podmeter("comment", str(file), "--key", "dns").code == 0
    assert len(github.comments) == 103
    assert github.tokens == {"Bearer github-token"}


def test_a_comment_that_is_too_long_is_cut(
    podmeter: Podmeter, github: GitHub, tmp_path: Path
) -> None:
    (tmp_path / "long.md").write_text("x" * 100_000)
    assert podmeter("comment", str(tmp_path / "long.md")).code == 0
    assert len(github.comments[0]["body"]) <= 65_536
    assert github.comments[0]["body"].endswith("a comment has room for no more.*")


def test_what_github_refuses_says_which_permission_is_missing(
    podmeter: Podmeter, github: GitHub, tmp_path: Path
) -> None:
    github.refuses = True
    (tmp_path / "results.md").write_text("text")
    refused = podmeter("comment", str(tmp_path / "results.md"))
    assert refused.code == ExitCode.FAILED
    assert "pull-requests: write" in refused.err
    assert "github-token" not in refused.err


def test_a_job_without_a_pull_request_is_wrong_use(
    podmeter: Podmeter, github: GitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "results.md").write_text("text")
    monkeypatch.delenv("GITHUB_EVENT_PATH")
    assert podmeter("comment", str(tmp_path / "results.md")).code == ExitCode.USAGE
    assert podmeter("comment", str(tmp_path / "results.md"), "--pull-request", "7").code == 0
    monkeypatch.delenv("GITHUB_TOKEN")
    assert podmeter("comment", str(tmp_path / "results.md")).code == ExitCode.USAGE


#: Plays `podmeter run`, whose verdict is in CODE, and leaves the other commands to the real one.
_PLAYED = """\
#!/bin/sh
if [ "$1" = run ]; then
  echo "$@" >>"$ASKED"
  [ "$CODE" = 4 ] || echo "### Podmeter: code $CODE"
  exit "$CODE"
fi
exec {python} -m podmeter_cli "$@"
"""
_REAL = """\
#!/bin/sh
exec {python} -m podmeter_cli "$@"
"""


def act(folder: Path, code: int | None, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the action's script as GitHub does, with the defaults of its inputs.

    Without a code, `podmeter run` is the real one.
    """
    commands = folder / "bin"
    commands.mkdir(exist_ok=True)
    command = _REAL if code is None else _PLAYED
    (commands / "podmeter").write_text(command.format(python=sys.executable))
    (commands / "podmeter").chmod(0o755)
    action = yaml.safe_load((ACTION / "action.yml").read_text())
    given = {"spec": "my paths.yaml", "cluster": "ci", "url": "http://x", "token": "t"} | inputs
    values = {name: given.get(name, one.get("default")) for name, one in action["inputs"].items()}
    (step,) = action["runs"]["steps"]
    own = {
        name: re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda found: values[found[1]], text)
        for name, text in step["env"].items()
        if "github.token" not in text
    }
    return subprocess.run(
        ["bash", str(ACTION / "measure.sh")],
        env={
            **os.environ,
            **own,
            "PATH": f"{commands}:{os.environ['PATH']}",
            "CODE": str(code),
            "ASKED": str(folder / "asked"),
            "RUNNER_TEMP": str(folder),
            "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize("code", [0, 1, 2, 3, 4])
def test_the_job_ends_with_the_verdict(github: GitHub, tmp_path: Path, code: int) -> None:
    ended = act(tmp_path, code)
    assert ended.returncode == code, ended.stderr
    assert (tmp_path / "output").read_text() == f"exit-code={code}\n"
    assert "### Podmeter: " in (tmp_path / "summary").read_text()
    (comment,) = github.comments
    assert f"code {code}" in comment["body"]
    asked = (tmp_path / "asked").read_text().strip()
    labels = (
        "--label commit=1a2b3c --label branch=topic --label ci=https://g/acme/net/actions/runs/9"
    )
    words = f"run my paths.yaml --cluster ci {labels} --wait --if-interrupted cancel"
    assert asked == f"{words} --output markdown"


def test_inputs_change_what_the_action_does(github: GitHub, tmp_path: Path) -> None:
    inputs = {"accept-undecided": "true", "until-decided": "10%", "comment": "no"}
    ended = act(tmp_path, 2, against="branch=main", max="20m", **inputs)
    assert ended.returncode == 0, ended.stderr
    asked = (tmp_path / "asked").read_text()
    assert "--until-decided 10% --against branch=main --max 20m" in asked
    assert github.comments == []


def test_a_comment_that_is_refused_does_not_change_the_verdict(
    github: GitHub, tmp_path: Path
) -> None:
    github.refuses = True
    ended = act(tmp_path, 0)
    assert ended.returncode == 0
    assert "::warning::The comment was not written." in ended.stdout
