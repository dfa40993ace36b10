"""Which server, and the token for it: from the environment, else from `podmeter login`."""

import json
import os
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from podmeter_cli.exits import UsageError

URL, TOKEN = "PODMETER_URL", "PODMETER_TOKEN"


@dataclass(frozen=True)
class JobLogin:
    """How a job of a CI logged in, and until when its token counts."""

    trust: str
    audience: str
    expires_at: str

    def ends_within(self, seconds: float) -> bool:
        """Whether the token expires so soon."""
        left = datetime.fromisoformat(self.expires_at) - datetime.now(UTC)
        return left.total_seconds() < seconds


@dataclass(frozen=True)
class Login:
    """A server's address and a token for it; `job` where that is a job's of a CI."""

    url: str
    token: str = field(repr=False)
    job: JobLogin | None = None


def path() -> Path:
    """Where `podmeter login` keeps the address and the token."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "podmeter" / "login.json"


def read(url: str | None = None) -> Login:
    """The login to use; `url` is the option `--url`. Raises UsageError where there is none.

    The token in the file is sent to the server that it was made for, and to no other.
    """
    kept = _kept()
    wanted = url or os.environ.get(URL) or (kept.url if kept else None)
    if wanted is None:
        raise UsageError(
            "Not logged in. Run `podmeter login URL`, or set PODMETER_URL and PODMETER_TOKEN."
        )
    address = normalized(wanted)
    if given := os.environ.get(TOKEN):
        return Login(address, given.strip())
    if kept is None or kept.url != address:
        raise UsageError(f"No token for {address}. Run `podmeter login {address}`, or set {TOKEN}.")
    return kept


def keep(login: Login) -> Path:
    """Write the file, readable by its owner alone; where it is."""
    file = path()
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    partial = file.with_suffix(".part")
    partial.unlink(missing_ok=True)
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as output:
        json.dump(asdict(login), output)
    partial.replace(file)
    return file


def forget() -> bool:
    """Delete the file; whether there was one."""
    there = path().exists()
    path().unlink(missing_ok=True)
    return there


def normalized(url: str) -> str:
    """The address without a path's end. Raises UsageError for what is no address."""
    text = url if "://" in url else f"https://{url}"
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        raise UsageError(
            f"{url} is not the address of a Podmeter server, as https://podmeter.example.org"
        )
    return text.removesuffix("/").removesuffix("/api/v1")


def is_clear_text(url: str) -> bool:
    """Whether a token sent there can be read on its way."""
    parts = urlsplit(url)
    return parts.scheme == "http" and parts.hostname not in ("localhost", "127.0.0.1", "::1")


def _kept() -> Login | None:
    try:
        found = json.loads(path().read_text())
        job = JobLogin(**found["job"]) if found.get("job") else None
        return Login(found["url"], found["token"], job)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path()} cannot be read ({error}). Run `podmeter login` again."
        ) from None
