"""`podmeter-admin down`: stop the stack of a state folder, wherever it was started."""

import os
import signal
import time

from podmeter.settings import Settings
from podmeter.stack import lock
from podmeter.stack.errors import StackError

_STOPPED_WITHIN_S = 90.0


def down(settings: Settings) -> bool:
    """Ask the stack to stop and wait for its end; False where none runs.

    Raises:
        StackError: it did not stop in time.
    """
    process = lock.holder(settings.state_dir)
    if process is None:
        return False
    os.kill(process, signal.SIGTERM)
    deadline = time.monotonic() + _STOPPED_WITHIN_S
    while lock.holder(settings.state_dir) == process:
        if time.monotonic() > deadline:
            raise StackError(f"podmeter (process {process}) did not stop; see its output")
        time.sleep(0.1)
    return True
