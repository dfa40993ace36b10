"""How processes log: one line for each thing that happened, whoever's words are in it.

A cluster's answer or a user's text may hold line breaks and a terminal's control characters;
written as they are they would make lines of their own, which say what never happened.
"""

from __future__ import annotations

import logging
import sys

_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
#: Before each line of a traceback, which a record does not begin with.
_CONTINUED = "  | "
#: Loggers to which libraries give handlers of their own.
_THEIR_OWN = ("uvicorn", "uvicorn.error", "uvicorn.access", "celery", "multiprocessing")
#: Each probe of the API has it say which database it looks at.
_TOO_TALKATIVE = ("alembic",)


def configure(level: str | int) -> None:
    """Log everything from `level` on to standard error, in this form. May be called again."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLine(_FORMAT))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper() if isinstance(level, str) else level)
    for name in _THEIR_OWN:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [], True
    for name in _TOO_TALKATIVE:
        logging.getLogger(name).setLevel(max(root.level, logging.WARNING))


class OneLine(logging.Formatter):
    """Formats a record as one line, and a traceback as lines that begin like no record."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without anything that a terminal would act on."""
        record.message = printable(record.getMessage())
        record.asctime = self.formatTime(record, self.datefmt)
        lines = [self.formatMessage(record)]
        if record.exc_info:
            lines += self.formatException(record.exc_info).split("\n")
        if record.stack_info:
            lines += record.stack_info.split("\n")
        first, *rest = (printable(line) for line in lines)
        return "\n".join([first, *(f"{_CONTINUED}{line}" for line in rest)])


def printable(text: str) -> str:
    r"""The text with what does not print written as an escape: a line break as \n."""
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode() for one in text
    )
