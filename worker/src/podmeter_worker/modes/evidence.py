"""Modes where no switcher can act: what the nodes themselves show of one, and could carry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter_worker.modes.registry import switchers_of

if TYPE_CHECKING:
    from podmeter_worker.modes.switcher import SwitchContext


class LeftByHandError(PreconditionError):
    """A mode that somebody switched by hand is not what it was before."""


def observe(context: SwitchContext, axis: str) -> str:
    """The mode in effect on every node, asked of the nodes.

    Raises PreconditionError where they differ, tell nothing, or nothing of them would show it.
    """
    for switcher in switchers_of(axis):
        if (seen := switcher.observe_by_hand(context)) is not None:
            return seen
    raise PreconditionError(say("no_switcher"))


def values(context: SwitchContext, axis: str) -> dict[str, str | None]:
    """Each value that somebody could switch to, with why the nodes cannot carry it."""
    found: dict[str, str | None] = {}
    for switcher in switchers_of(axis):
        found |= switcher.values_by_hand(context)
    return found
