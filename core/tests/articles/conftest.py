"""The command `podmeter-admin articles` on an API without a cluster behind it."""

import signal
from types import SimpleNamespace

import pytest

from podmeter.articles import articles as command
from podmeter.demo import stack
from podmeter.demo.credentials import Kubectl

from .fake_api import Answers, cluster


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Answers:
    made = Answers()
    monkeypatch.setenv("KUBECONFIG", "/nowhere")
    monkeypatch.delenv("TESTBED", raising=False)
    monkeypatch.setattr(stack, "ensure", lambda _: (made, True))
    monkeypatch.setattr(command, "register", lambda *_, **__: cluster())
    monkeypatch.setattr(command, "manifest", lambda *_, **__: "rights")
    monkeypatch.setattr(command, "has_rights", lambda _: False)
    monkeypatch.setattr(command, "cluster_uid", lambda _: "uid-1")
    monkeypatch.setattr(command, "Api", lambda _: made)
    no_signals = SimpleNamespace(
        signal=lambda *_: None, SIGTERM=signal.SIGTERM, default_int_handler=None
    )
    monkeypatch.setattr(command, "signal", no_signals)
    monkeypatch.setattr(command, "down", lambda _: True)
    return made


@pytest.fixture
def kubectl(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    said: list[tuple[str, ...]] = []

    def run(_: Kubectl, *words: str, stdin: str | None = None) -> str:
        said.append(words)
        return ""

    monkeypatch.setattr(Kubectl, "run", run)
    return said
