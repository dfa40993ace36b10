"""What all models share: names of constraints, column types, the columns of every row."""

import uuid
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    DateTime,
    Enum,
    ForeignKey,
    Identity,
    MetaData,
    String,
    Text,
    TypeDecorator,
    any_,
    bindparam,
    func,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, InstrumentedAttribute, Mapped, mapped_column

from podmeter.domain.messages import Message, say

_NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


def _message(stored: Any) -> Message:
    """A stored message; one of another form says that it cannot be read, and keeps no row back."""
    try:
        return Message.read(stored)
    except ValueError:
        return say("stored_message")


class _MessageColumn(TypeDecorator[str]):
    """A message as JSON; NULL is '', nothing said."""

    impl = JSONB(none_as_null=True)
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: object) -> Any:
        return Message.of(value).plain() if value else None

    def process_result_value(self, value: Any, dialect: object) -> str:
        return "" if value is None else _message(value)


class _MessageListColumn(TypeDecorator[list[str]]):
    """Messages as a JSON array."""

    impl = JSONB
    cache_ok = True

    def process_bind_param(self, value: list[str] | None, dialect: object) -> Any:
        return [Message.of(one).plain() for one in value or ()]

    def process_result_value(self, value: Any, dialect: object) -> list[str]:
        return [_message(one) for one in value or ()]


Json = dict[str, Any]
JsonList = list[Any]
#: What is said, as a `Message`; '' for nothing.
Said = Annotated[str, mapped_column(_MessageColumn(), nullable=True, default="")]
SaidList = Annotated[list[str], mapped_column(_MessageListColumn(), default=list)]
Uuid = Annotated[uuid.UUID, mapped_column(primary_key=True, default=uuid.uuid4)]
Serial = Annotated[int, mapped_column(BigInteger, Identity(always=True), primary_key=True)]
Name = Annotated[str, mapped_column(String(200))]
Created = Annotated[datetime, mapped_column(server_default=func.now())]
#: Deleted with its organization; indexed by each table's own first index.
OrganizationId = Annotated[
    uuid.UUID, mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
]


class Base(DeclarativeBase):
    """Base of all models. Times are UTC with their zone; words are checked by the database."""

    metadata = MetaData(naming_convention=_NAMES)
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        datetime: DateTime(timezone=True),
        str: Text(),
        Json: JSONB(),
        JsonList: JSONB(),
    }


def words(enum: type[StrEnum]) -> Enum:
    """The column type of an enum: its values as text, held to them by a CHECK."""
    return Enum(
        enum,
        native_enum=False,
        create_constraint=True,
        length=32,
        name=enum.__name__.lower(),
        values_callable=lambda members: [member.value for member in members],
    )


def among(column: InstrumentedAttribute[Any], values: str) -> ColumnElement[bool]:
    """That the column is one of a parameter's values.

    As one array, however many there are: the statement stays the same, and is prepared once.
    """
    return column == any_(bindparam(values, type_=ARRAY(column.type)))


def now() -> datetime:
    """The present moment, UTC."""
    return datetime.now(UTC)


__all__ = [
    "Base",
    "Created",
    "Json",
    "JsonList",
    "Mapped",
    "Name",
    "OrganizationId",
    "Said",
    "SaidList",
    "Serial",
    "Uuid",
    "among",
    "mapped_column",
    "now",
    "words",
]
