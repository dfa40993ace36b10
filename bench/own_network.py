"""A command in a network of its own: `python -m bench.own_network COMMAND ...`; needs root.

A testbed that comes or goes changes the addresses of this machine, at which Chromium cuts off what
it is loading (net::ERR_NETWORK_CHANGED), and its page does not come. What needs nobody else runs
in here beside one: loopback, and an address, without which a browser takes itself for offline.
"""

from __future__ import annotations

import os
import sys

#: Of those that RFC 5737 keeps for documentation; nothing is sent there.
ADDRESS = "192.0.2.1/24"
_ENTER = f"""
ip link set lo up &&
ip link add own type veth peer name other &&
ip address add {ADDRESS} dev own &&
ip link set own up && ip link set other up &&
exec "$@"
"""


def main(words: list[str]) -> int:
    """Become the command, whose exit code this ends with; 2 where that cannot be."""
    if words and os.geteuid() == 0:
        # Not a child process: the caller ends it and waits for it.
        os.execvp("unshare", ["unshare", "--net", "sh", "-c", _ENTER, "sh", *words])  # noqa: S606
    if words:
        print("a network of its own needs root: run it with sudo", file=sys.stderr)
    else:
        print("name a command: python -m bench.own_network COMMAND ...", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
