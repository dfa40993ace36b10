"""The demo's last screen: of each experiment the answer, what to do, and the link to all of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rich.console import Console

#: Of each experiment, so that both fit one screen.
_MOST_ADVICE, _MOST_CAVEATS = 2, 1


@dataclass(frozen=True)
class Answer:
    """What an experiment found: its headline as the API has it, and the link to its page."""

    name: str
    headline: dict[str, Any] | None
    url: str


def show(console: Console, answers: Iterable[Answer]) -> None:
    """Print them; anyone who has a link sees everything behind it."""
    for answer in answers:
        headline = answer.headline or {"sentences": []}
        console.print(f"\n[bold]{answer.name}[/bold]")
        said = [one["text"] for one in headline["sentences"][:1]]
        console.print(f"  {said[0] if said else 'No results'}", markup=False)
        for advice in headline.get("recommendation", [])[:_MOST_ADVICE]:
            console.print(f"  → {advice['text']}", style="green", markup=False)
        for caveat in headline.get("caveats", [])[:_MOST_CAVEATS]:
            console.print(f"  Note: {caveat['text']}", style="yellow", markup=False)
        console.print(f"  {answer.url}", soft_wrap=True, markup=False)
