import json
import uuid
from base64 import b64encode, urlsafe_b64encode
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from sqlalchemy.orm import Session

from podmeter.db.base import now
from podmeter.db.models import Cluster, Membership, Organization, PreflightState, Role, User
from podmeter.domain.cluster_report import ClusterReport, NodeReport
from podmeter.jobs import Job
from podmeter.services.accounts.principal import Principal
from podmeter.services.execution import preflights
from podmeter.services.experiments import library
from podmeter.services.runs.start import start
from podmeter.services.work import Work

AXES: dict[str, list[str | int]] = {
    "path": ["node-node", "pod-pod"],
    "protocol": ["tcp"],
    "streams": [1],
}
#: The least that a preflight finds.
LOOKED_AT = ClusterReport(
    kubernetes_version="v1.34.1",
    nodes=[
        NodeReport(
            name=name,
            address="192.0.2.1",
            architecture="amd64",
            kernel="6.12",
            os="Debian 13",
            cpus="4",
            why_unfit=None,
        )
        for name in ("node-1", "node-2")
    ],
    rights={},
)
SPEC = {"name": "two paths", "kind": "throughput", "axes": AXES}


@dataclass
class RememberingQueue:
    """Keeps the jobs that were sent; `away` plays a broker that cannot be reached."""

    sent: list[Job] = field(default_factory=list)
    away: bool = False

    def send(self, job: Job) -> None:
        if self.away:
            raise ConnectionError("the broker is away")
        self.sent.append(job)


def make_principal(session: Session, name: str, role: Role = Role.ADMIN) -> Principal:
    """A member of the organization `name`, which is made where there is none."""
    organization = session.query(Organization).filter_by(name=name).one_or_none()
    organization = organization or Organization(name=name)
    user = User(email=f"{uuid.uuid4()}@{name}.example", password_hash="none")
    session.add_all([organization, user])
    session.flush()
    session.add(Membership(organization_id=organization.id, user_id=user.id, role=role))
    session.flush()
    return Principal(user.id, user.email, organization.id, name, role)


def begin_preflight(
    work: Work, organization_id: uuid.UUID, cluster_id: uuid.UUID
) -> preflights.PreflightRequest | None:
    """Ask for a preflight, and begin it as a worker does."""
    work.session.get_one(Cluster, cluster_id).preflight_state = PreflightState.QUEUED
    return preflights.begin(work, organization_id, cluster_id)


def kubeconfig(server: str, token: str = "t" * 40) -> bytes:
    """A kubeconfig with a token."""
    cluster = {"server": server, "certificate-authority-data": _authority()}
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "main",
            "contexts": [{"name": "main", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": cluster}],
            "users": [{"name": "u", "user": {"token": token}}],
        }
    ).encode()


def jwt(**claims: object) -> str:
    """A token that says this of itself."""
    body = urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return f"e30.{body}.signature"


@cache
def _authority() -> str:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kubernetes")])
    moment = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(moment - timedelta(days=1))
        .not_valid_after(moment + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    return b64encode(certificate.public_bytes(serialization.Encoding.PEM)).decode()


def make_cluster(session: Session, owner: Principal, uid: str | None, **values: object) -> Cluster:
    """A registered cluster, preflighted if its UID is known."""
    cluster = Cluster(
        organization_id=owner.organization_id,
        name=str(values.pop("name", f"cluster-{uuid.uuid4()}")),
        server="https://192.0.2.1:6443",
        kubeconfig=b"sealed",
        cluster_uid=uid,
        preflight_state=PreflightState.SUCCEEDED if uid else PreflightState.NEVER,
        preflighted_at=now() if uid else None,
        **values,
    )
    session.add(cluster)
    session.flush()
    return cluster


def queue_run(work: Work, owner: Principal, *uids: str) -> uuid.UUID:
    """A queued run of two cases on each of the real clusters, of which "u" is one if none is."""
    clusters = [make_cluster(work.session, owner, uid) for uid in uids or ("u",)]
    if len(clusters) == 1:
        experiment = library.create(work, owner, SPEC)
        return start(work, owner, experiment.id, clusters[0].id).id
    axes = {**AXES, "cluster": [cluster.name for cluster in clusters]}
    experiment = library.create(work, owner, {**SPEC, "axes": axes})
    return start(work, owner, experiment.id, None).id
