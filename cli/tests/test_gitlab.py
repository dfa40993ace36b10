"""GitLab's component: its script on a played `podmeter run` and a played GitLab API."""

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

COMPONENT = ROOT / "cli/gitlab/measure.yml"
_NOTES = "/api/v4/projects/42/merge_requests/7/notes"


class GitLab(ThreadingHTTPServer):
    """Keeps the notes of merge request 7 of project 42."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.notes: list[dict[str, Any]] = [{"id": 1, "body": "a person's"}]
        self.tokens: set[str] = set()


class _Handler(BaseHTTPRequestHandler):
    server: GitLab

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        assert self.path == f"{_NOTES}?per_page=100&page=1"
        self._answer(200, self.server.notes)

    def do_POST(self) -> None:
        assert self.path == _NOTES
        self.server.notes.append({"id": len(self.server.notes) + 1, **self._body()})
        self._answer(201, self.server.notes[-1])

    def do_PUT(self) -> None:
        number = int(self.path.removeprefix(f"{_NOTES}/"))
        self.server.notes[number - 1] |= self._body()
        self._answer(200, self.server.notes[number - 1])

    def _body(self) -> dict[str, Any]:
        self.server.tokens.add(self.headers["PRIVATE-TOKEN"])
        return dict(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def _answer(self, status: int, document: object) -> None:
        content = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@pytest.fixture
def gitlab(monkeypatch: pytest.MonkeyPatch) -> Iterator[GitLab]:
    """The API, and the environment of a job for its merge request."""
    with GitLab() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        for name, value in {
            "CI_API_V4_URL": f"http://127.0.0.1:{server.server_port}/api/v4",
            "CI_PROJECT_ID": "42",
            "CI_PROJECT_URL": "https://gitlab.example/acme/net",
            "CI_MERGE_REQUEST_IID": "7",
            "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "topic",
            "CI_COMMIT_SHA": "1a2b3c",
            "CI_JOB_URL": "https://gitlab.example/acme/net/-/jobs/9",
            "CI_JOB_NAME_SLUG": "podmeter",
            "GITLAB_TOKEN": "gitlab-token",
        }.items():
            monkeypatch.setenv(name, value)
        yield server
        server.shutdown()
        thread.join()


#: Plays `podmeter login` and `podmeter run`, whose verdict is in CODE; the rest is the real one.
_PLAYED = """\
#!/bin/sh
case "$1" in
login|run) echo "$@" >>"$ASKED" ;;
*) exec {python} -m podmeter_cli "$@" ;;
esac
[ "$1" = login ] && exit "$LOGIN"
[ "$CODE" = 4 ] || echo "### Podmeter: code $CODE"
exit "$CODE"
"""


def measure(folder: Path, code: int, login: int = 0, **inputs: Any) -> int:
    """Run the component's script as a runner does; its exit code."""
    commands = folder / "bin"
    commands.mkdir(exist_ok=True)
    (commands / "podmeter").write_text(_PLAYED.format(python=sys.executable))
    (commands / "podmeter").chmod(0o755)
    header, body = COMPONENT.read_text().split("\n---\n")
    given = {
        "spec": "my paths.yaml",
        "cluster": "ci",
        "url": "https://podmeter.example",
        "trust": "0d5f",
        "audience": "podmeter",
    } | inputs
    declared = yaml.safe_load(header)["spec"]["inputs"]
    assert given.keys() <= declared.keys()
    values = {name: given.get(name, one.get("default")) for name, one in declared.items()}
    assert None not in values.values()

    def value(found: re.Match[str]) -> str:
        chosen = values[found[1]]
        return str(chosen).lower() if isinstance(chosen, bool) else str(chosen)

    ((name, job),) = yaml.safe_load(re.sub(r"\$\[\[ inputs\.([a-z-]+) \]\]", value, body)).items()
    assert name == "podmeter"
    assert job["id_tokens"] == {"PODMETER_ID_TOKEN": {"aud": "podmeter"}}
    own = {name: str(one or "") for name, one in job["variables"].items()}
    return subprocess.run(
        ["sh", "-e", "-c", *job["script"]],
        cwd=folder,
        env={
            **os.environ,
            **own,
            "PATH": f"{commands}:{os.environ['PATH']}",
            "CI_PROJECT_DIR": str(folder),
            "CODE": str(code),
            "LOGIN": str(login),
            "ASKED": str(folder / "asked"),
        },
        capture_output=True,
        timeout=60,
        check=False,
    ).returncode


@pytest.mark.parametrize("code", [0, 1, 2, 3, 4])
def test_the_job_ends_with_the_verdict(gitlab: GitLab, tmp_path: Path, code: int) -> None:
    assert measure(tmp_path, code) == code
    assert "### Podmeter: " in (tmp_path / "podmeter.md").read_text()
    login, run = (tmp_path / "asked").read_text().splitlines()
    assert login == "login https://podmeter.example --ci --audience podmeter"
    labels = "--label commit=1a2b3c --label branch=topic"
    ci = "--label ci=https://gitlab.example/acme/net/-/jobs/9"
    words = "--wait --if-interrupted cancel --output markdown"
    assert run == f"run my paths.yaml --cluster ci {labels} {ci} {words}"


def test_three_runs_keep_one_comment(gitlab: GitLab, tmp_path: Path) -> None:
    for code in (1, 2, 0):
        measure(tmp_path, code)
    person, own = gitlab.notes
    assert person["body"] == "a person's"
    assert own["body"] == "<!-- podmeter:podmeter -->\n### Podmeter: code 0\n"
    assert gitlab.tokens == {"gitlab-token"}


def test_inputs_change_what_the_job_does(gitlab: GitLab, tmp_path: Path) -> None:
    inputs: dict[str, Any] = {
        "accept-undecided": True,
        "until-decided": "10%",
        "against": "branch=main",
        "max": "20m",
    }
    assert measure(tmp_path, 2, **inputs) == 0
    asked = (tmp_path / "asked").read_text()
    assert "--until-decided 10% --against branch=main --max 20m" in asked


def test_a_job_that_is_not_let_in_measures_nothing(gitlab: GitLab, tmp_path: Path) -> None:
    assert measure(tmp_path, 0, login=4) == 4
    assert "run " not in (tmp_path / "asked").read_text()


def test_a_job_without_a_merge_request_or_token_is_wrong_use(
    gitlab: GitLab, podmeter: Podmeter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "results.md").write_text("text")
    written = podmeter("comment", str(tmp_path / "results.md"))
    assert written.out == "https://gitlab.example/acme/net/-/merge_requests/7#note_2\n"
    monkeypatch.delenv("CI_MERGE_REQUEST_IID")
    assert podmeter("comment", str(tmp_path / "results.md")).code == ExitCode.USAGE
    monkeypatch.delenv("GITLAB_TOKEN")
    refused = podmeter("comment", str(tmp_path / "results.md"), "--pull-request", "7")
    assert (refused.code, "GITLAB_TOKEN" in refused.err) == (ExitCode.USAGE, True)
