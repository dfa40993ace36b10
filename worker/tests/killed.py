"""Workers of a bench that are killed in the middle of what they do."""

from typing import Any, Never

from .fake_cluster import Steps


class Killed(BaseException):
    """The worker's process is gone."""


def die(*_: Any, **__: Any) -> Never:
    """In the place of whatever the worker does next."""
    raise Killed


def killed_at(fatal: str) -> Steps:
    """A bench's `steps` by which its worker is killed at that one."""

    def steps(step: str) -> None:
        if step == fatal:
            raise Killed

    return steps
