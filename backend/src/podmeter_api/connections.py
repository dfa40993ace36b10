"""Sharing connections among the processes that serve, in turn.

A listening socket that all wait on would not do: whoever wakes first takes all that wait, and
a client that keeps its connection stays there.
"""

import asyncio
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import cycle, islice

import uvicorn

from podmeter.stack.heartbeats import BEAT_SECONDS

_ONE = b"\0"


def hand_out(listener: socket.socket, channels: Sequence[socket.socket]) -> None:
    """Accept connections, and give each process one after the other. Never returns."""
    turn = cycle(channels)
    while True:
        connection, _ = listener.accept()
        with connection:
            for channel in islice(turn, len(channels)):
                try:
                    socket.send_fds(channel, [_ONE], [connection.fileno()])
                    break
                except BlockingIOError:  # it takes none at present
                    continue


def make_channel() -> tuple[socket.socket, socket.socket]:
    """Both ends of what connections are given through; made before the fork, they outlive it."""
    ends = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    for end in ends:
        end.setblocking(False)
    return ends


class HandedServer(uvicorn.Server):
    """Serves the connections that come through a channel."""

    def __init__(
        self,
        config: uvicorn.Config,
        channel: socket.socket,
        beat: Callable[[], None],
        leave: Callable[[], None],
    ) -> None:
        """`beat` says that it goes on, `leave` that it ends; called in a thread by what serves."""
        super().__init__(config)
        self._channel, self._beat, self._leave = channel, beat, leave
        self._ending = asyncio.Event()
        self._alive: asyncio.Task[None] | None = None
        self._taking: set[asyncio.Task[object]] = set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start without a listening socket."""
        await super().startup(sockets or [])
        asyncio.get_running_loop().add_reader(self._channel, self._take)
        self._alive = asyncio.create_task(self._live())

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no more, and finish what was begun."""
        asyncio.get_running_loop().remove_reader(self._channel)
        await super().shutdown(sockets)
        self._ending.set()
        if self._alive is not None:
            await self._alive

    async def _live(self) -> None:
        while not self._ending.is_set():
            await asyncio.to_thread(self._beat)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), BEAT_SECONDS)
        await asyncio.to_thread(self._leave)

    def _take(self) -> None:
        try:
            _, descriptors, _, _ = socket.recv_fds(self._channel, len(_ONE), 1)
        except BlockingIOError:
            return
        loop = asyncio.get_running_loop()
        for descriptor in descriptors:
            connection = socket.socket(fileno=descriptor)
            connection.setblocking(False)
            task: asyncio.Task[object] = loop.create_task(
                loop.connect_accepted_socket(self._protocol, connection)
            )
            self._taking.add(task)
            task.add_done_callback(self._taking.discard)

    def _protocol(self) -> asyncio.Protocol:
        made: asyncio.Protocol = self.config.http_protocol_class(  # type: ignore[call-arg]
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )
        return made
