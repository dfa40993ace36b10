"""Keeping a cluster's kubeconfig, and replacing it by another one of the same cluster."""

import json
import uuid
from dataclasses import dataclass, field
from datetime import datetime

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.credentials.envelope import Binding, seal, unseal
from podmeter.credentials.key_ring import KeyRing
from podmeter.credentials.kubeconfig import SanitizedKubeconfig
from podmeter.db.base import now
from podmeter.db.models import Cluster, PreflightState, ReplacementState
from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.domain.messages import Message, say
from podmeter.services.errors import ConflictError, NotFoundError
from podmeter.services.work import Work


@dataclass(frozen=True)
class Vault:
    """What turns an untrusted kubeconfig into something that may be stored."""

    keys: KeyRing
    policy: AddressPolicy


@dataclass(frozen=True)
class StoredKubeconfig:
    """The fields kept of a cluster's kubeconfig, decrypted; never to be logged.

    `replacement` are those of one that waits until a worker has seen `must_be`, the UID that the
    cluster is known by, through it; `given_at` is when it was given. `renewed` says that the token
    in it is renewed by itself.
    """

    fields: dict[str, str] = field(repr=False)
    replacement: dict[str, str] | None = field(default=None, repr=False)
    must_be: str | None = None
    given_at: datetime | None = None
    renewed: bool = False


def binding(cluster: Cluster) -> Binding:
    """What an encrypted kubeconfig is bound to: it opens for its own row alone."""
    return Binding(str(cluster.organization_id), str(cluster.id))


def keep(cluster: Cluster, kept: SanitizedKubeconfig, vault: Vault) -> None:
    """Have a cluster be reached by this kubeconfig. What was known of it holds no longer."""
    _use(cluster, _sealed(cluster, kept, vault), kept.server, kept.expires_at)
    _forget_replacement(cluster)
    cluster.replacement = cluster.replacement_at = None
    cluster.replacement_reason = ""
    _begin_anew(cluster)


def replace(work: Work, cluster: Cluster, kept: SanitizedKubeconfig, vault: Vault) -> bool:
    """Have a locked cluster be reached by another kubeconfig; False if that has to wait.

    While a mode on it is still to be restored, it waits until the same cluster was seen through
    it: else what stood on one cluster would be restored on another. The queue must be locked.
    Raises ConflictError while a run is in progress.
    """
    clusters = ClusterRepository(work.session, cluster.organization_id)
    if clusters.under_way(cluster.id):
        raise ConflictError(say("kubeconfig_run_under_way"))
    if must_be(work, cluster) is None:
        keep(cluster, kept, vault)
        return True
    cluster.replacement_kubeconfig = _sealed(cluster, kept, vault)
    cluster.replacement_server = kept.server
    cluster.replacement_expires_at = kept.expires_at
    _say(cluster, ReplacementState.PENDING, "")
    cluster.restore_after = None
    return False


def must_be(work: Work, cluster: Cluster) -> str | None:
    """The UID that a registration must go on answering with; None if nothing depends on it.

    While a run is in progress or its modes are to be restored, it has to stay the same real
    cluster.
    """
    clusters = ClusterRepository(work.session, cluster.organization_id)
    for saved in clusters.saved_modes(cluster.id, open_only=True):
        return saved.cluster_uid
    depends = cluster.needs_restore or clusters.under_way(cluster.id)
    return cluster.cluster_uid if depends else None


def released(cluster: Cluster) -> None:
    """Use a waiting kubeconfig: no mode is left to restore."""
    if cluster.replacement is ReplacementState.PENDING:
        _take(cluster)
        _begin_anew(cluster)


def stored_kubeconfig(
    work: Work, organization_id: uuid.UUID, cluster_id: uuid.UUID, keys: KeyRing
) -> StoredKubeconfig:
    """What is stored of a cluster's kubeconfig, and of its waiting replacement.

    Nothing is replaced under a run. Raises NotFoundError, EnvelopeError.
    """
    clusters = ClusterRepository(work.session, organization_id)
    cluster = clusters.get(cluster_id)
    if cluster is None:
        raise NotFoundError("cluster")
    fields = _opened(cluster, cluster.kubeconfig, keys)
    if cluster.replacement_kubeconfig is None or clusters.under_way(cluster_id):
        return StoredKubeconfig(fields, renewed=cluster.renew_credential)
    waiting = _opened(cluster, cluster.replacement_kubeconfig, keys)
    known, given_at = _known_by(work, cluster), cluster.replacement_at
    return StoredKubeconfig(fields, waiting, known, given_at, cluster.renew_credential)


