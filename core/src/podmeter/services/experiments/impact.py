"""What a run does to its clusters: Services, pods, requests, bandwidth, and switches."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from math import ceil, floor, log10

from podmeter.db.models import Cluster
from podmeter.db.repositories.paces import PaceRepository
from podmeter.domain.axes import MODE_AXES
from podmeter.domain.load import NO_LOAD, Load, bandwidth_text, rate_text
from podmeter.domain.messages import Message, say
from podmeter.domain.modes import KUBE_PROXY_MODE
from podmeter.kinds import switching
from podmeter.kinds.registry import KINDS, demands_of, kind_of
from podmeter.kinds.switch_outage import predicted_outage
from podmeter.services.experiments.pace import existing_services, ports_at_switches
from podmeter.services.experiments.plan import Plan
from podmeter.services.work import Work

#: So many of the latest runs on a cluster tell how long its switches take.
_LATEST_RUNS = 20
#: Of rungs, so many are listed with their outage: those with the longest.
_MOST_RUNGS = 8


def impact_of(work: Work, plan: Plan, clusters: Mapping[str, Cluster]) -> tuple[Message, ...]:
    """What a run of the plan does to these clusters, the most important first."""
    found: list[Message] = []
    for name, cluster in clusters.items():
        if switches := Counter(_ports_at_switches(plan, name)):
            found += _outages(name, switches, existing_services(cluster), _measured(work, cluster))
    if not clusters and (switches := Counter(_ports_at_switches(plan))):
        found += _outages(None, switches, None, ())
    return (*found, *_restarted(plan), *_recreated(plan), *_added(plan), *_sent(plan))


def _ports_at_switches(plan: Plan, cluster: str | None = None) -> Iterator[int]:
    """How many Service ports of the run exist in each switch of kube-proxy's mode.

    On the cluster; on all of them without one.
    """
    for one in plan.mode_changes:
        is_there = cluster is None or one.cluster in (None, cluster)
        if one.axis == KUBE_PROXY_MODE and is_there:
            yield one.ports


def _outages(
    cluster: str | None,
    switches: Counter[int],
    existing: int | None,
    measured: Iterable[tuple[int, float]],
) -> Iterator[Message]:
    base, known = existing or 0, [(base_of + (existing or 0), s) for base_of, s in measured]
    listed = []
    seen = 0
    for ports, count in sorted(switches.items(), reverse=True)[:_MOST_RUNGS]:
        seconds, by = predicted_outage(base + ports, known)
        seen = max(seen, by)
        listed.append(
            say("impact_outage_at", ports=base + ports, seconds=_rounded(seconds), count=count)
        )
    source = say("impact_measured", count=seen) if seen else say("impact_assumed")
    if cluster is None or existing is None:
        yield say("impact_outage_anywhere", switches=listed, source=source)
    else:
        yield say(
            "impact_outage", cluster=cluster, existing=existing, switches=listed, source=source
        )


def _restarted(plan: Plan) -> Iterator[Message]:
    kind = kind_of(plan.spec)
    ports = [
        found for block in plan.blocks for found in kind.ports_at_restarts(plan.spec, block.of_kind)
    ]
    if ports:
        yield say("impact_restarts", count=len(ports), ports=max(ports))


def _recreated(plan: Plan) -> Iterator[Message]:
    counts = Counter(one.axis for one in plan.mode_changes if one.axis in MODE_AXES)
    for axis in sorted(counts.keys() - {KUBE_PROXY_MODE}):
        yield say("impact_recreated", axis=axis, count=counts[axis])


def _added(plan: Plan) -> Iterator[Message]:
    spec, kind = plan.spec, kind_of(plan.spec)
    added = kind.services_added(spec)
    if added.services:
        ports = max(added.services, kind.service_ports(spec))
        yield say(
            "impact_services", services=added.services, ports=ports, node_ports=added.node_ports
        )
    yield say("impact_pods", pods=kind.pods(spec))


def _sent(plan: Plan) -> Iterator[Message]:
    load: Load = NO_LOAD
    cases = {case.key: case for block in plan.blocks for case in block.cases}
    for demand in demands_of(plan.spec, cases.values()):
        load = load.or_more(demand.load)
    load = load.or_more(switching.load(plan.spec))
    rate, bits = load.requests_per_second, load.bits_per_second
    if rate is None:
        yield say("impact_rate_unpaced")
    elif rate:
        yield say("impact_rate", rate=rate_text(rate))
    if bits is None:
        yield say("impact_bandwidth_unpaced")
    elif bits:
        yield say("impact_bandwidth", bandwidth=bandwidth_text(bits))
    if load.connections:
        yield say("impact_connections", connections=_magnitude(load.connections))


def _measured(work: Work, cluster: Cluster) -> list[tuple[int, float]]:
    """(Service ports of the run, seconds) of switches of kube-proxy's mode on the cluster.

    Seconds are the outage that was measured, and of blocks that measured none what the switch took.
    """
    paces = PaceRepository(work.session, cluster.organization_id)
    switched = {
        block.id: (block, ports)
        for block, ports in ports_at_switches(paces.switching_seconds(cluster.id, _LATEST_RUNS))
        if KUBE_PROXY_MODE in block.modes and block.kind in KINDS
    }
    seen: list[tuple[int, float]] = []
    outages = paces.outages(cluster.id, _LATEST_RUNS, switching.OUTAGE.name)
    for kind, case, seconds, block_id in outages:
        if not case.sets_up:
            # A trial switches on the rung of its case.
            if kind in KINDS:
                seen.append((KINDS[kind].ports_at(dict(case.point)), seconds))
        elif block_id in switched:
            seen.append((switched[block_id][1], seconds))
    measured = {one.block_id for one in outages}
    seen += [
        (ports, block.seconds)
        for block, ports in switched.values()
        if block.seconds is not None and block.id not in measured
    ]
    return seen


def _rounded(seconds: float) -> int:
    """Of a prediction two digits are enough."""
    if seconds < 100:
        return ceil(seconds)
    digits = _magnitude(seconds) // 10
    return round(seconds / digits) * digits


def _magnitude(value: float) -> int:
    """The power of ten at or below a value of 1 or more."""
    return int(10.0 ** floor(log10(value)))
