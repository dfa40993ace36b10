"""Creating an object under a name of the run's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain import labels
from podmeter.domain.errors import PreconditionError
from podmeter_worker.kube.errors import ApiRefusedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from podmeter.domain.messages import Message
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object, Resource


def create_own(
    client: KubeClient,
    resource: Resource,
    body: Object,
    run_label: str,
    refused: Callable[[str], Message],
) -> Object:
    """Create an object; one of the same name and run is found instead.

    Raises PreconditionError where the cluster takes no such object; `refused` puts what it says.
    """
    namespace, name = body["metadata"]["namespace"], body["metadata"]["name"]
    try:
        return client.create(resource.path(namespace), body)
    except ApiRefusedError as error:
        if error.reason == "AlreadyExists":
            found = client.get(resource.path(namespace, name))
            if found["metadata"].get("labels", {}).get(labels.RUN) == run_label:
                return found
        if error.status in (403, 422) or error.reason == "AlreadyExists":
            raise PreconditionError(refused(error.said)) from error
        raise
