"""Signs of life as files of the state folder, by part.

A container's health check comes several times a minute, on a machine that may be measured: to read
the age of a file costs it a fiftieth of what asking Redis does. It imports nothing of ours.
"""

import os
import time
from contextlib import suppress
from pathlib import Path


def folder(state_dir: Path | None = None) -> Path:
    """Where they lie; without the setting's value where the image says that its state is."""
    return (state_dir or Path(os.environ.get("PODMETER_STATE_DIR", ".podmeter"))) / "alive"


def touch(where: Path, part: str) -> None:
    """Record that a part is alive. An unwritable file is ignored: Redis has the pulse too."""
    with suppress(OSError):
        where.mkdir(mode=0o700, parents=True, exist_ok=True)
        (where / part).touch()


def remove(where: Path, part: str) -> None:
    """A part ends as it was asked to."""
    with suppress(OSError):
        (where / part).unlink()


def all_fresh(where: Path, seconds: float) -> bool:
    """Whether there are any, and none is older; False where that cannot be read."""
    try:
        ages = [time.time() - one.stat().st_mtime for one in where.iterdir()]
    except OSError:
        return False
    return bool(ages) and max(ages) <= seconds
