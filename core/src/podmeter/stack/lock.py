"""One stack per state folder: the kernel releases the lock even after a kill -9."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from podmeter.stack.errors import StackError


@contextmanager
def hold(state_dir: Path) -> Iterator[None]:
    """Hold the state folder's lock.

    Raises:
        StackError: another process holds it; the message names its process id.
    """
    state_dir.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(state_dir / "stack.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(descriptor, 32).decode().strip() or "unknown"
            raise StackError(
                f"another podmeter (process {holder}) is using {state_dir}; stop it, or set "
                "PODMETER_STATE_DIR to a folder of its own"
            ) from None
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        yield
    finally:
        os.close(descriptor)


def holder(state_dir: Path) -> int | None:
    """The process that holds the state folder's lock; None where nobody does."""
    try:
        descriptor = os.open(state_dir / "stack.lock", os.O_RDWR)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        text = os.read(descriptor, 32).decode().strip()
        return int(text) if text.isdigit() else None
    finally:
        os.close(descriptor)
    return None
