"""A scripted pod's side of an exec: Kubernetes' channels over a WebSocket, and framed commands.

One connection runs one command after another, as `podmeter-measure serve` in a real pod does.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bench.scripted import outputs
from bench.scripted.commands import tool_of
from bench.scripted.machine import Measured
from podmeter.domain.ports import CommandOutput, ExecTarget

if TYPE_CHECKING:
    from bench.scripted.cluster import ScriptedCluster

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_TEXT, _BINARY, _CLOSE, _PING, _PONG = 1, 2, 8, 9, 10
_STDIN, _STDOUT, _STATUS = 0, 1, 3
#: No command takes less.
_LEAST_SECONDS = 0.001
_SUBPROTOCOLS = ("v5.channel.k8s.io", "v4.channel.k8s.io")


class WebSocket:
    """The server's side of a WebSocket, after its handshake."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @staticmethod
    def accepted(headers: dict[str, str]) -> bytes:
        """The answer to a handshake with these headers (names in lower case)."""
        key = headers["sec-websocket-key"].encode()
        accept = base64.b64encode(hashlib.sha1(key + _GUID).digest()).decode()  # noqa: S324
        offered = [one.strip() for one in headers.get("sec-websocket-protocol", "").split(",")]
        chosen = next(one for one in _SUBPROTOCOLS if one in offered)
        return (
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Accept: {accept}\r\nSec-WebSocket-Protocol: {chosen}\r\n\r\n"
        ).encode()

    async def read(self) -> bytes | None:
        """The next message's bytes, None once the peer has closed; pings are answered."""
        whole = b""
        while True:
            first, second = await self._reader.readexactly(2)
            length = second & 0x7F
            if length == 126:
                (length,) = struct.unpack(">H", await self._reader.readexactly(2))
            elif length == 127:
                (length,) = struct.unpack(">Q", await self._reader.readexactly(8))
            mask = await self._reader.readexactly(4) if second & 0x80 else bytes(4)
            masked = await self._reader.readexactly(length)
            data = _unmask(masked, mask)
            opcode = first & 0x0F
            if opcode == _CLOSE:
                return None
            if opcode == _PING:
                await self.send(data, _PONG)
            elif opcode != _PONG:
                whole += data
                if first & 0x80:
                    return whole

    async def send(self, data: bytes, opcode: int = _BINARY) -> None:
        """One message in one frame."""
        self._writer.write(frame(data, opcode))
        await self._writer.drain()

    async def print(self, text: bytes) -> None:
        """Write to standard output, in pieces as a kubelet does."""
        for begin in range(0, len(text), 32768):
            await self.send(bytes([_STDOUT]) + text[begin : begin + 32768])

    async def end(self) -> None:
        """Say that the command ended well, and close."""
        await self.send(bytes([_STATUS]) + json.dumps({"status": "Success"}).encode())
        await self.send(struct.pack(">H", 1000), _CLOSE)


def frame(data: bytes, opcode: int = _BINARY) -> bytes:
    """A whole message as it is sent by a server, unmasked."""
    if len(data) < 126:
        head = struct.pack(">BB", 0x80 | opcode, len(data))
    elif len(data) < 1 << 16:
        head = struct.pack(">BBH", 0x80 | opcode, 126, len(data))
    else:
        head = struct.pack(">BBQ", 0x80 | opcode, 127, len(data))
    return head + data


class Session:
    """The commands of one connection to the pod at `place`, whose run is `run_label`."""

    def __init__(
        self, socket: WebSocket, place: ExecTarget, run_label: str, cluster: ScriptedCluster
    ) -> None:
        self._socket, self._place = socket, place
        self._run_label, self._cluster = run_label, cluster
        self._heard = bytearray()
        self._latest: Measured | None = None

    async def run(self) -> None:
        """Serve until the peer is gone."""
        while await self._line() is not None:
            word = self._word
            if word == b"h":
                await self._socket.print(b"PODMETER1 here\n")
            elif word.isdigit():
                payload = await self._bytes(int(word))
                if payload is None:
                    return
                _, *argv = payload.decode().split("\0")
                await self._command(argv)

    async def _command(self, argv: Sequence[str]) -> None:
        await self._socket.print(b"PODMETER1 started\n")
        tool = tool_of(argv)
        if tool == "iperf3":
            return await self._measure(argv)
        ending = "exited"
        if tool in ("sampler", "watch") and await self._told_to_end():
            ending = "killed"
        return await self._answer(ending, self._cluster.tools.run(self._place, argv))

    async def _measure(self, argv: Sequence[str]) -> None:
        if self._latest is not None:
            self._latest.acknowledged = True
        printed = self._cluster.tools.run(self._place, argv)
        cookie = outputs.iperf3_cookie(printed)
        mine = Measured(cookie, self._run_label, self._cluster.modes())
        if await self._killed_within(printed.seconds):
            return await self._answer("killed", outputs.printed(exit_code=143))
        mine.modes |= self._cluster.modes()
        self._cluster.measured.append(mine)
        if self._cluster.tool_cpus is not None:
            used = self._cluster.tool_cpus * max(printed.seconds, _LEAST_SECONDS)
            await self._socket.print(f"PODMETER1 used {used:.6f} 0.000000\n".encode())
        await self._answer("exited", printed)
        self._latest = mine
        return None

    async def _answer(self, ending: str, printed: CommandOutput) -> None:
        out, err = printed.stdout.encode(), printed.stderr.encode()
        digests = f"{hashlib.sha256(out).hexdigest()} {hashlib.sha256(err).hexdigest()}"
        seconds = max(printed.seconds, _LEAST_SECONDS)
        head = f"{ending} {printed.exit_code} {seconds:.9f} {len(out)} {len(err)} {digests}"
        await self._socket.print(f"PODMETER1 {head}\n".encode() + out + err + b"PODMETER1 end\n")

    async def _told_to_end(self) -> bool:
        """Wait for the word to end; whether it was to be killed."""
        return await self._line() is None or self._word == b"k"

    async def _killed_within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                return await self._told_to_end()
        except TimeoutError:
            return False

    async def _line(self) -> bytes | None:
        """The next line of standard input, kept in `_word` too; None at its end."""
        while (end := self._heard.find(b"\n")) < 0:
            if not await self._hear():
                return None
        self._word = bytes(self._heard[:end])
        del self._heard[: end + 1]
        return self._word

    async def _bytes(self, count: int) -> bytes | None:
        while len(self._heard) < count:
            if not await self._hear():
                return None
        found = bytes(self._heard[:count])
        del self._heard[:count]
        return found

    async def _hear(self) -> bool:
        message = await self._socket.read()
        if message is None:
            return False
        if message[:1] == bytes([_STDIN]):
            self._heard += message[1:]
        return True


def _unmask(data: bytes, mask: bytes) -> bytes:
    if not any(mask) or not data:
        return data
    key = (mask * (len(data) // 4 + 1))[: len(data)]
    return (int.from_bytes(data, "big") ^ int.from_bytes(key, "big")).to_bytes(len(data), "big")
