"""Whatever a cluster or a user says, a record is one line, and nothing else looks like a record."""

import json
import logging
import subprocess
import sys
import threading

import pytest

from podmeter import logs
from podmeter.logs import OneLine, OneObject, bound, carrying, printable

HOSTILE = (
    "no\n2026-01-01 ERROR podmeter: all is lost\r\x1b[2J\x00\x9b\u2028\u202e\ud800 ünïcode 中文"
)


def formatted(message: str, *arguments: object, **more: object) -> str:
    record = logging.LogRecord("x", logging.WARNING, "f", 1, message, arguments, None)
    record.__dict__.update(more)
    return OneLine("%(levelname)s %(name)s: %(message)s").format(record)


@pytest.mark.parametrize("given", [("%s", HOSTILE), (HOSTILE.replace("%", "%%"),)])
def test_a_message_is_one_line(given: tuple[str, ...]) -> None:
    line = formatted(*given)
    assert line.isprintable()
    assert line.startswith(
        r"WARNING x: no\n2026-01-01 ERROR podmeter: all is lost\r\x1b[2J\x00\x9b"
    )
    assert line.endswith(r"\u2028\u202e\ud800 ünïcode 中文")
    line.encode()


def test_a_traceback_s_lines_begin_like_no_record() -> None:
    try:
        raise ValueError(HOSTILE)
    except ValueError:
        first, *rest = formatted("it broke", exc_info=sys.exc_info()).split("\n")
    assert first == "WARNING x: it broke"
    assert any("all is lost" in line for line in rest)
    assert all(line.startswith("  | ") and line.isprintable() for line in rest)


def test_what_prints_stays_as_it_is() -> None:
    assert printable("节点 node-1: 10 µs → “ok”") == "节点 node-1: 10 µs → “ok”"


SPEAKS = """
import logging
logging.basicConfig(format="old %(message)s")
logging.getLogger("uvicorn").addHandler(logging.StreamHandler())
from podmeter import logs
logs.configure("info"); logs.configure(logging.INFO)
for name in ("podmeter_api.x", "uvicorn.error", "celery.worker", "unheard.of"):
    logging.getLogger(name).info("%s", "a\\nb")
    logging.getLogger(name).debug("never")
"""


def test_every_logger_of_a_process_speaks_so() -> None:
    said = subprocess.run(
        [sys.executable, "-c", SPEAKS], capture_output=True, text=True, check=True, timeout=60
    )
    lines = said.stderr.splitlines()
    assert [line.split(" ", 3)[3] for line in lines] == [
        rf"{name}: a\nb"
        for name in ("podmeter_api.x", "uvicorn.error", "celery.worker", "unheard.of")
    ]
    assert said.stdout == ""


def test_as_json_a_record_and_its_traceback_are_one_line_of_ascii() -> None:
    try:
        raise ValueError(HOSTILE)
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "f", 1, HOSTILE, (), sys.exc_info())
    with bound(run="r-1", cluster=HOSTILE):
        line = OneObject().format(record)
    assert line.isascii()
    assert line.isprintable()
    said = json.loads(line)
    assert said["message"] == HOSTILE
    assert (said["level"], said["logger"], said["run"]) == ("error", "x", "r-1")
    assert said["cluster"] == printable(HOSTILE)
    assert said["exception"].startswith("Traceback")
    assert said["time"].endswith("+00:00")


def test_what_is_logged_says_what_it_is_about_in_other_threads_too() -> None:
    found: list[str] = []
    with bound(run="r"):
        with bound(cluster="c\nd"):
            assert formatted("here") == "WARNING x: here run=r cluster=c\\nd"
            thread = threading.Thread(target=carrying(lambda: found.append(formatted("there"))))
        assert formatted("here") == "WARNING x: here run=r"
    thread.start()
    thread.join()
    assert found == ["WARNING x: there run=r cluster=c\\nd"]
    assert formatted("here") == "WARNING x: here"
    assert logs.about() == {}
