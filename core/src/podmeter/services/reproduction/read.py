"""An article beside runs of its experiments."""

import uuid
from collections.abc import Sequence

from podmeter.db.repositories.samples import SampleRepository
from podmeter.domain.messages import reason
from podmeter.references.library import Published
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import NotFoundError
from podmeter.services.measured.environments import (
    ReadFingerprints,
    kept_fingerprints,
    shared_host,
)
from podmeter.services.measured.runs import MeasuredRun, load
from podmeter.services.references.read import published
from podmeter.services.reproduction.claims import claim
from podmeter.services.reproduction.contests import Contests
from podmeter.services.reproduction.document import ReproducingRun, Reproduction
from podmeter.services.reproduction.found import Found
from podmeter.services.reproduction.tables import tables
from podmeter.services.work import Work
from podmeter.texts import CatalogText


def reproduction(
    work: Work, principal: Principal, reference_id: str, run_ids: Sequence[uuid.UUID]
) -> Reproduction:
    """The article's tables and claims, of these runs. Raises NotFoundError."""
    article = published(reference_id)
    found = load(work, principal.organization_id, run_ids)
    if any(one not in found for one in run_ids):
        raise NotFoundError("run")
    samples = SampleRepository(work.session, principal.organization_id)
    runs = [found[one] for one in dict.fromkeys(run_ids)]
    return beside(article, runs, kept_fingerprints(samples.fingerprints))


def beside(
    article: Published, runs: Sequence[MeasuredRun], read_fingerprints: ReadFingerprints
) -> Reproduction:
    """The article's tables and claims, of runs that were read; those of other kinds say nothing."""
    told = article.reference
    of_kind = [one for one in runs if one.spec.kind in told.kinds]
    found = Found(of_kind, article.cells, read_fingerprints)
    contests = Contests(read_fingerprints)
    return Reproduction(
        reference_id=told.id,
        title=told.title,
        language=told.language,
        subject=CatalogText(f"reference.{told.id}.subject"),
        url=told.url,
        runs=[_run(one, read_fingerprints) for one in runs],
        stand_ins=found.stand_ins,
        tables=tables(article, found),
        claims=[claim(told.id, one, article.cells, found, contests) for one in article.claims],
    )


def _run(measured: MeasuredRun, read_fingerprints: ReadFingerprints) -> ReproducingRun:
    run = measured.run
    return ReproducingRun(
        run_id=run.id,
        name=run.name,
        kind=run.kind,
        state=run.state.value,
        outcome=None if run.outcome is None else run.outcome.value,
        reason=reason(run.reason),
        clusters=list(measured.clusters),
        started_at=run.started_at,
        finished_at=run.finished_at,
        shared_host=shared_host(measured.cases, read_fingerprints),
    )
