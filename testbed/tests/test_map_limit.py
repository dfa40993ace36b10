"""How many mappings a process of this machine may have, while the testbed's kernel runs on it."""

from pathlib import Path

import pytest

from podmeter_testbed import map_limit
from podmeter_testbed.errors import TestbedError

AT_FIRST = 65530


@pytest.fixture
def limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "max_map_count"
    path.write_text(f"{AT_FIRST}\n")
    monkeypatch.setattr(map_limit, "LIMIT", path)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "kernel"
    path.mkdir()
    return path


def test_there_is_one_for_each_page_of_the_kernels_memory(limit: Path, folder: Path) -> None:
    map_limit.raise_to(1_024_000, folder)
    assert int(limit.read_text()) == 1_024_000


def test_what_stood_before_stands_again(limit: Path, folder: Path) -> None:
    map_limit.raise_to(1_024_000, folder)
    map_limit.restore_limit(folder)
    assert int(limit.read_text()) == AT_FIRST


def test_a_higher_one_stays_as_it_is(limit: Path, folder: Path) -> None:
    limit.write_text("2000000\n")
    map_limit.raise_to(1_024_000, folder)
    map_limit.restore_limit(folder)
    assert int(limit.read_text()) == 2_000_000


def test_what_somebody_set_meanwhile_is_theirs(limit: Path, folder: Path) -> None:
    map_limit.raise_to(1_024_000, folder)
    limit.write_text("1500000\n")
    map_limit.restore_limit(folder)
    assert int(limit.read_text()) == 1_500_000


def test_who_was_killed_before_it_was_raised_leaves_it(limit: Path, folder: Path) -> None:
    (folder / map_limit.NOTE).touch()
    map_limit.restore_limit(folder)
    assert int(limit.read_text()) == AT_FIRST


def test_where_it_cannot_be_raised_it_is_said_how_to(
    folder: Path, limit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object, __: str) -> int:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "write_text", refuse)
    with pytest.raises(TestbedError, match=r"sysctl -w vm\.max_map_count=1024000"):
        map_limit.raise_to(1_024_000, folder)
