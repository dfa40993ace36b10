"""Digests of runs: read where they hold, made where they do not, and kept by who may write."""

import uuid
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from podmeter.db.repositories.digests import DigestRepository
from podmeter.db.repositories.samples import SampleRepository
from podmeter.domain.run import RunState
from podmeter.kinds.registry import KINDS
from podmeter.results.projected import Projected
from podmeter.services.accounts.principal import Principal
from podmeter.services.headlines.document import Headline
from podmeter.services.run_aggregates.content import (
    digest_of,
    read_blocks,
    read_losses,
    read_samples,
    versions,
)
from podmeter.services.run_results.blocks import CaseBlocks, case_blocks
from podmeter.services.run_results.runs import MeasuredRun, MetricChoice, load, with_samples
from podmeter.services.work import Work

#: Who compares waits for no answer: it is made later.
NO_HEADLINES: Mapping[uuid.UUID, Headline | None] = MappingProxyType({})


@dataclass(frozen=True)
class Digested:
    """Runs with their main metrics, and their losses by the default thresholds where kept."""

    runs: Mapping[uuid.UUID, MeasuredRun]
    losses: Mapping[uuid.UUID, list[Projected]]


def measured(work: Work, principal: Principal, run_ids: Collection[uuid.UUID]) -> Digested:
    """As `load` of the main metrics; runs that are not there are left out."""
    organization_id = principal.organization_id
    repository = SampleRepository(work.session, organization_id)
    rows = repository.whole_runs(run_ids, versions())
    samples = {
        one.run.id: read_samples(one.samples, one.run.kind)
        for one in rows
        if one.samples is not None
    }
    found = with_samples(repository, rows, MetricChoice.MAIN, samples)
    if not work.read_only:
        missing = [run for run_id, run in found.items() if run_id not in samples]
        keep(DigestRepository(work.session, organization_id), missing)
    told = {one.run.id: read_losses(one.losses) for one in rows if one.losses is not None}
    return Digested(found, told)


def blocks(
    work: Work, principal: Principal, run_ids: Collection[uuid.UUID], choice: MetricChoice
) -> dict[uuid.UUID, tuple[CaseBlocks, ...]]:
    """What noise floors take of runs; those that are not there are left out."""
    repository = DigestRepository(work.session, principal.organization_id)
    kept = repository.blocks(run_ids, versions()) if choice is MetricChoice.MAIN else {}
    found = {run_id: read_blocks(one, kind) for run_id, (kind, one) in kept.items()}
    missing = [run_id for run_id in run_ids if run_id not in found]
    read = load(work, principal.organization_id, missing, choice) if missing else {}
    if choice is MetricChoice.MAIN and not work.read_only:
        keep(repository, read.values())
    return found | {run_id: case_blocks(run) for run_id, run in read.items()}


def keep(
    repository: DigestRepository,
    runs: Iterable[MeasuredRun],
    headlines: Mapping[uuid.UUID, Headline | None] = NO_HEADLINES,
) -> None:
    """Keep digests of the runs that do not change any more, with answers of those `headlines`."""
    repository.keep(
        [
            digest_of(one, headlines.get(one.run.id))
            for one in runs
            if one.run.state is RunState.FINISHED and one.run.kind in KINDS
        ]
    )