def accept(
    work: Work, organization_id: uuid.UUID, cluster_id: uuid.UUID, seen: StoredKubeconfig
) -> None:
    """Have a cluster be reached by the kubeconfig through which it was seen."""
    cluster = _waiting(work, organization_id, cluster_id, seen)
    if cluster is not None:
        _take(cluster)
        cluster.restore_attempts, cluster.restore_after = 0, None


def refuse(
    work: Work,
    organization_id: uuid.UUID,
    cluster_id: uuid.UUID,
    seen: StoredKubeconfig,
    reason: str,
) -> None:
    """Forget a kubeconfig through which another cluster was seen."""
    cluster = _waiting(work, organization_id, cluster_id, seen)
    if cluster is not None:
        _forget_replacement(cluster)
        _say(cluster, ReplacementState.REFUSED, reason)


def postpone_retry(
    work: Work,
    organization_id: uuid.UUID,
    cluster_id: uuid.UUID,
    seen: StoredKubeconfig,
    reason: str,
) -> None:
    """Note why nothing was seen through a kubeconfig; it is tried again."""
    cluster = _waiting(work, organization_id, cluster_id, seen)
    if cluster is not None:
        cluster.replacement_reason = reason


def _waiting(
    work: Work, organization_id: uuid.UUID, cluster_id: uuid.UUID, seen: StoredKubeconfig
) -> Cluster | None:
    """The cluster, unless the kubeconfig that was looked through waits no longer."""
    cluster = ClusterRepository(work.session, organization_id).get(cluster_id, lock=True)
    if (
        cluster is None
        or cluster.replacement is not ReplacementState.PENDING
        or cluster.replacement_at != seen.given_at
        or _known_by(work, cluster) != seen.must_be
    ):
        return None
    return cluster


def _known_by(work: Work, cluster: Cluster) -> str | None:
    """Modes restored meanwhile with the old kubeconfig do not make it another cluster."""
    return must_be(work, cluster) or cluster.cluster_uid


def _take(cluster: Cluster) -> None:
    if cluster.replacement_kubeconfig is None or cluster.replacement_server is None:
        raise ValueError("no kubeconfig waits")
    _use(
        cluster,
        cluster.replacement_kubeconfig,
        cluster.replacement_server,
        cluster.replacement_expires_at,
    )
    _forget_replacement(cluster)
    _say(cluster, ReplacementState.ACCEPTED, "")


def _use(cluster: Cluster, sealed: bytes, server: str, expires_at: datetime | None) -> None:
    cluster.kubeconfig, cluster.server, cluster.credential_expires_at = sealed, server, expires_at
    cluster.renew_at, cluster.credential_renewed_at, cluster.renewal_error = None, None, ""


def _say(cluster: Cluster, state: ReplacementState, reason: str | Message) -> None:
    cluster.replacement, cluster.replacement_reason = state, reason
    cluster.replacement_at = now()


def _forget_replacement(cluster: Cluster) -> None:
    cluster.replacement_kubeconfig = None
    cluster.replacement_server = cluster.replacement_expires_at = None


def _begin_anew(cluster: Cluster) -> None:
    """It may be another cluster now."""
    cluster.preflight_state = PreflightState.NEVER
    cluster.capabilities = cluster.cluster_uid = cluster.preflighted_at = None
    cluster.authority, cluster.restore_after = "", None


def _sealed(cluster: Cluster, kept: SanitizedKubeconfig, vault: Vault) -> bytes:
    return seal(json.dumps(kept.kept_fields()).encode(), binding(cluster), vault.keys)


def _opened(cluster: Cluster, sealed: bytes, keys: KeyRing) -> dict[str, str]:
    fields: dict[str, str] = json.loads(unseal(sealed, binding(cluster), keys))
    return fields
