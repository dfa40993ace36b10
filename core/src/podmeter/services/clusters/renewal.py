"""Tokens that renew themselves: due at half their life, and sealed like those that they replace.

A ServiceAccount that may asks for its own next token. Whether that is tried is the cluster's owner
to say (`renew_credential`), and the manifest's to allow.
"""

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from podmeter.credentials.bearer_token import ServiceAccountToken, service_account
from podmeter.credentials.envelope import seal, unseal
from podmeter.credentials.key_ring import KeyRing
from podmeter.db.base import now
from podmeter.db.models import Cluster
from podmeter.db.repositories.clusters import ClusterRepository, renewable_clusters
from podmeter.domain.messages import Message, say
from podmeter.services.audit.context import AuditContext
from podmeter.services.audit.record import Origin, record, record_failure
from podmeter.services.clusters.kubeconfigs import binding
from podmeter.services.work import Work

#: What the audit log calls it.
OPERATION = "renew_credential"
#: A renewal that failed is tried again after an eighth of what is left, within these bounds.
_SOONEST, _LATEST, _PART = timedelta(minutes=1), timedelta(hours=1), 8


@dataclass(frozen=True)
class Due:
    """A registered cluster whose token is due for a check; `uid` is that of the real cluster."""

    organization_id: uuid.UUID
    cluster_id: uuid.UUID
    uid: str


@dataclass(frozen=True)
class Present:
    """The token that a cluster is reached with; never to be logged.

    `fields` are those of its kubeconfig, `sealed` the same as they are stored: who changed them
    meanwhile has given another kubeconfig.
    """

    fields: dict[str, str] = field(repr=False)
    sealed: bytes = field(repr=False)
    token: ServiceAccountToken

    def with_token(self, token: str) -> dict[str, str]:
        """The fields with another token."""
        return {**self.fields, "token": token}


def due(work: Work) -> Sequence[Due]:
    """The clusters whose token is past half its life, or of which that is not known yet."""
    return [
        Due(cluster.organization_id, cluster.id, cluster.cluster_uid)
        for cluster in renewable_clusters(work.session, now())
        if cluster.cluster_uid is not None
    ]


def begin(work: Work, one: Due, keys: KeyRing) -> Present | None:
    """The token, if it must be renewed now; None, with when or why not noted, where it is not.

    Raises EnvelopeError.
    """
    cluster = _locked(work, one)
    if cluster is None or not cluster.renew_credential:
        return None
    fields: dict[str, str] = json.loads(unseal(cluster.kubeconfig, binding(cluster), keys))
    token = service_account(fields.get("token", ""))
    if token is None or "client_certificate" in fields:
        _say(work, cluster, say("renewal_no_token"))
        return None
    if now() < token.half_life:
        cluster.renew_at = token.half_life
        return None
    return Present(fields, cluster.kubeconfig, token)


def why_unlike(present: Present, given: str) -> Message | None:
    """Why what the API server gave does not do in the place of the present token, or None."""
    token = service_account(given)
    if token is None or token.account != present.token.account:
        return say("renewal_other_account")
    if token.expires_at <= present.token.expires_at:
        return say("renewal_no_longer")
    return None


def succeed(work: Work, one: Due, present: Present, given: str, keys: KeyRing) -> bool:
    """Have the cluster be reached with the next token; False where it has another kubeconfig."""
    cluster, token = _locked(work, one), service_account(given)
    if cluster is None or token is None or cluster.kubeconfig != present.sealed:
        return False
    content = json.dumps(present.with_token(given)).encode()
    cluster.kubeconfig = seal(content, binding(cluster), keys)
    cluster.credential_expires_at, cluster.renew_at = token.expires_at, token.half_life
    cluster.credential_renewed_at, cluster.renewal_error = now(), ""
    record(work.session, _act(cluster, until=_text(token.expires_at)), OPERATION, Origin())
    return True


def fail(work: Work, one: Due, reason: Message) -> None:
    """Note why a token could not be renewed, and when that is tried again."""
    cluster = _locked(work, one)
    if cluster is not None and cluster.renew_credential:
        _say(work, cluster, reason)


def _say(work: Work, cluster: Cluster, reason: Message) -> None:
    """Told once in the audit log, however often it is tried."""
    left = (cluster.credential_expires_at or now()) - now()
    cluster.renew_at = now() + min(max(left / _PART, _SOONEST), _LATEST)
    if cluster.renewal_error != reason:
        record_failure(work.session, _act(cluster, why=str(reason)), OPERATION)
    cluster.renewal_error = reason


def _locked(work: Work, one: Due) -> Cluster | None:
    return ClusterRepository(work.session, one.organization_id).get(one.cluster_id, lock=True)


def _act(cluster: Cluster, **details: str) -> AuditContext:
    act = AuditContext()
    act.by_upkeep(cluster.organization_id)
    act.to("cluster", cluster.id, cluster.name, **details)
    return act


def _text(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
