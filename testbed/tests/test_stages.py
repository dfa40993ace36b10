"""What a build says before and while it works, what disk it wants, and what it leaves."""

import json
import re
import shutil
import threading
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path

import pytest

from podmeter_testbed import builds, stages
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.progress import Progress, duration
from podmeter_testbed.stages import Cost, Stage

Usage = namedtuple("Usage", "total used free")


@pytest.fixture(autouse=True)
def two_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.delenv(stages.KEEP, raising=False)


def part(
    cache: Path,
    name: str,
    cost: Cost = Cost(cpu_seconds=240),  # noqa: B008  # frozen
    build: Callable[[], object] = lambda: None,
    beside: bool = False,
) -> Stage:
    """A part that is built when its file is there."""
    mark = cache / name

    def make() -> None:
        build()
        mark.touch()

    return Stage(name, f"{name} v1", cost, mark.exists, make, beside=beside)


def test_what_is_built_is_said_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said: list[str] = []
    parts = [
        part(
            tmp_path,
            "first",
            Cost(1200, cache=4, kept=0.5),
            lambda: said.append(capsys.readouterr().out),
        ),
        part(tmp_path, "second", Cost(240, seconds=30, cache=1, kept=0.1)),
    ]
    stages.run(tmp_path, parts)
    (before,) = said
    assert f"To be built once, into {tmp_path}:" in before
    assert "[1/2] first v1   about 10 min" in before
    assert "[2/2] second v1  about 2 min" in before
    assert "about 12 min on 2 CPUs" in before
    assert "5.6 GB while it is built, 0.6 GB afterwards" in before


def test_what_is_built_already_is_neither_said_nor_built(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = [part(tmp_path, "first"), part(tmp_path, "second")]
    (tmp_path / "first").touch()
    stages.run(tmp_path, parts)
    assert "first" not in capsys.readouterr().out
    stages.run(tmp_path, parts)
    assert capsys.readouterr().out == ""


def test_too_small_a_disk_is_refused_with_what_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**10, 0, 2 * 10**9))
    first = part(tmp_path, "first", Cost(cache=4, kept=0.5))
    with pytest.raises(
        TestbedError, match=r"2\.0 GB free, and building needs 4\.5 GB.*XDG_CACHE_HOME"
    ):
        stages.run(tmp_path, [first])
    assert not first.is_built()


def test_a_resumed_build_needs_no_room_for_what_its_cache_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**10, 0, 10**6))
    folder = stages.go_cache(tmp_path)
    folder.mkdir()
    (folder / "compiled").write_bytes(b"x" * 2_000_000)
    stages.run(tmp_path, [part(tmp_path, "first", Cost(cache=0.0025))])


@pytest.mark.parametrize(("keep", "kept"), [("", False), ("0", False), ("1", True)])
def test_the_build_cache_goes_when_all_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep: str, kept: bool
) -> None:
    monkeypatch.setenv(stages.KEEP, keep)
    folder = stages.go_cache(tmp_path) / "modules" / "one@v1"

    def compile_it() -> None:
        folder.mkdir(parents=True)
        (folder / "source.go").touch(mode=0o444)

    stages.run(tmp_path, [part(tmp_path, "first", build=compile_it), part(tmp_path, "second")])
    assert stages.go_cache(tmp_path).exists() is kept


def test_a_build_that_fails_keeps_its_cache_for_the_next(tmp_path: Path) -> None:
    def fail() -> None:
        stages.go_cache(tmp_path).mkdir()
        raise TestbedError("no such module")

    with pytest.raises(TestbedError, match="no such module"):
        stages.run(tmp_path, [part(tmp_path, "first", build=fail)])
    assert stages.go_cache(tmp_path).exists()


def test_the_guess_follows_what_parts_took_on_this_machine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stages.run(tmp_path, [part(tmp_path, "first")])
    times = json.loads((tmp_path / "build-times.json").read_text())
    assert times["first"]["expected"] == 120
    times["first"]["took"] = 360
    (tmp_path / "build-times.json").write_text(json.dumps(times))
    stages.run(tmp_path, [part(tmp_path, "second")])
    assert "second v1  about 6 min" in capsys.readouterr().out


def test_parts_beside_are_built_meanwhile_and_their_failure_is_told(tmp_path: Path) -> None:
    started = threading.Event()
    beside = part(tmp_path, "image", build=started.set, beside=True)
    # Built last, but the one before waits until it has begun.
    stages.run(tmp_path, [part(tmp_path, "first", build=lambda: started.wait(30)), beside])
    assert beside.is_built()

    def fail() -> None:
        raise TestbedError("no mirror")

    with pytest.raises(TestbedError, match="no mirror"):
        stages.run(tmp_path, [part(tmp_path, "other", build=fail, beside=True)])


def test_a_log_has_the_number_the_count_and_the_time_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("podmeter_testbed.progress._LOG_SECONDS", 0)

    def work() -> None:
        progress = Progress("first v1", 4, "packages")
        progress.advance()
        progress.done()

    stages.run(tmp_path, [part(tmp_path, "first", Cost(1200), work), part(tmp_path, "second")])
    lines = capsys.readouterr().out.splitlines()
    # 150 s of the 600 are guessed to be done at once, so what is left is guessed shorter too.
    counted = re.compile(r"\[1/2\] first v1: 1 of 4 packages, \d+ s, about \d+ .* left in all")
    assert any(counted.fullmatch(line) for line in lines)
    assert any(re.fullmatch(r"\[1/2\] first v1: \d+\.\d s", line) for line in lines)


def test_durations_are_for_people() -> None:
    assert [duration(s) for s in (0.4, 89, 90, 750)] == ["0 s", "89 s", "2 min", "12 min"]


@pytest.mark.parametrize(
    "component", [builds.KUBERNETES, builds.COREDNS, builds.HELM, builds.COMPOSE]
)
def test_the_users_own_go_caches_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, component: builds.Component
) -> None:
    for name in ("GOCACHE", "GOPATH", "GOMODCACHE"):
        monkeypatch.setenv(name, "/users/own")
    environment = builds._environment(tmp_path, component)
    for name in ("GOCACHE", "GOPATH", "GOMODCACHE"):
        assert Path(environment[name]).is_relative_to(stages.go_cache(tmp_path))
