"""Finding things: by words, those that have them by tags and favourites, in an order."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from sqlalchemy import (
    ColumnElement,
    Row,
    Select,
    bindparam,
    cast,
    delete,
    func,
    literal,
    select,
    text,
    union_all,
)
from sqlalchemy.dialects.postgresql import TSQUERY, insert
from sqlalchemy.orm import InstrumentedAttribute, Session

from podmeter.db.base import among
from podmeter.db.models import (
    Cluster,
    ComparisonRecord,
    Experiment,
    Favourite,
    Run,
    Snapshot,
)
from podmeter.db.models.marks import LONGEST_WORD
from podmeter.db.paging import Page, PageRequest, fetch_rows
from podmeter.db.repositories.base import OrganizationRepository

#: What is tagged, and found.
Thing = Run | Experiment | Cluster
Model = type[Run] | type[Experiment] | type[Cluster]
#: What is found, tagged or not.
FoundModel = Model | type[ComparisonRecord] | type[Snapshot]
_Row = TypeVar("_Row", Run, Experiment, Cluster, ComparisonRecord, Snapshot)
#: So many words of what is asked for are looked for.
MOST_WORDS = 10
_COLUMNS: dict[Model, InstrumentedAttribute[uuid.UUID | None]] = {
    Run: Favourite.run_id,
    Experiment: Favourite.experiment_id,
    Cluster: Favourite.cluster_id,
}
#: Every list asks for them; made once.
_FAVOURITES = {
    model: select(column).where(
        Favourite.organization_id == bindparam("organization_id"),
        Favourite.user_id == bindparam("user_id"),
        among(column, "ids"),
    )
    for model, column in _COLUMNS.items()
}


class Order(StrEnum):
    """The order of a list: by when things were made, or by their names."""

    NEWEST = "newest"
    OLDEST = "oldest"
    NAME = "name"
    NAME_REVERSED = "name_reversed"


@dataclass(frozen=True)
class ListFilter:
    """What a list is narrowed to; what is empty or None does not filter.

    All of `words` are in it, each as a part of a word; it has all of `tags`, which as favourites
    only what is `Marked` can have. `alike` are words that stand for those that are stored.
    """

    words: str = ""
    tags: tuple[str, ...] = ()
    favourite_of: uuid.UUID | None = None
    order: Order = Order.NEWEST
    alike: Mapping[str, Collection[str]] = field(default_factory=dict)


EVERYTHING = ListFilter()


def narrowed(query: Select[Any], model: FoundModel, wanted: ListFilter) -> Select[Any]:
    """The query, with the requested filters."""
    if wanted.words.split():
        query = query.where(has_words(model, wanted.words, wanted.alike))
    if wanted.tags or wanted.favourite_of is not None:
        query = _marked(query, model, wanted)
    return query


def _marked(query: Select[Any], model: Any, wanted: ListFilter) -> Select[Any]:
    if wanted.tags:
        query = query.where(model.tags.contains(list(wanted.tags)))
    if wanted.favourite_of is not None:
        column = _COLUMNS[model]
        query = query.where(
            model.id.in_(
                select(column).where(
                    Favourite.organization_id == model.organization_id,
                    Favourite.user_id == wanted.favourite_of,
                    column.is_not(None),
                )
            )
        )
    return query


def in_order(
    session: Session,
    query: Select[_Row],
    model: FoundModel,
    wanted: ListFilter,
    request: PageRequest,
) -> Page[_Row]:
    """One page of the filtered list, in its order."""
    found = rows_in_order(session, query, model, wanted, request)
    return Page([row[0] for row in found.items], found.next_cursor)


def rows_in_order(
    session: Session,
    query: Select[*tuple[Any, ...]],
    model: FoundModel,
    wanted: ListFilter,
    request: PageRequest,
) -> Page[Any]:
    """As `in_order`, of a query for a thing and more of it: rows, the thing first in each."""
    by_name = wanted.order in (Order.NAME, Order.NAME_REVERSED)
    column: InstrumentedAttribute[Any] = model.name if by_name else model.created_at
    return fetch_rows(
        session,
        narrowed(query, model, wanted),
        [column, model.id],
        lambda row: (row[0].name if by_name else row[0].created_at, row[0].id),
        request,
        descending=wanted.order in (Order.NEWEST, Order.NAME_REVERSED),
    )


def has_words(
    model: FoundModel, words: str, alike: Mapping[str, Collection[str]]
) -> ColumnElement[bool]:
    """That each of the words, one at least, is in what is sought in a row."""
    looked_for = " & ".join(_alternatives(one, alike) for one in words.split()[:MOST_WORDS])
    return model.sought.bool_op("@@")(cast(func.lower(looked_for), TSQUERY))


def _alternatives(word: str, alike: Mapping[str, Collection[str]]) -> str:
    found = [word, *(one for said, stored in alike.items() if word in said for one in stored)]
    return f"({' | '.join(_beginning(one) for one in found)})"


def _beginning(word: str) -> str:
    """Whatever begins so, as a tsquery; all of it is text, whatever characters it has."""
    quoted = word[:LONGEST_WORD].replace("\\", "\\\\").replace("'", "''")
    return f"'{quoted}':*"


class MarkRepository(OrganizationRepository):
    """The tags of one organization, and one member's favourites."""

    def favourites(
        self, user_id: uuid.UUID, model: Model, ids: Collection[uuid.UUID]
    ) -> set[uuid.UUID]:
        """Those of the things that are the member's favourites."""
        of = {"organization_id": self.organization_id, "user_id": user_id, "ids": list(ids)}
        found = self.session.scalars(_FAVOURITES[model], of) if ids else ()
        return {one for one in found if one is not None}

    def set_favourite(
        self, user_id: uuid.UUID, model: Model, thing_id: uuid.UUID, *, wanted: bool
    ) -> None:
        """Make a thing a favourite of the member's, or one no more; again changes nothing."""
        column = _COLUMNS[model]
        if wanted:
            values = {
                "organization_id": self.organization_id,
                "user_id": user_id,
                column.key: thing_id,
            }
            self.session.execute(insert(Favourite).values(values).on_conflict_do_nothing())
            return
        self.session.execute(
            delete(Favourite).where(
                Favourite.organization_id == self.organization_id,
                Favourite.user_id == user_id,
                column == thing_id,
            )
        )

    def tags(self) -> Sequence[tuple[str, int]]:
        """Every tag that something of the organization has, and on how many things it is."""
        each = union_all(
            *(
                select(func.unnest(model.tags).label("tag")).where(
                    model.organization_id == self.organization_id,
                    text(f"{model.__tablename__}.tags <> '{{}}'::text[]"),
                )
                for model in _COLUMNS
            )
        ).subquery()
        query = select(each.c.tag, func.count()).group_by(each.c.tag).order_by(each.c.tag)
        return [(tag, count) for tag, count in self.session.execute(query)]

    def found(self, model: FoundModel, wanted: ListFilter, limit: int) -> Sequence[Row[Any]]:
        """The newest things that are wanted: names, a run's state, a comparison's outline.

        What a sort of things has not is null.
        """
        told = [
            getattr(model, name, literal(None)).label(name)
            for name in ("id", "name", "tags", "created_at", "kind", "state", "outcome", "outline")
        ]
        query = select(*told).where(model.organization_id == self.organization_id)
        newest = narrowed(query, model, wanted).order_by(model.created_at.desc(), model.id.desc())
        return self.session.execute(newest.limit(limit)).all()
