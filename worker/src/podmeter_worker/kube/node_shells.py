"""Node shells: a pod on each node's own network that reads and changes its kernel settings.

One set serves all that a run asks of a cluster's nodes. It is started when first needed, by
whichever link comes first, found again by later ones, and swept with everything else of the run:
a pod that only sleeps disturbs no trial, and one on the node's network outlives any switch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain import labels
from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.ports import Access, PodRequest
from podmeter_worker.kube import manifests, pods
from podmeter_worker.kube.exec import RunningCommand
from podmeter_worker.kube.facts.nodes import internal_address, is_ready, pod_network
from podmeter_worker.kube.resources import NODES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from podmeter.domain.bench_image import BenchImage
    from podmeter.domain.ports import CommandOutput, ExecTarget
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object
    from podmeter_worker.kube.shells import Shells

COMMAND_SECONDS = 30.0
#: A look at a kernel's rules takes the longer the more there are, and waits while they are written.
_SERVICES_A_SECOND = 50


def reading_seconds(services: int) -> float:
    """How long reading the rules of so many Services may take."""
    return COMMAND_SECONDS + services / _SERVICES_A_SECOND


@dataclass(frozen=True, slots=True)
class NodeShell:
    """A node, and where commands run on its network with the rights of `host_admin`.

    `pods` is the range of its pods' addresses, `labels` those of anything made beside the shell.
    """

    node: str
    address: str
    pods: str | None
    labels: Mapping[str, str]
    place: ExecTarget
    shells: Shells

    def run(self, argv: Sequence[str], limit_seconds: float = COMMAND_SECONDS) -> CommandOutput:
        """Run a command on the node's network; any exit code is an answer."""
        key = (manifests.namespace_of(self.place.access), self.place.name)
        with RunningCommand(self.shells, key, argv, limit_seconds=limit_seconds) as command:
            return command.wait()

    def start(self, argv: Sequence[str], check: Callable[[], None]) -> RunningCommand:
        """Start a command that runs until the context ends, which kills it."""
        key = (manifests.namespace_of(self.place.access), self.place.name)
        return RunningCommand(self.shells, key, argv, check=check)


class NodeShells:
    """The node shells of one run on one cluster. Needs the rights of host access.

    `shells` are the connections that commands use, `check` may raise to end a wait.
    """

    def __init__(
        self,
        client: KubeClient,
        shells: Shells,
        *,
        image: BenchImage,
        run_label: str,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self._client = client
        self._shells = shells
        self._image = image
        self._run_label = run_label
        self._check = check

    def everywhere(self) -> dict[str, NodeShell]:
        """On every Linux node, by name: also on those that take no measuring pods.

        Raises PreconditionError where one is not ready, since its mode could not be seen.
        """
        items = self._linux_nodes()
        for item in items:
            if not is_ready(item):
                name = item["metadata"]["name"]
                raise PreconditionError(say("node_mode_unseen", node=name))
        return self._on(items, [item["metadata"]["name"] for item in items])

    def names(self) -> frozenset[str]:
        """The names of all Linux nodes."""
        return frozenset(str(item["metadata"]["name"]) for item in self._linux_nodes())

    def unready(self) -> tuple[str, ...]:
        """The names of the Linux nodes on which none can be at present."""
        return tuple(
            str(item["metadata"]["name"]) for item in self._linux_nodes() if not is_ready(item)
        )

    def but(self, unready: Collection[str]) -> dict[str, NodeShell]:
        """On every Linux node but these, by name."""
        items = self._linux_nodes()
        names = [str(item["metadata"]["name"]) for item in items]
        return self._on(items, [name for name in names if name not in unready])

    def on(self, nodes: Collection[str]) -> dict[str, NodeShell]:
        """On these nodes, by name and in this order."""
        return self._on(self._linux_nodes(), nodes)

    def _linux_nodes(self) -> list[Object]:
        found = [
            item
            for item in self._client.list_all(NODES.path()).items
            if item["status"]["nodeInfo"]["operatingSystem"] == "linux"
        ]
        return sorted(found, key=lambda item: str(item["metadata"]["name"]))

    def _on(self, items: Sequence[Object], names: Collection[str]) -> dict[str, NodeShell]:
        requests = [
            PodRequest(
                f"pm-{self._run_label}-node-{number}",
                item["metadata"]["name"],
                Access.HOST_ADMIN,
                ("sleep", "infinity"),
            )
            for number, item in enumerate(items)
            if item["metadata"]["name"] in names
        ]
        places = pods.keep(
            self._client, requests, image=self._image, run_label=self._run_label, check=self._check
        )
        by_node = {place.node: place for place in places}
        by_name = {item["metadata"]["name"]: item for item in items}
        return {
            name: NodeShell(
                node=name,
                address=internal_address(by_name[name]) or "",
                pods=pod_network(by_name[name]),
                labels=labels.of_run(self._run_label),
                place=by_node[name],
                shells=self._shells,
            )
            for name in names
        }
