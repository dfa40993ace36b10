"""What real tools once printed: the folders `<tool>-<version>` of `fixtures/`.

Fakes and scripted clusters take a tool's version from its newest folder, so that a new tool, or a
new version of one, is one folder and no line elsewhere.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from podmeter.domain.ports import CommandOutput
from podmeter.kinds import registry

FIXTURES = Path(__file__).parent / "fixtures"


@cache
def captured(folder: str, name: str) -> CommandOutput:
    """The output of a real command, as if it had taken 3 s."""
    base = FIXTURES / folder / name
    exit_code = json.loads(base.with_suffix(".json").read_text())["exit_code"]
    stdout, stderr = (base.with_suffix(end).read_text() for end in (".stdout", ".stderr"))
    return CommandOutput(stdout, stderr, exit_code, 3.0)


@cache
def version_folders(tool: str) -> tuple[str, ...]:
    """The folders with a tool's version command, the newest version last.

    Raises LookupError, with what to add, for a tool without any.
    """
    versions = {
        tuple(map(int, match[1].split("."))): path.parent.name
        for path in FIXTURES.glob(f"{tool}-*/version.stdout")
        if (match := re.fullmatch(rf"{re.escape(tool)}-(\d+(?:\.\d+)*)", path.parent.name))
    }
    if not versions:
        raise LookupError(
            f"no captured version of {tool}: add core/tests/fixtures/{tool}-<version>/version.*, "
            "made by core/tests/fixtures/capture.py from the tool's version_argv"
        )
    return tuple(versions[version] for version in sorted(versions))


def version_folder(argv: tuple[str, ...]) -> str | None:
    """The newest folder of the registered tool that the command asks for its version."""
    asked = (tool.name for tool in registry.tools() if tool.version_argv == argv)
    name = next(asked, None)
    return None if name is None else version_folders(name)[-1]
