"""What a snapshot is of: one thing by its id, or articles beside runs of their experiments."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from podmeter.services.snapshots.document import SubjectName


@dataclass(frozen=True)
class Subject:
    """A run, a comparison, an experiment or a cluster."""

    name: SubjectName
    id: uuid.UUID

    @property
    def request(self) -> dict[str, Any]:
        """As it is kept with the snapshot."""
        return {f"{self.name}_id": str(self.id)}


@dataclass(frozen=True)
class ArticleRuns:
    """An article, and the runs that it is set beside."""

    reference_id: str
    run_ids: Sequence[uuid.UUID]


@dataclass(frozen=True)
class Articles:
    """Articles beside our own figures."""

    articles: Sequence[ArticleRuns]
    name: ClassVar[SubjectName] = "reproduction"

    @property
    def request(self) -> dict[str, Any]:
        """As it is kept with the snapshot."""
        asked = [
            {"reference_id": one.reference_id, "run_ids": [str(id_) for id_ in one.run_ids]}
            for one in self.articles
        ]
        return {self.name: asked}

    @property
    def run_ids(self) -> list[uuid.UUID]:
        """Every run, once."""
        return list(dict.fromkeys(id_ for one in self.articles for id_ in one.run_ids))
