"""Making a snapshot's content: collected, then redacted in one go."""

import uuid
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, cast
from urllib.parse import urlsplit

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import select

from podmeter.credentials.pseudonyms import Kind, Replacement
from podmeter.credentials.redaction import KnownNames, Vocabulary, redact
from podmeter.db.base import now
from podmeter.db.models import Cluster, RunCluster
from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.db.repositories.samples import SampleRepository
from podmeter.db.scopes import UNSCOPED, Scope
from podmeter.domain.stored import StoredDocumentError, StoredForm
from podmeter.kinds.registry import KINDS
from podmeter.results.older import snapshots as older
from podmeter.results.projected import PARAMETERS
from podmeter.services.accounts.principal import Principal
from podmeter.services.clusters import registry
from podmeter.services.comparisons import compare
from podmeter.services.errors import NotFoundError
from podmeter.services.headlines import forms
from podmeter.services.headlines.headline import of_report
from podmeter.services.headlines.text import parameter_names
from podmeter.services.reproduction import rendering
from podmeter.services.reproduction.read import reproduction
from podmeter.services.snapshots.cluster import node_names
from podmeter.services.snapshots.cluster import shared as shared_cluster
from podmeter.services.snapshots.document import SnapshotContent, SubjectName
from podmeter.services.snapshots.experiment import as_yaml
from podmeter.services.snapshots.experiment import shared as shared_experiment
from podmeter.services.snapshots.method import method
from podmeter.services.snapshots.published import restore_state, taken_out
from podmeter.services.snapshots.subject import Articles, Subject
from podmeter.services.summaries.report import run_report
from podmeter.services.work import Work
from podmeter.statistics import METHOD_VERSION
from podmeter.texts import documents_in

DOCUMENT = TypeAdapter(SnapshotContent)
_STORED: StoredForm[SnapshotContent] = StoredForm(
    "snapshot",
    SnapshotContent,
    version=12,
    upgrades={
        1: older.with_floor_rows,
        2: older.with_loss_rows,
        3: older.with_sentences_as_written,
        4: older.with_curve_rows,
        5: older.with_reproduction_rows,
        6: older.with_findings_as_written,
        7: older.with_effect_rows,
        8: older.with_summary_rows,
        9: older.with_texts_by_key,
        10: older.with_unknown_gates,
        11: older.with_published_title,
    },
)

#: What is kept where authors' prose is, beside kinds of names.
NOTES = "notes"
_WITHHELD_UID = "withheld"


@dataclass(frozen=True)
class RedactionExceptions:
    """What is left in on purpose: kinds of names, and what authors wrote."""

    kinds: frozenset[Kind] = frozenset()
    notes: bool = False

    @property
    def words(self) -> list[str]:
        """The same as plain data."""
        return sorted([*(kind.value for kind in self.kinds), *([NOTES] if self.notes else [])])


@dataclass(frozen=True)
class Frozen:
    """Redacted content, as JSON, and what was replaced by what: for the owner's eyes only."""

    content: dict[str, Any]
    replacements: tuple[Replacement, ...]


def freeze(
    work: Work,
    principal: Principal,
    subject: Subject | Articles,
    title: str,
    keep: RedactionExceptions,
) -> Frozen:
    """The subject as it is now, redacted. Raises NotFoundError; ValueError to keep secrets."""
    document, known = _collected(work, principal, subject, title, keep)
    with documents_in(None):
        content = DOCUMENT.dump_python(document, mode="json")
    _withhold_uids(content)
    published = taken_out(content["reproduction"] or [])
    redacted = redact(content, known, keep.kinds, _vocabulary())
    plain: dict[str, Any] = dict(cast("dict[str, Any]", redacted.content))
    restore_state(plain["reproduction"] or [], published)
    plain["withheld"] = sorted({one.kind.value for one in redacted.replacements})
    if plain["experiment"] is not None:
        plain["experiment"]["yaml"] = as_yaml(plain["experiment"]["spec"])
    # What cannot be read again must not be kept.
    try:
        DOCUMENT.validate_python(plain)
    except ValidationError as error:
        raise StoredDocumentError("trial") from error
    return Frozen(plain, redacted.replacements)


@cache
def _vocabulary() -> Vocabulary:
    """The fields of what is shared, and what every kind's axes and metrics are called."""
    schema = DOCUMENT.json_schema()
    known = {*forms.vocabulary(), *parameter_names()}
    shapes = [schema, *schema["$defs"].values()]
    axes = [axis for kind in KINDS.values() for axis in kind.axes]
    terms = {word for axis in axes for word in (axis.name, *axis.choices)}
    for kind in KINDS.values():
        terms |= {kind.name, *(metric.name for metric in kind.metrics)}
    return Vocabulary(
        PARAMETERS | known | {name for shape in shapes for name in shape.get("properties", ())},
        frozenset(terms | known),
    )


