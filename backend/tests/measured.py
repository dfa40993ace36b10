"""Runs with everything that a worker leaves behind, written straight into the database."""

import hashlib
import json
import random
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from podmeter.db.base import now
from podmeter.db.models import (
    Block,
    CaseRecord,
    Cluster,
    FingerprintRecord,
    InvocationRecord,
    MeasurementRecord,
    Organization,
    Run,
    RunCluster,
    Trial,
)
from podmeter.db.session import Sessions
from podmeter.domain.messages import say
from podmeter.domain.node_pairs import KnownNode
from podmeter.domain.planning import Block as PlannedBlock
from podmeter.domain.planning import PlannedTrial
from podmeter.domain.run import CaseStatus, Outcome, RunState
from podmeter.domain.trial import TrialStatus
from podmeter.kinds.registry import kind_of, plan, read_spec, resolve, with_pairs

Point = Mapping[str, str | int]
#: What the trials of a case measure: metric (with its subject) to centre; None fails the trial.
Measure = Callable[[Point], Mapping[tuple[str, str], float] | None]

SERVER = "https://api.prod.acme.example:6443"
NODES = ("acme-worker-1", "acme-worker-2")


def fingerprint(uid: str = "uid-1", **changes: Any) -> dict[str, Any]:
    """A cluster of two nodes; `kernel`, `nics` and the modes can be changed."""
    node = {
        "kernel": changes.get("kernel", "6.12.0"),
        "os": "Debian GNU/Linux 13",
        "architecture": "amd64",
        "cpu_count": 4,
        "memory_bytes": 8 * 2**30,
        "mtus": {"eth0": 1500},
        "nics": changes.get("nics", []),
    }
    return {
        "cluster_uid": uid,
        "kubernetes_version": "1.34.1",
        "nodes": [{"name": name, **node} for name in NODES],
        "shared_host": False,
        "cni": {
            "name": "flannel",
            "encapsulation": changes.get("encapsulation", "vxlan"),
            "pod_mtu": changes.get("pod_mtu"),
        },
        "kube_proxy": {"mode": changes.get("kube_proxy_mode", "iptables")},
        "tool_versions": {"iperf3": "3.18"},
    }


@dataclass
class Measured:
    """How a run is to look."""

    spec: dict[str, Any]
    measure: Measure
    #: Its name, or its id where that may have been changed.
    organization: str | uuid.UUID = "ours"
    uid: str = "uid-1"
    cluster: str = "c"
    environment: dict[str, Any] = field(default_factory=dict)
    recorded: bool = True
    noise: float = 0.01
    seed: int = 1
    ago: timedelta = timedelta()
    #: What each trial of a case keeps besides its figures.
    facts: Callable[[Point], Mapping[str, str]] = lambda _: {}
    #: Of the cluster it ran on; without one it is given one of its own.
    cluster_id: uuid.UUID | None = None
    labels: list[str] = field(default_factory=list)


def store(sessions: Sessions, wanted: Measured) -> uuid.UUID:
    """A finished run; its id."""
    with sessions.begin() as session:
        owner = wanted.organization
        if isinstance(owner, str):
            owner = session.scalars(select(Organization.id).where(Organization.name == owner)).one()
        return _run(session, owner, wanted)


