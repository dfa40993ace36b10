"""Hands on the nodes: a pod on each, in its network, that may look at and change it."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain import labels
from podmeter.domain.errors import ConvergenceError, PodmeterError, PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.ports import Access, PodRequest
from podmeter_worker.kube import exec as pod_exec
from podmeter_worker.kube import manifests, pods
from podmeter_worker.kube.facts.nodes import internal_address, pod_network
from podmeter_worker.kube.resources import NODES
from podmeter_worker.modes.switcher import Site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from podmeter.domain.ports import CommandOutput, Place
    from podmeter_worker.kube.client import KubeClient

_COMMAND_SECONDS = 30.0
_POLL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Hand:
    """A node, and a place on it to run commands in.

    `pods` is the range of its pods' addresses, `labels` those of anything made beside the hand.
    """

    node: str
    address: str
    pods: str | None
    labels: Mapping[str, str]
    client: KubeClient
    place: Place

    def run(self, argv: Sequence[str]) -> CommandOutput:
        """Run a command on the node's network; any exit code is an answer."""
        return pod_exec.run(
            self.client.access,
            manifests.namespace_of(self.place.access),
            self.place.name,
            argv,
            timeout_seconds=_COMMAND_SECONDS,
        )


@contextmanager
def open_site(
    client: KubeClient,
    *,
    image: str,
    run_label: str,
    check: Callable[[], None] = lambda: None,
    progress: Callable[[str], None] = lambda step: None,
) -> Iterator[Site]:
    """Start a hand on every Linux node, and take them away on leaving.

    Nodes that take no measuring pods are among them: a mode is one of the whole cluster. Raises
    PreconditionError where one is not ready, since its mode could not be seen.
    """
    items = [
        item
        for item in client.list_all(NODES.path()).items
        if item["status"]["nodeInfo"]["operatingSystem"] == "linux"
    ]
    for item in items:
        conditions = item["status"].get("conditions") or []
        if not any(one["type"] == "Ready" and one["status"] == "True" for one in conditions):
            name = item["metadata"]["name"]
            raise PreconditionError(say("node_mode_unseen", node=name))
    requests = [
        PodRequest(
            f"pm-{run_label}-hand-{number}",
            item["metadata"]["name"],
            Access.HOST_ADMIN,
            ("sleep", "infinity"),
        )
        for number, item in enumerate(items)
    ]
    places = pods.start(client, requests, image=image, run_label=run_label, check=check)
    try:
        hands = {
            item["metadata"]["name"]: Hand(
                node=item["metadata"]["name"],
                address=internal_address(item) or "",
                pods=pod_network(item),
                labels=labels.of_run(run_label),
                client=client,
                place=place,
            )
            for item, place in zip(items, places, strict=True)
        }
        yield Site(client, hands, check, progress)
    finally:
        keys = [(manifests.namespace_of(place.access), place.name) for place in places]
        pods.remove(client, keys, run_label=run_label)


def settle(site: Site, what: str, look: Callable[[], str | None], deadline_seconds: float) -> None:
    """Wait until `look` finds nothing wrong any more; it says what, or raises, until then.

    Raises ConvergenceError with what was wrong last.
    """
    deadline = time.monotonic() + deadline_seconds
    while True:
        site.check()
        try:
            wrong = look()
        except PodmeterError as error:
            wrong = error.said
        if wrong is None:
            return
        if time.monotonic() > deadline:
            raise ConvergenceError(
                say("still_not_for", seconds=deadline_seconds, what=what, wrong=wrong)
            )
        time.sleep(_POLL_SECONDS)
