"""A cluster in a folder, so that what a killed worker left in it is still there afterwards.

It has modes, objects with the label of their run, and a Lease.
"""

import fcntl
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MODES = {"kube_proxy_mode": "iptables", "encapsulation": "vxlan"}
Steps = Callable[[str], None]


@dataclass
class FakeCluster:
    """The cluster itself, seen alike from every process."""

    folder: Path
    uid: str = "real-cluster"

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        if not self._file.exists():
            self._file.write_text(
                json.dumps(
                    {
                        "modes": MODES,
                        "set_up": [],
                        "notes": {},
                        "touched": 0,
                        "objects": {},
                        "lease": None,
                        "away": False,
                        "n": 0,
                    }
                )
            )

    @property
    def _file(self) -> Path:
        return self.folder / f"{self.uid}.json"

    @contextmanager
    def change(self) -> Iterator[dict[str, Any]]:
        with self._file.open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            content = json.load(file)
            yield content
            file.seek(0)
            file.truncate()
            file.write(json.dumps(content))  # in C, which `json.dump` is not

    def now(self) -> dict[str, Any]:
        with self._file.open() as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            content: dict[str, Any] = json.load(file)
            return content

    @property
    def is_clean(self) -> bool:
        state = self.now()
        left = state["objects"] or state["notes"] or state["lease"] is not None
        left = left or "assigned" in state
        return state["modes"] == MODES and not left


def nothing(step: str) -> None:
    """Steps that are only taken."""
