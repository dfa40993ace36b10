"""What connections take of the memory of a process, and that they give it back."""

import gc
import socket
import struct
import weakref
from collections.abc import Iterator

import pytest

from .limited_site import HALF, PLACES, STREAM, WHOLE, Site, run, until

#: Close with a reset.
NO_LINGER = struct.pack("ii", 1, 0)


@pytest.fixture(autouse=True)
def _no_collector() -> Iterator[None]:
    """The collector of garbage may come late: nothing is left for it."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("sent", [WHOLE, STREAM, STREAM + WHOLE, HALF])
def test_nothing_is_kept_of_a_connection_that_its_client_resets(sent: bytes) -> None:
    async def body(site: Site) -> None:
        client = await site.client(sent)
        if sent == HALF:
            await until(lambda: bool(site.connections.open) and site.protocol._bytes > 0)
        else:
            await client.reader.readuntil(b"\r\n\r\n")
        kept = weakref.ref(site.protocol)
        peer = client.writer.get_extra_info("socket")
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
        client.writer.transport.abort()
        await until(lambda: kept() is None)

    run(body)


def test_nothing_is_kept_of_a_connection_that_waited_in_vain() -> None:
    async def body(site: Site) -> None:
        _ = [await site.client(HALF) for _ in range(PLACES)]
        await site.client(WHOLE)
        await until(lambda: any(one._held for one in site.protocols))
        (waiting,) = (one for one in site.protocols if one._held)
        kept = weakref.ref(waiting)
        waiting._refuse_place()
        assert waiting._held == b""
        del waiting
        await until(lambda: kept() is None)

    run(body)
