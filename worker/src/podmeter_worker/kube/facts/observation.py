"""Looking at a cluster's nodes from inside: probe pods on each, and what they were told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.ports import Access, Place, PodRequest
from podmeter.drivers.netfilter import backend as backends
from podmeter.experiments.registry import tools
from podmeter_worker.kube import exec as pod_exec
from podmeter_worker.kube import manifests, pods
from podmeter_worker.kube.facts import node_probe
from podmeter_worker.kube.facts.nodes import pod_network, why_unfit
from podmeter_worker.kube.resources import NODES, PODS

if TYPE_CHECKING:
    from collections.abc import Callable

    from podmeter.domain.ports import CommandOutput
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object

_COMMAND_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Observation:
    """What was seen. `probes` are by node; what could not be asked is None or absent."""

    probes: Mapping[str, node_probe.NodeProbe]
    device_to_pods: str | None
    pod_mtu: int | None
    image_digest: str | None
    tools: Mapping[str, str]


def observe(
    client: KubeClient,
    *,
    image: str,
    run_label: str,
    host: bool,
    kube_proxy_port: int,
    check: Callable[[], None] = lambda: None,
) -> Observation:
    """Start probe pods on the nodes that take measuring pods, ask, and remove them.

    With `host` also on the nodes' own network; without it only the pod network's side is seen.
    """
    items = [item for item in client.list_all(NODES.path()).items if why_unfit(item) is None]
    access = (Access.POD, Access.HOST_ADMIN) if host else (Access.POD,)
    requests = [
        PodRequest(
            f"pm-{run_label}-probe-{kind.value.partition('_')[0]}-{number}",
            item["metadata"]["name"],
            kind,
            ("sleep", "infinity"),
        )
        for number, item in enumerate(items)
        for kind in access
    ]
    places = pods.start(client, requests, image=image, run_label=run_label, check=check)
    try:
        return _ask(client, items, places, kube_proxy_port)
    finally:
        keys = [(manifests.namespace_of(place.access), place.name) for place in places]
        pods.remove(client, keys, run_label=run_label)


def _ask(
    client: KubeClient, items: list[Object], places: tuple[Place, ...], port: int
) -> Observation:
    hosts = [place for place in places if place.access is not Access.POD]
    inside = [place for place in places if place.access is Access.POD]
    with ThreadPoolExecutor(max(1, len(places))) as pool:
        probes = dict(pool.map(lambda place: _probe(client, place, port), hosts))
        mtus = set(pool.map(lambda place: _mtu(client, place), inside))
        devices = set(pool.map(lambda place: _device(client, place, items), hosts)) - {None}
    return Observation(
        probes=probes,
        # Nodes that differ have no common answer; a switch in progress looks like that.
        device_to_pods=devices.pop() if len(devices) == 1 else None,
        pod_mtu=mtus.pop() if len(mtus) == 1 else None,
        image_digest=_digest(client, inside[0]) if inside else None,
        tools=_tools(client, inside[0]) if inside else {},
    )


def _run(client: KubeClient, place: Place, *argv: str) -> CommandOutput:
    return pod_exec.run(
        client.access,
        manifests.namespace_of(place.access),
        place.name,
        argv,
        timeout_seconds=_COMMAND_SECONDS,
    )


def _probe(client: KubeClient, place: Place, port: int) -> tuple[str, node_probe.NodeProbe]:
    told = _run(client, place, *node_probe.argv(port))
    rules = _run(client, place, *backends.PROBE_ARGV)
    return place.node or "", node_probe.parse(told, rules)


def _mtu(client: KubeClient, place: Place) -> int:
    return int(_run(client, place, "cat", "/sys/class/net/eth0/mtu").stdout)


def _device(client: KubeClient, place: Place, items: list[Object]) -> str | None:
    """What packets to the pods of another node leave by; None where there is no other."""
    for item in items:
        network = pod_network(item)
        if item["metadata"]["name"] != place.node and network is not None:
            address = str(IPv4Network(network)[2])
            told = _run(client, place, "ip", "-j", "route", "get", address)
            return str(json.loads(told.stdout)[0]["dev"]) if told.exit_code == 0 else None
    return None


def _digest(client: KubeClient, place: Place) -> str | None:
    pod = client.get(PODS.path(manifests.namespace_of(place.access), place.name))
    statuses = pod["status"].get("containerStatuses") or [{}]
    found: str = statuses[0].get("imageID") or ""
    return found.rpartition("@")[2] or None


def _tools(client: KubeClient, place: Place) -> dict[str, str]:
    """The versions of what the kinds run, without what a distribution adds to them."""
    found = {}
    for tool in tools():
        try:
            version = tool.parse_version(_run(client, place, *tool.version_argv))
        except ToolError:
            continue
        found[tool.name] = version.split()[0]
    return found
