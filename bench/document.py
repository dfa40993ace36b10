"""The table in docs/explanation/benchmarks.md: new rows, and the earlier ones of other sections."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Mapping, Sequence

from bench.row import PROJECT, Row, Section

DOCUMENT = PROJECT / "docs" / "explanation" / "benchmarks.md"
BEGIN, END = "<!-- figures: make bench -->", "<!-- end of figures -->"
_HEAD = ("| section | what | measured | bar | | besides | when, where |", "| --- " * 7 + "|")


def lines(section: Section, rows: Sequence[Row]) -> list[str]:
    """A section's part of the table."""
    today = datetime.datetime.now(datetime.UTC).date()
    where = f"{today}, {os.cpu_count()} CPUs, Linux {platform.release()}"
    return [_line(section.title, row, where) for row in rows]


def table(sections: Sequence[Section], measured: Mapping[str, Sequence[str]]) -> str:
    """The whole table: `measured` by section, else what the document has of it."""
    kept = _kept()
    body = [
        line
        for section in sections
        for line in measured.get(section.name) or kept.get(section.title, [])
    ]
    return "\n".join([*_HEAD, *body])


def write(text: str) -> None:
    """Put the table between the markers."""
    document = DOCUMENT.read_text()
    before, _, rest = document.partition(BEGIN)
    _, _, after = rest.partition(END)
    partial = DOCUMENT.with_suffix(".partial")
    partial.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}")
    partial.replace(DOCUMENT)


def _kept() -> dict[str, list[str]]:
    """The rows that stand in the document, by the title of their section."""
    section = DOCUMENT.read_text().partition(BEGIN)[2].partition(END)[0]
    found: dict[str, list[str]] = {}
    for line in section.splitlines():
        if line.startswith("| "):
            found.setdefault(line.split("|")[1].strip(), []).append(line)
    return found


def _line(title: str, row: Row, where: str) -> str:
    bar, verdict = "", ""
    if row.bar is not None:
        bar = f"{'≥' if row.higher_is_better else '≤'} {row.bar:,g} {row.unit}".strip()
        verdict = "met" if row.met else "**missed**"
    cells = (title, row.what, f"{_number(row.value)} {row.unit}".strip(), bar, verdict, row.note)
    return f"| {' | '.join((*cells, where))} |"


def _number(value: float) -> str:
    """Three digits that tell something, whole numbers from a thousand on."""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"
