"""Asking a cluster for the next token of the account that it is reached with.

Called by beat every minute; several at a time do no harm.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from podmeter.db.repositories.locks import try_lock
from podmeter.domain.errors import PodmeterError
from podmeter.domain.messages import Message, say
from podmeter.logs import bound
from podmeter.services.clusters import renewal
from podmeter.stack.counts import Count
from podmeter_worker.counting import tally
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.facts.identity import Identity
from podmeter_worker.kube.resources import SERVICE_ACCOUNTS
from podmeter_worker.worker_pool import WorkerPool

if TYPE_CHECKING:
    from podmeter.services.clusters.renewal import Due, Present
    from podmeter_worker.state import WorkerState

logger = logging.getLogger(__name__)

_PATIENCE_SECONDS = 15.0
#: Where nobody else says how many.
_AT_ONCE = 8


def renew_all(here: WorkerState, crew: WorkerPool | None = None) -> None:
    """Renew the tokens that are due. With a crew given it continues with that; else all is done."""
    doing = crew or WorkerPool(_AT_ONCE)
    for one in here.database.write(renewal.due):
        doing.ask(one.organization_id, f"renew {one.cluster_id}", partial(renew, here, one))
    if crew is None:
        doing.wait()


def renew(here: WorkerState, one: Due) -> None:
    """Renew one cluster's token, if that is due; why it cannot be is kept with the cluster."""
    name = f"renew {one.cluster_id}"
    with bound(cluster=one.cluster_id), try_lock(here.sessions, name) as got:
        if not got:
            return
        keys = here.connector.keys
        try:
            present = here.database.write(lambda work: renewal.begin(work, one, keys))
            if present is None:
                return
            given = _ask(here, one, present)
            if why := renewal.why_unlike(present, given):
                here.database.write(partial(renewal.fail, one=one, reason=why))
                return
            here.connector.look(present.with_token(given), Identity(one.uid))
        except PodmeterError as error:
            reason = _reason(error)
            here.database.write(partial(renewal.fail, one=one, reason=reason))
            tally.note(Count.RENEWALS, "failed")
            logger.warning("the token of cluster %s was not renewed: %s", one.cluster_id, reason)
            return
        here.database.write(lambda work: renewal.succeed(work, one, present, given, keys))
        tally.note(Count.RENEWALS, "succeeded")


def _ask(here: WorkerState, one: Due, present: Present) -> str:
    """The next token of the account itself, for as long as the present one was given for."""
    namespace, name = present.token.account
    body = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenRequest",
        "spec": {"expirationSeconds": present.token.seconds},
    }
    identity = Identity(one.uid)
    with here.connector.client(
        one.organization_id, one.cluster_id, identity, _PATIENCE_SECONDS
    ) as client:
        answer = client.create(SERVICE_ACCOUNTS.path(namespace, name, "token"), body)
    return str((answer.get("status") or {}).get("token") or "")


def _reason(error: PodmeterError) -> Message:
    if isinstance(error, ApiRefusedError) and error.status == 403:
        return say("renewal_forbidden")
    return say("renewal_failed", why=error.said)
