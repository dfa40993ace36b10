"""Building what the cache lacks, part by part: what, how long, how much disk, and how far it is."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path

from podmeter_testbed.errors import TestbedError
from podmeter_testbed.progress import duration, say, surroundings

#: Set to 1 to keep the build cache, which speeds up building the same parts with changes.
KEEP = "KEEP_BUILD_CACHE"
_GB = 10**9
#: A guess counts like so many seconds of measured work.
_GUESS_SECONDS = 60.0


@dataclass(frozen=True)
class Cost:
    """What building a part took where it was measured; on other machines a guess.

    `cpu_seconds` is shared by all CPUs, `seconds` by none: downloads, a linker, unpacking. `cache`
    is what the build cache grows by, `kept` what stays, both in GB.
    """

    cpu_seconds: float = 60
    seconds: float = 0
    cache: float = 0
    kept: float = 0

    def expected(self, cpus: int) -> float:
        """Seconds that it takes on so many CPUs."""
        return self.cpu_seconds / cpus + self.seconds


@dataclass(frozen=True)
class Stage:
    """A part that is built once.

    `fetch` downloads what it is built of, while parts before it are built. A part `beside` the
    others downloads more than it computes and depends on none of them: it is built meanwhile.
    """

    name: str
    title: str
    cost: Cost
    is_built: Callable[[], bool]
    build: Callable[[], object]
    fetch: Callable[[], object] | None = None
    beside: bool = False


def go_cache(cache: Path) -> Path:
    """Go's caches of a build: what it compiled, and the modules that it downloaded."""
    return cache / "go-cache"


def run(cache: Path, stages: Sequence[Stage]) -> None:
    """Build those that are not built; says what first.

    TestbedError where the disk has no room for it.
    """
    if all(stage.is_built() for stage in stages):
        return
    cache.mkdir(parents=True, exist_ok=True)
    with _only_build(cache):
        missing = [stage for stage in stages if not stage.is_built()]
        if not missing:
            return
        resumed = go_cache(cache).exists()
        clock = _Clock(missing, os.cpu_count() or 1, _slowness(cache))
        _announce(cache, missing, clock)
        took = _build_all(missing, clock)
        if not resumed:
            _record(cache, missing, clock, took)
        _clean_up(cache, clock)


def _build_all(stages: Sequence[Stage], clock: _Clock) -> dict[str, float]:
    """Build them in order; seconds of each that had the CPUs to itself."""
    took = {}
    with ThreadPoolExecutor(1, "fetch") as fetching, ThreadPoolExecutor(1, "beside") as building:
        try:
            beside = {
                stage.name: _submit(building, clock.of(stage), stage.build)
                for stage in stages
                if stage.beside
            }
            for stage in stages:
                if stage.fetch is not None:
                    fetching.submit(_quietly, stage.fetch)
            for stage in stages:
                if stage.name in beside:
                    beside[stage.name].result()
                    continue
                started = time.monotonic()
                with clock.working_on(stage):
                    stage.build()
                took[stage.name] = time.monotonic() - started
        finally:
            fetching.shutdown(wait=False, cancel_futures=True)
            building.shutdown(wait=False, cancel_futures=True)
    return took


def _submit(
    pool: ThreadPoolExecutor, place: _Position, build: Callable[[], object]
) -> Future[object]:
    context = copy_context()
    context.run(surroundings.set, place)
    return pool.submit(context.run, build)


def _quietly(fetch: Callable[[], object]) -> None:
    # The part's own build downloads it again, and reports what is unavailable.
    with contextlib.suppress(TestbedError):
        fetch()


@dataclass(frozen=True)
class _Position:
    """Where a part is among all: the surroundings of its steps."""

    label: str
    alone: bool
    clock: _Clock
    expected: float

    def seconds_left(self, fraction: float) -> float | None:
        return self.clock.seconds_left(fraction * self.expected) if self.alone else None


