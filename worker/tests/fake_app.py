"""The real Celery application, with fake clusters behind its links; run as `worker.tests.fake_app`.

A file `pause-UID` names the step at which everything on that cluster stands still; `reached-UID`
says that it does, `stopping-UID` that the run knows it must stop.
"""

import os
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from podmeter_worker import tasks
from podmeter_worker.celery_app import app
from podmeter_worker.state import make_state

from .fake_cluster import FakeCluster
from .fake_link import link_to

FOLDER = Path(os.environ["FAKE_CLUSTERS"])


def _pause(uid: str, stop: threading.Event, step: str) -> None:
    wanted = FOLDER / f"pause-{uid}"
    if not wanted.exists() or wanted.read_text() != step:
        return
    (FOLDER / f"reached-{uid}").touch()
    deadline = time.monotonic() + 600
    while wanted.exists() and time.monotonic() < deadline:
        if stop.is_set():
            (FOLDER / f"stopping-{uid}").touch()
        time.sleep(0.02)


def _connect(organization_id: Any, handle: Any, patience_seconds: float = 0) -> Any:
    uid = handle.identity.cluster_uid
    cluster = FakeCluster(FOLDER, uid)
    return link_to({uid: cluster}, handle, lambda step: _pause(uid, handle.stop, step))


def _fake_state(*arguments: Any) -> Any:
    return replace(make_state(*arguments), connect=_connect)


tasks.make_state = _fake_state  # type: ignore[assignment, attr-defined]

__all__ = ["app"]