def _run(session: Session, owner: uuid.UUID, wanted: Measured) -> uuid.UUID:
    written = read_spec(wanted.spec)
    spec = with_pairs(resolve(written), [KnownNode(name) for name in NODES])
    run_id, moment = uuid.uuid4(), now() - wanted.ago
    own = {"organization_id": owner, "run_id": run_id}
    cluster = _cluster(session, owner, run_id, wanted)
    run = Run(
        id=run_id,
        organization_id=owner,
        name=spec.name,
        kind=spec.kind,
        written=written.model_dump(mode="json"),
        spec=spec.model_dump(mode="json"),
        state=RunState.FINISHED,
        outcome=Outcome.SUCCEEDED,
        created_at=moment,
        queued_at=moment,
        started_at=moment,
        finished_at=moment,
        labels=list(wanted.labels),
    )
    session.add(run)
    session.flush()
    session.add(
        RunCluster(
            name=wanted.cluster,
            cluster_id=cluster.id,
            cluster_uid=wanted.uid,
            authority=cluster.authority,
            **own,
        )
    )
    cases = {
        case.key: CaseRecord(
            position=position,
            key=case.key,
            point=dict(case.point),
            once=case.once,
            status=CaseStatus.SUCCEEDED,
            placement={"client_node": NODES[0], "server_node": NODES[1]},
            **own,
        )
        for position, case in enumerate(kind_of(spec).cases(spec))
    }
    session.add_all(cases.values())
    blocks = [one.of_kind for one in plan(spec)]
    rows = _blocks(session, cluster, blocks, own, wanted)
    session.add_all(rows)
    session.flush()
    trials: list[dict[str, Any]] = []
    centres: list[Mapping[tuple[str, str], float] | None] = []
    for block, row in zip(blocks, rows, strict=True):
        for trial in block.trials:
            case, point = cases[trial.case.key], dict(trial.case.point)
            centres.append(wanted.measure(point))
            failed = centres[-1] is None
            record = _trial(own, case, row, trial, failed=failed)
            trials.append(record | {"facts": dict(wanted.facts(point))})
            if failed:
                case.status, case.reason = CaseStatus.FAILED, "every trial failed"
    _insert_trials(session, trials, centres, wanted)
    return run_id


def _blocks(
    session: Session,
    cluster: Cluster,
    blocks: Sequence[PlannedBlock],
    own: Mapping[str, uuid.UUID],
    wanted: Measured,
) -> list[Block]:
    """Blocks in the same modes share a fingerprint."""
    fingerprints: dict[str, uuid.UUID] = {}

    def fingerprint_of(modes: dict[str, Any]) -> uuid.UUID | None:
        if not wanted.recorded:
            return None
        key = json.dumps(modes, sort_keys=True)
        if key not in fingerprints:
            content = fingerprint(wanted.uid, **{**wanted.environment, **modes})
            fingerprints[key] = _fingerprint(session, cluster, content)
        return fingerprints[key]

    return [
        Block(
            position=block.index,
            round=block.round,
            modes=dict(block.modes),
            status=CaseStatus.SUCCEEDED,
            fingerprint_id=fingerprint_of(dict(block.modes)),
            preparing_seconds=2.0,
            **own,
        )
        for block in blocks
    ]


def _insert_trials(
    session: Session,
    trials: list[dict[str, Any]],
    centres: list[Mapping[tuple[str, str], float] | None],
    wanted: Measured,
) -> None:
    """One statement a table: objects of so many rows took most of the time of many tests."""
    inserted = insert(Trial).returning(Trial.id, sort_by_parameter_order=True)
    ids = session.scalars(inserted, trials).all()
    session.execute(insert(InvocationRecord), [_invocation(trial_id) for trial_id in ids])
    draw = random.Random(wanted.seed)
    measurements = [
        {
            "trial_id": trial_id,
            "metric": metric,
            "subject": subject,
            "value": draw.gauss(centre, abs(centre) * wanted.noise),
        }
        for trial_id, of_trial in zip(ids, centres, strict=True)
        for (metric, subject), centre in (of_trial or {}).items()
    ]
    if measurements:
        session.execute(insert(MeasurementRecord), measurements)


def _cluster(session: Session, owner: uuid.UUID, run_id: uuid.UUID, wanted: Measured) -> Cluster:
    if wanted.cluster_id is not None:
        return session.get_one(Cluster, wanted.cluster_id)
    cluster = Cluster(
        organization_id=owner,
        name=f"c-{run_id}",
        server=SERVER,
        kubeconfig=b"",
        updated_at=now() - wanted.ago,
    )
    session.add(cluster)
    session.flush()
    return cluster


