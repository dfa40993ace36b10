"""Encrypted columns, in all organizations: which key each row is under, and writing it again."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import func, inspect, select, tuple_, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from podmeter.db.base import Base

Column = InstrumentedAttribute[bytes] | InstrumentedAttribute[bytes | None]
#: A row's primary key.
Identity = tuple[Any, ...]


def count_by_header(session: Session, column: Column, length: int) -> Mapping[bytes, int]:
    """How many rows begin with which `length` bytes; those without a value are left out."""
    header = func.substr(column, 1, length)
    query = select(header, func.count()).where(column.is_not(None)).group_by(header)
    return {bytes(row[0]): row[1] for row in session.execute(query)}


def rows_without(
    session: Session, column: Column, header: bytes, after: Identity | None, limit: int
) -> Sequence[Base]:
    """The next rows that do not begin with `header`, by primary key, from `after` on.

    All that have a value, where `header` is empty.
    """
    model = column.class_
    key = tuple_(*inspect(model).primary_key)
    query = select(model).where(column.is_not(None))
    if header:
        query = query.where(func.substr(column, 1, len(header)) != header)
    if after is not None:
        query = query.where(key > tuple_(*after))
    return session.scalars(query.order_by(*key).limit(limit)).all()


def identity_of(row: Base) -> Identity:
    """The row's primary key."""
    found: Identity = inspect(type(row)).primary_key_from_instance(row)
    return tuple(found)


def replace(session: Session, column: Column, row: Identity, old: bytes, new: bytes) -> bool:
    """Write a value again if it still is `old`; False where it was changed or is gone."""
    keys = inspect(column.class_).primary_key
    is_row = (key == value for key, value in zip(keys, row, strict=True))
    changed = session.execute(
        update(column.class_).where(*is_row, column == old).values({column.key: new})
    )
    return bool(changed.rowcount)  # type: ignore[attr-defined]
