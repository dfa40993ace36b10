"""Looking at a cluster's nodes from inside: by node shells, and by a new pod on each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.domain.ports import Access, PodRequest
from podmeter.drivers import program, route
from podmeter.drivers.netfilter import backend as backends
from podmeter.kinds.registry import tools
from podmeter_worker.kube import exec as pod_exec
from podmeter_worker.kube import manifests, pods
from podmeter_worker.kube.facts import node_probe
from podmeter_worker.kube.facts.nodes import internal_address, why_unfit
from podmeter_worker.kube.facts.service_room import service_ports
from podmeter_worker.kube.image_faults import ImageError
from podmeter_worker.kube.node_shells import reading_seconds
from podmeter_worker.kube.resources import NODES, PODS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from podmeter.domain.bench_image import BenchImage
    from podmeter.domain.ports import CommandOutput, ExecTarget
    from podmeter.drivers.route import PacketRoute
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.node_shells import NodeShell, NodeShells

_COMMAND_SECONDS = 30.0
_MTU = "cat /sys/class/net/eth0/mtu && ip -4 route show default"


@dataclass(frozen=True, slots=True)
class Observation:
    """What was seen. `probes` are by node; what could not be asked is None or absent.

    `ways` are those from each node to the new pods on every other one.
    """

    probes: Mapping[str, node_probe.NodeProbe]
    ways: tuple[PacketRoute, ...]
    pod_mtu: int | None
    image_digest: str | None
    tools: Mapping[str, str]


def observe(
    client: KubeClient,
    *,
    image: BenchImage,
    run_label: str,
    node_shells: NodeShells | None,
    kube_proxy_port: int,
    check: Callable[[], None] = lambda: None,
) -> Observation:
    """Ask the nodes that take measuring pods, and a new pod of the pod network on each.

    Those pods are gone afterwards. Without node shells only the pod network's side is seen.
    """
    items = [item for item in client.list_all(NODES.path()).items if why_unfit(item) is None]
    names = [str(item["metadata"]["name"]) for item in items]
    requests = [
        PodRequest(f"pm-{run_label}-probe-{number}", name, Access.POD, ("sleep", "infinity"))
        for number, name in enumerate(names)
    ]
    with ThreadPoolExecutor(max(1, len(names))) as pool:
        shells = [] if node_shells is None else list(node_shells.on(names).values())
        # Each node is asked while its pod starts.
        limit = reading_seconds(service_ports(client)) if shells else 0.0
        told = [pool.submit(_ask_node, shell, kube_proxy_port, limit) for shell in shells]
        places = pods.start(client, requests, image=image, run_label=run_label, check=check)
        try:
            mtus = set(pool.map(lambda place: _mtu(client, place), places))
            addresses = {str(item["metadata"]["name"]): internal_address(item) for item in items}
            ways = pool.map(lambda shell: ways_to(shell, places, addresses), shells)
            found = tuple(way for of_node in ways for way in of_node)
            for place in places:
                _require_program(client, place)
            digest = _digest(client, places[0]) if places else None
            tools = _tools(client, places[0]) if places else {}
        finally:
            keys = [(manifests.namespace_of(place.access), place.name) for place in places]
            pods.remove(client, keys, run_label=run_label)
        answers = [one.result() for one in told]
    return Observation(
        probes={shell.node: probe for shell, probe in zip(shells, answers, strict=True)},
        ways=found,
        pod_mtu=mtus.pop() if len(mtus) == 1 else None,
        image_digest=digest,
        tools=tools,
    )


def _ask_node(shell: NodeShell, port: int, limit_seconds: float) -> node_probe.NodeProbe:
    told, rules = shell.run(node_probe.argv(port)), shell.run(backends.PROBE_ARGV, limit_seconds)
    return node_probe.parse(told, rules)


def ways_to(
    shell: NodeShell, places: Iterable[ExecTarget], addresses: Mapping[str, str | None]
) -> list[PacketRoute]:
    """How a node's packets leave for the pods on other nodes, whose own `addresses` are by name.

    The pods' own addresses are asked for: which ranges they are from is the pod network's affair,
    and not every one keeps to the node's podCIDR. One without any way is left out.
    """
    found = []
    for place in places:
        if place.node != shell.node:
            peer = addresses.get(str(place.node)) or ""
            told = shell.run(route.argv(place.address, peer))
            if told.exit_code == 0:
                found.append(route.parse(told))
    return found


def _run(client: KubeClient, place: ExecTarget, *argv: str) -> CommandOutput:
    return pod_exec.run(
        client.access,
        manifests.namespace_of(place.access),
        place.name,
        argv,
        timeout_seconds=_COMMAND_SECONDS,
    )


def _require_program(client: KubeClient, place: ExecTarget) -> None:
    """Raise ImageError where the image is older than what is asked of its program.

    One node may have another image under the same name than the next.
    """
    if not program.is_current(_run(client, place, *program.VERSION_ARGV)):
        what = say("image_program_old", node=str(place.node), program=program.NAME)
        raise ImageError(what, say("mend_image_current"))


def _mtu(client: KubeClient, place: ExecTarget) -> int:
    return read_mtu(_run(client, place, "sh", "-c", _MTU).stdout)


def read_mtu(told: str) -> int:
    """The MTU of a pod's packets to elsewhere: its device's, or a smaller one of its route.

    Cilium has the overhead of its tunnel in the route alone.
    """
    device, _, routes = told.partition("\n")
    of_route = re.search(r"\bmtu (?:lock )?([0-9]{1,9})\b", routes)
    return min(int(device), int(of_route[1])) if of_route else int(device)


def _digest(client: KubeClient, place: ExecTarget) -> str | None:
    pod = client.get(PODS.path(manifests.namespace_of(place.access), place.name))
    statuses = pod["status"].get("containerStatuses") or [{}]
    found: str = statuses[0].get("imageID") or ""
    return found.rpartition("@")[2] or None


def _tools(client: KubeClient, place: ExecTarget) -> dict[str, str]:
    """The versions of what the kinds run, without what a distribution adds to them."""
    found = {}
    for tool in tools():
        try:
            version = tool.parse_version(_run(client, place, *tool.version_argv))
        except ToolError:
            continue
        found[tool.name] = version.split()[0]
    return found
