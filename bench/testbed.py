"""The testbed while a section needs it, with Podmeter's rights in it; left as it was found."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from bench.row import PROJECT, BenchError
from bench.script import command

KUBECONFIG = PROJECT / ".testbed" / "kubeconfig"
_NAMESPACE = ("get", "namespace", "podmeter", "--ignore-not-found", "--output", "name")


TESTBED = command("podmeter-testbed")
KUBECTL = (TESTBED, "kubectl")


@contextmanager
def ready() -> Iterator[None]:
    """Start the testbed and apply the RBAC manifest, where they are not there; then undo that.

    Add-ons that PODMETER_TESTBED_ADDONS asks for stay with a testbed that was up without them.
    """
    was_up = is_up()
    _run([TESTBED, "up"])
    try:
        had_rights = bool(_run([*KUBECTL, *_NAMESPACE]))
        manifest = _run([command("podmeter-admin"), "rbac", "switch_modes"])
        _run([*KUBECTL, "apply", "--filename", "-"], manifest)
        yield
        if was_up and not had_rights:
            _run([*KUBECTL, "delete", "--wait", "--ignore-not-found", "--filename", "-"], manifest)
    finally:
        if not was_up:
            _run([TESTBED, "down"])


def is_up() -> bool:
    """Whether it runs."""
    return subprocess.run([TESTBED, "status"], capture_output=True, check=False).returncode == 0


def _run(words: list[str], stdin: str = "") -> str:
    ended = subprocess.run(words, input=stdin, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise BenchError(f"{' '.join(words)} failed: {ended.stderr.strip()}")
    return ended.stdout
