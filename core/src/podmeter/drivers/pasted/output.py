"""What a reader makes of one output of a tool."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from podmeter.domain.axes import AxisValue
    from podmeter.domain.messages import Message


@dataclass(frozen=True, slots=True)
class Figure:
    """One metric's value in its base unit, and the words and the line that say so.

    `printed` is empty for a mean of several that are printed; `line` is then the first of them.
    """

    metric: str
    value: float
    printed: str
    line: int
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Connection:
    """A connection as one of its ends sees it: `address:port` of that end, and of the other."""

    local: str
    remote: str


@dataclass(frozen=True, slots=True)
class Account:
    """Which end's words an output is: both ends may tell of the same connections.

    `end` is "client", "server", or "" where nothing says so. `lacks` is why the output has no
    result of its own, and `blamed` the line that shows it: another end's account may have it.
    """

    connections: frozenset[Connection] = frozenset()
    end: str = ""
    lacks: Message | None = None
    blamed: int = 0


@dataclass(frozen=True, slots=True)
class Output:
    """One run of a tool, from its `first` line to its `last`.

    `point` is what the text itself tells of where and how it was measured, by axis; `requests` of
    how many requests, or `samples` of how many runs of the tool's own, its figures are the mean,
    where it says so; `environment` what it says of the cluster; `notes` what a reader ought to
    know of it; `account` which end of a connection tells it.
    """

    tool: str
    first: int
    last: int
    figures: tuple[Figure, ...]
    point: Mapping[str, AxisValue] = field(default_factory=dict)
    version: str = ""
    command: str = ""
    seconds: float | None = None
    requests: int | None = None
    samples: int | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[Message, ...] = ()
    account: Account = field(default_factory=Account)

    def with_figures(self, figures: tuple[Figure, ...], notes: tuple[Message, ...]) -> Output:
        """The same run with other figures and notes."""
        return replace(self, figures=figures, notes=notes)
