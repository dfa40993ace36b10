"""What a command prints: tables for people, documents for programs.

A command gives both: the `document` is the API's answer, the `Table` what people read of it.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import click

#: Where no terminal says how wide it is, nothing is cut.
_WIDE = 400


class Format(StrEnum):
    """What output can be."""

    TABLE = "table"
    JSON = "json"
    YAML = "yaml"
    MARKDOWN = "markdown"
    JUNIT = "junit"


@dataclass(frozen=True)
class Table:
    """Rows of texts under headings; the columns of `right` are numbers."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: frozenset[int] = field(default_factory=frozenset)
    title: str = ""


def output_option(*formats: Format) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option `--output`, of these formats."""
    return click.option(
        "-o",
        "--output",
        type=click.Choice([one.value for one in formats]),
        default=Format.TABLE.value,
        show_default=True,
        help="What to print.",
        callback=lambda _context, _parameter, value: Format(value),
    )


LIST_FORMATS = (Format.TABLE, Format.JSON, Format.YAML, Format.MARKDOWN)


def show(format_: Format, document: Any, table: Table) -> None:
    """Print the requested format."""
    if format_ is Format.TABLE:
        print_table(table)
    elif format_ is Format.MARKDOWN:
        print_text(markdown(table))
    else:
        print_document(format_, document)


def print_document(format_: Format, document: Any) -> None:
    """A document as JSON or YAML."""
    if format_ is Format.YAML:
        import yaml

        print_text(yaml.safe_dump(document, sort_keys=False, allow_unicode=True).rstrip("\n"))
    else:
        print_text(json.dumps(document, indent=2, ensure_ascii=False))


def print_table(table: Table) -> None:
    """A table without borders, as kubectl prints them."""
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0), title=table.title or None)
    drawn.title_justify = "left"
    drawn.title_style = "bold"
    for number, heading in enumerate(table.headings):
        right = number in table.right
        drawn.add_column(heading.upper(), justify="right" if right else "left", overflow="fold")
    for row in table.rows:
        drawn.add_row(*(Text(cell, style=STYLES.get(cell, "")) for cell in row))
    console().print(drawn)


#: What is coloured wherever it is a whole cell.
STYLES = {
    "better": "green",
    "worse": "red",
    "undecided": "yellow",
    "same": "cyan",
    "succeeded": "green",
    "failed": "red",
    "interrupted": "red",
    "partial": "yellow",
}


def markdown(table: Table) -> str:
    """The table in Markdown."""
    lines = [f"**{_cell(table.title)}**", ""] if table.title else []
    lines.append("| " + " | ".join(_cell(one) for one in table.headings) + " |")
    marks = ["---:" if number in table.right else "---" for number in range(len(table.headings))]
    lines.append("| " + " | ".join(marks) + " |")
    lines += ["| " + " | ".join(_cell(one) for one in row) + " |" for row in table.rows]
    return "\n".join(lines)


def _cell(text: str) -> str:
    """Text that neither ends a cell nor becomes markup, a mention or HTML."""
    flat = " ".join(text.split())
    for character in "\\`*_[]<>|~#@!":
        flat = flat.replace(
            character, f"\\{character}" if character not in "<>@" else _ENTITY[character]
        )
    return flat


_ENTITY = {"<": "&lt;", ">": "&gt;", "@": "&#64;"}


def print_text(text: str) -> None:
    """A line on standard output."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def tell(text: str) -> None:
    """A line for the person who waits: on standard error, beside what programs read."""
    # A terminal that was closed takes no line, and what was asked for is done all the same.
    with contextlib.suppress(OSError):
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def console(*, error: bool = False) -> Any:
    """The console; without a terminal it breaks no line."""
    from rich.console import Console

    made = Console(stderr=error, highlight=False, soft_wrap=False)
    return made if made.is_terminal else Console(stderr=error, highlight=False, width=_WIDE)


def moment(text: str | None, *, seconds: bool = False) -> str:
    """A time of the API in UTC, to the minute or to the second."""
    return "" if text is None else text[: 19 if seconds else 16].replace("T", " ")
