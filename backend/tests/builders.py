"""What tests of the API put in place: kubeconfigs, clusters, runs."""

import uuid
from base64 import b64encode
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import httpx
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from sqlalchemy import func, update

from podmeter.db.base import now
from podmeter.db.models import Cluster, PreflightState
from podmeter.db.repositories.runs import RunRepository
from podmeter.db.session import Sessions
from podmeter.domain.cluster_report import NodeReport
from podmeter.domain.measurement import Measurement, Series
from podmeter.domain.planning import Case, PlannedTrial
from podmeter.domain.ports import LogLevel
from podmeter.domain.run import CaseStatus, Outcome, RunState
from podmeter.domain.trial import Failure, Invocation, TrialReport, TrialStatus
from podmeter.services.execution.environment import freeze
from podmeter.services.runs import lifecycle, recording
from podmeter.services.runs.lifecycle import RunHold
from podmeter.services.runs.recording import TrialOrigin
from podmeter.services.work import Work

TOKEN = "canary-" + "t" * 40
SPEC: dict[str, Any] = {
    "name": "two paths",
    "kind": "throughput",
    "axes": {"path": ["node-node", "pod-pod"], "protocol": ["tcp"], "streams": [1]},
}

UNTIL_DECIDED: dict[str, Any] = {**SPEC, "repetition": {"until_decided": {"difference": 0.1}}}


@cache
def authority() -> str:
    """A certificate authority in PEM."""
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
        .not_valid_after(moment + timedelta(days=365))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


def kubeconfig(server: str = "https://203.0.113.7:6443", **user: Any) -> str:
    """A kubeconfig with a token, or with what `user` says."""
    return _kubeconfig(server) if not user else _dumped(server, user)


@cache
def _kubeconfig(server: str) -> str:
    """With a token: most tests take this one."""
    return _dumped(server, {"token": TOKEN})


def _dumped(server: str, user: dict[str, Any]) -> str:
    ca = b64encode(authority().encode()).decode()
    return yaml.safe_dump(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "main",
            "contexts": [{"name": "main", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [
                {"name": "c", "cluster": {"server": server, "certificate-authority-data": ca}}
            ],
            "users": [{"name": "u", "user": user}],
        }
    )


def two_nodes() -> list[NodeReport]:
    """What a preflight says of two nodes that take measuring pods."""
    return [
        NodeReport(
            name=name,
            address=f"192.0.2.{number}",
            architecture="amd64",
            kernel="6.12",
            os="Debian 13",
            cpus="4",
            why_unfit=None,
        )
        for number, name in enumerate(("node-1", "node-2"), 1)
    ]


def register(client: httpx.Client, name: str = "prod", **fields: Any) -> dict[str, Any]:
    """Register a cluster."""
    body = {"name": name, "kubeconfig": kubeconfig(), **fields}
    answer = client.post("/api/v1/clusters", json=body)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def reach(sessions: Sessions, cluster_id: str, uid: str = "uid-1") -> None:
    """Play the worker's preflight: the cluster was reached."""
    with sessions.begin() as session:
        session.execute(
            update(Cluster)
            .where(Cluster.id == uuid.UUID(cluster_id))
            .values(
                cluster_uid=uid,
                preflight_state=PreflightState.SUCCEEDED,
                preflighted_at=func.now(),
            )
        )


def queue_run(
    client: httpx.Client, sessions: Sessions, uid: str = "uid-1", spec: dict[str, Any] = SPEC
) -> dict[str, Any]:
    """A queued run of two cases on a cluster of its own name."""
    cluster = register(client, name=f"cluster-{uuid.uuid4()}")
    reach(sessions, cluster["id"], uid)
    experiment = client.post("/api/v1/experiments", json=spec).json()
    answer = client.post(
        f"/api/v1/experiments/{experiment['id']}/runs", json={"cluster_id": cluster["id"]}
    )
    assert answer.status_code == 202, answer.text
    return dict(answer.json())


class PlayedWorker:
    """Does to a run what a worker would."""

    def __init__(self, sessions: Sessions, organization_id: str, run_id: str) -> None:
        self.sessions = sessions
        self.organization_id = uuid.UUID(organization_id)
        self.run_id = uuid.UUID(run_id)
        with sessions.begin() as session:
            run_hold = lifecycle.take(
                Work(session), self.organization_id, self.run_id, "w", timedelta(minutes=5)
            )
        assert run_hold is not None
        self.run_hold: RunHold = run_hold

    def move(self, to: RunState, outcome: Outcome | None = None, reason: str = "") -> None:
        with self.sessions.begin() as session:
            lifecycle.move(Work(session), self.run_hold, to, outcome, reason)

    def log(self, message: str) -> None:
        with self.sessions.begin() as session:
            recording.log(Work(session), self.run_hold, LogLevel.INFO, message)

    def case_and_block(self) -> None:
        """The first block begins, and its first case."""
        with self.sessions.begin() as session:
            runs = RunRepository(session, self.organization_id)
            case, block = runs.all_cases(self.run_id)[0], runs.blocks(self.run_id)[0]
            recording.set_block(Work(session), self.run_hold, block, CaseStatus.RUNNING)
            recording.set_case(Work(session), self.run_hold, case, CaseStatus.RUNNING)

    def freeze(self, environment: dict[str, Any]) -> None:
        with self.sessions.begin() as session:
            freeze(Work(session), self.run_hold, environment)

    def trial(self, number: int, *, failed: bool = False) -> int:
        """A trial of the first case; its id."""
        with self.sessions.begin() as session:
            runs = RunRepository(session, self.organization_id)
            case, block = runs.all_cases(self.run_id)[0], runs.blocks(self.run_id)[0]
            planned = PlannedTrial(Case.at(case.point), round=1, number=number)
            place = TrialOrigin(case.id, block.id, planned, now())
            report = _FAILED if failed else _COUNTED
            return recording.store_trial(Work(session), self.run_hold, place, report).id

    def finish(self, outcome: Outcome = Outcome.SUCCEEDED, reason: str = "") -> None:
        self.move(RunState.CLEANING, outcome, reason)
        self.move(RunState.FINISHED)
        with self.sessions.begin() as session:
            lifecycle.release_run(Work(session), self.run_hold)


_INVOCATION = Invocation("iperf3", "3.18", ("iperf3", "-c"), "client", 0, '{"end": 1}', "", 5.0)
_COUNTED = TrialReport(
    status=TrialStatus.COUNTED,
    measurements=(Measurement("throughput", 9.5e9), Measurement("cpu", 0.25, "worker-1")),
    series=(Series("throughput", (1.0, 2.0), (9.4e9, 9.6e9)),),
    invocations=(_INVOCATION,),
    seconds=5.5,
    tool_seconds=5.0,
)
_FAILED = TrialReport(
    status=TrialStatus.FAILED,
    invocations=(_INVOCATION,),
    failure=Failure("lab", "the pod is gone", temporary=True),
)
