"""All models; importing this package makes the metadata complete."""

from podmeter.db.models.accounts import (
    AddressProof,
    ApiToken,
    IdempotencyKey,
    Invitation,
    LoginSession,
    Membership,
    Organization,
    PasswordReset,
    Role,
    User,
)
from podmeter.db.models.audit import AuditEntry, AuditRetention, Via
from podmeter.db.models.ci import CiTrust, CiTrustExperiment
from podmeter.db.models.clusters import (
    Cluster,
    FingerprintRecord,
    PreflightState,
    ReplacementState,
    SavedMode,
)
from podmeter.db.models.experiments import Experiment
from podmeter.db.models.favourites import Favourite
from podmeter.db.models.journal import RunEvent, RunLogLine
from podmeter.db.models.marks import Marked
from podmeter.db.models.runs import (
    Block,
    CaseRecord,
    ClusterClaim,
    Run,
    RunCluster,
    RunDigest,
)
from podmeter.db.models.sharing import ComparisonRecord, Snapshot
from podmeter.db.models.trials import InvocationRecord, MeasurementRecord, SeriesRecord, Trial

__all__ = [
    "AddressProof",
    "ApiToken",
    "AuditEntry",
    "AuditRetention",
    "Block",
    "CaseRecord",
    "CiTrust",
    "CiTrustExperiment",
    "Cluster",
    "ClusterClaim",
    "ComparisonRecord",
    "Experiment",
    "Favourite",
    "FingerprintRecord",
    "IdempotencyKey",
    "Invitation",
    "InvocationRecord",
    "LoginSession",
    "Marked",
    "MeasurementRecord",
    "Membership",
    "Organization",
    "PasswordReset",
    "PreflightState",
    "ReplacementState",
    "Role",
    "Run",
    "RunCluster",
    "RunDigest",
    "RunEvent",
    "RunLogLine",
    "SavedMode",
    "SeriesRecord",
    "Snapshot",
    "Trial",
    "User",
    "Via",
]
