"""How many files a process may have open, sockets included, and how many it has."""

import errno
import os
import resource


def raise_limit() -> None:
    """Take as many as the system lets this process have: shells and services begin with 1,024."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def limit() -> int:
    """How many this process may have open."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def count() -> int:
    """How many this process has open; its limit where it can open none, to look either."""
    try:
        return len(os.listdir("/proc/self/fd"))
    except OSError as error:
        if error.errno not in {errno.EMFILE, errno.ENFILE}:
            raise
        return limit()
