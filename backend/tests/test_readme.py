"""The README's way from a token to a permalink, run as it stands there."""

import json
import os
import re
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from fastapi.testclient import TestClient

from podmeter.db.session import Sessions
from podmeter.domain.run import RunState
from podmeter.jobs import AdvanceRun, Job, PreflightCluster

from .builders import PlayedWorker, kubeconfig, reach
from .conftest import RememberingQueue

pytestmark = pytest.mark.services
README = Path(__file__).parents[2] / "README.md"


def script() -> str:
    (found,) = (
        block
        for block in re.findall(r"```sh\n(.*?)```", README.read_text(), re.DOTALL)
        if "/api/v1/" in block
    )
    return str(found)


def played(sessions: Sessions) -> Callable[[Job], None]:
    """A worker that does at once what it is asked for."""

    def do(job: Job) -> None:
        if isinstance(job, PreflightCluster):
            reach(sessions, str(job.cluster_id))
        if isinstance(job, AdvanceRun):
            worker = PlayedWorker(sessions, str(job.organization_id), str(job.run_id))
            worker.move(RunState.PREFLIGHT)
            worker.move(RunState.RUNNING)
            worker.trial(1)
            worker.finish()

    return do


@pytest.fixture
def kubectl(tmp_path: Path) -> Path:
    """A folder with a kubectl that prints the user's kubeconfig."""
    (tmp_path / "kubeconfig").write_text(kubeconfig())
    command = tmp_path / "kubectl"
    command.write_text(f"#!/bin/sh\nexec cat {tmp_path}/kubeconfig\n")
    command.chmod(command.stat().st_mode | stat.S_IEXEC)
    return tmp_path


def test_five_calls_from_a_token_to_a_permalink(
    admin: TestClient,
    served: str,
    sessions: Sessions,
    queue: RememberingQueue,
    kubectl: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(queue, "send", played(sessions))
    token = admin.post("/api/v1/tokens", json={"name": "ci", "role": "admin"}).json()["token"]
    assert len(re.findall("--json|-X POST", script())) == 5
    ended = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script()],
        env={**os.environ, "PATH": f"{kubectl}:{os.environ['PATH']}"}
        | {"PODMETER": served, "TOKEN": token},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "event: trial" in ended.stdout
    shared = json.loads(ended.stdout[ended.stdout.rindex('{"id"') :])
    shown = httpx.get(f"{served}/api/v1/public/snapshots/{shared['token']}", timeout=30)
    assert shown.json()["content"]["run"]["summaries"]
    assert shared["url"].endswith(f"/s/{shared['token']}")


def test_the_readme_stays_on_its_page() -> None:
    assert len(README.read_text().splitlines()) <= 100
