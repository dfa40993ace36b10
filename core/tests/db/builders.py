import uuid
from datetime import timedelta
from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Session

from podmeter.db.base import now
from podmeter.db.models import (
    Block,
    CaseRecord,
    Cluster,
    Membership,
    Organization,
    Role,
    Run,
    RunCluster,
    User,
)
from podmeter.db.repositories.leases import GRACE, LeaseRepository
from podmeter.db.repositories.runs import RunRepository


def pass_grace(session: Session, passed: timedelta = GRACE) -> None:
    """The leases that have run out are found so, and nobody prolongs them meanwhile."""
    LeaseRepository(session).note_expired()
    noted = update(Run).where(Run.lease_found_expired_at.is_not(None))
    session.execute(noted.values(lease_found_expired_at=Run.lease_found_expired_at - passed))


def add_organization(session: Session, name: str) -> Organization:
    organization = Organization(name=name)
    user = User(email=f"{uuid.uuid4()}@example.org", password_hash="none")
    session.add_all([organization, user])
    session.flush()
    session.add(Membership(organization_id=organization.id, user_id=user.id, role=Role.ADMIN))
    session.flush()
    return organization


def add_cluster(session: Session, organization: Organization, **values: Any) -> Cluster:
    fields = {"name": f"c-{uuid.uuid4()}", "server": "https://k", "kubeconfig": b"sealed"}
    cluster = Cluster(organization_id=organization.id, **(fields | values))
    session.add(cluster)
    session.flush()
    return cluster


def add_run(session: Session, organization: Organization, *uids: str, cases: int = 1) -> Run:
    """A queued run that needs the real clusters with these UIDs."""
    run_id = uuid.uuid4()
    run = Run(
        id=run_id,
        organization_id=organization.id,
        name="a run",
        kind="throughput",
        spec={},
        written={},
        queued_at=now(),
    )
    own = {"organization_id": organization.id, "run_id": run_id}
    clusters = [RunCluster(name=uid, cluster_uid=uid, **own) for uid in uids]
    blocks = [Block(position=0, round=1, modes={}, **own)]
    records = [
        CaseRecord(position=n, key=f"case={n}", point={"case": n}, **own) for n in range(cases)
    ]
    RunRepository(session, organization.id).add(run, clusters, blocks, records)
    return run
