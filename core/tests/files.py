"""A process that may open few more files."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager

#: So many more than it has are opened: a few left of a hundred are few, of thirty they are not.
_MORE = 100


@contextmanager
def files_left(count: int) -> Iterator[None]:
    """This process can open so many more files, sockets included."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = max(int(name) for name in os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + _MORE + count, before[1]))
    held = []
    try:
        while True:
            try:
                held.append(os.open(os.devnull, os.O_RDONLY))
            except OSError:
                break
        for _ in range(count):
            os.close(held.pop())
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
        for file in held:
            os.close(file)
