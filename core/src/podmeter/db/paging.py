"""Pages of a list by cursor: it names the last row seen, so pages neither skip nor repeat."""

import base64
import binascii
import json
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from sqlalchemy import Select, tuple_
from sqlalchemy.orm import InstrumentedAttribute, Session

from podmeter.domain.errors import PermanentError
from podmeter.domain.messages import say
from podmeter.domain.shallow_json import loads

Row = TypeVar("Row")
Key = tuple[Any, ...]


class InvalidCursorError(PermanentError):
    """A cursor that no list of ours gave."""

    code = "invalid_cursor"


@dataclass(frozen=True)
class PageRequest:
    """How many rows, and after which."""

    limit: int = 50
    cursor: str | None = None


@dataclass(frozen=True)
class Page(Generic[Row]):
    """Rows in order, and the cursor of the next page, None on the last."""

    items: Sequence[Row]
    next_cursor: str | None


def encode_cursor(key: Key) -> str:
    """The cursor for a row's key of times, UUIDs, numbers and words."""
    plain = [item.isoformat() if isinstance(item, datetime) else item for item in key]
    text = json.dumps(plain, default=str, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode_cursor(cursor: str, kinds: Sequence[type]) -> Key:
    """The key in a cursor, whose parts are of the given types. Raises InvalidCursorError."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        parts = loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        if not isinstance(parts, list):
            raise TypeError
        return tuple(_part(part, kind) for part, kind in zip(parts, kinds, strict=True))
    except (ValueError, TypeError, OverflowError, binascii.Error):
        raise InvalidCursorError(say("cursor_unknown")) from None


def _part(part: object, kind: type) -> object:
    if kind is int:
        if type(part) is not int or not -(2**63) <= part < 2**63:
            raise TypeError
        return part
    if not isinstance(part, str) or "\x00" in part:
        raise TypeError
    part.encode()  # half a surrogate pair is no text: UnicodeEncodeError
    if kind is datetime:
        moment = datetime.fromisoformat(part)
        if moment.tzinfo is None:
            raise ValueError
        return moment
    return uuid.UUID(part) if kind is uuid.UUID else part


def fetch_rows(
    session: Session,
    query: Select[*tuple[Any, ...]],
    columns: Sequence[InstrumentedAttribute[Any]],
    key_of: Callable[[Any], Key],
    request: PageRequest,
    *,
    descending: bool = False,
) -> Page[Any]:
    """One page of the rows of `query`, ordered by `columns`, which together name one row."""
    if request.cursor is not None:
        key = decode_cursor(request.cursor, [column.type.python_type for column in columns])
        here, there = tuple_(*columns), tuple_(*key)
        query = query.where(here < there if descending else here > there)
    query = query.order_by(*(column.desc() if descending else column for column in columns))
    rows = session.execute(query.limit(request.limit + 1)).all()
    items = rows[: request.limit]
    more = len(rows) > request.limit
    return Page(items, encode_cursor(key_of(items[-1])) if more else None)


def fetch_page(
    session: Session,
    query: Select[Row],
    columns: Sequence[InstrumentedAttribute[Any]],
    key_of: Callable[[Row], Key],
    request: PageRequest,
    *,
    descending: bool = False,
) -> Page[Row]:
    """As `fetch_rows`, of a query for one thing: the things themselves."""
    found = fetch_rows(
        session, query, columns, lambda row: key_of(row[0]), request, descending=descending
    )
    return Page([row[0] for row in found.items], found.next_cursor)


def newest_first(
    session: Session, query: Select[Row], model: Any, request: PageRequest
) -> Page[Row]:
    """One page of a table with `created_at` and `id`, the newest row first."""
    columns = [model.created_at, model.id]
    return fetch_page(session, query, columns, lambda row: _created(row), request, descending=True)


def _created(row: Any) -> Key:
    return (row.created_at, row.id)
