"""The worker's machine as a client outside the clusters that it measures.

Commands run by the program that runs them in pods, so that they are timed, ended and told alike.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import TYPE_CHECKING

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.ports import Access, ExecTarget
from podmeter.drivers import program
from podmeter_worker.kube.errors import ApiUnavailableError
from podmeter_worker.kube.exec import RunningCommand
from podmeter_worker.kube.exec_stream import STDERR, STDOUT
from podmeter_worker.kube.framing import BOOT_ARGV

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podmeter.credentials.address_policy import AddressPolicy
    from podmeter.domain.ports import CommandOutput
    from podmeter_worker.kube.shells import Key

#: No cluster has such a namespace, and a host's own name is nobody's business.
PLACE = ExecTarget(name="outside", address="", node=None, access=Access.OUTSIDE)
_PIECE_BYTES = 65_536
_END_SECONDS = 5.0
_LOOK_SECONDS = 30.0


def run(argv: Sequence[str]) -> CommandOutput:
    """Run a command that looks at this machine; any exit code is an answer."""
    key = ("", PLACE.name)
    with RunningCommand(LocalShells(), key, argv, limit_seconds=_LOOK_SECONDS) as command:
        return command.wait()


@dataclass(frozen=True, slots=True)
class OutsideClient:
    """What a Lab has of it: where its commands run, and which addresses they must not ask."""

    policy: AddressPolicy
    shells: LocalShells = field(default_factory=lambda: LocalShells())

    def must_not_ask(self, service: str, address: str) -> None:
        """Raise PreconditionError for an address that no cluster has business giving out."""
        reason = self.policy.blocked(ip_address(address), 0)
        if reason is not None:
            said = say("balancer_blocked", service=service, address=address, reason=reason)
            raise PreconditionError(said)


class LocalStream:
    """The program as a process of this machine; what `ExecStream` is in a pod."""

    def __init__(self) -> None:
        # Nothing of the worker's own environment: its secrets, and a proxy that it may be set to.
        path = os.environ.get("PATH", os.defpath)
        environment = {"LC_ALL": "C", "PATH": f"{path}:/usr/sbin:/sbin"}
        try:
            self._process = subprocess.Popen(
                BOOT_ARGV,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                env=environment,
            )
        except FileNotFoundError as error:
            raise PreconditionError(say("outside_no_program", program=program.NAME)) from error
        except OSError as error:
            raise ApiUnavailableError(say("outside_not_started", said=str(error))) from error
        self._selector = selectors.DefaultSelector()
        for pipe, channel in ((self._process.stdout, STDOUT), (self._process.stderr, STDERR)):
            if pipe is not None:
                self._selector.register(pipe, selectors.EVENT_READ, channel)

    def wake(self) -> None:
        """A pipe is never forgotten."""

    def write(self, data: bytes) -> None:
        """Write to the command's standard input. Raises ApiUnavailableError."""
        pipe = self._process.stdin
        try:
            while pipe is not None and data:
                data = data[os.write(pipe.fileno(), data) :]
        except OSError as error:
            raise ApiUnavailableError(say("outside_not_started", said=str(error))) from error

    def read(self, seconds: float) -> tuple[int, bytes] | None:
        """The next (channel, bytes); None if none came in so many seconds. Raises EOFError."""
        for key, _ in self._selector.select(max(0.0, seconds)):
            piece = os.read(key.fd, _PIECE_BYTES)
            if piece:
                return int(key.data), piece
            self._selector.unregister(key.fileobj)
        if not self._selector.get_map():
            raise EOFError(say("exec_closed"))
        return None

    def close(self) -> None:
        """End the process, which takes a command that still runs with it."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._selector.close()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()


class LocalShells:
    """One process for each command; what `Shells` are for pods."""

    def take(self, key: Key) -> LocalStream:
        """A new process. Raises ApiUnavailableError."""
        return LocalStream()

    def release(self, key: Key, stream: LocalStream) -> None:
        """Its command has ended."""
        stream.close()
