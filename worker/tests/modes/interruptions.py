"""Switches that are cut short."""

from __future__ import annotations

from collections.abc import Callable


class KilledError(Exception):
    """A worker was killed: nothing of ours takes it for an error of its own."""


def killed_at(step: str | None) -> Callable[[str], None]:
    """A context's `progress` by which its worker ends as soon as that step is done; None: never."""

    def progress(reached: str) -> None:
        if step is not None and getattr(reached, "code", "") == f"step_{step}":
            raise KilledError

    return progress
