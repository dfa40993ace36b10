"""Each missing requirement is listed with its fix."""

import shutil
from collections.abc import Callable

import pytest

from podmeter_testbed import requirements
from podmeter_testbed.errors import TestbedError


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Make programs look as if they were not installed; the rest of the machine is ideal."""

    def hide(*programs: str) -> None:
        monkeypatch.setattr(
            shutil, "which", lambda name: None if name in programs else f"/usr/bin/{name}"
        )

    monkeypatch.setattr(requirements, "FILES", {})
    monkeypatch.setattr(requirements, "cannot_run", list)
    monkeypatch.setattr(requirements, "run", lambda *_: "go1.26.8\n")
    return hide


def test_missing_programs_are_named_by_package(without: Callable[..., None]) -> None:
    without("ctr", "containerd", "nft")
    (problem,) = requirements.problems(built=False)
    assert "not installed: containerd nftables." in problem
    assert "make testbed-deps" in problem
    assert "apt-get install --no-install-recommends containerd nftables" in problem


def test_go_matters_only_until_all_is_built(without: Callable[..., None]) -> None:
    without("go")
    assert requirements.problems(built=True) == []
    (problem,) = requirements.problems(built=False)
    assert "Go 1.25 or newer" in problem


@pytest.mark.parametrize("version", ["go1.21.4", "go1.9", "devel"])
def test_old_go(
    without: Callable[..., None], monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    without()
    monkeypatch.setattr(requirements, "run", lambda *_: f"{version}\n")
    (problem,) = requirements.problems(built=False)
    assert version in problem


def test_nothing_missing(without: Callable[..., None]) -> None:
    without()
    requirements.check(built=False)


def test_without_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(TestbedError, match="needs root"):
        requirements.check(built=True)


def test_elsewhere_than_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    with pytest.raises(TestbedError, match="needs Linux"):
        requirements.check(built=True)
