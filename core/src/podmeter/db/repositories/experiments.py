"""Experiments of one organization."""

import uuid

from sqlalchemy import select
from sqlalchemy.orm import Session

from podmeter.db.base import Json
from podmeter.db.models import Experiment
from podmeter.db.paging import Page, PageRequest
from podmeter.db.repositories.marks import EVERYTHING, Wanted, in_order


class ExperimentRepository:
    """The experiments of one organization."""

    def __init__(self, session: Session, organization_id: uuid.UUID) -> None:
        self.session = session
        self.organization_id = organization_id

    def page(
        self, request: PageRequest, wanted: Wanted = EVERYTHING, kind: str | None = None
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
