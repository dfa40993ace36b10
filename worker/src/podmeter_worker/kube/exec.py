"""Running a command in a pod to its end, or beside others, with its output whole and verified."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from podmeter.domain.errors import CommandTimeoutError, LabError, TruncatedOutputError
from podmeter.domain.messages import say
from podmeter.domain.ports import CommandOutput
from podmeter_worker.kube.errors import ApiUnavailableError
from podmeter_worker.kube.exec_stream import STATUS, STDERR, STDOUT, status_message
from podmeter_worker.kube.framing import KILL, NEWLINE, Ending, Frame, Framed, request
from podmeter_worker.kube.shells import Shells

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from podmeter_worker.kube.access import ClusterAccess
    from podmeter_worker.kube.shells import Key, Streams

#: How often a wait looks whether the run was cancelled.
_LOOK_SECONDS = 0.25
#: The command is killed in the pod when its time is over; so long after, nothing will come.
_GRACE_SECONDS = 10.0
#: Without a single byte for so long, an answer that has begun to arrive is cut.
_STALL_SECONDS = 30.0
#: Nor does an answer take longer from the moment it should be there: 64 MB through 10 Mbit/s.
_ARRIVAL_SECONDS = 90.0
#: A command without a limit of its own ends after this: longer than any trial may last.
_LONGEST_SECONDS = 6 * 3600.0


class RunningCommand:
    """A command that runs in a pod (namespace, name) until the context ends, which kills it.

    `check` is called several times a second in every wait and may raise to end it; the command
    is killed then.
    """

    def __init__(
        self,
        shells: Streams,
        pod: Key,
        argv: Sequence[str],
        *,
        limit_seconds: float = _LONGEST_SECONDS,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        """Start the command and wait until it runs.

        Raises LabError if it did not start, ApiRefusedError if it may not.
        """
        self._shells, self._pod = shells, pod
        self._check = check
        self._argv = tuple(argv)
        self._limit = limit_seconds
        self._frame = Frame()
        self._complaint = ""
        self._ended = False
        self._stream = shells.take(pod)
        try:
            self._stream.write(request(argv, limit_seconds))
            self._read_until(lambda: self._frame.started, _GRACE_SECONDS)
        except _NotInTimeError:
            self.close()
            raise LabError(say("command_not_started", why=say("command_no_answer"))) from None
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> RunningCommand:
        return self

    def __exit__(self, *_: object) -> None:
        if self._frame.answer is None and not self._ended:
            self._kill()
        self.close()

    def close(self) -> None:
        """Let go of the connection: of use to others if the answer is whole, closed if not.

        A command that still runs is killed by its end.
        """
        if self._ended:
            return
        self._ended = True
        if self._frame.answer is None:
            self._stream.close()
        else:
            self._shells.release(self._pod, self._stream)

    def wait_ready(self, timeout_seconds: float) -> bool:
        """Whether it reports in time, on descriptor 3, that it is ready; it runs on in any case."""

        def ready_or_ended() -> bool:
            return self._frame.ready or self._frame.answer is not None

        with suppress(_NotInTimeError):
            self._read_until(ready_or_ended, timeout_seconds)
        return self._frame.ready

    def wait(self) -> CommandOutput:
        """Wait for its own end.

        Raises CommandTimeoutError when it had to be killed at its limit, TruncatedOutputError
        for an answer that is not whole.
        """
        try:
            framed = self._read_answer(self._limit + _GRACE_SECONDS)
        except _NotInTimeError:
            raise self._timeout(self._limit) from None
        if framed.ending is Ending.TIMEOUT:
            raise self._timeout(self._limit)
        return _output(framed)

    def finish(self, timeout_seconds: float) -> CommandOutput:
        """Write one newline to its standard input, wait for its end, and give its output.

        Raises CommandTimeoutError, and kills it, when it does not end in time.
        """
        self._stream.write(NEWLINE)
        try:
            framed = self._read_answer(timeout_seconds)
        except _NotInTimeError:
            self._kill()
            raise self._timeout(timeout_seconds) from None
        if framed.ending is Ending.TIMEOUT:
            raise self._timeout(self._limit)
        return _output(framed)

    def _kill(self) -> None:
        """Have it killed and wait for the word that it is gone, for a short while."""
        self._check = lambda: None
        try:
            self._stream.write(KILL)
            self._read_answer(_GRACE_SECONDS)
        except (LabError, _NotInTimeError):
            return  # the end of its standard input kills it as well

    def _read_answer(self, seconds: float) -> Framed:
        self._read_until(lambda: self._frame.answer is not None, seconds)
        if self._frame.answer is None:
            raise TruncatedOutputError(say("command_no_answer"))
        return self._frame.answer

    def _read_until(self, reached: Callable[[], bool], seconds: float) -> None:
        """Read until `reached`. Raises _NotInTimeError once nothing comes any more in time."""
        # A command beside others is left alone for as long as they take.
        self._stream.wake()
        deadline = time.monotonic() + seconds
        last = deadline + _ARRIVAL_SECONDS
        while not reached():
            self._check()
            try:
                message = self._stream.read(_LOOK_SECONDS)
            except EOFError as error:
                raise self._frame.cut(self._complaint or error.args[0]) from error
            except ApiUnavailableError as error:
                raise self._frame.cut(error.said) from error
            now = time.monotonic()
            if message is not None:
                self._take(*message)
                # While an answer arrives, the deadline follows it.
                if self._frame.started:
                    deadline = min(last, max(deadline, now + _STALL_SECONDS))
            if now > deadline and not reached():
                raise _NotInTimeError

    def _take(self, channel: int, data: bytes) -> None:
        if channel == STDOUT:
            self._frame.feed(data)
        elif channel == STDERR:
            self._complaint = (self._complaint + data.decode(errors="replace"))[-500:].strip()
        elif channel == STATUS and (said := status_message(data)) is not None:
            raise self._frame.cut(self._complaint or said)

    def _timeout(self, seconds: float) -> CommandTimeoutError:
        return CommandTimeoutError(
            say("command_not_in_time", command=self._argv[0], seconds=seconds)
        )


class _NotInTimeError(Exception):
    pass


def run(
    access: ClusterAccess,
    namespace: str,
    pod: str,
    argv: Sequence[str],
    *,
    timeout_seconds: float,
    check: Callable[[], None] = lambda: None,
) -> CommandOutput:
    """Run a single command to its end; any exit code is an answer. Raises as RunningCommand."""
    with (
        Shells(access) as shells,
        RunningCommand(
            shells, (namespace, pod), argv, limit_seconds=timeout_seconds, check=check
        ) as command,
    ):
        return command.wait()


def _output(framed: Framed) -> CommandOutput:
    return CommandOutput(
        stdout=framed.stdout.decode(errors="replace"),
        stderr=framed.stderr.decode(errors="replace"),
        exit_code=framed.exit_code,
        seconds=framed.seconds,
        usage=framed.usage,
    )
