"""The frame that a command's output comes in: what is sent to the pod, what must come back.

Streams of an exec are cut without an error now and then (kubernetes#124571,
kubernetes-client/python#2226), so length and digest are announced before the output and what
does not agree with them is an error, never a shorter answer.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from podmeter.domain.errors import LabError, TruncatedOutputError
from podmeter.domain.messages import say
from podmeter.domain.ports import UNKNOWN_USAGE, CommandUsage
from podmeter.drivers import program
from podmeter_worker.kube.image_faults import ImageError

if TYPE_CHECKING:
    from collections.abc import Sequence

#: More than any tool prints; what announces more is not believed.
MOST_BYTES = 64 * 1024 * 1024
NEWLINE, KILL = b"n\n", b"k\n"

#: The program runs one command after another. Each comes by standard input, so that neither its
#: length nor its words appear in a URL. An older program ignores the argument, and tells no usage.
BOOT_ARGV = program.argv("serve", "usage")
#: Answered at once.
HAIL, HAILED = b"h\n", b"PODMETER1 here\n"

_STARTED = b"PODMETER1 started\n"
_READY = b"PODMETER1 ready\n"
_END = b"PODMETER1 end\n"
_HEADER = re.compile(
    rb"PODMETER1 (exited|timeout|killed) (\d{1,3}) (\d+\.\d+) (\d{1,12}) (\d{1,12})"
    rb" ([0-9a-f]{64}) ([0-9a-f]{64})"
)
_USED_START = b"PODMETER1 used "
_USED = re.compile(rb"PODMETER1 used (-|\d{1,9}\.\d{6}) (-|\d{1,9}\.\d{6})")
_LONGEST_HEADER = 300
_PROGRAM_MISSING = ("not found", "no such file", "error finding executable")


def request(argv: Sequence[str], limit_seconds: float) -> bytes:
    """What to write to the program's standard input to run `argv`."""
    words = [f"{limit_seconds:.3f}", *argv]
    if not argv or any("\0" in word for word in argv):
        raise ValueError("a command has at least one word and no NUL in any")
    payload = "\0".join(words).encode()
    return b"%d\n%s" % (len(payload), payload)


def no_program() -> ImageError:
    """The error for an image without the program, as it was before there was one."""
    return ImageError(say("image_no_program", program=program.NAME), say("mend_image_current"))


def _not_started(why: str) -> LabError:
    return LabError(say("command_not_started", why=why))


def _is_program_missing(why: str) -> bool:
    """Whether a container runtime says so: runc, crun, gVisor and Kata each in words of its own."""
    said = why.lower()
    return program.NAME in said and any(sign in said for sign in _PROGRAM_MISSING)


class Ending(StrEnum):
    """How a command ended: by itself, by its time limit, or because it was asked to."""

    EXITED = "exited"
    TIMEOUT = "timeout"
    KILLED = "killed"


@dataclass(frozen=True, slots=True)
class Framed:
    """A whole, verified answer. `usage` is unknown in that of an older program."""

    ending: Ending
    exit_code: int
    seconds: float
    stdout: bytes
    stderr: bytes
    usage: CommandUsage = UNKNOWN_USAGE


class Frame:
    """Takes the bytes as they come; `answer` is there once all of it is, verified.

    `ready` is whether the command has said, before its answer, that it is.
    """

    def __init__(self) -> None:
        self.started = False
        self.ready = False
        self.answer: Framed | None = None
        self._bytes = bytearray()
        self._header: re.Match[bytes] | None = None
        self._usage: CommandUsage | None = None

    def feed(self, data: bytes) -> None:
        """Take bytes. Raises TruncatedOutputError as soon as they cannot be right."""
        if self.answer is not None:
            raise TruncatedOutputError(say("output_more"))
        self._bytes += data
        if not self.started:
            if not self._line(_STARTED):
                return
            self.started = True
        if not self.ready and self._bytes.startswith(_READY):
            del self._bytes[: len(_READY)]
            self.ready = True
        if self._header is None and not self._read_header():
            return
        self._read_body()

    def cut(self, why: str) -> LabError:
        """The error for a stream that ended here."""
        if not self.started:
            return no_program() if _is_program_missing(why) else _not_started(why)
        have = len(self._bytes)
        return TruncatedOutputError(say("output_cut", bytes=have, why=why))

    def _line(self, expected: bytes) -> bool:
        start = bytes(self._bytes[: len(expected)])
        if not expected.startswith(start):
            raise TruncatedOutputError(say("frame_absent", said=repr(start[:80])))
        if len(start) < len(expected):
            return False
        del self._bytes[: len(expected)]
        return True

    def _read_header(self) -> bool:
        end = self._bytes.find(b"\n")
        if end < 0:
            if len(self._bytes) > _LONGEST_HEADER:
                raise TruncatedOutputError(say("frame_no_header"))
            return False
        if self._usage is None and self._bytes.startswith(_USED_START):
            self._usage = _usage(bytes(self._bytes[:end]))
            del self._bytes[: end + 1]
            return self._read_header()
        self._header = _HEADER.fullmatch(bytes(self._bytes[:end]))
        if self._header is None or self._announced() > MOST_BYTES:
            raise TruncatedOutputError(say("frame_bad_header"))
        del self._bytes[: end + 1]
        return True

    def _announced(self) -> int:
        return 0 if self._header is None else int(self._header[4]) + int(self._header[5])

    def _read_body(self) -> None:
        length = self._announced()
        if self._header is None or len(self._bytes) < length + len(_END):
            return
        if self._bytes[length:] != _END:
            raise TruncatedOutputError(say("output_longer"))
        out = int(self._header[4])
        # A long answer is not copied more often than it takes.
        with memoryview(self._bytes) as body:
            stdout, stderr = bytes(body[:out]), bytes(body[out:length])
        self._bytes.clear()
        for part, digest in ((stdout, self._header[6]), (stderr, self._header[7])):
            if hashlib.sha256(part).hexdigest().encode() != digest:
                raise TruncatedOutputError(say("output_digest"))
        self.answer = Framed(
            ending=Ending(self._header[1].decode()),
            exit_code=int(self._header[2]),
            seconds=float(self._header[3]),
            stdout=stdout,
            stderr=stderr,
            usage=self._usage or UNKNOWN_USAGE,
        )


def _usage(line: bytes) -> CommandUsage:
    found = _USED.fullmatch(line)
    if found is None:
        raise TruncatedOutputError(say("frame_bad_header"))
    used, throttled = (None if text == b"-" else float(text) for text in found.groups())
    return CommandUsage(cpu_seconds=used, throttled_seconds=throttled)
