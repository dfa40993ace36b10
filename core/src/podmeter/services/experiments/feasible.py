"""The judgement of an experiment on registered clusters, by what their rows tell."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import reduce

from podmeter.db.base import now
from podmeter.db.models import Cluster, PreflightState
from podmeter.domain.axes import mode_axes
from podmeter.domain.cluster_report import PREFLIGHT_REPORT
from podmeter.domain.errors import PreconditionError
from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.feasibility import (
    NOTHING_AGAINST,
    ClusterState,
    Feasibility,
    Obstacle,
    Requirements,
)
from podmeter.domain.judgement import judge
from podmeter.domain.load import LoadLimits
from podmeter.domain.load_limits import broken_limits
from podmeter.domain.messages import Message, say
from podmeter.domain.modes import CLUSTER
from podmeter.domain.planning import Block, Case, LadderOrder
from podmeter.kinds import switching, sync_periods
from podmeter.kinds.host_names import named_hosts
from podmeter.kinds.measured_nodes import measured_nodes, placed_by, seats
from podmeter.kinds.registry import compares, demands_of, kind_of, walk_of
from podmeter.services.runs.credential_life import why_too_short
from podmeter.services.work import Work


def feasible(
    work: Work, spec: ResolvedSpec, cases: Iterable[Case], clusters: Mapping[str, Cluster]
) -> Feasibility:
    """Obstacles to cases of a spec on clusters, by the names that it calls them.

    Raises StoredDocumentError for a report of an older form.
    """
    listed = tuple(cases)
    found = (
        _on_cluster(spec, _on(name, listed), cluster_state(work, name, cluster))
        for name, cluster in clusters.items()
    )
    return reduce(Feasibility.with_others, found, NOTHING_AGAINST)


def _on_cluster(spec: ResolvedSpec, cases: tuple[Case, ...], state: ClusterState) -> Feasibility:
    requirements = _requirements(spec, cases)
    # A node that is not there is an obstacle of its own.
    with suppress(PreconditionError):
        nodes = state.measuring_nodes
        requirements = replace(
            requirements, measured=measured_nodes(spec, nodes), seats=seats(spec, nodes)
        )
    return judge(requirements, state, now())


def limit_obstacles(
    spec: ResolvedSpec, cases: Iterable[Case], cluster: str, limits: LoadLimits
) -> tuple[Obstacle, ...]:
    """What of a run breaks limits that may have been set since it was started."""
    state = ClusterState(cluster, None, None, limits=limits)
    return tuple(broken_limits(_requirements(spec, _on(cluster, tuple(cases))), state))


def with_credentials(
    found: Feasibility,
    work: Work,
    spec: ResolvedSpec,
    blocks: tuple[Block, ...],
    clusters: Mapping[str, Cluster],
) -> Feasibility:
    """Besides, whether each cluster's credentials outlast the blocks that are left."""
    nothing = Requirements((), {}, {})
    for name, cluster in clusters.items():
        if why := why_too_short(work, cluster, spec, blocks):
            # Of a cluster that is otherwise well: what else stands against it is said already.
            well = ClusterState(name, now(), None, credential=why)
            found = found.with_others(judge(nothing, well, now()))
    return found


def with_decision(found: Feasibility, spec: ResolvedSpec) -> Feasibility:
    """Besides, whether a run until decided has something to decide without the cases left out."""
    if spec.repetition.until_decided is None or compares(spec, found.impossible):
        return found
    cluster = found.left_out[0].obstacle.cluster
    cause = say("nothing_left_to_decide", cluster=cluster)
    remedy = say("fix_nothing_left_to_decide")
    obstacle = Obstacle(cluster, "nothing_left_to_decide", cause, remedy)
    return found.with_others(Feasibility((obstacle,)))


def cluster_state(work: Work, name: str, cluster: Cluster) -> ClusterState:
    """A cluster as its row tells."""
    failed = cluster.preflight_state is PreflightState.FAILED
    report = cluster.capabilities
    return ClusterState(
        cluster=name,
        preflighted_at=None if cluster.cluster_uid is None else cluster.preflighted_at,
        report=None if report is None else PREFLIGHT_REPORT.read(report),
        preflight_error=Message.of(cluster.preflight_error) if failed else None,
        needs_restore=Message.of(cluster.needs_restore_reason) if cluster.needs_restore else None,
        restored_elsewhere=bool(cluster.restored_elsewhere),
        allow_mode_switch=cluster.allow_mode_switch,
        by_hand_minutes=cluster.by_hand_minutes,
        allow_host_names=cluster.allow_host_names,
        outside=work.outside_client,
        limits=cluster.load_limits,
    )


def _on(name: str, cases: tuple[Case, ...]) -> tuple[Case, ...]:
    """The cases that are measured on one cluster."""
    return tuple(case for case in cases if case.get(CLUSTER) in (None, name))


def _requirements(spec: ResolvedSpec, cases: tuple[Case, ...]) -> Requirements:
    client, server = placed_by(spec)
    added = kind_of(spec).services_added(spec)
    return Requirements(
        demands=demands_of(spec, cases),
        modes={axis: spec.matrix[axis] for axis in sorted(spec.switched_axes)},
        known_modes={one.name: one.choices for one in mode_axes() if _knows(spec, one.name)},
        hosts=tuple(named_hosts(spec)),
        client=client,
        server=server,
        services=added.services,
        node_ports=added.node_ports,
        takes_switching=_taking_switching(spec),
        beside=walk_of(spec) is LadderOrder.SIDE_BY_SIDE,
        rotates=spec.rotation is not None,
        set_up_load=switching.load(spec),
    )


def _taking_switching(spec: ResolvedSpec) -> tuple[str, ...]:
    """What somebody who switches by hand cannot do for a run: kube-proxy's periods are set with
    its mode, and some probes switch while they measure.
    """
    given = [
        name
        for name in (sync_periods.PERIOD, sync_periods.MINIMUM)
        if spec.parameters.get(name) is not None
    ]
    return (*given, *kind_of(spec).switches_while_measuring(spec))


def _knows(spec: ResolvedSpec, axis: str) -> bool:
    return any(one.name == axis for one in kind_of(spec).axes)
