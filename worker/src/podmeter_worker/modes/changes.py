"""Changing an object only as it was read, so that what comes too late is refused by the cluster.

The client's guard is asked between the reading and the change. A worker that is stopped before
it is asked finds itself past its lease; a worker that stops after it has read a version that
its successor has changed since: restoring begins with a change (`notes.claim`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter_worker.kube.errors import ApiRefusedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object

#: The status of a DaemonSet whose pods come and go changes many times a second.
_TRIES = 10


def change(
    client: KubeClient, path: str, wanted: Callable[[Object], Object | None]
) -> tuple[Object, bool]:
    """The object after the merge patch that `wanted` makes of it, and whether there was one.

    Where somebody changed it in between it is read again. Raises what `wanted` raises.
    """
    for left in reversed(range(_TRIES)):
        found = client.get(path)
        body = wanted(found)
        if body is None:
            return found, False
        version = {"resourceVersion": found["metadata"]["resourceVersion"]}
        body = {**body, "metadata": {**body.get("metadata", {}), **version}}
        try:
            return client.patch(path, body), True
        except ApiRefusedError as error:
            if error.status != 409 or not left:
                raise
    raise AssertionError  # the last try has raised


def rewrite(client: KubeClient, path: str, key: str, new: Callable[[str], str]) -> tuple[str, bool]:
    """Write one text of a ConfigMap again; what it is then, and whether it was another before."""

    def wanted(found: Object) -> Object | None:
        old = str(found["data"][key])
        text = new(old)
        return None if text == old else {"data": {key: text}}

    found, changed = change(client, path, wanted)
    return str(found["data"][key]), changed
