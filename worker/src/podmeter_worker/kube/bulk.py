"""Many requests to one API server, over a few connections kept alive.

By aiohttp, because an API server often shares its CPUs with whoever measures: httpx took 3.3 ms
of CPU for each request here, aiohttp 0.5, a loop written by hand 0.3.
"""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from podmeter.domain import labels
from podmeter.domain.errors import PreconditionError
from podmeter_worker.kube.client import PATIENCE_SECONDS, failure_of
from podmeter_worker.kube.errors import ApiRefusedError, ApiUnavailableError

if TYPE_CHECKING:
    from podmeter_worker.kube.access import ClusterAccess
    from podmeter_worker.kube.resources import Object

T = TypeVar("T")

#: Enough to keep the API server of a small cluster busy; each carries one request at a time.
CONNECTIONS = 16
_TIMEOUT = aiohttp.ClientTimeout(total=60.0, connect=10.0)


@dataclass(frozen=True, slots=True)
class Request:
    """One request, its body encoded already."""

    method: str
    path: str
    body: bytes


async def for_all(
    access: ClusterAccess,
    one: Callable[[Sender, str], Awaitable[T]],
    names: Iterable[str],
    check: Callable[[], None],
) -> list[T]:
    """The outcomes for all names, in their order; the first error ends the others."""
    numbered = list(enumerate(names))
    answers: dict[int, T] = {}
    waiting = iter(numbered)

    async def work(sender: Sender) -> None:
        for number, name in waiting:
            check()
            answers[number] = await one(sender, name)

    try:
        async with Sender(access) as sender, asyncio.TaskGroup() as group:
            for _ in range(min(CONNECTIONS, len(numbered))):
                group.create_task(work(sender))
    except BaseExceptionGroup as errors:
        # They fail for one reason nearly always; the first says it without the others' noise.
        raise errors.exceptions[0] from None
    return [answers[number] for number, _ in numbered]


class Sender:
    """Sends requests over connections kept alive; what fails for now is sent again."""

    def __init__(self, access: ClusterAccess, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self._access = access
        self._patience = patience_seconds

    async def __aenter__(self) -> Sender:
        connector = aiohttp.TCPConnector(
            resolver=_CheckedResolver(self._access),
            # aiohttp asks the resolver for each connection, and the access has the answer ready.
            use_dns_cache=False,
            limit=CONNECTIONS,
            ssl=self._access.tls,
        )
        self._http = aiohttp.ClientSession(
            connector=connector,
            headers={**self._access.headers, "Content-Type": "application/json"},
            timeout=_TIMEOUT,
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=False,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.close()

    async def create(self, request: Request, path: str, run_label: str) -> Object:
        """Create an object; one of the same name and run is found instead."""
        try:
            return await self._send(request)
        except ApiRefusedError as error:
            if error.reason == "AlreadyExists":
                found = await self._send(Request("GET", path, b""))
                if found["metadata"].get("labels", {}).get(labels.RUN) == run_label:
                    return found
            if error.status in (403, 422) or error.reason == "AlreadyExists":
                raise PreconditionError(f"the cluster takes no more Services: {error}") from error
            raise

    async def delete(self, path: str) -> None:
        """Delete an object, if it is there."""
        try:
            await self._send(Request("DELETE", path, b""))
        except ApiRefusedError as error:
            if error.status != 404:
                raise

    async def _send(self, request: Request) -> Object:
        deadline = time.monotonic() + self._patience
        pause = 0.1
        while True:
            try:
                return await self._once(request)
            except ApiUnavailableError as error:
                wait = max(pause, error.retry_after or 0.0)
                if time.monotonic() + wait > deadline:
                    raise
                await asyncio.sleep(wait)
                pause = min(2 * pause, 2.0)

    async def _once(self, request: Request) -> Object:
        # A literal address is not resolved, so the check has to be asked for.
        self._access.checked()
        url = URL(f"{self._access.url}{request.path}", encoded=True)
        try:
            async with self._http.request(
                request.method,
                url,
                data=request.body or None,
                allow_redirects=False,
                server_hostname=self._access.tls_name,
            ) as response:
                content = await response.read()
        except (aiohttp.ClientError, TimeoutError) as error:
            self._access.forget()
            raise ApiUnavailableError(f"the API server was not reached: {error}") from error
        if not 200 <= response.status < 300:
            raise failure_of(response.status, content, response.headers.get("Retry-After"))
        document: Object = json.loads(content)
        return document


class _CheckedResolver(AbstractResolver):
    """Gives the checked addresses of the one server there is."""

    def __init__(self, access: ClusterAccess) -> None:
        self._access = access

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The checked addresses, whatever family was asked for."""
        server = self._access.checked()
        if host != server.hostname:
            raise OSError(f"{host} is not the API server")
        return [
            ResolveResult(
                hostname=host,
                host=str(address),
                port=port,
                family=socket.AF_INET6 if address.version == 6 else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in server.addresses
        ]

    async def close(self) -> None:
        """Nothing is held."""
