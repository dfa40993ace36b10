"""The environment of a run: its clusters and their fingerprints, frozen in the run."""

import hashlib
import json
import uuid
from dataclasses import dataclass
from typing import Any

from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.db.repositories.runs import RunRepository
from podmeter.domain.bench_image import NOTHING_OWN, OwnImage
from podmeter.domain.errors import PreconditionError
from podmeter.domain.experiment import FROZEN, ResolvedSpec
from podmeter.domain.load import UNLIMITED, LoadLimits
from podmeter.domain.messages import say
from podmeter.domain.planning import Block
from podmeter.services.experiments.planned import planned_blocks
from podmeter.services.runs.lifecycle import RunHold, lock_run
from podmeter.services.work import Work


@dataclass(frozen=True)
class ClusterIdentity:
    """A registered cluster of a run; `name` is what the spec's axis `cluster` calls it.

    `by_hand_minutes` is how long somebody has to switch a mode by hand, None where nobody does.
    """

    name: str
    cluster_id: uuid.UUID
    cluster_uid: str
    allow_mode_switch: bool
    image: OwnImage = NOTHING_OWN
    allow_host_names: bool = False
    by_hand_minutes: int | None = None
    limits: LoadLimits = UNLIMITED


@dataclass(frozen=True)
class Assignment:
    """What a run is to do, planned once, and on which clusters."""

    spec: ResolvedSpec
    blocks: tuple[Block, ...]
    attempt: int
    clusters: tuple[ClusterIdentity, ...]


def assignment(work: Work, run_hold: RunHold) -> Assignment:
    """The run's spec, plan and clusters.

    Raises FencedError; PreconditionError where a cluster is not registered any more.
    """
    run = lock_run(work, run_hold)
    runs = RunRepository(work.session, run_hold.organization_id)
    clusters = ClusterRepository(work.session, run_hold.organization_id)
    identities = []
    for row in runs.clusters([run.id])[run.id]:
        cluster = clusters.get(row.cluster_id) if row.cluster_id else None
        if cluster is None:
            raise PreconditionError(say("cluster_not_registered", cluster=row.name))
        identities.append(
            ClusterIdentity(
                row.name,
                cluster.id,
                row.cluster_uid,
                cluster.allow_mode_switch,
                cluster.own_image,
                cluster.allow_host_names,
                cluster.by_hand_minutes,
                cluster.load_limits,
            )
        )
    spec = FROZEN.read(run.spec)
    blocks = planned_blocks(spec, runs.all_cases(run.id), runs.blocks(run.id))
    return Assignment(spec, blocks, run.attempt, tuple(identities))


def freeze(work: Work, run_hold: RunHold, environment: dict[str, Any]) -> None:
    """Write what the run runs with; a later attempt's is added beside the earlier ones'.

    Raises FencedError.
    """
    run = lock_run(work, run_hold)
    attempts = dict((run.environment or {}).get("attempts", {}))
    attempts[str(run.attempt)] = environment
    run.environment = {**environment, "attempts": attempts}
    work.session.flush()


def digest_of(content: dict[str, Any]) -> bytes:
    """SHA-256 of a document, the same whatever the order of its keys."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).digest()
