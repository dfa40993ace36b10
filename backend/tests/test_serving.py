"""The port that the API listens on."""

import errno
import resource
import select
import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from podmeter.stack import open_files
from podmeter.stack.errors import StackError
from podmeter_api.serving import BACKLOG, listeners

#: More than one socket takes by Linux's default, and fewer than all of them do.
BURST = 6_000


@pytest.fixture
def many_files() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    open_files.raise_limit()
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_burst_waits_for_a_server_that_is_busy(many_files: None) -> None:
    """Anyone who is not taken in at once asks again after a second at the earliest."""
    with ExitStack() as stack:
        found = [stack.enter_context(one) for one in listeners("127.0.0.1", 0)]
        for one in found:
            one.listen(BACKLOG)
        address = found[0].getsockname()
        waiting = select.poll()
        connecting = {}
        for _ in range(BURST):
            client = stack.enter_context(socket.socket())
            client.setblocking(False)
            assert client.connect_ex(address) in (0, errno.EINPROGRESS)
            connecting[client.fileno()] = client
            waiting.register(client, select.POLLOUT)
        # Nobody accepts: a connection without room does not come in, however often it asks again.
        while connecting and (ready := waiting.poll(30_000)):
            for number, _ in ready:
                waiting.unregister(number)
                del connecting[number]
        assert not connecting


def test_all_sockets_listen_on_one_port() -> None:
    with ExitStack() as stack:
        found = [stack.enter_context(one) for one in listeners("127.0.0.1", 0)]
        assert len({one.getsockname() for one in found}) == 1


def test_a_port_that_is_taken_is_an_error_though_it_could_be_shared() -> None:
    with ExitStack() as stack:
        found = [stack.enter_context(one) for one in listeners("127.0.0.1", 0)]
        for one in found:
            one.listen()
        host, port = found[0].getsockname()
        with pytest.raises(StackError, match="in use"):
            listeners(host, port)
