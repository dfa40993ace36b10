"""A measuring tool, as its driver declares it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput


@dataclass(frozen=True, slots=True)
class Tool:
    """The tool's name, the command that tells its version, and what reads that command's output.

    `parse_version` raises ToolError if there is no version, or it is too old.
    """

    name: str
    version_argv: tuple[str, ...]
    parse_version: Callable[[CommandOutput], str]
