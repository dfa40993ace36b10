"""Clusters, in the API's shape. A kubeconfig goes in and never comes out."""

import uuid
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from podmeter.credentials.kubeconfig import SanitizedKubeconfig
from podmeter.db.models import Cluster, FingerprintRecord, PreflightState, ReplacementState
from podmeter.domain.by_hand import DEFAULT_MINUTES, MOST_MINUTES
from podmeter.domain.cluster_report import PREFLIGHT_REPORT, ClusterReport, UnrestoredSwitch
from podmeter.domain.displayed import Displayed
from podmeter.domain.experiment import KindName
from podmeter.domain.messages import Message, Reason, reason
from podmeter.domain.moment import Moment
from podmeter.domain.stored import StoredDocumentError
from podmeter.services.accounts.principal import Principal
from podmeter.services.search import annotations as finding
from podmeter.services.work import Work
from podmeter_api.fields import Force, ImageReference, Name, SecretName, Text
from podmeter_api.marks.schemas import Marks

#: How long somebody has to switch a mode by hand.
ByHandMinutes = Annotated[
    int,
    Field(
        ge=1,
        le=MOST_MINUTES,
        description="how long a run waits for each mode that somebody switches by hand",
    ),
]
#: Limits of the load of runs.
MaxRequests = Annotated[
    int,
    Field(
        ge=1,
        le=10**9,
        description="the most requests, messages and new connections a second that a run may "
        "send; null is unlimited. Experiments that send more, or as fast as the path allows, are "
        "refused",
    ),
]
MaxBandwidth = Annotated[
    int,
    Field(
        ge=1,
        le=10**15,
        description="the most payload in bit/s that a run may send, all streams together; null is "
        "unlimited. Experiments that send more, or as fast as the path allows, are refused",
    ),
]


class NewCluster(BaseModel):
    """A cluster to register."""

    model_config = ConfigDict(extra="forbid")

    name: Name
    kubeconfig: SecretStr = Field(
        min_length=1,
        max_length=256 * 1024,
        description="YAML or JSON, as `kubectl config view --minify --flatten --raw` prints it",
    )
    context: Annotated[str, Displayed()] | None = Field(
        default=None, max_length=500, description="which context, where there are several"
    )
    description: Text = ""
    allow_mode_switch: bool = Field(
        default=False,
        description="whether runs may switch the cluster's modes, which all workloads on it feel",
    )
    allow_host_names: bool = Field(
        default=False,
        description="whether runs may ask for host names of their own choice (host_name), and make "
        "Ingresses for them, which a controller may serve in the place of a live host",
    )
    renew_credential: bool = Field(
        default=False,
        description="whether Podmeter asks for the next token at half the life of the present one; "
        "the manifest must allow that (GET /rbac, renew)",
    )
    allow_switch_by_hand: bool = Field(
        default=False,
        description="whether somebody switches modes by hand: a run waits at each mode that "
        "Podmeter may not or cannot switch, until the nodes show it",
    )
    switch_by_hand_minutes: ByHandMinutes = DEFAULT_MINUTES
    max_requests_per_second: MaxRequests | None = None
    max_bandwidth_bits_per_second: MaxBandwidth | None = None
    bench_image: ImageReference | None = None
    image_pull_secret: SecretName | None = None


class ClusterPatch(BaseModel):
    """What to change of a cluster; what is absent stays.

    Null is the same as absent, but for the limits, the image and its pull secret: there it stands
    for unlimited, for the installation's image, and for none.
    """

    model_config = ConfigDict(extra="forbid")

    name: Name | None = None
    kubeconfig: SecretStr | None = Field(default=None, min_length=1, max_length=256 * 1024)
    context: Annotated[str, Displayed()] | None = Field(default=None, max_length=500)
    description: Text | None = None
    allow_mode_switch: bool | None = None
    allow_host_names: bool | None = None
    renew_credential: bool | None = None
    allow_switch_by_hand: bool | None = None
    switch_by_hand_minutes: ByHandMinutes | None = None
    max_requests_per_second: MaxRequests | None = None
    max_bandwidth_bits_per_second: MaxBandwidth | None = None
    bench_image: ImageReference | None = None
    image_pull_secret: SecretName | None = None
    needs_restore: Literal[False] | None = Field(
        default=None, description="false: the owner has restored the modes by hand"
    )


