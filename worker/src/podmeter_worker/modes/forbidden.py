"""Rights that an older manifest of Podmeter's does not give."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter_worker.kube.errors import ApiRefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def told_as(code: str) -> Iterator[None]:
    """What is forbidden is said by the message of that code, which takes what was `said`."""
    try:
        yield
    except ApiRefusedError as error:
        if error.status != 403:
            raise
        raise PreconditionError(say(code, said=error.said)) from error
