"""A command in a pod over a connection that sends anything: it ends, and little is kept."""

import json
import ssl
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from podmeter.domain.errors import CommandTimeoutError, LabError, TruncatedOutputError
from podmeter_worker.kube import exec as exec_module
from podmeter_worker.kube import exec_stream
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.exec import RunningCommand, run
from podmeter_worker.kube.image_faults import ImageError
from podmeter_worker.kube.shells import Shells

from .hostile import (
    DRIP,
    DRIPS,
    FLOODS,
    SECONDS,
    Script,
    answered,
    for_ever,
    frame,
    hostile,
    little_memory,
    once,
    upgraded,
)

pytestmark = pytest.mark.timeout(60)


def told(*parts: bytes) -> Script:
    """Opens a WebSocket and sends, then says nothing more."""

    def script(taken: ssl.SSLSocket, head: bytes) -> None:
        taken.sendall(upgraded(head) + b"".join(parts))

    return script


def flooding(*parts: bytes, first: bytes = b"") -> Script:
    """Opens a WebSocket and sends without an end."""

    def script(taken: ssl.SSLSocket, head: bytes) -> None:
        for_ever(*parts, first=upgraded(head) + first)(taken, head)

    return script


BINARY, TEXT, MORE, CLOSE, PING = 2, 1, 0, 8, 9
OUT, ERR, STATUS = b"\x01", b"\x02", b"\x03"
STARTED = frame(BINARY, OUT + b"PODMETER1 started\n")
EXECS = {
    # Of the handshake.
    "headers trickle": DRIPS["headers"],
    "headers flood": FLOODS["headers"],
    "a header floods": FLOODS["header"],
    "no status": once(b"HTTP/1.1\r\n\r\n"),
    "no number": once(b"HTTP/1.1 OK\r\n\r\n"),
    "HTML": once(answered(b"<html>", "200 OK")),
    "a huge refusal": for_ever(
        b" " * 9000, first=b"HTTP/1.1 403 No\r\nContent-Length: 99999999999999\r\n\r\n"
    ),
    "an odd length": once(b"HTTP/1.1 403 No\r\nContent-Length: many\r\n\r\n"),
    "an odd refusal": once(answered(b"[1]", "403 No")),
    "a deep refusal": once(answered(b"[" * 99_999, "500 No")),
    "another protocol": once(b"HTTP/1.1 101 Yes\r\nUpgrade: x\r\n\r\n"),
    # Of frames.
    "half a frame": told(STARTED, frame(BINARY, OUT, announced=1000)),
    "a huge frame": flooding(b" " * 9000, first=STARTED + frame(BINARY, b"", announced=1 << 40)),
    "an endless message": flooding(
        frame(MORE, b"a" * 9000, last=False), first=frame(BINARY, OUT, last=False)
    ),
    "pings between its parts": flooding(
        frame(MORE, b"a" * 9000, last=False),
        frame(PING, b"x"),
        first=frame(BINARY, OUT, last=False),
    ),
    "pings": flooding(frame(PING, b"x") * 100),
    "empty messages": flooding(frame(BINARY, OUT) * 100),
    "texts": flooding(frame(TEXT, b"x") * 100),
    "complaints": flooding(frame(BINARY, ERR + b"x" * 9000)),
    "complaints after the start": flooding(frame(BINARY, ERR + b"x" * 9000), first=STARTED),
    "output out of a frame": flooding(frame(BINARY, OUT + b"x" * 9000)),
    "a header without an end": flooding(frame(BINARY, OUT + b"x" * 9000), first=STARTED),
    "more than was announced": flooding(
        frame(BINARY, OUT + b"x" * 9000),
        first=STARTED
        + frame(
            BINARY, OUT + b"PODMETER1 exited 0 0.1 3 0 " + b"a" * 64 + b" " + b"b" * 64 + b"\n"
        ),
    ),
    "an odd status": told(frame(BINARY, STATUS + b"[1]")),
    "a deep status": told(frame(BINARY, STATUS + b"[" * 99_999)),
    "a wrong opcode": told(frame(7, b"x")),
    "no UTF-8": told(frame(TEXT, b"\xff\xfe")),
    "closed": told(frame(CLOSE, b"\x03\xe8" + b"x" * 100)),
    "nothing": told(),
    "cut": lambda taken, head: taken.close(),
}


