"""The secrets that embedded mode makes for itself, kept in a private file."""

import os
import secrets
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

from podmeter.stack.errors import StackError


def keep(path: Path, makers: Mapping[str, Callable[[], str]]) -> dict[str, str]:
    """The named secrets in `path`, made and written there where they are missing.

    The file is readable by its owner alone (mode 600) from the moment it exists.

    Raises:
        StackError: the file can be read by others.
    """
    known = _read(path)
    missing = {name: make() for name, make in makers.items() if name not in known}
    if missing:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "w") as file:
            for name, value in missing.items():
                file.write(f"{name}={value}\n")
            file.flush()
            os.fsync(file.fileno())
    return {name: (known | missing)[name] for name in makers}


def password() -> str:
    """192 random bits that need no escaping in a URL or a configuration file."""
    return secrets.token_urlsafe(24)


def _read(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        raise StackError(f"{path} can be read by others (mode {mode:o}); run: chmod 600 {path}")
    pairs = (line.partition("=") for line in path.read_text().splitlines() if "=" in line)
    return {name.strip(): value.strip() for name, _, value in pairs}
