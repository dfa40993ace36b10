"""Whether the client outside really is outside of a cluster, and how it gets to the nodes."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Any

from podmeter.domain.errors import PreconditionError, ToolError
from podmeter.domain.messages import say
from podmeter.drivers import program, route
from podmeter.kinds.registry import outside_tools
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.facts.nodes import internal_address, pod_network, why_unfit
from podmeter_worker.kube.resources import NODES, PODS
from podmeter_worker.kube.untrusted_fields import name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from podmeter.credentials.address_policy import AddressPolicy
    from podmeter.domain.ports import CommandOutput
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.node_shells import NodeShell
    from podmeter_worker.kube.resources import Object

    Run = Callable[[Sequence[str]], CommandOutput]

#: Whose network a process has: which kernel's, and which of that kernel's.
NETWORK_ARGV = program.argv("network")


@dataclass(frozen=True, slots=True)
class OutsideAccess:
    """The versions of the tools that are outside, and the way to each node in words."""

    tools: Mapping[str, str]
    ways: Mapping[str, str]

    def frozen(self) -> dict[str, Any]:
        """As it is kept with a run."""
        ways = [{"node": node, "way": way} for node, way in self.ways.items()]
        return {"tools": dict(self.tools), "ways": ways}


def check_outside_access(
    client: KubeClient, run: Run, shells: Mapping[str, NodeShell], policy: AddressPolicy
) -> OutsideAccess:
    """See from `run`, which is outside, how it stands to the cluster of `client`.

    `shells` are places on the nodes' own network, where there are any. Raises PreconditionError,
    by name, where it is on a node or in a pod, has no way to a node, must not ask one, or lacks a
    tool.
    """
    nodes = [item for item in client.list_all(NODES.path()).items if why_unfit(item) is None]
    network = _network(run(NETWORK_ARGV))
    for name, shell in shells.items():
        if _network(shell.run(NETWORK_ARGV)) == network:
            raise PreconditionError(say("outside_same_network", node=name))
    ways = {name_of(item): _way(item, run, policy) for item in nodes}
    _not_in_a_pod(client, nodes, {way.source for way in ways.values()})
    try:
        tools = {tool.name: tool.parse_version(run(tool.version_argv)) for tool in outside_tools()}
    except ToolError as error:
        raise PreconditionError(say("outside_no_tool", why=error.said)) from error
    return OutsideAccess(tools, {name: way.said for name, way in ways.items()})


def _network(output: CommandOutput) -> str:
    if output.exit_code != 0:
        raise PreconditionError(say("outside_network_unknown", said=output.stderr.strip()[-200:]))
    return output.stdout


@dataclass(frozen=True, slots=True)
class _Way:
    """How packets to a node leave, and the address that they leave from."""

    said: str
    source: str


def _way(item: Object, run: Run, policy: AddressPolicy) -> _Way:
    node, address = name_of(item), internal_address(item) or ""
    try:
        reason = policy.blocked(ip_address(address), 0)
    except ValueError as error:
        raise PreconditionError(
            say("outside_blocked", node=node, address=address, reason="no_address")
        ) from error
    if reason is not None:
        raise PreconditionError(say("outside_blocked", node=node, address=address, reason=reason))
    output = run(route.argv(address))
    try:
        way, source = route.parse(output), route.source(output)
    except ToolError as error:
        raise PreconditionError(
            say("outside_no_way", node=node, address=address, said=error.said)
        ) from error
    if way.device == "lo":
        raise PreconditionError(say("outside_on_node", node=node, address=address))
    return _Way(way.said, source)


def _not_in_a_pod(client: KubeClient, nodes: Iterable[Object], sources: set[str]) -> None:
    for item in nodes:
        pods = pod_network(item)
        for source in sources:
            if pods is not None and ip_address(source) in ip_network(pods):
                raise PreconditionError(say("outside_in_pod", address=source, node=name_of(item)))
    # Not every pod network gives pods their addresses out of podCIDR.
    for source in sources:
        try:
            found = client.list_all(PODS.path(), fields=f"status.podIP={source}").items
        except ApiRefusedError:
            return  # pods of other namespaces may not be seen
        for pod in found:
            node = str(pod["spec"].get("nodeName"))
            raise PreconditionError(say("outside_in_pod", address=source, node=node))