class _Clock:
    """How long all of it takes, from what parts took elsewhere and from what has been done here."""

    def __init__(self, stages: Sequence[Stage], cpus: int, slowness: float) -> None:
        self.cpus, self._slowness = cpus, slowness
        self._stages = list(stages)
        self._started = time.monotonic()
        self._done = 0.0
        self.guesses = {stage.name: stage.cost.expected(cpus) for stage in stages}

    def guess(self, stage: Stage) -> float:
        """Seconds that a part takes on this machine."""
        return self.guesses[stage.name] * self._slowness

    @property
    def _in_turn(self) -> float:
        return sum(self.guesses[stage.name] for stage in self._stages if not stage.beside)

    @property
    def whole(self) -> float:
        """Seconds for all parts; those beside others take the CPU time that they need."""
        computing = sum(stage.cost.cpu_seconds for stage in self._stages if stage.beside)
        waiting = sum(self.guesses[stage.name] for stage in self._stages if stage.beside)
        return max(self._in_turn + computing / self.cpus, waiting) * self._slowness

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._started

    def seconds_left(self, of_this: float) -> float:
        """From what was done until now, in seconds of the guesses, and how long that took."""
        done = self._done + of_this
        pace = (_GUESS_SECONDS * self._slowness + self.elapsed) / (_GUESS_SECONDS + done)
        return pace * max(self._in_turn - done, 0)

    def of(self, stage: Stage) -> _Position:
        """The surroundings of a part's steps."""
        label = f"[{self._stages.index(stage) + 1}/{len(self._stages)}]"
        return _Position(label, not stage.beside, self, self.guesses[stage.name])

    @contextlib.contextmanager
    def working_on(self, stage: Stage) -> Iterator[None]:
        """A part whose turn it is."""
        token = surroundings.set(self.of(stage))
        try:
            yield
            self._done += self.guesses[stage.name]
        finally:
            surroundings.reset(token)


def _announce(cache: Path, stages: Sequence[Stage], clock: _Clock) -> None:
    """Say what is built, how long it takes and how much disk; TestbedError if there is less."""
    say(f"To be built once, into {cache}:")
    width = max(len(stage.title) for stage in stages)
    for stage in stages:
        time_of_it = f"about {duration(clock.guess(stage))}" + (
            ", beside the others" if stage.beside and len(stages) > 1 else ""
        )
        say(f"  {clock.of(stage).label} {stage.title:<{width}}  {time_of_it}")
    kept = sum(stage.cost.kept for stage in stages)
    growing = sum(stage.cost.cache for stage in stages)
    there = _size(go_cache(cache)) / _GB
    needed = max(growing - there, 0) + kept
    free = shutil.disk_usage(cache).free / _GB
    afterwards = kept + (growing if keeps_cache() else 0)
    say(
        f"In all about {duration(clock.whole)} on {clock.cpus} CPUs. "
        f"Disk: {needed:.1f} GB while it is built, {afterwards:.1f} GB afterwards; "
        f"{free:.1f} GB are free. If it is interrupted, the next time continues."
    )
    if free < needed:
        raise TestbedError(
            f"the disk of {cache} has {free:.1f} GB free, and building needs {needed:.1f} GB; "
            "free some, or set XDG_CACHE_HOME to a folder on a larger disk"
        )


def _clean_up(cache: Path, clock: _Clock) -> None:
    folder = go_cache(cache)
    took = f"built in {duration(clock.elapsed)}"
    if not folder.exists():
        say(took)
        return
    size = _size(folder) / _GB
    if keeps_cache():
        say(f"{took}; {KEEP}=1 keeps the build cache, {size:.1f} GB in {folder}")
        return
    shutil.rmtree(folder)
    say(f"{took}; the build cache of {size:.1f} GB is deleted ({KEEP}=1 keeps it)")


def keeps_cache() -> bool:
    """Whether the build cache stays."""
    return os.environ.get(KEEP, "") not in ("", "0")


def _size(folder: Path) -> int:
    """Bytes on disk of a folder, 0 where there is none."""
    total = 0
    for top, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                total += os.lstat(os.path.join(top, name)).st_blocks * 512
    return total


# ---- how fast this machine is


def _times(cache: Path) -> Path:
    return cache / "build-times.json"


def _slowness(cache: Path) -> float:
    """How many times longer parts took on this machine than guessed; 1 before any was built."""
    try:
        times = json.loads(_times(cache).read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return 1.0
    expected = sum(each["expected"] for each in times.values())
    return sum(each["took"] for each in times.values()) / expected if expected else 1.0


def _record(cache: Path, stages: Sequence[Stage], clock: _Clock, took: dict[str, float]) -> None:
    times = {}
    with contextlib.suppress(FileNotFoundError, json.JSONDecodeError):
        times = json.loads(_times(cache).read_text())
    times |= {
        name: {"expected": clock.guesses[name], "took": seconds} for name, seconds in took.items()
    }
    partial = _times(cache).with_suffix(".partial")
    partial.write_text(json.dumps(times, indent=1))
    partial.rename(_times(cache))


@contextlib.contextmanager
def _only_build(cache: Path) -> Iterator[None]:
    """One build at a time: two would share the CPUs, and one would delete the other's cache."""
    with (cache / "build.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another command builds for the testbed; this one waits for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
