"""The articles' claims in the terminal, of their figures and of ours."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from podmeter.articles import said

_STYLE = {"holds": "green", "does_not_hold": "red", "cannot_be_told": "yellow"}


def show(console: Console, documents: list[dict[str, Any]]) -> None:
    """A table for each article: its claims, what its figures say of them, and what ours do."""
    for document in documents:
        measured = sum(table["measured"] for table in document["tables"])
        table = Table(
            title=f"{document['title']}: {measured} of its figures beside ours",
            title_justify="left",
            box=box.SIMPLE_HEAD,
            padding=(0, 0, 0, 1),
        )
        for heading in ("claim", "published", "ours", "verdict"):
            table.add_column(heading)
        for claim in document["claims"]:
            style = _STYLE[claim["verdict"]]
            table.add_row(
                escape(claim["said"]["en"]),
                said.PUBLISHED[claim["published"]],
                escape(said.results(claim)),
                f"[{style}]{escape(said.verdict(claim))}[/{style}]",
            )
        console.print(table)
