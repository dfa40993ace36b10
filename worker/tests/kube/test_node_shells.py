"""One set of node shells for a run, on a real cluster."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from podmeter.domain import labels
from podmeter.domain.ports import HOST_NAMESPACE, ExecTarget
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.facts.fingerprint import take_fingerprint
from podmeter_worker.kube.node_shells import NodeShells
from podmeter_worker.kube.resources import PODS
from podmeter_worker.kube.shells import Shells
from podmeter_worker.lab.cluster_lab import ClusterLab

from ..labs import IMAGE, RUN, Written

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.timeout(300),
    pytest.mark.usefixtures("nothing_left"),
]
Link = Callable[[], NodeShells]


@pytest.fixture
def new_link(client: KubeClient) -> Iterator[Link]:
    """Makes the node shells of one more link of the same run."""
    with ExitStack() as stack:

        def made() -> NodeShells:
            shells = stack.enter_context(Shells(client.access))
            return NodeShells(client, shells, image=IMAGE, run_label=RUN)

        yield made


def standing(client: KubeClient) -> dict[str, str]:
    found = client.list_all(PODS.path(HOST_NAMESPACE), labels=labels.selector(RUN)).items
    return {item["spec"]["nodeName"]: item["metadata"]["uid"] for item in found}


def places(found: NodeShells) -> set[ExecTarget]:
    return {shell.place for shell in found.everywhere().values()}


def test_none_is_started_before_it_is_needed(client: KubeClient, new_link: Link) -> None:
    take_fingerprint(client, image=IMAGE, run_label=RUN, node_shells=None)
    new_link()
    assert standing(client) == {}


def test_modes_fingerprint_and_measuring_share_one_set(
    client: KubeClient, new_link: Link, written: Written
) -> None:
    first = places(new_link())
    made = standing(client)
    assert made.keys() == {place.node for place in first}
    take_fingerprint(client, image=IMAGE, run_label=RUN, node_shells=new_link())
    lab: ClusterLab = written.lab
    assert set(lab.node_shells()) == first
    for place in lab.node_shells():
        assert lab.execute(place, ("true",), timeout_seconds=10).exit_code == 0
    assert places(new_link()) == first
    assert standing(client) == made


def test_one_that_ended_is_started_anew_and_no_other(client: KubeClient, new_link: Link) -> None:
    first, *rest = new_link().everywhere().values()
    made = standing(client)
    client.delete(PODS.path(HOST_NAMESPACE, first.place.name), uid=made[first.node])
    shells = new_link().everywhere()
    assert all(shell.run(("true",)).exit_code == 0 for shell in shells.values())
    now = standing(client)
    assert now[first.node] != made[first.node]
    assert {shell.node: now[shell.node] for shell in rest} == {
        shell.node: made[shell.node] for shell in rest
    }


def test_commands_in_turn_use_one_connection(new_link: Link) -> None:
    shell = next(iter(new_link().everywhere().values()))
    served_by = {shell.run(("sh", "-c", "ps -o ppid= -p $PPID")).stdout for _ in range(3)}
    assert len(served_by) == 1
