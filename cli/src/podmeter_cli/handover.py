"""The operator's commands: `podmeter-admin`, and up to version 0.1 `podmeter`.

Their old names work for one version, where `podmeter-admin` is installed. This module goes with the
next one.
"""

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

MOVED = frozenset(
    {
        *(
            "up",
            "down",
            "migrate",
            "backup",
            "restore",
            "doctor",
            "await",
            "demo",
            "articles",
            "rbac",
        ),
        *("reset-password", "confirm-address", "new-key", "keys"),
    }
)


def to_admin(words: Sequence[str]) -> None:
    """Become `podmeter-admin` for one of its commands; return for any other."""
    if not words or words[0] not in MOVED:
        return
    sys.stderr.write(
        f"podmeter: `podmeter {words[0]}` is called `podmeter-admin {words[0]}` now; "
        "the old name goes with the next version\n"
    )
    beside = Path(sys.argv[0]).resolve().parent
    found = shutil.which("podmeter-admin", path=f"{beside}{os.pathsep}{os.environ.get('PATH', '')}")
    if found is None:
        sys.stderr.write(
            "podmeter: podmeter-admin is not installed here; it comes with the server\n"
        )
        sys.exit(4)
    sys.stderr.flush()
    os.execv(found, ["podmeter-admin", *words])  # noqa: S606 (the same command by its new name)
