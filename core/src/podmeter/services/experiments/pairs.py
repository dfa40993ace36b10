"""Which pairs of nodes an experiment comes to on a cluster, by the latest look at that cluster."""

import uuid

from podmeter.db.models import Cluster
from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.domain.cluster_report import ClusterReport
from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.messages import say
from podmeter.domain.modes import CLUSTER
from podmeter.experiments.registry import pairs_left_open, plan, read_spec, resolve, with_pairs
from podmeter.services.accounts.principal import Principal
from podmeter.services.clusters import registry
from podmeter.services.errors import ConflictError
from podmeter.services.experiments.plan import Plan
from podmeter.services.work import Work


def named_pairs(spec: ResolvedSpec, cluster: Cluster) -> ResolvedSpec:
    """The spec with the pairs named that it leaves to the cluster.

    Raises InvalidSpecError where there are none or too many; ConflictError where nobody has looked
    at the cluster yet.
    """
    if pairs_left_open(spec) is None:
        return spec
    if cluster.capabilities is None:
        raise ConflictError(say("nodes_unknown"))
    report = ClusterReport.model_validate(cluster.capabilities)
    return with_pairs(spec, report.measuring_nodes)


def plan_at(
    work: Work, principal: Principal, document: object, cluster_id: uuid.UUID | None
) -> Plan:
    """The plan of an experiment's document, on a cluster where one is known.

    That is the given one, or the only one that the document itself names. Pairs of nodes stay open
    where none is, or nobody has looked at it. Raises InvalidSpecError, NotFoundError.
    """
    spec = resolve(read_spec(document))
    if pairs_left_open(spec) is not None:
        cluster = _cluster(work, principal, spec, cluster_id)
        if cluster is not None and cluster.capabilities is not None:
            spec = named_pairs(spec, cluster)
    return Plan(spec, plan(spec))


def _cluster(
    work: Work, principal: Principal, spec: ResolvedSpec, cluster_id: uuid.UUID | None
) -> Cluster | None:
    names = spec.matrix.get(CLUSTER, ())
    if names:
        repository = ClusterRepository(work.session, principal.organization_id)
        return repository.by_name(str(names[0])) if len(names) == 1 else None
    return None if cluster_id is None else registry.get(work, principal, cluster_id)
