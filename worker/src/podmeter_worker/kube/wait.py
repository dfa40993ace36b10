"""Waiting for a condition on objects: a list, then a watch, never a fixed time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from podmeter.domain.errors import ConvergenceError
from podmeter.domain.messages import say
from podmeter_worker.kube.errors import ApiRefusedError, ApiUnavailableError
from podmeter_worker.kube.limits import KEPT_BYTES, Meter
from podmeter_worker.kube.reading import reading

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object

T = TypeVar("T")

#: A watch is asked for again this often, so that a cancel is noticed; no change is lost between.
_WATCH_SECONDS = 2
#: Between attempts to reach an API server that is away.
_PAUSE_SECONDS = 0.5


def wait_until(
    client: KubeClient,
    path: str,
    condition: Callable[[Mapping[tuple[str, str], Object]], T | None],
    *,
    what: str,
    deadline_seconds: float,
    check: Callable[[], None] = lambda: None,
    labels: str = "",
    fields: str = "",
) -> T:
    """Give `condition` all objects by (namespace, name) until it returns something not None.

    It is asked after the list and after each change. `check` is called at least every 2 s and
    may raise to end the wait. An API server that goes away is waited for. Raises
    ConvergenceError, saying what was waited for, once the deadline has passed.
    """
    deadline = time.monotonic() + deadline_seconds
    version, meter = "", Meter(KEPT_BYTES)
    objects: dict[tuple[str, str], Object] = {}
    while True:
        check()
        try:
            with reading():
                if not version:
                    listing = client.list_all(path, labels=labels, fields=fields)
                    objects = {_key(item): item for item in listing.items}
                    # Too many changes are listed again rather than kept.
                    version, meter = listing.resource_version, Meter(KEPT_BYTES)
                    if (answer := condition(objects)) is not None:
                        return answer
                left = deadline - time.monotonic()
                if left <= 0:
                    raise ConvergenceError(say("still_not", seconds=deadline_seconds, what=what))
                seconds = max(1, min(_WATCH_SECONDS, round(left)))
                for change, item in client.watch(
                    path, version, seconds=seconds, labels=labels, fields=fields, meter=meter
                ):
                    version = item["metadata"]["resourceVersion"]
                    if change == "BOOKMARK":
                        continue
                    if change == "DELETED":
                        objects.pop(_key(item), None)
                    else:
                        objects[_key(item)] = item
                    if (answer := condition(objects)) is not None:
                        return answer
                    check()
        except ApiUnavailableError as error:
            if time.monotonic() >= deadline:
                late = say("still_not_for", seconds=deadline_seconds, what=what, wrong=error.said)
                raise ConvergenceError(late) from error
            version = ""
            time.sleep(_PAUSE_SECONDS)
        except ApiRefusedError as error:
            if error.status != 410:  # Gone: too much has changed since, so list again
                raise
            version = ""


def wait_until_gone(
    client: KubeClient,
    path: str,
    uids: set[str],
    *,
    what: str,
    deadline_seconds: float,
    check: Callable[[], None] = lambda: None,
    labels: str = "",
) -> None:
    """Wait until none of the objects with these UIDs is there any more."""

    def gone(objects: Mapping[tuple[str, str], Object]) -> bool | None:
        left = uids & {item["metadata"]["uid"] for item in objects.values()}
        return None if left else True

    wait_until(
        client, path, gone, what=what, deadline_seconds=deadline_seconds, check=check, labels=labels
    )


def _key(item: Object) -> tuple[str, str]:
    metadata = item["metadata"]
    return metadata.get("namespace", ""), metadata["name"]
