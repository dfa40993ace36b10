"""Connections that are used again, on a real cluster."""

from collections.abc import Iterator

import pytest

from podmeter.domain.errors import LabError
from podmeter.domain.ports import Access, ExecTarget, PodRequest
from podmeter_worker.kube.client import KubeClient

from ..labs import RUN, Written, lab_of
from ..relay import Relay

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]

#: The command's parent serves the connection.
SERVED_BY = ("sh", "-c", "echo $PPID")


@pytest.fixture
def place(client: KubeClient) -> Iterator[ExecTarget]:
    lab = lab_of(client).lab
    node = lab.nodes()[0].name
    request = PodRequest(f"pm-{RUN}-shell", node, Access.POD, ("sleep", "infinity"))
    (place,) = lab.start_pods([request])
    yield place
    lab.remove_pods([place])


def served_by(written: Written, place: ExecTarget) -> int:
    return int(written.lab.execute(place, SERVED_BY, timeout_seconds=10).stdout)


def test_commands_in_turn_use_one_connection(written: Written, place: ExecTarget) -> None:
    first = served_by(written, place)
    assert first > 0
    with written.lab.background(place, ("sh", "-c", "read line")) as command:
        # That one is taken.
        second = served_by(written, place)
        assert second != first
        command.finish(10)
    assert {served_by(written, place) for _ in range(3)} <= {first, second}


def test_a_connection_cut_between_commands_is_noticed(
    relayed: KubeClient, relay: Relay, place: ExecTarget
) -> None:
    lab = lab_of(relayed).lab
    for _ in range(3):
        assert lab.execute(place, ("echo", "hi"), timeout_seconds=10).stdout == "hi\n"
        relay.cut()


def test_a_pod_made_anew_is_not_mistaken_for_the_old_one(
    written: Written, place: ExecTarget
) -> None:
    assert place.node is not None
    written.lab.execute(place, ("touch", "/tmp/earlier"), timeout_seconds=10)
    request = PodRequest(place.name, place.node, place.access, ("sleep", "infinity"))
    (again,) = written.lab.start_pods([request])
    assert written.lab.execute(again, ("ls", "/tmp/earlier"), timeout_seconds=10).exit_code != 0


def test_no_connection_outlives_its_pod(written: Written, place: ExecTarget) -> None:
    served_by(written, place)
    written.lab.remove_pods([place])
    with pytest.raises(LabError, match="no longer exists"):
        served_by(written, place)
