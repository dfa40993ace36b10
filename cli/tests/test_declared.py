"""Experiments as files say them: `podmeter apply` and `podmeter diff`."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from backend.tests.builders import SPEC
from fastapi.testclient import TestClient

from podmeter.domain import slug as server
from podmeter_cli.applying import apply_document
from podmeter_cli.client import Client
from podmeter_cli.exits import CommandError, ExitCode
from podmeter_cli.login_file import Login
from podmeter_cli.slugs import slug_of

from .conftest import Podmeter


def write(folder: Path, file: str, **changes: Any) -> None:
    """A file with an experiment."""
    folder.mkdir(exist_ok=True)
    (folder / file).write_text(yaml.safe_dump({**SPEC, **changes}, allow_unicode=True))


@pytest.mark.services
@pytest.mark.usefixtures("logged_in")
def test_a_folder_is_applied_and_differs_until_then(
    podmeter: Podmeter, tmp_path: Path, admin: TestClient
) -> None:
    folder = tmp_path / "experiments"
    write(folder, "paths.yaml")
    write(folder, "chinese.yml", name="节点间吞吐")
    (folder / "notes.md").write_text("no experiment")
    new = podmeter("diff", "-f", str(folder))
    assert (new.code, "+name: 节点间吞吐" in new.out) == (1, True)
    assert admin.get("/api/v1/experiments").json()["items"] == []

    first = podmeter("apply", "-f", str(folder), "-o", "json")
    assert [(one["slug"], one["change"]) for one in first.document] == [
        ("节点间吞吐", "created"),
        ("two-paths", "created"),
    ]
    same = podmeter("diff", "-f", str(folder))
    assert (same.code, same.out) == (0, "")
    write(folder, "paths.yaml", description="changed")
    changed = podmeter("diff", "-f", str(folder))
    assert changed.code == 1
    assert "+description: changed" in changed.out.splitlines()
    assert "节点间吞吐" not in changed.out
    again = podmeter("apply", "-f", str(folder))
    assert again.out.split()[3:] == [
        *("节点间吞吐", "throughput", "unchanged"),
        *("two-paths", "throughput", "updated"),
    ]
    assert [one["version"] for one in admin.get("/api/v1/experiments").json()["items"]] == [2, 1]


@pytest.mark.services
@pytest.mark.usefixtures("logged_in")
def test_a_file_that_is_refused_does_not_stop_the_others(
    podmeter: Podmeter, tmp_path: Path
) -> None:
    write(tmp_path / "all", "a.yaml", kind="speed")
    write(tmp_path / "all", "b.yaml", name="other")
    applied = podmeter("apply", "-f", str(tmp_path / "all"), "-o", "json")
    assert applied.code == ExitCode.USAGE
    assert "a.yaml: " in applied.err
    assert "/kind" in applied.err
    assert [one["slug"] for one in applied.document] == ["other"]
    assert podmeter("diff", "-f", str(tmp_path / "all" / "a.yaml")).code == ExitCode.USAGE


@pytest.mark.services
def test_an_experiment_that_somebody_else_changes_meanwhile_is_not_overwritten(
    logged_in: str, token: str, admin: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Client(Login(logged_in, token)) as client:
        apply_document(client, SPEC)
        get = client.get

        def get_then_change(path: str, *more: Any) -> Any:
            found = get(path, *more)
            theirs = {**SPEC, "description": "theirs"}
            admin.put(f"/api/v1{path}", json=theirs, headers={"If-Match": "*"})
            return found

        monkeypatch.setattr(client, "get", get_then_change)
        with pytest.raises(CommandError, match="Experiment two-paths was changed meanwhile"):
            apply_document(client, {**SPEC, "description": "ours"})
    (kept,) = admin.get("/api/v1/experiments").json()["items"]
    assert kept["spec"]["description"] == "theirs"


@pytest.mark.usefixtures("logged_in")
@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"a.yaml": "name: two paths", "b.yaml": "name: Two Paths!"}, "are both experiment"),
        ({"a.yaml": "kind: throughput"}, "has no `name`"),
        ({"a.txt": "name: x"}, "has no file that ends with"),
    ],
)
def test_files_that_are_no_experiments_are_wrong_use(
    podmeter: Podmeter, tmp_path: Path, files: dict[str, str], said: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    for command in ("apply", "diff"):
        refused = podmeter(command, "-f", str(tmp_path))
        assert refused.code == ExitCode.USAGE
        assert said in refused.err


NAMES = [
    "Two paths: node → pod",
    "  --ÄÖ ß_x  ",
    "节点间 吞吐",
    "!!!",
    "0f3f7e0e-6c3c-4f39-9b0e-9f5b7a1f2a11",
    "0F3F7E0E6C3C4F399B0E9F5B7A1F2A11",
    "x" * 62 + " y",
    "ﬁbre ① İ",
]


@pytest.mark.parametrize("name", NAMES)
def test_command_and_server_make_the_same_slug(name: str) -> None:
    slug = slug_of(name)
    assert slug == server.slug_of(name)
    assert server.is_slug(slug)
    assert server.is_slug(server.numbered(slug, 12))
    assert len(server.numbered(slug, 12)) <= server.LONGEST
