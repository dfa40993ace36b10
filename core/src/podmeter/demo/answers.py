"""The demo's last screen: of each experiment the answer, what to do, and the link to all of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rich.console import Console

#: So that both experiments fit one screen. Further advice repeats the sentence.
_MOST_ADVICE, _MOST_CAVEATS = 1, 2


@dataclass(frozen=True)
class Answer:
    """What an experiment found: its headline as the API has it, and the link to its page."""

    name: str
    headline: dict[str, Any] | None
    url: str
    #: Why it succeeded only in part; "" where it succeeded.
    incomplete: str = ""


def show(console: Console, answers: Iterable[Answer]) -> None:
    """Print the answers, then what holds for all of them. Anyone with a link sees its results."""
    caveats: dict[str, None] = {}
    for answer in answers:
        headline = answer.headline or {"sentences": []}
        console.print(f"\n[bold]{answer.name}[/bold]")
        said = [one["text"] for one in headline["sentences"][:1]]
        console.print(f"  {said[0] if said else 'No results'}", markup=False)
        if answer.incomplete:
            console.print(f"  Incomplete: {answer.incomplete}", style="yellow", markup=False)
        for advice in headline.get("recommendation", [])[:_MOST_ADVICE]:
            console.print(f"  → {advice['text']}", style="green", markup=False)
        caveats |= dict.fromkeys(one["text"] for one in headline.get("caveats", []))
        console.print(f"  {answer.url}", soft_wrap=True, markup=False)
    console.print("\nIn brackets: 95 % interval, of all results of a run together.")
    for caveat in list(caveats)[:_MOST_CAVEATS]:
        console.print(f"Note: {caveat}", style="yellow", markup=False)
