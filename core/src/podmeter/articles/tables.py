"""The articles' claims in the terminal, of their figures and of ours."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from podmeter.services.reproduction import rendering
from podmeter.services.reproduction.document import OurVerdict, Reproduction

_STYLE = {
    OurVerdict.HOLDS: "green",
    OurVerdict.DOES_NOT_HOLD: "red",
    OurVerdict.CANNOT_BE_TOLD: "yellow",
}


def show(console: Console, documents: Sequence[Reproduction]) -> None:
    """A table for each article: its claims, what its figures say of them, and what ours do."""
    for document in documents:
        measured = sum(table.measured for table in document.tables)
        table = Table(
            title=f"{document.title}: {measured} of its figures beside ours",
            title_justify="left",
            box=box.SIMPLE_HEAD,
            padding=(0, 0, 0, 1),
        )
        for heading in ("claim", "published", "ours", "verdict"):
            table.add_column(heading)
        for claim in document.claims:
            style = _STYLE[claim.verdict]
            table.add_row(
                escape(str(claim.said)),
                rendering.PUBLISHED[claim.published],
                escape(rendering.results(claim)),
                f"[{style}]{escape(rendering.verdict(claim))}[/{style}]",
            )
        console.print(table)
