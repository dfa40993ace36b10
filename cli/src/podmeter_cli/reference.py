"""The reference of the commands in Markdown: what docs/reference/cli.md has.

Made of what `--help` prints, so that the two cannot differ.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from podmeter_cli.main import podmeter

_HEAD = """\
# Reference of the commands

Made of `podmeter COMMAND --help` by `python -m podmeter_cli.reference`.
[The command line](../how-to/use-the-command-line.md) explains how to use it.
"""


def reference() -> str:
    """All of it."""
    parts = [_HEAD]
    for path, text in _helps(podmeter, _context()):
        parts.append(f"## {path}\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def _context() -> click.Context:
    # click keeps the help option of the first context that a command is asked for it in.
    return click.Context(podmeter, info_name="podmeter", **podmeter.context_settings)


def _helps(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    """Each command's words with its help, a group before what is in it."""
    context.max_content_width = context.terminal_width = 100
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            if found is not None:
                own = click.Context(found, info_name=name, parent=context)
                yield from _helps(found, own)


if __name__ == "__main__":
    sys.stdout.write(reference())
