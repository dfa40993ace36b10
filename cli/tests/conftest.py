"""The command as a user runs it, on the API as it is served."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest
from backend.tests.builders import PlayedWorker, authority, reach
from backend.tests.conftest import (  # noqa: F401 (fixtures)
    RememberingQueue,
    add_user,
    admin,
    api_engine,
    app,
    browser,
    log_in,
    one_app,
    one_provider,
    organization,
    passwords,
    provider,
    queue,
    served,
    state,
)
from backend.tests.conftest import settings as backend_settings  # noqa: F401 (a fixture)
from bench.scripted.cluster import ScriptedCluster
from bench.scripted.loop import Loop
from fastapi.testclient import TestClient

from podmeter.db.session import Sessions
from podmeter.domain.run import RunState
from podmeter.jobs import AdvanceRun, Job, PreflightCluster
from podmeter.settings import Settings
from podmeter_cli.main import main
from podmeter_testbed import builds
from podmeter_testbed.layout import Layout

ROOT = Path(__file__).parents[2]
BUILT = builds.output(Layout.from_environment().cache, builds.KUBERNETES) / "kubectl"


@dataclass(frozen=True)
class Ended:
    """What a command ended with."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The JSON that it printed."""
        return json.loads(self.out)


Podmeter = Callable[..., Ended]


@pytest.fixture(scope="session")
def one_authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of one certificate authority."""
    file = tmp_path_factory.mktemp("authority") / "ca.crt"
    file.write_text(authority())
    return file


@pytest.fixture(autouse=True)
def home(tmp_path: Path, one_authority: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without a login.

    No server here has a certificate of a public authority, and each command would load all 150.
    """
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("SSL_CERT_FILE", str(one_authority))
    for name in ("PODMETER_URL", "PODMETER_TOKEN", "XDG_CONFIG_HOME", "KUBECONFIG", "KUBECTL"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def settings(backend_settings: Settings) -> Settings:  # noqa: F811
    """A server that may connect to clusters on this machine."""
    return backend_settings.model_copy(update={"allowed_cluster_networks": ("127.0.0.0/8",)})


@pytest.fixture
def podmeter(capsys: pytest.CaptureFixture[str]) -> Podmeter:
    """Runs the command in this process."""

    def run(*words: str) -> Ended:
        capsys.readouterr()
        code = main(words)
        captured = capsys.readouterr()
        return Ended(code, captured.out, captured.err)

    return run


@pytest.fixture
def token(admin: TestClient) -> str:  # noqa: F811
    """An administrator's API token."""
    made = admin.post("/api/v1/tokens", json={"name": "cli", "role": "admin"})
    return str(made.json()["token"])


@pytest.fixture
def logged_in(
    served: str,  # noqa: F811
    token: str,
    monkeypatch: pytest.MonkeyPatch,
) -> str:
    """The address of the server that the command is logged in to, by the environment."""
    monkeypatch.setenv("PODMETER_URL", served)
    monkeypatch.setenv("PODMETER_TOKEN", token)
    return served


@pytest.fixture
def cluster_uid() -> str:
    """Of the cluster that preflights find; tests with a scripted cluster name that one's."""
    return "uid-1"


@pytest.fixture
def worker(
    sessions: Sessions,
    queue: RememberingQueue,  # noqa: F811
    cluster_uid: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A worker that does at once what it is asked for: every run measures one trial and ends."""

    def do(job: Job) -> None:
        if isinstance(job, PreflightCluster):
            reach(sessions, str(job.cluster_id), cluster_uid)
        if isinstance(job, AdvanceRun):
            played = PlayedWorker(sessions, str(job.organization_id), str(job.run_id))
            played.move(RunState.PREFLIGHT)
            played.move(RunState.RUNNING)
            played.trial(1)
            played.finish()

    monkeypatch.setattr(queue, "send", do)


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[httpx.Request]]:
    """What the client sends: each path is in the OpenAPI document, with its query's names."""
    operations = _operations()
    asked: list[str] = []
    requests: list[httpx.Request] = []
    send = httpx.Client.send

    def checked(self: httpx.Client, request: httpx.Request, **more: Any) -> httpx.Response:
        if self.headers["user-agent"].startswith("podmeter-cli"):
            asked.append(_undeclared(operations, request))
            requests.append(request)
        return send(self, request, **more)

    monkeypatch.setattr(httpx.Client, "send", checked)
    yield requests
    assert [one for one in asked if one] == []


@cache
def _operations() -> list[tuple[str, re.Pattern[str], set[str]]]:
    document = json.loads((ROOT / "docs/openapi.json").read_text())
    return [
        (
            method.upper(),
            re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path)),
            {one["name"] for one in operation.get("parameters", ()) if one.get("in") == "query"},
        )
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if isinstance(operation, dict)
    ]


def _undeclared(
    operations: list[tuple[str, re.Pattern[str], set[str]]], request: httpx.Request
) -> str:
    """What of a request is not in the document; "" where all is."""
    if request.url.path == "/api/v1/openapi.json":
        return ""  # the document itself, which has the server's version
    for method, path, query in operations:
        if method == request.method and path.fullmatch(request.url.path):
            unknown = set(request.url.params) - query
            return f"{request.url}: {unknown}" if unknown else ""
    return f"{request.method} {request.url.path}"


@pytest.fixture(scope="session")
def scripted() -> Iterator[ScriptedCluster]:
    """A cluster that kubectl reaches."""
    with Loop() as loop:
        cluster = ScriptedCluster("scripted")
        loop.wait(cluster.start())
        yield cluster
        loop.wait(cluster.stop())


@pytest.fixture
def kubectl(monkeypatch: pytest.MonkeyPatch) -> str:
    """The machine's kubectl, or the testbed's."""
    found = shutil.which("kubectl") or (str(BUILT) if BUILT.exists() else None)
    assert found, "kubectl is missing: install it, or run podmeter-testbed build"
    monkeypatch.setenv("KUBECTL", found)
    return found


@pytest.fixture
def kubeconfig(tmp_path: Path, scripted: ScriptedCluster, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's, with a token."""
    file = tmp_path / "kubeconfig"
    file.write_text(scripted.server.kubeconfig("scripted"))
    monkeypatch.setenv("KUBECONFIG", str(file))
    return file
