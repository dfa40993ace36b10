"""An article's tables, with our figures beside its own."""

from podmeter.references.cells import Cells
from podmeter.references.document import Table
from podmeter.references.library import Published
from podmeter.services.reproduction.case_matching import CaseMatches
from podmeter.services.reproduction.document import (
    BesideCell,
    BesideColumn,
    BesideRow,
    BesideTable,
    WhyNot,
)
from podmeter.texts import CatalogText


def tables(published: Published, found: CaseMatches) -> list[BesideTable]:
    """All of its tables but those that say again what another one says."""
    return [
        _table(published.reference.id, table, published.cells, found)
        for table in published.reference.tables
        if not table.restates
    ]


def _table(reference_id: str, table: Table, cells: Cells, found: CaseMatches) -> BesideTable:
    rows = []
    of_metric = False
    for row in table.rows:
        beside = []
        for column, quote in zip(table.columns, row.cells, strict=True):
            cell = cells.at(table.id, row.id, column.id)
            if cell is None:
                beside.append(BesideCell(quote, None, None, None))
                continue
            of_metric = of_metric or cell.metric is not None
            ours = found.of(cell) if cell.metric is not None else []
            first = ours[0].shown() if ours else None
            beside.append(BesideCell(quote, cell.figure.value, cell.figure.unit.value, first))
        rows.append(BesideRow(row.id, row.printed, beside))
    every = [cell for row in rows for cell in row.cells]
    measured = sum(one.ours is not None for one in every)
    why = WhyNot.NOT_MEASURED if of_metric else WhyNot.NO_METRIC
    return BesideTable(
        id=table.id,
        title=CatalogText(f"reference.{reference_id}.table.{table.id}"),
        where=table.where,
        columns=[BesideColumn(one.id, one.printed) for one in table.columns],
        rows=rows,
        figures=sum(one.value is not None for one in every),
        measured=measured,
        why_not=None if measured else why,
    )