class KubeconfigReplacementView(BaseModel):
    """Other credentials, given while a mode on the cluster was still to be restored.

    pending: they wait until a worker has seen the same cluster through them; `reason` is why it
    has not yet. refused: another cluster answered, and they were forgotten. accepted: the same
    one answered, and they are in use. `at` is when that came to be.
    """

    state: ReplacementState
    reason: Reason
    server: str | None
    credential_expires_at: Moment | None
    at: Moment

    @classmethod
    def of(cls, row: Cluster) -> "KubeconfigReplacementView | None":
        """The row's shape; None where all credentials were used at once."""
        if row.replacement is None or row.replacement_at is None:
            return None
        return cls(
            state=row.replacement,
            reason=reason(row.replacement_reason),
            server=row.replacement_server,
            credential_expires_at=row.replacement_expires_at,
            at=row.replacement_at,
        )


class PutBack(BaseModel):
    """What stood before, as `capabilities` shows it: all of it, unchanged."""

    model_config = ConfigDict(extra="forbid")

    stood_before: list[UnrestoredSwitch] = Field(min_length=1, max_length=10)


class NoiseFloorRun(BaseModel):
    """Of which kind of experiment to measure the noise floor.

    `name` and `description` are the experiment's, in the language of anyone who asks; in English
    where they are left out.
    """

    model_config = ConfigDict(extra="forbid")

    kind: KindName
    name: Name | None = None
    description: Text | None = None
    force: Force = False


class ClusterView(BaseModel):
    """A registered cluster; `capabilities` is what the latest preflight found."""

    id: uuid.UUID
    name: str
    description: str
    server: str
    credential_expires_at: Moment | None
    cluster_uid: str | None = Field(
        description="UID of the kube-system namespace: the same for one real cluster"
    )
    preflight_state: PreflightState
    preflight_error: Reason
    preflighted_at: Moment | None
    capabilities: ClusterReport | None
    allow_mode_switch: bool
    allow_host_names: bool
    renew_credential: bool
    credential_renewed_at: Moment | None
    renewal_error: Reason = Field(description="why the token could not be renewed the last time")
    allow_switch_by_hand: bool
    switch_by_hand_minutes: int
    max_requests_per_second: int | None = Field(
        description="the most requests a second that a run may send; null: unlimited"
    )
    max_bandwidth_bits_per_second: int | None = Field(
        description="the most payload in bit/s that a run may send; null: unlimited"
    )
    bench_image: str | None = Field(
        description="the image of its measuring pods; null: the installation's (BENCH_IMAGE)"
    )
    image_pull_secret: str | None
    needs_restore: bool
    needs_restore_reason: Reason
    restored_elsewhere: bool = Field(
        description="whether it needs restore through another registration of the same cluster"
    )
    replacement: KubeconfigReplacementView | None
    version: int
    created_at: Moment
    updated_at: Moment
    marks: Marks = Field(description="not what `version` and the ETag are of")

    @classmethod
    def of(cls, row: Cluster, said: finding.Annotations) -> "ClusterView":
        """The row's shape, with what is said of it."""
        made: dict[str, Any] = {
            "replacement": KubeconfigReplacementView.of(row),
            "marks": Marks.model_validate(said),
        }
        if row.capabilities is not None:
            made |= _preflight(row.capabilities)
        fields = ClusterView.model_fields.keys() - made.keys()
        return cls.model_validate({name: getattr(row, name) for name in fields} | made)


def _preflight(stored: dict[str, Any]) -> dict[str, Any]:
    """What the latest preflight found; where its form cannot be read, the preflight has failed."""
    try:
        return {"capabilities": PREFLIGHT_REPORT.read(stored)}
    except StoredDocumentError as error:
        return {
            "capabilities": None,
            "preflight_state": PreflightState.FAILED,
            "preflight_error": error.said,
        }


def shown(work: Work, principal: Principal, row: Cluster) -> ClusterView:
    """One cluster as the caller sees it."""
    return ClusterView.of(row, finding.of(work, principal, [row])[row.id])


class DroppedField(BaseModel):
    """A part of the kubeconfig that was not kept, and why."""

    pointer: str
    reason: Message


class RegisteredCluster(ClusterView):
    """A cluster just registered, with what was not kept of its kubeconfig."""

    context: str
    dropped: list[DroppedField]

    @classmethod
    def with_kept(cls, seen: ClusterView, kept: SanitizedKubeconfig) -> "RegisteredCluster":
        """The cluster's shape, with what the sanitizer did."""
        return cls(
            **seen.model_dump(),
            context=kept.context,
            dropped=[DroppedField(pointer=d.pointer, reason=d.reason) for d in kept.dropped],
        )


class FingerprintView(BaseModel):
    """What a cluster was like, from the first until the last time it was seen so."""

    id: uuid.UUID
    content: dict[str, Any]
    observed_at: Moment
    last_observed_at: Moment

    @classmethod
    def of(cls, row: FingerprintRecord) -> "FingerprintView":
        """The row's shape."""
        return cls.model_validate(row, from_attributes=True)
