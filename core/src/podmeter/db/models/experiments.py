"""Experiments as their authors keep them."""

import uuid
from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from podmeter.db.base import Base, Created, Json, Name, OrganizationId, Uuid
from podmeter.db.models.marks import Marked
from podmeter.domain.slug import LONGEST


class Experiment(Marked, Base):
    """An experiment; `spec` is the document of `podmeter.domain.experiment.ExperimentSpec`."""

    __tablename__ = "experiments"
    __table_args__ = (
        UniqueConstraint("organization_id", "slug"),
        Index(None, "organization_id", "created_at", "id"),
        Index(None, "sought", postgresql_using="gin"),
    )
    _sought = (
        "sought_words((ARRAY[name, kind]::text[] || tags), "
        "jsonb_path_query_array(spec, '$.axes.*[*]'::jsonpath), notes)"
    )

    id: Mapped[Uuid]
    organization_id: Mapped[OrganizationId]
    name: Mapped[Name]
    #: Made of the name it had first; it stays when the name changes.
    slug: Mapped[str] = mapped_column(String(LONGEST))
    kind: Mapped[str] = mapped_column(String(32))
    spec: Mapped[Json]
    created_by: Mapped[uuid.UUID | None] = mapped_column(
        ForeignKey("users.id", ondelete="SET NULL"), index=True
    )
    version: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[Created]
    updated_at: Mapped[datetime]
