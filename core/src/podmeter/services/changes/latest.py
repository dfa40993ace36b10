"""What changed on each cluster: in its latest runs, and since the latest of them."""

import uuid
from collections.abc import Iterable, Mapping

from podmeter.db.models import FingerprintRecord
from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.db.repositories.runs import RunRepository
from podmeter.db.repositories.samples import SampleRepository
from podmeter.services.accounts.principal import Principal
from podmeter.services.changes.document import (
    ClusterChanges,
    KindChanges,
    LatestChanges,
)
from podmeter.services.changes.environment import between_moments, between_runs
from podmeter.services.changes.runs import changed_run
from podmeter.services.changes.verdicts import turns
from podmeter.services.comparisons.document import FieldDifference
from podmeter.services.run_aggregates.read import measured
from podmeter.services.run_results.environments import ReadFingerprints, kept_fingerprints
from podmeter.services.run_results.runs import MeasuredRun
from podmeter.services.work import Work


def latest_changes(work: Work, principal: Principal) -> LatestChanges:
    """Of each cluster, and of each kind there, the latest run against the one before it.

    That is the latest earlier run of its experiment that measured the same cluster alone, one with
    enough rounds for a verdict if there is one. Clusters of which there is nothing to tell are left
    out.
    """
    organization = principal.organization_id
    runs = RunRepository(work.session, organization)
    clusters = ClusterRepository(work.session, organization)
    latest = runs.latest_measured()
    before = runs.before([one for ids in latest.values() for one in ids])
    wanted = {one for ids in latest.values() for one in ids} | set(before.values())
    found = measured(work, principal, wanted).runs
    read = kept_fingerprints(SampleRepository(work.session, organization).fingerprints)
    seen = clusters.last_seen()
    told = [
        _of_cluster(
            cluster_id,
            name,
            [found[one] for one in latest.get(cluster_id, ()) if one in found],
            {one: found[other] for one, other in before.items() if other in found},
            seen.get(cluster_id),
            read,
        )
        for cluster_id, name in clusters.names()
    ]
    return LatestChanges([one for one in told if one.kinds or one.since_measured])


def _of_cluster(
    cluster_id: uuid.UUID,
    name: str,
    runs: Iterable[MeasuredRun],
    before: Mapping[uuid.UUID, MeasuredRun],
    seen: FingerprintRecord | None,
    read: ReadFingerprints,
) -> ClusterChanges:
    ended = [one for one in runs if one.run.finished_at is not None]
    last = max(ended, key=lambda one: str(one.run.finished_at), default=None)
    kinds = [
        KindChanges(
            kind=one.run.kind,
            run=changed_run(one.run),
            since=changed_run(before[one.run.id].run),
            turns=turns(before[one.run.id], one, read),
            environment=between_runs(before[one.run.id], one, read),
        )
        for one in ended
        if one.run.id in before
    ]
    return ClusterChanges(
        cluster_id=cluster_id,
        name=name,
        kinds=kinds,
        latest=None if last is None else changed_run(last.run),
        seen_at=None if seen is None else seen.last_observed_at,
        since_measured=[] if last is None else _since(last, seen, read),
    )


def _since(
    last: MeasuredRun, seen: FingerprintRecord | None, read: ReadFingerprints
) -> list[FieldDifference]:
    """How the cluster was seen after the run, against what the run met.

    What only one of them shows is no change: a preflight sees less than a run.
    """
    finished = last.run.finished_at
    met = sorted({id_ for case in last.cases for id_ in case.fingerprints if id_ is not None})
    if seen is None or finished is None or seen.last_observed_at <= finished:
        return []
    if not met or seen.id in met:
        return []
    found = between_moments(read(met[:1])[met[0]], seen.content)
    return [one for one in found if None not in (one.baseline, one.contender)]
