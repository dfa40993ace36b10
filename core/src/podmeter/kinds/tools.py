"""The tools of a block, with their versions: anyone who runs one records which it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.ports import Access

if TYPE_CHECKING:
    from podmeter.domain.ports import ExecTarget, Lab
    from podmeter.drivers.tool import Tool

_ASK_SECONDS = 30.0


class Toolbox:
    """Asks for each tool's version once: all measuring pods are of one image.

    A client outside the cluster has tools of its own.
    """

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self._versions: dict[tuple[str, bool], str] = {}

    def version(self, tool: Tool, place: ExecTarget) -> str:
        """The tool's version there. Raises ToolError if it is missing or too old."""
        key = (tool.name, place.access is Access.OUTSIDE)
        if key not in self._versions:
            told = self.lab.execute(place, tool.version_argv, timeout_seconds=_ASK_SECONDS)
            self._versions[key] = tool.parse_version(told)
        return self._versions[key]
