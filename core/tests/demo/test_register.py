"""Whose registration of a cluster the demo uses, and what it changes of it."""

import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rich.console import Console

from podmeter.demo import demo
from podmeter.demo.api import Api
from podmeter.demo.credentials import Kubectl
from podmeter.settings import Settings


class Registry:
    """Clusters as the API has them; every change is kept."""

    def __init__(self, *clusters: dict[str, Any]) -> None:
        self.clusters = {one["id"]: one for one in clusters}
        self.changes: list[str] = []

    def all(self, path: str) -> list[dict[str, Any]]:
        return list(self.clusters.values())

    def get(self, path: str) -> dict[str, Any]:
        return self.clusters[path.split("/")[2]]

    def text(self, path: str, **query: str) -> str:
        return "manifest"

    def post(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        if path.endswith("/preflight"):
            return {}
        self.changes.append(f"POST {path}")
        made = cluster(id=f"new-{len(self.clusters)}", **(body or {}))
        self.clusters[made["id"]] = made
        return made

    def patch(self, path: str, version: int, body: dict[str, Any]) -> dict[str, Any]:
        self.changes.append(f"PATCH {path}")
        self.clusters[path.split("/")[2]] |= body
        return self.get(path)


def cluster(**fields: Any) -> dict[str, Any]:
    known = {"name": "prod", "cluster_uid": "uid-1", "server": "https://10.0.0.1:6443"}
    return {
        **known,
        "preflight_state": "succeeded",
        "allow_mode_switch": False,
        "version": 1,
        **fields,
    }


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.model_construct(state_dir=tmp_path)


@pytest.fixture(autouse=True)
def the_cluster(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was applied to it."""
    applied: list[str] = []

    def service_account(_: Kubectl, manifest: str) -> tuple[str, str]:
        applied.append(manifest)
        return "prod", "a token of 24 hours"

    monkeypatch.setattr(demo, "cluster_uid", lambda _: "uid-1")
    monkeypatch.setattr(demo, "knows_admission_policies", lambda _: True)
    monkeypatch.setattr(demo, "service_account_kubeconfig", service_account)
    return applied


def registered(api: Registry, settings: Settings, *, switch: bool) -> tuple[dict[str, Any], str]:
    console = Console(width=200, file=io.StringIO(), record=True)
    kubectl = cast(Kubectl, SimpleNamespace())
    found = demo.register(cast(Api, api), console, kubectl, settings, switch=switch)
    return found, console.export_text()


def test_a_users_own_registration_is_used_as_it_is(
    settings: Settings, the_cluster: list[str]
) -> None:
    api = Registry(cluster(id="theirs", kubeconfig="their own"))
    before = dict(api.clusters["theirs"])
    found, said = registered(api, settings, switch=True)
    assert found == before
    assert (api.changes, the_cluster) == ([], [])
    assert "is registered already and is used as it is: it does not allow mode switches" in said


def test_its_own_registration_gets_new_credentials(settings: Settings) -> None:
    api = Registry()
    first, _ = registered(api, settings, switch=True)
    again, _ = registered(api, settings, switch=True)
    assert first["id"] == again["id"]
    assert api.changes == ["POST /clusters", f"PATCH /clusters/{first['id']}"]


def test_a_registration_of_that_name_of_which_nothing_is_known_is_not_changed(
    settings: Settings,
) -> None:
    api = Registry(cluster(id="theirs", cluster_uid=None))
    for _ in range(2):
        registered(api, settings, switch=True)
        assert api.changes == []
