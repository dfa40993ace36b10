"""How many mappings a process of this machine may have, raised while the testbed's kernel runs.

Each run of pages that lie together in the kernel's memory is a mapping of one of its processes
here. At the limit (65,530 where nobody raised it) user-mode Linux faults on the same page for ever
and says nothing: the API server met it on its way to 5,000 Services, at 440 MB.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from podmeter_testbed.errors import TestbedError

LIMIT = Path("/proc/sys/vm/max_map_count")
#: In the kernel's folder: what stood before, and what was set.
NOTE = "max_map_count"


def raise_to(count: int, folder: Path) -> None:
    """Allow so many, noting in `folder` what stood before.

    Raises TestbedError where this machine does not let it be set.
    """
    before = int(LIMIT.read_text())
    if before >= count:
        return
    try:
        (folder / NOTE).write_text(f"{before} {count}\n")
        LIMIT.write_text(f"{count}\n")
    except OSError as error:
        raise TestbedError(
            f"a process of this machine may have {before} mappings, its kernel needs {count}, and "
            f"that cannot be set here ({error.strerror}): sysctl -w vm.max_map_count={count}"
        ) from error


def restore_limit(folder: Path) -> None:
    """Set what stood before, unless it was not changed or somebody set it since."""
    with contextlib.suppress(FileNotFoundError, ValueError):
        before, count = (int(word) for word in (folder / NOTE).read_text().split())
        if int(LIMIT.read_text()) == count:
            LIMIT.write_text(f"{before}\n")
