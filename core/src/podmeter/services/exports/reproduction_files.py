"""Articles beside our own figures, in each format."""

from collections.abc import Iterator, Sequence

from pydantic import TypeAdapter

from podmeter.services.exports import csv_text, json_text, markdown
from podmeter.services.exports.table import Cell, Table
from podmeter.services.reproduction import rendering
from podmeter.services.reproduction.document import BesideTable, Reproduction
from podmeter.services.run_results import words

_ARTICLES = TypeAdapter(list[Reproduction])


def as_json(found: Sequence[Reproduction]) -> str:
    """All of it."""
    return json_text.write("reproduction", _ARTICLES, list(found))


def as_csv(found: Sequence[Reproduction]) -> str:
    """A row for each published figure that has one of ours beside it."""
    header = ["article", "table", "where", "row", "column", "printed", "published", "ours"]
    header += ["low", "high", "unit", "n", "metric", "case", "run"]
    return csv_text.write(
        Table(header, [row for one in found for table in one.tables for row in _rows(one, table)])
    )


def as_markdown(found: Sequence[Reproduction]) -> str:
    """To read: what came of each article's claims, and its tables with ours beside them."""
    parts = [markdown.bullets(map(str, rendering.headline(found).every))]
    parts += [part for one in found for part in article(one)]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def article(found: Reproduction) -> Iterator[str]:
    """One of them in Markdown, part by part: its claims, its tables, what there is nothing of."""
    yield markdown.heading(str(found.subject))
    yield markdown.link(found.title, found.url or "")
    if found.stand_ins:
        told = [
            f"{markdown.code(one.measured)} stands in the place of its "
            f"{markdown.code(one.published)}"
            for one in found.stand_ins
        ]
        yield f"{'; '.join(told)}: claims about the second use figures of the first."
    yield markdown.table(
        ["claim", "of its own figures", "of ours", "verdict"],
        [
            [
                f"{one.said} ({one.where})",
                rendering.PUBLISHED[one.published],
                rendering.results(one),
                rendering.verdict(one),
            ]
            for one in found.claims
        ],
    )
    for table in found.tables:
        if table.measured:
            yield _table(table)
    missing = [
        f"{one.title} ({one.where}): {rendering.WHY_NOT[one.why_not]}"
        for one in rendering.missing(found.tables)
        if one.why_not is not None
    ]
    if missing:
        yield f"Not reproduced:\n\n{markdown.bullets(missing)}"


def _table(table: BesideTable) -> str:
    """A published table, ours beside each figure that we have; rows without one are left out."""
    rows, places = rendering.measured(table)
    columns = [table.columns[place].printed or "value" for place in places]
    header = ["", *(f"{one}, {side}" for one in columns for side in ("published", "ours"))]
    lines = []
    for one in rows:
        cells = []
        for place in places:
            cell = one.cells[place]
            ours = "" if cell.ours is None else f"{rendering.median(cell.ours)}, n = {cell.ours.n}"
            cells += [rendering.quoted(cell), ours]
        lines.append([one.printed or one.id, *cells])
    title = markdown.heading(f"{table.title} ({table.where})", 3)
    written = f"{title}\n{markdown.table(header, lines)}"
    left = table.figures - table.measured
    if left:
        written += f"\n{left} of its {table.figures} figures have none of ours beside them."
    return written


def _rows(found: Reproduction, table: BesideTable) -> Iterator[list[Cell]]:
    for one in table.rows:
        for column, cell in zip(table.columns, one.cells, strict=True):
            ours = cell.ours
            if ours is None:
                continue
            heads = [found.title, str(table.title), table.where, one.printed or one.id]
            yield [
                *(*heads, column.printed or column.id, cell.quote, cell.value),
                *(ours.value, ours.low, ours.high, ours.key.unit, ours.n),
                *(ours.key.metric, words.point(ours.key.point), ours.text("run_id")),
            ]
