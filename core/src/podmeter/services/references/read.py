"""Listing references and reading one."""

from collections import Counter

from podmeter.kinds.registry import IMPORTED
from podmeter.references.cells import Cells
from podmeter.references.claims import Judged
from podmeter.references.document import Row, Table
from podmeter.references.library import Published, references
from podmeter.services.errors import NotFoundError
from podmeter.services.references.document import (
    ClaimResult,
    ClaimTally,
    PublishedCell,
    PublishedClaim,
    PublishedColumn,
    PublishedRow,
    PublishedTable,
    ReferenceDocument,
    ReferenceSummary,
)
from podmeter.texts import text_if_any, text_of


def page(kind: str | None) -> list[ReferenceSummary]:
    """All references, or those of a kind of experiment; what is imported may be of any."""
    return [
        _summary(one)
        for one in references().values()
        if kind in (None, IMPORTED.name, *one.reference.kinds)
    ]


def published(reference_id: str) -> Published:
    """The reference of that id. Raises NotFoundError."""
    reference = references().get(reference_id)
    if reference is None:
        raise NotFoundError("reference")
    return reference


def get(reference_id: str) -> ReferenceDocument:
    """A reference, whole. Raises NotFoundError."""
    one = published(reference_id)
    reference = one.reference
    return ReferenceDocument(
        id=reference.id,
        title=reference.title,
        subject=text_of(f"reference.{reference.id}.subject"),
        author=reference.author,
        published=reference.published,
        url=reference.url,
        revision=reference.revision,
        language=reference.language,
        kinds=list(reference.kinds),
        repetitions=reference.repetitions,
        environment=dict(reference.environment),
        note=text_if_any(f"reference.{reference.id}.note"),
        doubts=[
            text_of(f"reference.{reference.id}.doubt.{n}") for n, _ in enumerate(reference.doubts)
        ],
        tables=[_table(reference.id, table, one.cells) for table in reference.tables],
        claims=[_claim(reference.id, judged) for judged in one.claims],
    )


def _summary(one: Published) -> ReferenceSummary:
    reference = one.reference
    counts = Counter(judged.verdict.value for judged in one.claims)
    return ReferenceSummary(
        id=reference.id,
        title=reference.title,
        language=reference.language,
        subject=text_of(f"reference.{reference.id}.subject"),
        author=reference.author,
        published=reference.published,
        url=reference.url,
        kinds=list(reference.kinds),
        tables=len(reference.tables),
        figures=len(one.cells),
        claims=ClaimTally(
            counts["holds"], counts["partly"], counts["fails"], counts["not_recomputable"]
        ),
    )


def _table(reference_id: str, table: Table, cells: Cells) -> PublishedTable:
    return PublishedTable(
        id=table.id,
        title=text_of(f"reference.{reference_id}.table.{table.id}"),
        where=table.where,
        restates=table.restates,
        columns=[PublishedColumn(one.id, one.printed) for one in table.columns],
        rows=[_row(table, row, cells) for row in table.rows],
    )


def _row(table: Table, row: Row, cells: Cells) -> PublishedRow:
    found = []
    for column, quote in zip(table.columns, row.cells, strict=True):
        cell = cells.at(table.id, row.id, column.id)
        if cell is None:
            found.append(PublishedCell(quote, None, None, None, [], []))
        else:
            figure = cell.figure
            points = [dict(point) for point in cell.points]
            found.append(
                PublishedCell(
                    *(quote, figure.value, figure.unit.value),
                    *(cell.metric, points, list(cell.doubts)),
                )
            )
    return PublishedRow(row.id, row.printed, found)


def _claim(reference_id: str, judged: Judged) -> PublishedClaim:
    claim, asked = judged.claim, judged.claim.recomputed
    texts = f"reference.{reference_id}.claim.{claim.id}"
    return PublishedClaim(
        id=claim.id,
        where=claim.where,
        quote=claim.quote,
        said=text_of(f"{texts}.said"),
        verdict=judged.verdict,
        remark=text_if_any(f"{texts}.remark"),
        how=None if asked is None else asked.how,
        per=None if asked is None else asked.per,
        axis=None if asked is None else asked.axis,
        least=None if asked is None else asked.least,
        most=None if asked is None else asked.most,
        above=None if asked is None else asked.above,
        below=None if asked is None else asked.below,
        results=[
            ClaimResult(
                *(list(one.of), list(one.against), one.value, one.unit.value, one.fits),
                one.printed,
            )
            for one in judged.results
        ],
    )
