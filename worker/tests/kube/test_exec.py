"""Commands in a real pod: whole, killed when they must be, an error when anything is cut."""

import base64
import hashlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from podmeter.domain.errors import CommandTimeoutError, LabError, RunCancelledError
from podmeter.domain.ports import Access, Command, ExecTarget, PodRequest
from podmeter_testbed.shell import wait_for
from podmeter_worker.kube.client import KubeClient

from ..labs import RUN, Written, lab_of
from ..relay import Relay

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]

IDLE = ("sleep", "infinity")


@pytest.fixture(scope="module")
def place(client: KubeClient) -> Iterator[ExecTarget]:
    lab = lab_of(client).lab
    node = lab.nodes()[0].name
    (place,) = lab.start_pods([PodRequest(f"pm-{RUN}-exec", node, Access.POD, IDLE)])
    yield place
    lab.remove_pods([place])


def running(written: Written, place: ExecTarget, command: str) -> bool:
    """Whether a process with this command line is in the pod."""
    output = written.lab.execute(place, ("pgrep", "-fx", command), timeout_seconds=10)
    return output.exit_code == 0


def await_gone(written: Written, place: ExecTarget, command: str) -> None:
    wait_for(f"{command} to end", lambda: not running(written, place, command), 60)


@contextmanager
def once_runs(
    client: KubeClient, place: ExecTarget, command: str, act: Callable[[], object]
) -> Iterator[None]:
    """Do something in the middle of a command, not before and not after it."""

    def watch() -> None:
        beside = lab_of(client)
        wait_for(f"{command} to run", lambda: running(beside, place, command), 60)
        act()

    with ThreadPoolExecutor(1) as pool:
        watching = pool.submit(watch)
        yield
        watching.result()


@pytest.mark.smoke
def test_five_megabytes_of_random_text_are_whole(written: Written, place: ExecTarget) -> None:
    script = "head -c 5000000 /dev/urandom | base64 -w0 | tee /tmp/sent; sha256sum </tmp/sent >&2"
    output = written.lab.execute(place, ("bash", "-c", script), timeout_seconds=60)
    assert len(base64.b64decode(output.stdout, validate=True)) == 5_000_000
    assert hashlib.sha256(output.stdout.encode()).hexdigest() in output.stderr


def test_a_few_bytes_more_than_clients_were_cut_at_are_whole(
    written: Written, place: ExecTarget
) -> None:
    for size in (32_767, 32_768, 32_769, 65_536, 1_048_577):
        argv = ("sh", "-c", f"head -c {size} /dev/zero | tr '\\0' x")
        output = written.lab.execute(place, argv, timeout_seconds=30)
        assert output.stdout == "x" * size


def test_commands_at_the_same_time_keep_their_order(written: Written, place: ExecTarget) -> None:
    # Each ends only when it has seen all the others.
    script = "touch /tmp/meet-{0}; until [ $(ls /tmp/meet-* | wc -l) = 4 ]; do sleep 0.1; done"
    commands = [Command(place, ("sh", "-c", f"{script.format(n)}; echo {n}")) for n in range(4)]
    outputs = written.lab.execute_all(commands, timeout_seconds=60)
    assert [output.stdout for output in outputs] == ["0\n", "1\n", "2\n", "3\n"]


def test_a_command_over_its_time_is_killed(written: Written, place: ExecTarget) -> None:
    with pytest.raises(CommandTimeoutError, match="within 1 s"):
        written.lab.execute(place, ("sleep", "1001"), timeout_seconds=1)
    assert not running(written, place, "sleep 1001")


def test_a_command_beside_others_ends_on_a_newline(written: Written, place: ExecTarget) -> None:
    argv = ("sh", "-c", "read line; echo ended")
    with written.lab.background(place, argv) as command:
        assert written.lab.execute(place, ("echo", "hi"), timeout_seconds=10).stdout == "hi\n"
        assert command.finish(10).stdout == "ended\n"


def test_a_command_beside_others_is_killed_on_leaving(written: Written, place: ExecTarget) -> None:
    with written.lab.background(place, ("sleep", "1002")):
        assert running(written, place, "sleep 1002")
    assert not running(written, place, "sleep 1002")


def test_a_command_that_does_not_finish_is_killed(written: Written, place: ExecTarget) -> None:
    with written.lab.background(place, ("sleep", "1003")) as command:
        with pytest.raises(CommandTimeoutError):
            command.finish(0.5)
        assert not running(written, place, "sleep 1003")


def test_a_cancel_ends_a_command_at_once(
    written: Written, place: ExecTarget, client: KubeClient
) -> None:
    cancelled = once_runs(client, place, "sleep 1004", written.cancelled.set)
    with cancelled, pytest.raises(RunCancelledError):
        written.lab.execute(place, ("sleep", "1004"), timeout_seconds=240)
    assert not running(lab_of(client), place, "sleep 1004")


def test_a_pod_deleted_in_the_middle_is_an_error(written: Written, client: KubeClient) -> None:
    node = written.lab.nodes()[0].name
    (place,) = written.lab.start_pods([PodRequest(f"pm-{RUN}-gone", node, Access.POD, IDLE)])
    removed = once_runs(client, place, "sleep 1005", lambda: written.lab.remove_pods([place]))
    with removed, pytest.raises(LabError) as caught:
        written.lab.execute(place, ("sleep", "1005"), timeout_seconds=240)
    assert not isinstance(caught.value, CommandTimeoutError)
    with pytest.raises(LabError, match="gone"):
        written.lab.execute(place, ("true",), timeout_seconds=10)


def test_a_connection_cut_in_the_middle_is_an_error_and_ends_the_command(
    written: Written, client: KubeClient, relayed: KubeClient, relay: Relay, place: ExecTarget
) -> None:
    far = lab_of(relayed).lab
    cut = once_runs(client, place, "sleep 1006", relay.cut)
    with cut, pytest.raises(LabError) as caught:
        far.execute(place, ("sleep", "1006"), timeout_seconds=240)
    assert not isinstance(caught.value, CommandTimeoutError)
    await_gone(written, place, "sleep 1006")
    # The next command finds a connection again.
    assert far.execute(place, ("echo", "hi"), timeout_seconds=10).stdout == "hi\n"


def test_an_api_server_that_is_away_is_waited_for(
    relayed: KubeClient, relay: Relay, place: ExecTarget
) -> None:
    relay.go_away()
    threading.Timer(2.0, relay.come_back).start()
    lab = lab_of(relayed).lab
    assert lab.execute(place, ("echo", "hi"), timeout_seconds=10).stdout == "hi\n"
