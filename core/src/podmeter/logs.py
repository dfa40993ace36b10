"""How processes log: one line for each thing that happened, anyone's words are in it.

A cluster's answer or a user's text may hold line breaks and a terminal's control characters;
written as they are they would make lines of their own, which say what never happened.

What a line is about (a request, a run, a cluster) is bound around what is done, and is in every
line that comes of it, the libraries' too; threads are given it by `carrying`.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from datetime import UTC, datetime
from functools import partial
from typing import Literal

_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
#: Before each line of a traceback, which a record does not begin with.
_CONTINUED = "  | "
#: Loggers to which libraries give handlers of their own.
_THEIR_OWN = ("uvicorn", "uvicorn.error", "uvicorn.access", "celery", "multiprocessing")
#: Each probe of the API has it say which database it looks at.
_TOO_TALKATIVE = ("alembic",)
#: Logs paths, which contain the tokens of permalinks; only at the most detailed level.
_PATHS = "uvicorn.access"

Form = Literal["text", "json"]
_NOTHING: Mapping[str, str] = {}
_about: ContextVar[Mapping[str, str]] = ContextVar("podmeter_logs_about", default=_NOTHING)


def configure(level: str | int, form: Form = "text") -> None:
    """Log everything from `level` on to standard error, in this form. May be called again."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneObject() if form == "json" else OneLine(_FORMAT))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper() if isinstance(level, str) else level)
    for name in _THEIR_OWN:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [], True
    for name in _TOO_TALKATIVE:
        logging.getLogger(name).setLevel(max(root.level, logging.WARNING))
    logging.getLogger(_PATHS).setLevel(root.level if root.level <= logging.DEBUG else logging.ERROR)


def about() -> Mapping[str, str]:
    """What is logged at present is about this."""
    return _about.get()


def bind(**what: object) -> None:
    """Have all that is logged in this context, from now on, be about this besides."""
    _about.set({**_about.get(), **{name: printable(str(one)) for name, one in what.items()}})


@contextmanager
def bound(**what: object) -> Iterator[None]:
    """Have all that is logged be about this besides, until leaving."""
    before = _about.get()
    bind(**what)
    try:
        yield
    finally:
        _about.set(before)


def carrying(body: Callable[..., object]) -> Callable[..., object]:
    """The same, to be called in another thread: what is logged there is about the same."""
    return partial(copy_context().run, body)


class OneLine(logging.Formatter):
    """Formats a record as one line, and a traceback as lines that begin like no record."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without anything that a terminal would act on."""
        record.message = printable(record.getMessage()) + "".join(
            f" {name}={one}" for name, one in about().items()
        )
        record.asctime = self.formatTime(record, self.datefmt)
        lines = [self.formatMessage(record)]
        if record.exc_info:
            lines += self.formatException(record.exc_info).split("\n")
        if record.stack_info:
            lines += record.stack_info.split("\n")
        first, *rest = (printable(line) for line in lines)
        return "\n".join([first, *(f"{_CONTINUED}{line}" for line in rest)])


class OneObject(logging.Formatter):
    """Formats a record, its traceback included, as one line of JSON in ASCII."""

    def format(self, record: logging.LogRecord) -> str:
        """The line; what it is about is in fields of their own."""
        moment = datetime.fromtimestamp(record.created, UTC)
        said: dict[str, str] = {
            "time": moment.isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **about(),
        }
        if record.exc_info:
            said["exception"] = self.formatException(record.exc_info)
        return json.dumps(said)


def printable(text: str) -> str:
    r"""The text with what does not print written as an escape: a line break as \n."""
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode() for one in text
    )
