"""toyecho: asks a server to say something back, so many times. A tool of these tests alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.drivers.reading import complaint, succeeded
from podmeter.drivers.tool import Tool

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput


@dataclass(frozen=True, slots=True)
class Answer:
    """What a run measured: echoes in a second, and the CPU time that a byte of them cost."""

    echoes_per_second: float
    cpu_seconds_per_byte: float


def server_argv(port: int) -> tuple[str, ...]:
    """A server that echoes its input."""
    return ("toyecho", "serve", str(port))


def argv(server: str, port: int, size: int, echoes: int) -> tuple[str, ...]:
    """The client's command."""
    return ("toyecho", "ask", f"{server}:{port}", "--size", str(size), "--echoes", str(echoes))


def parse_version(output: CommandOutput) -> str:
    """The version, such as `2.1`."""
    found = re.match(r"toyecho (\S+)", succeeded("toyecho", output))
    if found is None:
        raise ToolError(f"toyecho did not tell its version: {complaint(output)}")
    return found[1]


TOOL = Tool("toyecho", ("toyecho", "version"), parse_version)


def answered(output: CommandOutput) -> bool:
    """Whether a run went through."""
    return output.exit_code == 0


def parse(output: CommandOutput) -> Answer:
    """The answer to a run. Raises ToolError for one that failed or was cut."""
    text = succeeded(TOOL.name, output)
    found = re.fullmatch(r"(\d+(?:\.\d+)?) echoes/s, (\S+) s/byte\n", text)
    if found is None:
        raise ToolError(f"toyecho's answer is not whole: {complaint(output)}")
    return Answer(float(found[1]), float(found[2]))
