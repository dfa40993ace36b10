"""Running commands on the testbed's own kernel: both ends of one connection, as a plain file.

    python remote.py serve DOOR            inside: take connections, each runs one command
    python remote.py run DOOR -- COMMAND   outside: input, output and exit code are the command's

DOOR is a file with address, port and a secret, which only root reads: who connects must prove to
know it. What follows are frames: a byte that tells what it is, its length, and the bytes. Standard
library only.
"""

from __future__ import annotations

import contextlib
import fcntl
import hmac
import json
import os
import pty
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
import threading
import tty
from pathlib import Path
from typing import Any

REQUEST, INPUT, OUTPUT, ERRORS, EXIT = range(5)
CHUNK = 1 << 16
PROVES_WITHIN = 10.0


class Frames:
    """Frames over a socket; sending is safe from several threads."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._reader = connection.makefile("rb")
        self._lock = threading.Lock()

    def send(self, kind: int, content: bytes) -> None:
        """Send one frame."""
        with self._lock:
            self._connection.sendall(struct.pack("!BI", kind, len(content)) + content)

    def receive(self) -> tuple[int, bytes]:
        """The next frame; EOFError where the other end has gone."""
        kind, length = struct.unpack("!BI", self.exactly(5))
        return kind, self.exactly(length)

    def exactly(self, length: int) -> bytes:
        """So many bytes; EOFError where the other end has gone."""
        content = self._reader.read(length)
        if len(content) != length:
            raise EOFError
        return content


def proof(secret: str, challenge: bytes) -> bytes:
    """What only who knows the secret can answer."""
    return hmac.digest(secret.encode(), challenge, "sha256")


def serve(door: dict[str, Any]) -> None:
    """Take connections for ever."""
    with socket.create_server((door["address"], door["port"]), backlog=64) as listener:
        while True:
            connection, _ = listener.accept()
            arguments = (connection, door["secret"])
            threading.Thread(target=_serve_one, args=arguments, daemon=True).start()


def _serve_one(connection: socket.socket, secret: str) -> None:
    with connection, contextlib.suppress(OSError, EOFError):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.settimeout(PROVES_WITHIN)
        challenge = os.urandom(32)
        connection.sendall(challenge)
        frames = Frames(connection)
        if not hmac.compare_digest(frames.exactly(32), proof(secret, challenge)):
            return
        _, content = frames.receive()
        connection.settimeout(None)
        request = json.loads(content)
        try:
            code = _run_here(frames, request["argv"], request["window"])
        except OSError as error:
            frames.send(ERRORS, f"{request['argv'][0]}: {error.strerror}\n".encode())
            code = 127
        frames.send(EXIT, struct.pack("!i", code))


def _run_here(frames: Frames, argv: list[str], window: list[int] | None) -> int:
    """Run a command whose input and output are frames; its exit code, or 128 + signal."""
    if window is not None:
        main, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", *window, 0, 0))
        process = subprocess.Popen(
            ["setsid", "--ctty", "--wait", *argv], stdin=terminal, stdout=terminal, stderr=terminal
        )
        os.close(terminal)
        into, outputs = main, {main: OUTPUT}
    else:
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            argv, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        )
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise ValueError("the process was started without pipes")
        into = process.stdin.fileno()
        outputs = {process.stdout.fileno(): OUTPUT, process.stderr.fileno(): ERRORS}
    feeding = threading.Thread(target=_feed, args=(frames, process, into), daemon=True)
    feeding.start()
    while outputs:
        for descriptor in select.select(list(outputs), [], [])[0]:
            content = b""
            with contextlib.suppress(OSError):  # a terminal that everybody closed
                content = os.read(descriptor, CHUNK)
            if content:
                frames.send(outputs[descriptor], content)
            else:
                del outputs[descriptor]
    code = process.wait()
    return code if code >= 0 else 128 - code


def _feed(frames: Frames, process: subprocess.Popen[bytes], into: int) -> None:
    """Give a command its input; where the other end goes, the command goes too."""
    with contextlib.suppress(OSError):
        try:
            while True:
                _, content = frames.receive()
                if content:
                    with contextlib.suppress(BrokenPipeError):
                        _write(into, content)
                elif process.stdin is not None:
                    process.stdin.close()
        except (EOFError, OSError):
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)


def _write(descriptor: int, content: bytes) -> None:
    while content:
        content = content[os.write(descriptor, content) :]


def run(door: dict[str, Any], argv: list[str]) -> int:
    """Run a command there with this process' input, output and terminal; its exit code."""
    window = list(os.get_terminal_size(0)) if os.isatty(0) and os.isatty(1) else None
    with socket.create_connection((door["address"], door["port"]), timeout=PROVES_WITHIN) as there:
        there.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        frames = Frames(there)
        there.sendall(proof(door["secret"], frames.exactly(32)))
        there.settimeout(None)
        frames.send(REQUEST, json.dumps({"argv": argv, "window": window and window[::-1]}).encode())
        with _raw_terminal(window is not None):
            threading.Thread(target=_read_input, args=(frames,), daemon=True).start()
            while True:
                kind, content = frames.receive()
                if kind == EXIT:
                    return int(struct.unpack("!i", content)[0])
                _write(1 if kind == OUTPUT else 2, content)


def _read_input(frames: Frames) -> None:
    with contextlib.suppress(OSError):
        while content := os.read(0, CHUNK):
            frames.send(INPUT, content)
        frames.send(INPUT, b"")


@contextlib.contextmanager
def _raw_terminal(is_one: bool) -> Any:
    if not is_one:
        yield
        return
    before = termios.tcgetattr(0)
    tty.setraw(0)
    try:
        yield
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)


def main() -> None:
    """Be one of the two ends."""
    role, door, *argv = sys.argv[1:]
    described = json.loads(Path(door).read_text())
    if role == "serve":
        serve(described)
    try:
        code = run(described, argv[1:])
    except (OSError, EOFError) as error:
        sys.exit(f"the testbed's kernel does not answer: {error or 'it ended'}")
    sys.stdout.flush()
    os._exit(code)  # a thread may still wait for input


if __name__ == "__main__":
    main()