@pytest.mark.parametrize("kind", EXECS)
def test_a_command_ends_whatever_its_connection_does(
    kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(exec_stream, "_CONNECT_SECONDS", SECONDS)
    monkeypatch.setattr(exec_stream, "_MESSAGE_SECONDS", 0.1)
    monkeypatch.setattr(exec_module, "_GRACE_SECONDS", 0.3)
    monkeypatch.setattr(exec_module, "_STALL_SECONDS", 0.2)
    monkeypatch.setattr(exec_module, "_ARRIVAL_SECONDS", 0.3)
    wrong = pytest.raises((LabError, ApiRefusedError, TruncatedOutputError, CommandTimeoutError))
    with hostile(tmp_path, EXECS[kind]) as access, little_memory(), wrong as caught:
        run(access, "ns", "pod", ("true",), timeout_seconds=0.2)
    assert len(str(caught.value)) < 3000


def test_an_answer_that_trickles_is_not_waited_for_for_ever(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(exec_module, "_GRACE_SECONDS", 0.2)
    monkeypatch.setattr(exec_module, "_ARRIVAL_SECONDS", 0.3)
    header = OUT + b"PODMETER1 exited 0 0.1 9999 0 " + b"a" * 64 + b" " + b"b" * 64 + b"\n"

    def script(taken: ssl.SSLSocket, head: bytes) -> None:
        first = upgraded(head) + STARTED + frame(BINARY, header)
        for_ever(frame(BINARY, OUT + b"x"), first=first, pause=DRIP)(taken, head)

    with hostile(tmp_path, script) as access, pytest.raises(CommandTimeoutError):
        run(access, "ns", "pod", ("true",), timeout_seconds=0.2)


def test_the_time_in_which_nobody_listened_is_no_silence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """After a switch of 5 min nothing was known of it: its watch had not answered at once."""
    ahead = 0.0
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + ahead)
    monkeypatch.setattr(exec_stream, "time", clock)
    monkeypatch.setattr(exec_module, "_GRACE_SECONDS", 10.0)
    monkeypatch.setattr(exec_module, "_LOOK_SECONDS", 0.01)
    with (
        hostile(tmp_path, told(STARTED)) as access,
        Shells(access) as shells,
        RunningCommand(shells, ("ns", "pod"), ("true",)) as command,
    ):
        ahead = 300.0
        monkeypatch.setattr(exec_module, "_GRACE_SECONDS", 0.1)
        # It is waited for as long as was asked, though not a byte has come for so long.
        with pytest.raises(CommandTimeoutError):
            command.finish(0.2)


SAID = (
    'exec failed: exec: "podmeter-measure": executable file not found in $PATH: unknown',
    "exec failed: executable file `podmeter-measure` not found in $PATH: No such file or directory",
    'error finding executable "podmeter-measure" in PATH [/usr/bin]',
)


@pytest.mark.parametrize("said", SAID, ids=["runc", "crun", "gVisor"])
def test_an_image_without_the_program_is_named_with_its_remedy(said: str, tmp_path: Path) -> None:
    status = json.dumps({"status": "Failure", "message": said}).encode()
    script = told(frame(BINARY, STATUS + status))
    with hostile(tmp_path, script) as access, pytest.raises(ImageError) as caught:
        run(access, "ns", "pod", ("true",), timeout_seconds=5)
    assert caught.value.what.code == "image_no_program"
    assert caught.value.mend.code == "mend_image_current"


def test_another_program_that_is_missing_says_nothing_of_the_image(tmp_path: Path) -> None:
    status = json.dumps({"status": "Failure", "message": "container not found (pod)"}).encode()
    script = told(frame(BINARY, STATUS + status))
    with hostile(tmp_path, script) as access, pytest.raises(LabError) as caught:
        run(access, "ns", "pod", ("true",), timeout_seconds=5)
    assert not isinstance(caught.value, ImageError)
