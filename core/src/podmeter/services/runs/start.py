"""Queueing a run of an experiment."""

import secrets
import uuid
from collections.abc import Mapping
from types import MappingProxyType

from podmeter.db.base import now
from podmeter.db.models import Block, CaseRecord, Cluster, Experiment, Role, Run, RunCluster
from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.db.repositories.journal import JournalRepository
from podmeter.db.repositories.runs import RunRepository
from podmeter.domain.errors import InvalidSpecError
from podmeter.domain.experiment import ExperimentSpec, ResolvedSpec
from podmeter.domain.messages import say
from podmeter.domain.modes import CLUSTER
from podmeter.domain.planning import Block as PlannedBlock
from podmeter.domain.planning import Case
from podmeter.domain.problems import Problem, pointer
from podmeter.jobs import AdvanceRun
from podmeter.kinds.registry import blocks_of, cases_of, possible_cases, read_spec, resolve
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import ObstacleError, StaleVersionError
from podmeter.services.experiments import library
from podmeter.services.experiments.feasible import feasible, with_credentials, with_decision
from podmeter.services.experiments.on_cluster import least_room, named_pairs
from podmeter.services.experiments.pace import on_cluster
from podmeter.services.quotas import Quota, require_room
from podmeter.services.work import Work


def start(
    work: Work,
    principal: Principal,
    experiment_id: uuid.UUID,
    cluster_id: uuid.UUID | None,
    *,
    version: int | None = None,
    force: bool = False,
    labels: Mapping[str, str] = MappingProxyType({}),
) -> Run:
    """Queue a run, with the experiment's spec resolved and frozen into it.

    `cluster_id` names the cluster, unless the spec's axis `cluster` names several. `version` is
    the one whose plan was agreed to, None for whichever is current. `force` goes past obstacles
    that are uncertain, and the run keeps which. Cases that its clusters cannot measure are left
    out, and the run says so. `labels` are what anyone who starts it says of it, for good.

    Raises:
        RoleError, NotFoundError: as they say.
        StaleVersionError: the experiment has another version.
        InvalidSpecError: a cluster is missing or named twice over, with its pointer; the pairs of
            nodes that are asked for are none or too many on it.
        ObstacleError: something stands against the run, as its plan says too.
        ConflictError: as many runs are queued as may be.
    """
    principal.require(Role.OPERATOR)
    experiment = library.get(work, principal, experiment_id)
    if version is not None and version != experiment.version:
        raise StaleVersionError("experiment", experiment.version)
    written = read_spec(library.stored_document(experiment))
    clusters = _clusters(work, principal, resolve(written), cluster_id)
    spec = _with_seed(written, resolve(written, least_room(clusters.values())))
    for cluster in clusters.values():
        # Of several clusters none is left open.
        spec = named_pairs(spec, cluster)
    spec = on_cluster(work, next(iter(clusters.values())), spec).planned(spec)
    found = with_decision(feasible(work, spec, cases_of(spec), clusters), spec)
    cases = possible_cases(spec, found.impossible)
    blocks = blocks_of(spec, cases)
    found = with_credentials(found, work, spec, blocks, clusters)
    if against := found.blocking(force=force):
        raise ObstacleError(against)
    require_room(work.session, principal.organization_id, Quota.QUEUED_RUNS, work.quotas)
    run = _row(principal, experiment, spec)
    run.labels = sorted(f"{key}={value}" for key, value in labels.items())
    run.forced = [one.said for one in found.uncertain] if force else []
    run.warnings = [*run.forced, *(one.said for one in found.left_out)]
    runs = RunRepository(work.session, principal.organization_id)
    runs.add(
        run,
        [_run_cluster(run, name, cluster) for name, cluster in clusters.items()],
        [_block(run, block) for block in blocks],
        [_case(run, n, case) for n, case in enumerate(cases)],
    )
    journal = JournalRepository(work.session, principal.organization_id)
    journal.add_event(run.id, "state", {"state": run.state, "attempt": run.attempt})
    work.later(AdvanceRun(organization_id=principal.organization_id, run_id=run.id))
    clusters_named = sorted(cluster.name for cluster in clusters.values())
    forced = {"forced": sorted({one.code for one in found.uncertain})} if run.forced else {}
    labelled = {"labels": run.labels} if run.labels else {}
    work.audit.to("run", run.id, run.name, clusters=clusters_named, **forced, **labelled)
    return run


def _with_seed(written: ExperimentSpec, spec: ResolvedSpec) -> ResolvedSpec:
    """The spec with an order of its own, unless the experiment names the seed of one."""
    if written.repetition.seed is not None:
        return spec
    repetition = spec.repetition.model_copy(update={"seed": secrets.randbelow(2**31)})
    return spec.model_copy(update={"repetition": repetition})


def _clusters(
    work: Work, principal: Principal, spec: ResolvedSpec, cluster_id: uuid.UUID | None
) -> dict[str, Cluster]:
    """The clusters by the names the run calls them."""
    repository = ClusterRepository(work.session, principal.organization_id)
    names = [str(name) for name in spec.matrix.get(CLUSTER, ())]
    if names and cluster_id is not None:
        text = say("cluster_named_already")
        raise InvalidSpecError([Problem("/cluster_id", text)])
    if not names:
        cluster = repository.get(cluster_id) if cluster_id else None
        if cluster is None:
            text = say("no_such_cluster") if cluster_id else say("cluster_which")
            raise InvalidSpecError([Problem("/cluster_id", text)])
        return {cluster.name: cluster}
    found = {name: repository.by_name(name) for name in names}
    missing = [
        Problem(pointer(["axes", CLUSTER, index]), say("cluster_unknown", name=name))
        for index, name in enumerate(names)
        if found[name] is None
    ]
    if missing:
        raise InvalidSpecError(missing)
    return {name: cluster for name, cluster in found.items() if cluster is not None}


def _row(principal: Principal, experiment: Experiment, spec: ResolvedSpec) -> Run:
    moment = now()
    return Run(
        id=uuid.uuid4(),
        organization_id=principal.organization_id,
        experiment_id=experiment.id,
        name=spec.name,
        kind=spec.kind,
        written=library.stored_document(experiment),
        spec=spec.model_dump(mode="json"),
        created_by=principal.user_id,
        created_at=moment,
        queued_at=moment,
    )


def _run_cluster(run: Run, name: str, cluster: Cluster) -> RunCluster:
    return RunCluster(
        organization_id=run.organization_id,
        run_id=run.id,
        name=name,
        cluster_id=cluster.id,
        cluster_uid=cluster.cluster_uid,
        authority=cluster.authority,
    )


def _block(run: Run, block: PlannedBlock) -> Block:
    return Block(
        organization_id=run.organization_id,
        run_id=run.id,
        position=block.index,
        round=block.round,
        modes=dict(block.modes),
    )


def _case(run: Run, position: int, case: Case) -> CaseRecord:
    return CaseRecord(
        organization_id=run.organization_id,
        run_id=run.id,
        position=position,
        key=case.key,
        point=dict(case.point),
        once=case.once,
    )
