"""Favourites of members."""

import uuid

from sqlalchemy import CheckConstraint, ForeignKey, ForeignKeyConstraint, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from podmeter.db.base import Base, Created, OrganizationId, Serial
from podmeter.db.models.runs import of_run


class Favourite(Base):
    """A favourite run, experiment or cluster of a member; deleted with the membership."""

    __tablename__ = "favourites"
    __table_args__ = (
        of_run(),
        ForeignKeyConstraint(
            ["organization_id", "user_id"],
            ["memberships.organization_id", "memberships.user_id"],
            ondelete="CASCADE",
        ),
        CheckConstraint("num_nonnulls(run_id, experiment_id, cluster_id) = 1", name="one_thing"),
        UniqueConstraint("organization_id", "run_id", "user_id"),
        UniqueConstraint("experiment_id", "user_id"),
        UniqueConstraint("cluster_id", "user_id"),
        Index(None, "organization_id", "user_id"),
    )

    id: Mapped[Serial]
    organization_id: Mapped[OrganizationId]
    user_id: Mapped[uuid.UUID]
    run_id: Mapped[uuid.UUID | None]
    experiment_id: Mapped[uuid.UUID | None] = mapped_column(
        ForeignKey("experiments.id", ondelete="CASCADE")
    )
    cluster_id: Mapped[uuid.UUID | None] = mapped_column(
        ForeignKey("clusters.id", ondelete="CASCADE")
    )
    created_at: Mapped[Created]
