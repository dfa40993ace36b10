"""Making a snapshot's content: collected, then redacted in one go."""

import uuid
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, cast
from urllib.parse import urlsplit

from pydantic import TypeAdapter
from sqlalchemy import select

from podmeter.credentials.pseudonyms import Kind, Replacement
from podmeter.credentials.redaction import KnownNames, redact
from podmeter.db.base import now
from podmeter.db.models import Cluster, RunCluster
from podmeter.db.repositories.samples import SampleRepository
from podmeter.services.accounts.principal import Principal
from podmeter.services.comparisons import compare
from podmeter.services.headlines.headline import of_report
from podmeter.services.snapshots.document import SnapshotContent
from podmeter.services.snapshots.method import method
from podmeter.services.summaries.report import run_report
from podmeter.services.work import Work
from podmeter.statistics import METHOD_VERSION

DOCUMENT = TypeAdapter(SnapshotContent)

_WITHHELD_UID = "withheld"


@dataclass(frozen=True)
class Subject:
    """What a snapshot is of: a run or a comparison, exactly one."""

    run_id: uuid.UUID | None = None
    comparison_id: uuid.UUID | None = None

    def __post_init__(self) -> None:
        if (self.run_id is None) == (self.comparison_id is None):
            raise ValueError("a snapshot is of a run or of a comparison")


@dataclass(frozen=True)
class Frozen:
    """Redacted content, as JSON, and what was replaced by what: for the owner's eyes only."""

    content: dict[str, Any]
    replacements: tuple[Replacement, ...]


def freeze(
    work: Work, principal: Principal, subject: Subject, title: str, keep: Collection[Kind]
) -> Frozen:
    """The subject as it is now, redacted. Raises NotFoundError; ValueError to keep secrets."""
    run = comparison = None
    if subject.run_id is not None:
        run = run_report(work, principal, subject.run_id)
        run_ids = [subject.run_id]
    else:
        comparison = compare.get(work, principal, subject.comparison_id or uuid.UUID(int=0))
        sides = [comparison.baseline, *[one.side for one in comparison.contenders]]
        run_ids = list(dict.fromkeys(side.run_id for side in sides if side.run_id is not None))
    repository = SampleRepository(work.session, principal.organization_id)
    version = METHOD_VERSION if comparison is None else comparison.method_version
    how, nodes = method(repository, run_ids, version)
    document = SnapshotContent(
        subject="comparison" if run is None else "run",
        title=title,
        taken_at=now(),
        run=run,
        comparison=comparison,
        method=how,
        withheld=[],
        kept=sorted(keep),
    )
    content = DOCUMENT.dump_python(document, mode="json")
    _withhold_uids(content)
    clusters, hosts = _clusters(work, principal, run_ids)
    known = KnownNames(clusters=clusters, nodes=nodes, hosts=hosts)
    redacted = redact(content, known, keep)
    plain: dict[str, Any] = dict(cast("dict[str, Any]", redacted.content))
    plain["withheld"] = sorted({one.kind.value for one in redacted.replacements})
    # What cannot be read again must not be kept.
    DOCUMENT.validate_python(plain)
    return Frozen(plain, redacted.replacements)


def parse(content: Any) -> SnapshotContent:
    """Content read from the database; what was frozen without a headline gets one of its own."""
    found = DOCUMENT.validate_python(content)
    run, comparison = found.run, found.comparison
    if run is not None and run.headline is None:
        run = replace(run, headline=of_report(run, found.method.version))
    if comparison is not None:
        comparison = compare.with_headline(comparison)
    return replace(found, run=run, comparison=comparison)


def _withhold_uids(content: dict[str, Any]) -> None:
    """The UID of a kube-system namespace names a cluster to whoever knows it."""
    contenders = (content["comparison"] or {"contenders": ()})["contenders"]
    found = [one["evidence"] for one in (content["run"] or {"findings": ()})["findings"]]
    gates = [one["gate"] for one in (*contenders, *found) if "gate" in one]
    for one in (one for gate in gates for one in gate["differences"]):
        if one["field"] == "cluster_uid":
            one["baseline"] = one["contender"] = _WITHHELD_UID


def _clusters(
    work: Work, principal: Principal, run_ids: Collection[uuid.UUID]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The clusters' names, then and now, and their API servers', which errors may quote."""
    rows = work.session.execute(
        select(RunCluster.name, Cluster.name, Cluster.server)
        .outerjoin(
            Cluster,
            (RunCluster.cluster_id == Cluster.id)
            & (Cluster.organization_id == principal.organization_id),
        )
        .where(
            RunCluster.organization_id == principal.organization_id,
            RunCluster.run_id.in_(run_ids),
        )
        .order_by(RunCluster.name)
    ).all()
    names = dict.fromkeys(name for row in rows for name in row[:2] if name)
    hosts = {urlsplit(server).hostname for *_, server in rows if server}
    return tuple(names), tuple(sorted(host for host in hosts if host))
