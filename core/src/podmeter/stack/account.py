"""Who PostgreSQL runs as: it refuses root, so as root it gets an account of its own."""

import os
import pwd
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from podmeter.stack.errors import StackError

ACCOUNT = "podmeter"


@dataclass(frozen=True)
class Account:
    """The operating system account that the database server runs as."""

    name: str
    uid: int
    gid: int


def server_account() -> Account | None:
    """The account to drop to, or None where this process is not root and needs none.

    Raises:
        StackError: as root, when the account neither exists nor can be made.
    """
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam(ACCOUNT)
    except KeyError:
        entry = _make_account()
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)


def _make_account() -> pwd.struct_passwd:
    useradd = shutil.which("useradd") or "/usr/sbin/useradd"
    shell = "/usr/sbin/nologin"
    command = [useradd, "--system", "--no-create-home", "--home-dir", "/nonexistent"]
    try:
        subprocess.run(
            [*command, "--shell", shell, ACCOUNT], check=True, capture_output=True, text=True
        )
        return pwd.getpwnam(ACCOUNT)
    except (OSError, subprocess.CalledProcessError, KeyError) as error:
        detail = getattr(error, "stderr", "") or error
        raise StackError(
            f"PostgreSQL refuses to run as root, and the account {ACCOUNT!r} could not be made "
            f"({detail}). Make it, run as an ordinary user, or set DATABASE_URL."
        ) from error


def grant_traverse(account: Account, target: Path) -> None:
    """Let `account` pass through the folders above `target`, and say so where one was closed.

    Adds search permission (o+x) alone: the folders' names and files stay unreadable. Without it
    the server could reach neither its programs nor its data where the project lies in /root.
    """
    for folder in target.resolve().parents:
        facts = folder.stat()
        if facts.st_uid == account.uid or facts.st_mode & stat.S_IXOTH:
            continue
        folder.chmod(stat.S_IMODE(facts.st_mode) | stat.S_IXOTH)
        sys.stderr.write(
            f"podmeter: made {folder} searchable (o+x): PostgreSQL, which refuses root, runs as "
            f"{account.name!r} and must pass through it\n"
        )
