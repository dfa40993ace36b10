"""Whether a cluster's credentials last until a run has been cleaned up after.

A run whose credentials expire in progress leaves the cluster's modes switched, and nobody can
restore them before its owner provides new ones.
"""

from math import ceil

from podmeter.db.base import now
from podmeter.db.models import Cluster, Run
from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.db.repositories.runs import RunRepository
from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.messages import Message, say
from podmeter.domain.planning import Block
from podmeter.services.execution.progress import kept_trials
from podmeter.services.execution.remaining import left_to_run
from podmeter.services.experiments.pace import on_cluster
from podmeter.services.experiments.plan import Plan, expected_seconds
from podmeter.services.work import Work

#: What a run takes besides its trials and switches: preparing, waiting for an API server that is
#: away, cleaning up. Of the plan's own time too, since that is estimated.
_LEAST_MARGIN_SECONDS, _MARGIN = 600.0, 0.25


def why_too_short(
    work: Work, cluster: Cluster, spec: ResolvedSpec, blocks: tuple[Block, ...]
) -> Message | None:
    """Why a run of these blocks must not begin on a cluster now, or None.

    How long it takes goes by the cluster's own pace. Credentials that do not say when they expire,
    and those that renew themselves, are taken to last.
    """
    expires = cluster.credential_expires_at
    if expires is None or cluster.renews_itself:
        return None
    seconds = expected_seconds(Plan(spec, blocks, pace=on_cluster(work, cluster, spec)))
    margin = max(_LEAST_MARGIN_SECONDS, _MARGIN * seconds)
    left = (expires - now()).total_seconds()
    if left >= seconds + margin:
        return None
    return say(
        "credential_too_short",
        cluster=cluster.name,
        expires=f"{expires:%Y-%m-%d %H:%M}",
        left=max(0, int(left // 60)),
        planned=ceil(seconds / 60),
        margin=ceil(margin / 60),
    )


def credentials_too_short(work: Work, run: Run, planned: Plan) -> list[str]:
    """Why what is left of a run must not begin now, for each of its clusters that forbids it.

    `planned` is the whole of the run, of a kind that this version measures.
    """
    runs = RunRepository(work.session, run.organization_id)
    clusters = ClusterRepository(work.session, run.organization_id)
    left = left_to_run(planned.blocks, kept_trials(work, run.organization_id, run.id))
    rows = runs.clusters([run.id])[run.id]
    used = [clusters.get(row.cluster_id) for row in rows if row.cluster_id]
    found = (why_too_short(work, one, planned.spec, left) for one in used if one is not None)
    return [why for why in found if why]
