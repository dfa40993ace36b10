"""Everything that is stored encrypted. A new encrypted column is one line in `SEALED`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from podmeter.credentials.envelope import Binding
from podmeter.db.models import Cluster, IdempotencyKey
from podmeter.db.repositories.sealed import Column
from podmeter.services.clusters.kubeconfigs import binding


def answer_binding(row: IdempotencyKey) -> Binding:
    """What a kept answer is bound to, so that it opens in its own row alone."""
    return Binding(str(row.organization_id), f"{row.user_id}/{row.key}", "idempotent answer")


@dataclass(frozen=True)
class Sealed:
    """A column of envelopes; `name` is what people call its rows."""

    name: str
    column: Column
    binding: Callable[[Any], Binding]


SEALED = (
    Sealed("kubeconfigs", Cluster.kubeconfig, binding),
    Sealed("kubeconfigs that wait", Cluster.replacement_kubeconfig, binding),
    Sealed("kept answers", IdempotencyKey.body, answer_binding),
)
