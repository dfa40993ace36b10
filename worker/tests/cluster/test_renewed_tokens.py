"""A real token of ten minutes, the least that an API server gives, renews itself."""

import time

import pytest
from sqlalchemy import select

from podmeter.credentials.bearer_token import service_account
from podmeter.db.models import AuditEntry, Cluster
from podmeter.domain.ports import POD_NAMESPACE
from podmeter.jobs import RenewCredentials
from podmeter.rbac.capabilities import SERVICE_ACCOUNT
from podmeter.services.clusters.renewal import OPERATION
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.resources import SERVICE_ACCOUNTS

from ..relay import Relay
from .conftest import HeldStack, as_kubeconfig

pytestmark = [pytest.mark.cluster, pytest.mark.services, pytest.mark.timeout(900)]
SECONDS = 600


def test_a_token_of_ten_minutes_is_followed_by_the_next(
    looked_at: HeldStack, granted: dict[str, str], admin: KubeClient, relay: Relay
) -> None:
    body = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenRequest",
        "spec": {"expirationSeconds": SECONDS},
    }
    path = SERVICE_ACCOUNTS.path(POD_NAMESPACE, SERVICE_ACCOUNT, "token")
    first = service_account(token := admin.create(path, body)["status"]["token"])
    assert first is not None
    fields = {**granted, "token": token}
    document = as_kubeconfig(fields, relay.port, admin.access.tls_name)
    cluster_id = looked_at.register("short-lived", document, allow_mode_switch=False)
    with looked_at.sessions.begin() as session:
        cluster = session.get_one(Cluster, cluster_id)
        cluster.renew_credential = True
        cluster.cluster_uid = looked_at.cluster(looked_at.cluster_id).cluster_uid
    looked_at.start_worker()
    asked = time.monotonic()

    def renewed() -> bool:
        nonlocal asked
        if time.monotonic() >= asked:
            looked_at.send(RenewCredentials())
            asked = time.monotonic() + 5
        row = looked_at.cluster(cluster_id)
        assert not row.renewal_error
        return row.credential_renewed_at is not None

    looked_at.wait(renewed, "the token is renewed", SECONDS)
    row = looked_at.cluster(cluster_id)
    assert row.credential_renewed_at is not None
    assert row.credential_expires_at is not None
    assert row.credential_renewed_at >= first.half_life
    assert row.credential_expires_at > first.expires_at
    with looked_at.sessions() as session:
        (entry,) = session.scalars(select(AuditEntry).where(AuditEntry.operation == OPERATION))
    assert (entry.object_id, entry.refused) == (str(cluster_id), False)
