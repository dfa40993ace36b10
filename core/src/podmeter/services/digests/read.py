"""Digests of runs: read where they hold, made and kept where they do not."""

import uuid
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from podmeter.db.repositories.digests import DigestRepository
from podmeter.domain.run import RunState
from podmeter.experiments.registry import KINDS
from podmeter.services.accounts.principal import Principal
from podmeter.services.digests.content import (
    digest_of,
    read_blocks,
    read_losses,
    read_samples,
    versions,
)
from podmeter.services.measured.blocks import CaseBlocks, case_blocks
from podmeter.services.measured.loss import Loss
from podmeter.services.measured.runs import MeasuredRun, MetricChoice, load
from podmeter.services.work import Work


@dataclass(frozen=True)
class Digested:
    """Runs with their main metrics, and their losses by the default thresholds where kept."""

    runs: Mapping[uuid.UUID, MeasuredRun]
    losses: Mapping[uuid.UUID, list[Loss]]


def measured(work: Work, principal: Principal, run_ids: Collection[uuid.UUID]) -> Digested:
    """As `load` of the main metrics; runs that are not there are left out."""
    repository = DigestRepository(work.session, principal.organization_id)
    kept = repository.measured(run_ids, versions())
    samples = {run_id: read_samples(one, kind) for run_id, (kind, one, _) in kept.items()}
    found = load(work, principal.organization_id, run_ids, MetricChoice.MAIN, samples)
    keep(repository, (run for run in found.values() if run.run.id not in kept))
    return Digested(
        found, {run_id: read_losses(one) for run_id, (_, _, one) in kept.items() if run_id in found}
    )


def blocks(
    work: Work, principal: Principal, run_ids: Collection[uuid.UUID], choice: MetricChoice
) -> dict[uuid.UUID, tuple[CaseBlocks, ...]]:
    """What noise floors take of runs; those that are not there are left out."""
    repository = DigestRepository(work.session, principal.organization_id)
    kept = repository.blocks(run_ids, versions()) if choice is MetricChoice.MAIN else {}
    found = {run_id: read_blocks(one, kind) for run_id, (kind, one) in kept.items()}
    missing = [run_id for run_id in run_ids if run_id not in found]
    read = load(work, principal.organization_id, missing, choice) if missing else {}
    if choice is MetricChoice.MAIN:
        keep(repository, read.values())
    return found | {run_id: case_blocks(run) for run_id, run in read.items()}


def keep(repository: DigestRepository, runs: Iterable[MeasuredRun]) -> None:
    """Keep digests of the runs that do not change any more."""
    repository.keep(
        [
            digest_of(one)
            for one in runs
            if one.run.state is RunState.FINISHED and one.run.kind in KINDS
        ]
    )