def _collected(
    work: Work,
    principal: Principal,
    subject: Subject | Articles,
    title: str,
    keep: RedactionExceptions,
) -> tuple[SnapshotContent, KnownNames]:
    """All that is shown, as it is, and the names in it that have no form of their own."""
    if not _inside(principal.scope, subject.name):
        raise NotFoundError(subject.name)
    run = comparison = experiment = cluster = articles = None
    version = METHOD_VERSION
    match subject:
        case Articles():
            articles = [
                reproduction(work, principal, one.reference_id, one.run_ids)
                for one in subject.articles
            ]
            run_ids = subject.run_ids
        case Subject("run"):
            run = run_report(work, principal, subject.id)
            run_ids = [subject.id]
        case Subject("comparison"):
            comparison = compare.get(work, principal, subject.id)
            version = comparison.method_version
            sides = [comparison.baseline, *[one.side for one in comparison.contenders]]
            run_ids = list(dict.fromkeys(side.run_id for side in sides if side.run_id is not None))
        case Subject("experiment"):
            experiment = shared_experiment(work, principal, subject.id, notes=keep.notes)
            run_ids = [one.run_id for one in experiment.runs]
        case _:
            cluster = shared_cluster(work, principal, subject.id, notes=keep.notes)
            run_ids = [one.run_id for one in cluster.runs]
    how, nodes = method(SampleRepository(work.session, principal.organization_id), run_ids, version)
    document = SnapshotContent(
        subject=subject.name,
        title=title,
        taken_at=now(),
        run=run,
        comparison=comparison,
        method=how,
        withheld=[],
        kept=keep.words,
        experiment=experiment,
        cluster=cluster,
        reproduction=articles,
        summary=None if articles is None else rendering.headline(articles),
    )
    clusters, hosts = _clusters(work, principal, run_ids)
    if run is None and comparison is None:
        # What people wrote may name any, whether it was measured or not.
        every = ClusterRepository(work.session, principal.organization_id).names()
        clusters = tuple(dict.fromkeys([*clusters, *(name for _, name in every)]))
    if isinstance(subject, Subject) and cluster is not None:
        nodes = tuple(sorted({*nodes, *node_names(cluster)}))
        server = registry.get(work, principal, subject.id).server
        hosts = tuple(sorted({*hosts, urlsplit(server).hostname or server}))
    return document, KnownNames(clusters=clusters, nodes=nodes, hosts=hosts)


def stored(frozen: Frozen) -> dict[str, Any]:
    """The content as the database keeps it."""
    return _STORED.stamp(frozen.content)


def parse(content: Any) -> SnapshotContent:
    """Content read from the database; what was frozen without a headline gets one of its own.

    Raises StoredDocumentError where its form cannot be read.
    """
    found = _STORED.read(content)
    # All writers rest on there being the subject that is named.
    if getattr(found, found.subject) is None:
        raise StoredDocumentError("snapshot")
    run, comparison = found.run, found.comparison
    if run is not None and run.headline is None:
        run = replace(run, headline=of_report(run, found.method.version))
    if comparison is not None:
        comparison = compare.with_headline(comparison)
    return replace(found, run=run, comparison=comparison)


def _inside(scope: Scope | None, name: SubjectName) -> bool:
    """Whether a program that is held to a scope may share such a thing.

    A token limited to a cluster reads experiments for any cluster, and a token limited to an
    experiment reads clusters, to say what is to run where: neither is its own to make public.
    """
    if scope is None or name not in ("experiment", "cluster"):
        return True
    return (name == "cluster") == (scope.cluster_id is not None)


def _withhold_uids(content: Any) -> None:
    """The UID of a kube-system namespace names a cluster to anyone who knows it."""
    if isinstance(content, dict):
        if content.get("field") == "cluster_uid":
            content |= dict.fromkeys({"baseline", "contender"} & content.keys(), _WITHHELD_UID)
        for one in content.values():
            _withhold_uids(one)
    elif isinstance(content, list):
        for one in content:
            _withhold_uids(one)


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
        .order_by(RunCluster.name),
        # Names are redacted whether the caller reaches their clusters or not.
        execution_options={UNSCOPED: True},
    ).all()
    names = dict.fromkeys(name for row in rows for name in row[:2] if name)
    hosts = {urlsplit(server).hostname for *_, server in rows if server}
    return tuple(names), tuple(sorted(host for host in hosts if host))
