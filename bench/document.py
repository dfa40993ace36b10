"""The tables in docs/explanation/benchmarks.md: new ones, and earlier ones of other sections."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Mapping, Sequence

from bench.row import PROJECT, Row, Section

DOCUMENT = PROJECT / "docs" / "explanation" / "benchmarks.md"
BEGIN, END = "<!-- figures: make bench -->", "<!-- end of figures -->"
_HEAD = ("| what | measured | bar | | notes |", "| --- " * 5 + "|")
_HEADING = "### "


def lines(section: Section, rows: Sequence[Row]) -> list[str]:
    """A section's heading, when and where it was measured, and its table."""
    today = datetime.datetime.now(datetime.UTC).date()
    where = f"{today}, {os.cpu_count()} CPUs, Linux {platform.release()}"
    return [f"{_HEADING}{section.title}", "", where, "", *_HEAD, *map(_line, rows)]


def table(sections: Sequence[Section], measured: Mapping[str, Sequence[str]]) -> str:
    """All sections: as `measured`, else as the document has them."""
    kept = _kept()
    parts = [
        "\n".join(measured[section.name]) if section.name in measured else kept.get(section.title)
        for section in sections
    ]
    return "\n\n".join(part for part in parts if part)


def write(text: str) -> None:
    """Put the tables between the markers."""
    document = DOCUMENT.read_text()
    before, _, rest = document.partition(BEGIN)
    _, _, after = rest.partition(END)
    partial = DOCUMENT.with_suffix(".partial")
    partial.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}")
    partial.replace(DOCUMENT)


def _kept() -> dict[str, str]:
    """The sections of the document, by title."""
    figures = DOCUMENT.read_text().partition(BEGIN)[2].partition(END)[0]
    parts = [part.strip() for part in f"\n{figures}".split(f"\n{_HEADING}")[1:]]
    return {part.partition("\n")[0]: f"{_HEADING}{part}" for part in parts}


def _line(row: Row) -> str:
    bar, verdict = "", ""
    if row.bar is not None:
        bar = f"{'≥' if row.higher_is_better else '≤'} {row.bar:,g} {row.unit}".strip()
        verdict = "met" if row.met else "**missed**"
    cells = (row.what, f"{_number(row.value)} {row.unit}".strip(), bar, verdict, row.note)
    return f"| {' | '.join(cells)} |"


def _number(value: float) -> str:
    """Three digits that tell something, whole numbers from a thousand on."""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"
