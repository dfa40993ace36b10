"""An article beside runs of its experiments."""

import uuid
from collections.abc import Sequence

from podmeter.db.repositories.samples import SampleRepository
from podmeter.domain.messages import reason
from podmeter.references.library import Published
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import NotFoundError
from podmeter.services.references.read import published
from podmeter.services.reproduction.case_matching import CaseMatches
from podmeter.services.reproduction.claims import claim
from podmeter.services.reproduction.comparison_cache import ComparisonCache
from podmeter.services.reproduction.document import ReproducingRun, Reproduction
from podmeter.services.reproduction.tables import tables
from podmeter.services.run_results.environments import (
    ReadFingerprints,
    kept_fingerprints,
    shared_host,
)
from podmeter.services.run_results.runs import MeasuredRun, load
from podmeter.services.work import Work
from podmeter.texts import CatalogText


def reproduction(
    work: Work, principal: Principal, reference_id: str, run_ids: Sequence[uuid.UUID]
) -> Reproduction:
    """The article's tables and claims, of these runs. Raises NotFoundError."""
    article = published(reference_id)
    measured = load(work, principal.organization_id, run_ids)
    if any(one not in measured for one in run_ids):
        raise NotFoundError("run")
    samples = SampleRepository(work.session, principal.organization_id)
    runs = [measured[one] for one in dict.fromkeys(run_ids)]
    return reproduce(article, runs, kept_fingerprints(samples.fingerprints))


def reproduce(
    article: Published, runs: Sequence[MeasuredRun], read_fingerprints: ReadFingerprints
) -> Reproduction:
    """The article's tables and claims, of runs that were read; those of other kinds say nothing."""
    reference = article.reference
    of_kind = [one for one in runs if one.spec.kind in reference.kinds]
    matches = CaseMatches(of_kind, article.cells, read_fingerprints)
    comparisons = ComparisonCache(read_fingerprints)
    return Reproduction(
        reference_id=reference.id,
        title=reference.title,
        language=reference.language,
        subject=CatalogText(f"reference.{reference.id}.subject"),
        url=reference.url,
        runs=[_run(one, read_fingerprints) for one in runs],
        stand_ins=matches.stand_ins,
        tables=tables(article, matches),
        claims=[
            claim(reference.id, one, article.cells, matches, comparisons) for one in article.claims
        ],
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