def _trial(
    own: Mapping[str, uuid.UUID],
    case: CaseRecord,
    block: Block,
    trial: PlannedTrial,
    *,
    failed: bool,
) -> dict[str, Any]:
    status = TrialStatus.WARMUP if trial.warmup else TrialStatus.COUNTED
    return {
        "case_id": case.id,
        "block_id": block.id,
        "round": trial.round,
        "number": trial.number,
        "warmup": trial.warmup,
        "attempt": 1,
        "status": TrialStatus.FAILED if failed else status,
        "failure_code": "tool_failed" if failed else None,
        "failure_message": f"no route to {NODES[1]} (10.0.0.2)" if failed else None,
        "failure_temporary": False if failed else None,
        "seconds": 6.0,
        "tool_seconds": 5.0,
        "overhead_seconds": 0.25,
        "started_at": now(),
        **own,
    }


def _invocation(trial_id: int) -> dict[str, Any]:
    return {
        "trial_id": trial_id,
        "position": 0,
        "tool": "iperf3",
        "version": "3.18",
        "argv": ["iperf3", "--client", "10.0.0.2", "--json"],
        "place": "pm-client",
        "exit_code": 0,
        "seconds": 5.0,
    }


def _fingerprint(session: Session, cluster: Cluster, content: dict[str, Any]) -> uuid.UUID:
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).digest()
    known = session.scalar(
        select(FingerprintRecord.id).where(
            FingerprintRecord.cluster_id == cluster.id, FingerprintRecord.digest == digest
        )
    )
    if known is not None:
        return known
    moment = now()
    row = FingerprintRecord(
        organization_id=cluster.organization_id,
        cluster_id=cluster.id,
        digest=digest,
        content=content,
        observed_at=moment,
        last_observed_at=moment,
    )
    session.add(row)
    session.flush()
    return row.id


def throughput(**changes: Any) -> dict[str, Any]:
    """A spec of two paths over flannel's two backends."""
    return {
        "name": "paths",
        "kind": "throughput",
        "axes": {
            "encapsulation": ["host-gw", "vxlan"],
            "path": ["node-node", "pod-pod"],
            "protocol": ["tcp"],
            "streams": [1],
        },
        "repetition": {"trials": 2, "rounds": 6},
        **changes,
    }


def service_scale(**changes: Any) -> dict[str, Any]:
    """A spec of three rungs in two modes of kube-proxy."""
    return {
        "name": "ladder",
        "kind": "service_scale",
        "axes": {
            "kube_proxy_mode": ["iptables", "nftables"],
            "services": [10, 1000, 2000],
            "target": ["last"],
            "probe": ["qps"],
        },
        "repetition": {"trials": 2, "rounds": 6},
        **changes,
    }


def paths(point: Point) -> dict[tuple[str, str], float]:
    """VXLAN costs a fifth, and pods nothing with host-gw; one CPU share besides."""
    slow = point.get("encapsulation") == "vxlan" and point["path"] == "pod-pod"
    return {("throughput", ""): 8e9 if slow else 1e10, ("node_cpu", "client"): 0.5}


def ladder(point: Point) -> dict[tuple[str, str], float]:
    """Iptables falls with the Services, nftables stays."""
    falls = point["kube_proxy_mode"] == "iptables"
    services = int(point["services"])
    return {
        ("requests_per_second", ""): 10_000 - (3 * services if falls else 0) - 500 * (not falls)
    }


def end_early(sessions: Sessions, run: uuid.UUID, unmeasured: Callable[[Block], bool]) -> None:
    """Make a run partial that ended before it measured these blocks."""
    with sessions.begin() as session:
        row = session.get_one(Run, run)
        row.outcome, row.reason = Outcome.PARTIAL, say("internal_error", type="KeyError")
        for block in session.scalars(select(Block).where(Block.run_id == run)):
            if unmeasured(block):
                block.status = CaseStatus.SKIPPED
