"""The real Celery application on real clusters, held at a step; run as `tests.held_app`.

The file `pause` in the folder HELD names the step; `reached` says that the worker stands there.
"""

import os
import time
from pathlib import Path
from typing import Any

from podmeter.drivers import program
from podmeter_worker import connection
from podmeter_worker.celery_app import app
from podmeter_worker.lab.cluster_lab import ClusterLab
from podmeter_worker.modes import control

FOLDER = Path(os.environ["HELD"])
_modes = connection.RealLink.modes
_sweep = connection.RealLink.sweep
_restore = control.SwitcherModeControl.restore
_execute = ClusterLab.execute
_start_pods = ClusterLab.start_pods
_create_policies = ClusterLab.create_policies
_existing_services = ClusterLab.existing_services


def hold(step: str) -> None:
    wanted = FOLDER / "pause"
    if not wanted.exists() or wanted.read_text() != step:
        return
    (FOLDER / "reached").touch()
    deadline = time.monotonic() + 600
    while wanted.exists() and time.monotonic() < deadline:
        time.sleep(0.05)


def modes(self: connection.RealLink, progress: Any, *given: Any, **named: Any) -> Any:
    def telling(step: str) -> None:
        progress(step)
        hold(getattr(step, "code", "").removeprefix("step_"))

    return _modes(self, telling, *given, **named)


def sweep(self: connection.RealLink, run_label: str, unready: Any = ()) -> None:
    hold("sweeping")
    _sweep(self, run_label, unready)


def restore(self: control.SwitcherModeControl, axis: str, saved: Any) -> None:
    hold("restoring")
    _restore(self, axis, saved)


def execute(self: ClusterLab, place: Any, argv: Any, *, timeout_seconds: float) -> Any:
    by_iperf3 = argv[0] == "iperf3" and "--version" not in argv and "--bytes" not in argv
    by_vegeta = tuple(argv[:2]) == program.argv("vegeta") and "-rate=0/1s" not in argv
    by_qperf = argv[0] == "qperf" and "--time" in argv
    by_curl = tuple(argv[:2]) == program.argv("timed") and "--write-out" in argv
    if by_iperf3 or by_vegeta or by_qperf or by_curl:
        hold("trial")
    return _execute(self, place, argv, timeout_seconds=timeout_seconds)


def start_pods(self: ClusterLab, requests: Any) -> Any:
    places = _start_pods(self, requests)
    hold("preparing")
    return places


def existing_services(self: ClusterLab, like: Any) -> Any:
    found = _existing_services(self, like)
    if found.alike:
        hold("standing")
    return found


def create_policies(self: ClusterLab, policies: Any) -> float:
    seconds = _create_policies(self, policies)
    hold("policies")
    return seconds


connection.RealLink.modes = modes  # type: ignore[method-assign]
connection.RealLink.sweep = sweep  # type: ignore[method-assign]
control.SwitcherModeControl.restore = restore  # type: ignore[method-assign]
ClusterLab.execute = execute  # type: ignore[method-assign]
ClusterLab.start_pods = start_pods  # type: ignore[method-assign]
ClusterLab.create_policies = create_policies  # type: ignore[method-assign]
ClusterLab.existing_services = existing_services  # type: ignore[method-assign]

__all__ = ["app"]
