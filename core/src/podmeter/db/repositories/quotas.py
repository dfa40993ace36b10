"""How much an organization has of what is limited."""

import uuid

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from podmeter.db.models import Cluster, Organization, PreflightState, Run
from podmeter.db.scopes import UNSCOPED
from podmeter.domain.run import RunState

_HELD: dict[str, Select[int]] = {
    "clusters": select(func.count()).select_from(Cluster),
    "queued_runs": select(func.count()).select_from(Run).where(Run.state == RunState.QUEUED),
    "preflights": select(func.count())
    .select_from(Cluster)
    .where(Cluster.preflight_state == PreflightState.RUNNING),
}
_OF: dict[str, type[Cluster] | type[Run]] = {
    "clusters": Cluster,
    "queued_runs": Run,
    "preflights": Cluster,
}


def lock_organization(session: Session, organization_id: uuid.UUID) -> None:
    """Block other requests for this until the commit; rows may refer to it."""
    session.execute(
        select(Organization.id)
        .where(Organization.id == organization_id)
        .with_for_update(key_share=True)
    )


def quota_usage(session: Session, organization_id: uuid.UUID, what: str) -> int:
    """How many an organization has of `clusters`, `queued_runs`, `preflights` in progress."""
    query = _HELD[what].where(_OF[what].organization_id == organization_id)
    return session.scalar(query.execution_options(**{UNSCOPED: True})) or 0
