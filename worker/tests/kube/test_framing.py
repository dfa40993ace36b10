"""The frame: whole or an error, wherever it is cut."""

import hashlib

import pytest

from podmeter.domain.errors import LabError, TruncatedOutputError
from podmeter.domain.ports import CommandUsage
from podmeter_worker.kube.framing import MOST_BYTES, Ending, Frame, request

STARTED, READY = b"PODMETER1 started\n", b"PODMETER1 ready\n"


def framed(out: bytes, err: bytes = b"", ending: str = "exited", code: int = 0) -> bytes:
    digests = " ".join(hashlib.sha256(part).hexdigest() for part in (out, err))
    header = f"PODMETER1 {ending} {code} 1.250000000 {len(out)} {len(err)} {digests}\n"
    return STARTED + header.encode() + out + err + b"PODMETER1 end\n"


def fed(data: bytes, step: int) -> Frame:
    frame = Frame()
    for start in range(0, len(data), step):
        frame.feed(data[start : start + step])
    return frame


@pytest.mark.parametrize("step", [1, 7, 4096])
def test_a_whole_answer_arrives_however_it_is_cut_up(step: int) -> None:
    frame = fed(framed(b"a\nb\xff", b"oh\n", "timeout", 143), step)
    assert frame.started
    assert frame.answer is not None
    assert frame.answer.stdout == b"a\nb\xff"
    assert frame.answer.stderr == b"oh\n"
    assert frame.answer.ending is Ending.TIMEOUT
    assert frame.answer.exit_code == 143
    assert frame.answer.seconds == 1.25


@pytest.mark.parametrize("step", [1, 7, 4096])
def test_a_command_may_say_before_its_answer_that_it_is_ready(step: int) -> None:
    answer = framed(b"out").removeprefix(STARTED)
    frame = fed(STARTED + READY, step)
    assert frame.ready
    assert frame.answer is None
    frame.feed(answer)
    assert frame.answer is not None
    assert not fed(STARTED + answer, step).ready


#: As the real program prints it, of a loop of a shell and of a command that is not there.
USED = b"PODMETER1 used 0.333558 0.012500\n"
UNUSED = b"PODMETER1 used - -\n"


@pytest.mark.parametrize("step", [1, 7, 4096])
@pytest.mark.parametrize(
    ("used", "usage"),
    [
        (USED, CommandUsage(0.333558, 0.0125)),
        (b"PODMETER1 used 0.000873 -\n", CommandUsage(0.000873, None)),
        (UNUSED, CommandUsage(None, None)),
        (b"", CommandUsage(None, None)),
    ],
)
def test_an_answer_tells_what_its_command_took_of_the_cpu(
    step: int, used: bytes, usage: CommandUsage
) -> None:
    answer = framed(b"out").removeprefix(STARTED)
    for begun in (STARTED, STARTED + READY):
        frame = fed(begun + used + answer, step)
        assert frame.answer is not None
        assert (frame.answer.usage, frame.answer.stdout) == (usage, b"out")


@pytest.mark.parametrize("line", [b"PODMETER1 used soon -\n", USED + UNUSED, b"PODMETER1 used 1\n"])
def test_a_usage_that_is_none_is_an_error(line: bytes) -> None:
    with pytest.raises(TruncatedOutputError):
        fed(STARTED + line + framed(b"out").removeprefix(STARTED), 4096)


def test_an_answer_cut_anywhere_is_never_a_shorter_answer() -> None:
    whole = STARTED + USED + framed(b"out" * 20, b"err").removeprefix(STARTED)
    for length in range(len(whole)):
        frame = fed(whole[:length], 16)
        assert frame.answer is None
        error = frame.cut("the connection was cut")
        assert isinstance(error, LabError)
        assert isinstance(error, TruncatedOutputError) == frame.started


def test_a_byte_changed_anywhere_is_an_error() -> None:
    whole = framed(b"some output", b"some complaint")
    for place in range(len(whole)):
        changed = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
        try:
            frame = fed(changed, len(changed))
        except TruncatedOutputError:
            continue
        # What a digest does not cover may read as another valid frame: ending, code, seconds.
        header = whole.index(b"PODMETER1 exited")
        unverified = range(header, header + len(b"PODMETER1 exited 0 1.250000000"))
        assert frame.answer is None or place in unverified


@pytest.mark.parametrize(
    "data",
    [
        b"bash: something else\n",
        READY + STARTED,
        STARTED + READY + READY,
        b"PODMETER1 started\nPODMETER1 exited 0 1.0 5 0 short\n",
        b"PODMETER1 started\n" + b"x" * 400,
        framed(b"x")[:-14] + b"more than that PODMETER1 end\n",
        framed(b"x") + b"y",
    ],
)
def test_what_is_no_frame_is_refused(data: bytes) -> None:
    with pytest.raises(TruncatedOutputError):
        fed(data, 1)


def test_an_unbelievable_length_is_refused_before_it_is_waited_for() -> None:
    header = f"PODMETER1 exited 0 1.0 {MOST_BYTES} 1 {'0' * 64} {'0' * 64}\n"
    with pytest.raises(TruncatedOutputError, match="no valid header"):
        Frame().feed(b"PODMETER1 started\n" + header.encode())


def test_a_request_announces_its_length_and_takes_no_nul() -> None:
    length, _, payload = request(("echo", "ä"), 2.5).partition(b"\n")
    assert int(length) == len(payload)
    assert payload == "2.500\0echo\0ä".encode()
    with pytest.raises(ValueError, match="NUL"):
        request(("echo", "\0"), 1)
    with pytest.raises(ValueError, match="at least one word"):
        request((), 1)
