"""Whether a client outside is outside: by addresses, by the network, by what a kernel says."""

from dataclasses import replace
from typing import Any

import pytest
from core.tests.captures import captured

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.domain.errors import PreconditionError
from podmeter.domain.ports import CommandOutput
from podmeter.drivers import ab
from podmeter_worker.kube.client import Listing
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.lab.outside_access import NETWORK_ARGV, check_outside_access

POLICY = AddressPolicy.of()
AB = ab.TOOL.parse_version(captured("ab-2.3", "version"))
HERE = "b007\nnet:[4026531840]\n"


def node(name: str, address: str, pods: str) -> dict[str, Any]:
    return {
        "metadata": {"name": name},
        "spec": {"podCIDR": pods},
        "status": {
            "conditions": [{"type": "Ready", "status": "True"}],
            "addresses": [{"type": "InternalIP", "address": address}],
            "nodeInfo": {"operatingSystem": "linux", "architecture": "amd64", "bootID": "b007"},
        },
    }


class Client:
    """Two nodes; pods by address, and whether they may be listed."""

    def __init__(self) -> None:
        self.nodes = [node("n1", "10.99.0.2", "10.244.1.0/24"), node("n2", "10.99.0.3", "")]
        self.pods: dict[str, str] = {}
        self.refused = False

    def list_all(self, path: str, *, labels: str = "", fields: str = "") -> Listing:
        if path.endswith("nodes"):
            return Listing(tuple(self.nodes), "1")
        if self.refused:
            raise ApiRefusedError(403, "Forbidden", "pods is forbidden")
        on = self.pods.get(fields.removeprefix("status.podIP="))
        return Listing(({"spec": {"nodeName": on}},) if on else (), "1")


class Shell:
    def __init__(self, network: str) -> None:
        self.network = network

    def run(self, argv: Any) -> CommandOutput:
        return CommandOutput(self.network, "", 0, 0.01)


def outside(**changed: Any) -> Any:
    """What is said outside; `changed` are other answers, by what is asked."""
    answers: dict[str, CommandOutput] = {
        "network": CommandOutput(HERE, "", 0, 0.01),
        "way": captured("iproute2-6.15", "route"),
        "curl": captured("curl-8.14.1", "version"),
        "ab": captured("ab-2.3", "version"),
    } | changed

    def run(argv: Any) -> CommandOutput:
        if argv == NETWORK_ARGV:
            return answers["network"]
        return answers["way" if "route" in argv else argv[0]]

    return run


def test_what_is_kept_of_one_that_is_outside() -> None:
    shells = {"n1": Shell("b007\nnet:[4026532001]\n"), "n2": Shell("other\nnet:[4026531840]\n")}
    standing = check_outside_access(Client(), outside(), shells, POLICY)  # type: ignore[arg-type]
    assert standing.frozen() == {
        "tools": {"curl": "8.14.1", "ab": AB},
        "ways": [
            {"node": "n1", "way": "by v0 (veth), MTU 1500"},
            {"node": "n2", "way": "by v0 (veth), MTU 1500"},
        ],
    }


def refused(client: Client, run: Any, shells: Any = None, policy: AddressPolicy = POLICY) -> str:
    with pytest.raises(PreconditionError) as raised:
        check_outside_access(client, run, shells or {}, policy)  # type: ignore[arg-type]
    return raised.value.said


def test_one_on_a_node_is_refused_by_the_nodes_address() -> None:
    way = captured("iproute2-6.15", "route")
    local = way.stdout.replace('"dev":"v0"', '"type":"local","dev":"lo"', 1)
    assert '"ifname":"lo"' in local
    said = refused(Client(), outside(way=replace(way, stdout=local)))
    assert said == "the outside client runs on n1: 10.99.0.2 is one of its own addresses"


def test_one_in_a_nodes_network_is_refused() -> None:
    """The testbed's nodes have this machine's boot id, and networks of their own."""
    said = refused(Client(), outside(), {"n1": Shell("b007\nnet:[1]\n"), "n2": Shell(HERE)})
    assert said == "the client outside shares the network of n2"


def test_one_whose_address_is_of_a_nodes_pods_is_refused() -> None:
    client = Client()
    client.nodes[1] = node("n2", "10.99.0.3", "10.99.0.0/24")
    said = refused(client, outside())
    assert said == "the outside client runs inside the cluster: 10.99.0.1 belongs to a pod on n2"


def test_one_whose_address_is_a_pods_is_refused() -> None:
    client = Client()
    client.pods["10.99.0.1"] = "n2"
    assert "inside the cluster: 10.99.0.1 belongs to a pod on n2" in refused(client, outside())
    client.refused = True
    check_outside_access(client, outside(), {}, POLICY)  # type: ignore[arg-type]


def test_a_node_that_claims_a_forbidden_address_is_never_asked() -> None:
    """The worker would be made to ask its own cloud for credentials."""
    client = Client()
    client.nodes[0] = node("n1", "169.254.169.254", "10.244.1.0/24")
    said = refused(client, outside())
    assert "may not connect to 169.254.169.254 of n1 (blocked address: metadata)" in said
    denied = AddressPolicy.of(denied=["10.99.0.0/16"])
    assert "denied" in refused(Client(), outside(), policy=denied)


def test_one_without_a_way_is_refused() -> None:
    said = refused(Client(), outside(way=captured("iproute2-6.15", "no-route")))
    assert said.startswith("the outside client has no route to n1 at 10.99.0.2")


@pytest.mark.parametrize("tool", ["curl", "ab"])
def test_one_that_lacks_a_tool_is_refused(tool: str) -> None:
    gone = CommandOutput("", f"{tool}: No such file or directory\n", 127, 0.01)
    assert "outside client: " in refused(Client(), outside(**{tool: gone}))


def test_one_whose_network_is_unknown_is_refused() -> None:
    gone = CommandOutput("", "no /proc here\n", 1, 0.01)
    assert "no /proc here" in refused(Client(), outside(network=gone))
