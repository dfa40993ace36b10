"""Experiments of one organization."""

import uuid

from sqlalchemy import func, select

from podmeter.db.base import Json
from podmeter.db.models import Experiment
from podmeter.db.paging import Page, PageRequest
from podmeter.db.repositories.base import OrganizationRepository
from podmeter.db.repositories.marks import EVERYTHING, ListFilter, in_order
from podmeter.db.scopes import UNSCOPED
from podmeter.domain.slug import numbered


class ExperimentRepository(OrganizationRepository):
    """The experiments of one organization."""

    def page(
        self, request: PageRequest, wanted: ListFilter = EVERYTHING, kind: str | None = None
    ) -> Page[Experiment]:
        """Experiments, of a kind if it is given, in the order wanted."""
        query = select(Experiment).where(Experiment.organization_id == self.organization_id)
        if kind is not None:
            query = query.where(Experiment.kind == kind)
        return in_order(self.session, query, Experiment, wanted, request)

    def get(self, experiment_id: uuid.UUID, *, lock: bool = False) -> Experiment | None:
        """One experiment, locked until the commit if it must be changed."""
        query = select(Experiment).where(
            Experiment.organization_id == self.organization_id, Experiment.id == experiment_id
        )
        if lock:
            query = query.with_for_update().execution_options(populate_existing=True)
        return self.session.scalar(query)

    def id_of(self, slug: str) -> uuid.UUID | None:
        """The id of the experiment with this slug."""
        query = select(Experiment.id).where(
            Experiment.organization_id == self.organization_id, Experiment.slug == slug
        )
        return self.session.scalar(query)

    def lock_slugs(self) -> None:
        """Keep two requests from taking the same slug, until the commit."""
        name = f"experiment-slugs:{self.organization_id}"
        self.session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(name, 0))))

    def version_of(self, slug: str) -> int | None:
        """The version of the experiment that has the slug, whether the caller reaches it or not."""
        query = select(Experiment.version).where(
            Experiment.organization_id == self.organization_id, Experiment.slug == slug
        )
        return self.session.scalar(query, execution_options={UNSCOPED: True})

    def free_slug(self, slug: str) -> str:
        """The slug, numbered where it is taken; with the lock on slugs held."""
        number, free = 1, slug
        while self.version_of(free) is not None:
            number += 1
            free = numbered(slug, number)
        return free

    def written_as(self, spec: Json) -> Experiment | None:
        """The oldest experiment that says just this."""
        query = select(Experiment).where(
            Experiment.organization_id == self.organization_id, Experiment.spec == spec
        )
        return self.session.scalar(query.order_by(Experiment.created_at, Experiment.id).limit(1))

    def add(self, experiment: Experiment) -> None:
        """Add an experiment."""
        self.session.add(experiment)
        self.session.flush()

    def delete(self, experiment: Experiment) -> None:
        """Forget an experiment; its runs stay, with the spec they ran with."""
        self.session.delete(experiment)
        self.session.flush()
