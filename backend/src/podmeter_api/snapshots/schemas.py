"""Snapshots, in the API's shape."""

import uuid
from enum import StrEnum
from typing import Self

from pydantic import Base64Bytes, BaseModel, ConfigDict, Field, model_validator

from podmeter.credentials.pseudonyms import Kind, Replacement
from podmeter.db.base import now
from podmeter.db.models import Snapshot
from podmeter.domain.messages import say
from podmeter.domain.moment import Moment
from podmeter.services.snapshots.document import SnapshotContent, SubjectName
from podmeter.services.snapshots.freeze import NOTES, RedactionExceptions
from podmeter.services.snapshots.picture import MOST_BYTES
from podmeter.services.snapshots.subject import ArticleRuns, Articles, Subject
from podmeter_api.fields import Name


class Keep(StrEnum):
    """What may be left in on purpose, names and what authors wrote; secrets never are."""

    CLUSTER = Kind.CLUSTER.value
    NODE = Kind.NODE.value
    NAMESPACE = Kind.NAMESPACE.value
    ACCOUNT = Kind.ACCOUNT.value
    HOST = Kind.HOST.value
    ADDRESS = Kind.ADDRESS.value
    URL = Kind.URL.value
    NOTES = NOTES


class ArticleBesideRuns(BaseModel):
    """An article, and the runs of its experiments that it is set beside."""

    model_config = ConfigDict(extra="forbid")

    reference_id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")
    run_ids: list[uuid.UUID] = Field(min_length=1, max_length=10)


class SnapshotBody(BaseModel):
    """What a snapshot is of, exactly one thing, its title, and what is not redacted."""

    model_config = ConfigDict(extra="forbid")

    run_id: uuid.UUID | None = None
    comparison_id: uuid.UUID | None = None
    experiment_id: uuid.UUID | None = None
    cluster_id: uuid.UUID | None = None
    reproduction: list[ArticleBesideRuns] | None = Field(
        default=None, min_length=1, max_length=10, description="articles beside our own figures"
    )
    title: Name
    keep: list[Keep] = Field(default_factory=list, max_length=len(Keep))

    @model_validator(mode="after")
    def _one_subject(self) -> Self:
        if len(self._named()) != 1:
            raise ValueError(say("snapshot_subject"))
        return self

    def _named(self) -> list[Subject | Articles]:
        ids: dict[SubjectName, uuid.UUID | None] = {
            "run": self.run_id,
            "comparison": self.comparison_id,
            "experiment": self.experiment_id,
            "cluster": self.cluster_id,
        }
        named: list[Subject | Articles] = [
            Subject(name, id_) for name, id_ in ids.items() if id_ is not None
        ]
        if self.reproduction is not None:
            asked = [ArticleRuns(one.reference_id, one.run_ids) for one in self.reproduction]
            named.append(Articles(asked))
        return named

    def subject(self) -> Subject | Articles:
        """The service's word for it."""
        return self._named()[0]

    def kept(self) -> RedactionExceptions:
        """What stays, each once."""
        kinds = frozenset(Kind(one.value) for one in self.keep if one is not Keep.NOTES)
        return RedactionExceptions(kinds, notes=Keep.NOTES in self.keep)


class NewSnapshot(SnapshotBody):
    """A snapshot to make; null keeps its link until it is revoked."""

    expires_in_days: int | None = Field(default=90, ge=1, le=3650)


class ReplacementView(BaseModel):
    """What was replaced by what, and how often; of a secret only how it begins."""

    kind: str
    original: str
    pseudonym: str
    count: int

    @classmethod
    def of(cls, found: Replacement) -> "ReplacementView":
        """The replacement's shape."""
        return cls.model_validate(found, from_attributes=True)


class SnapshotPreview(BaseModel):
    """What a snapshot would show, and what of it would be replaced. Nothing is kept."""

    content: SnapshotContent
    replacements: list[ReplacementView]


class SnapshotView(BaseModel):
    """A snapshot without its content; nobody can see its link again."""

    id: uuid.UUID
    title: str
    run_id: uuid.UUID | None
    comparison_id: uuid.UUID | None
    experiment_id: uuid.UUID | None
    cluster_id: uuid.UUID | None
    reproduction: list[ArticleBesideRuns] | None
    kept: list[str]
    live: bool = Field(description="whether the link still shows anything")
    created_at: Moment
    expires_at: Moment | None
    revoked_at: Moment | None

    @classmethod
    def of(cls, row: Snapshot) -> "SnapshotView":
        """The row's shape."""
        expired = row.expires_at is not None and row.expires_at <= now()
        return cls(
            id=row.id,
            title=row.title,
            run_id=row.request.get("run_id"),
            comparison_id=row.request.get("comparison_id"),
            experiment_id=row.request.get("experiment_id"),
            cluster_id=row.request.get("cluster_id"),
            reproduction=row.request.get("reproduction"),
            kept=row.request.get("keep", []),
            live=row.revoked_at is None and not expired,
            created_at=row.created_at,
            expires_at=row.expires_at,
            revoked_at=row.revoked_at,
        )


class SharedSnapshot(SnapshotView):
    """A snapshot just made: the only answer that has its link."""

    token: str
    url: str


class SnapshotPicture(BaseModel):
    """What previews of a snapshot's link show: a PNG of 1200 × 630 pixels."""

    model_config = ConfigDict(extra="forbid")

    png: Base64Bytes = Field(max_length=MOST_BYTES * 2, description="the file in base64")
