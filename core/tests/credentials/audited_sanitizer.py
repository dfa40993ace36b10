"""Sanitize every bad kubeconfig under an audit hook; print as JSON what the hook saw.

Run as `python -m credentials.audited_sanitizer`, in a process of its own: audit hooks stay.
"""

import json
import sys

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.credentials.errors import KubeconfigRefusedError
from podmeter.credentials.kubeconfig import sanitize

from .kubeconfig_cases import CASES
from .kubeconfig_maker import NOW, good, written

WATCHED = (
    "open",
    "os.",
    "subprocess.",
    "socket.",
    "shutil.",
    "tempfile.",
    "urllib.",
    "http.",
    "ftplib.",
    "ctypes.dlopen",
    "import",
    "exec",
    "pty.",
    "glob.",
    "mmap.",
)


def attempt(raw):
    try:
        sanitize(raw, now=NOW, policy=AddressPolicy())
    except KubeconfigRefusedError as error:
        return str(error)
    return None


def main():
    documents = {name: make() for name, (_, _, make) in CASES.items()}
    documents["good certificate"], documents["good token"] = (
        written(good()),
        written(good("token")),
    )
    # What is imported on first use is imported now; no bad document is seen before the hook.
    for raw in (documents["good certificate"], documents["good token"], b"{", b"x: [", b"x: 1"):
        attempt(raw)

    seen, current, watching = [], "", False

    def hook(event, arguments):
        if watching and event.startswith(WATCHED):
            seen.append([current, event, repr(arguments)[:200]])

    sys.addaudithook(hook)
    refused = 0
    for current, raw in documents.items():  # noqa: B007 - the hook reads it
        watching = True
        outcome = attempt(raw)
        watching = False
        refused += outcome is not None
    sanitizing = list(seen)

    # The hook itself must be seen to work: one open, one process, one socket.
    import socket
    import subprocess

    seen.clear()
    current, watching = "control", True
    open("/dev/null").close()
    subprocess.run(["true"], check=True)
    socket.socket().close()
    watching = False
    control = sorted({event for _, event, _ in seen})
    print(json.dumps({"seen": sanitizing, "refused": refused, "control": control}))


main()
