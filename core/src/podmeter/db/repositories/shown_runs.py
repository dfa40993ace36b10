"""Runs with what lists show beside them, read by one query."""

import uuid
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    ARRAY,
    Exists,
    ScalarSelect,
    String,
    any_,
    bindparam,
    exists,
    func,
    select,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import Session

from podmeter.db.models import CaseRecord, Favourite, Run, RunCluster, RunDigest
from podmeter.db.paging import Page, PageRequest
from podmeter.db.repositories.base import OrganizationRepository
from podmeter.db.repositories.marks import rows_in_order
from podmeter.db.repositories.runs import LISTED, ClusterOfRun, RunFilter, filtered
from podmeter.domain.run import CaseStatus, RunState


class ShownRun(NamedTuple):
    """A run with what is shown beside it: how many of its cases have which status, what it
    answered (`RunDigest.answer`) if that still holds, and whether it is the reader's favourite.
    """

    run: Run
    clusters: list[ClusterOfRun]
    progress: dict[CaseStatus, int]
    answer: str | None
    favourite: bool


def _beside() -> tuple[ScalarSelect[Any], ScalarSelect[Any], ScalarSelect[Any]]:
    """A run's clusters, progress and answer, each as one value: so a page takes one query."""
    cluster = func.json_build_array(RunCluster.name, RunCluster.cluster_id, RunCluster.cluster_uid)
    clusters = select(func.json_agg(aggregate_order_by(cluster, RunCluster.name))).where(
        RunCluster.organization_id == Run.organization_id, RunCluster.run_id == Run.id
    )
    counted = (
        select(CaseRecord.status, func.count().label("cases"))
        .where(CaseRecord.organization_id == Run.organization_id, CaseRecord.run_id == Run.id)
        .group_by(CaseRecord.status)
        .correlate(Run)
        .subquery()
    )
    progress = select(func.json_object_agg(counted.c.status, counted.c.cases))
    answers = select(RunDigest.answer).where(
        RunDigest.organization_id == Run.organization_id,
        RunDigest.run_id == Run.id,
        RunDigest.last_event == Run.last_event,
        RunDigest.version == any_(bindparam("versions", type_=ARRAY(String))),
        Run.state == RunState.FINISHED,
    )
    return (
        clusters.correlate(Run).scalar_subquery(),
        progress.correlate(Run).scalar_subquery(),
        answers.correlate(Run).scalar_subquery(),
    )


#: Made once: putting a statement together takes longer than reading its rows.
_BESIDE = _beside()


class ShownRunRepository(OrganizationRepository):
    """What the runs of one organization are to one of its members.

    `versions` are those of `RunDigest` that hold.
    """

    def __init__(
        self,
        session: Session,
        organization_id: uuid.UUID,
        reader: uuid.UUID,
        versions: Sequence[str],
    ) -> None:
        super().__init__(session, organization_id)
        self.reader = reader
        self.versions = list(versions)

    def page(self, wanted: RunFilter, request: PageRequest) -> Page[ShownRun]:
        """Runs, newest first unless another order is wanted."""
        query = select(Run, *_BESIDE, _favourite_of(self.reader)).options(*LISTED)
        query = filtered(query, self.organization_id, wanted).params(versions=self.versions)
        found = rows_in_order(self.session, query, Run, wanted.wanted, request)
        return Page([_shown(*row) for row in found.items], found.next_cursor)

    def of(self, run: Run) -> ShownRun:
        """What is shown beside a run that was read before."""
        query = select(*_BESIDE, _favourite_of(self.reader)).where(
            Run.organization_id == self.organization_id, Run.id == run.id
        )
        return _shown(run, *self.session.execute(query, {"versions": self.versions}).one())


def _favourite_of(reader: uuid.UUID) -> Exists:
    """Whether a run is a member's favourite."""
    return (
        exists()
        .where(
            Favourite.organization_id == Run.organization_id,
            Favourite.run_id == Run.id,
            Favourite.user_id == reader,
        )
        .correlate(Run)
    )


def _shown(
    run: Run,
    clusters: list[tuple[str, str | None, str]] | None,
    progress: dict[str, int] | None,
    answer: str | None,
    favourite: bool,
) -> ShownRun:
    """A row in Python's types: JSON has neither UUIDs nor statuses, and nothing for no row."""
    return ShownRun(
        run,
        [
            ClusterOfRun(name, None if id_ is None else uuid.UUID(id_), uid)
            for name, id_, uid in clusters or ()
        ],
        {CaseStatus(status): cases for status, cases in (progress or {}).items()},
        answer,
        favourite,
    )
