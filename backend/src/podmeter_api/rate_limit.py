"""How often logins may fail, by who tries: an address and an account together.

Neither an address nor an account is ever locked by itself, since anyone could lock out others by
that. An address from which many logins failed, for whichever accounts, is slowed down; not so
anyone who logged in from there before. As logins count what lets somebody in as they do: the
password that one is changed from, or that an invitation asks for. Links have 128 random bits or
more and are not guessed; wrong ones slow their address down as wrong passwords do.

Failures of an account at an address are counted in Redis for all API processes together; those of
an address in each process, which asks nothing of anybody.
"""

import asyncio
import hashlib
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from threading import Lock
from typing import TYPE_CHECKING

import redis
from anyio import CapacityLimiter, to_thread

from podmeter.domain.email_address import address_key
from podmeter.domain.messages import say
from podmeter.services.errors import AuthenticationError, NotFoundError, WrongPasswordError
from podmeter_api.callers import network_of
from podmeter_api.errors import HttpProblemError

if TYPE_CHECKING:
    from podmeter_api.state import AppState

WINDOW_SECONDS = 300
#: An address is slowed down after this many times as many failures for all accounts together.
ADDRESS_FACTOR = 10
#: What it is slowed down to: one try in so many seconds, and no try waits for longer than that.
PACE_SECONDS = 2.0
LONGEST_WAIT_SECONDS = 6.0
#: How long an address is remembered as one that an account logged in from.
_KNOWN_SECONDS = 30 * 24 * 3600
_MOST_ADDRESSES = 10_000
_ASKING_REDIS = 2


@dataclass
class _Failures:
    until: float
    count: int = 0
    next_try: float = 0.0


class AddressPace:
    """Slows down addresses from which many logins failed. One for each process."""

    def __init__(self, failures: int) -> None:
        """`failures` in a window are what an address may have at full speed."""
        self._most = failures
        self._by_network: OrderedDict[str, _Failures] = OrderedDict()
        self._lock = Lock()

    def failed(self, network: str) -> None:
        """Count a failure. Safe to call from threads."""
        with self._lock:
            found = self._recent(network)
            if found is None:
                found = self._by_network[network] = _Failures(time.monotonic() + WINDOW_SECONDS)
            self._by_network.move_to_end(network)
            if len(self._by_network) > _MOST_ADDRESSES:
                self._by_network.popitem(last=False)
            found.count += 1

    def is_slow(self, network: str) -> bool:
        """Whether tries from there wait for their turn."""
        with self._lock:
            found = self._recent(network)
            return found is not None and found.count >= self._most

    async def turn(self, network: str) -> None:
        """Wait until it is a try's turn. Raises HttpProblemError where that takes too long."""
        with self._lock:
            found = self._recent(network)
            if found is None or found.count < self._most:
                return
            wait = max(0.0, found.next_try - time.monotonic())
            if wait <= LONGEST_WAIT_SECONDS:
                found.next_try = time.monotonic() + wait + PACE_SECONDS
        if wait > LONGEST_WAIT_SECONDS:
            raise _too_many(round(wait))
        await asyncio.sleep(wait)

    def _recent(self, network: str) -> _Failures | None:
        found = self._by_network.get(network)
        return found if found is not None and found.until > time.monotonic() else None


class LoginLimit:
    """Counts failed logins by address and account together, and by address for its pace."""

    def __init__(self, client: redis.Redis, attempts: int, pace: AddressPace) -> None:
        self.client = client
        self.attempts = attempts
        self.pace = pace

    @contextmanager
    def counting(self, address: str, email: str | None = None) -> Iterator[None]:
        """Count it as a failure where what is done inside refuses to let in.

        Without an account it counts for the pace of the address alone. Raises HttpProblemError as
        `check` and `failed`, and whatever is raised inside.
        """
        if email is not None:
            self.check(address, email)
        try:
            yield
        except (AuthenticationError, WrongPasswordError, NotFoundError):
            self.failed(address, email)
            raise

    def check(self, address: str, email: str) -> None:
        """Raises HttpProblemError when too many logins failed, or nothing can be counted."""
        with broker_needed():
            wait = int(self.client.pttl(_wait_key(address, email)))
        if wait > 0:
            raise _too_many(max(1, round(wait / 1000)))

    def failed(self, address: str, email: str | None) -> None:
        """Count a failure. Raises HttpProblemError when nothing can be counted."""
        self.pace.failed(network_of(address))
        if email is None:
            return
        with broker_needed():
            key = _failures_key(address, email)
            with self.client.pipeline() as pipeline:
                # The window begins with the first failure and is not prolonged by later ones.
                pipeline.set(key, 0, ex=WINDOW_SECONDS, nx=True)
                pipeline.incr(key)
                _, count = pipeline.execute()
            if int(count) >= self.attempts:
                # Not for the whole window: who shares the address with anyone who fails gets a
                # turn.
                wait = max(1, WINDOW_SECONDS // self.attempts)
                self.client.set(_wait_key(address, email), 1, ex=wait)

    def succeeded(self, address: str, email: str) -> None:
        """Remember that an account logged in from an address; its failures there are forgotten."""
        # The login is over: nobody is kept out for what cannot be remembered.
        with suppress(redis.RedisError), self.client.pipeline() as pipeline:
            pipeline.delete(_failures_key(address, email), _wait_key(address, email))
            pipeline.set(_known_key(address, email), 1, ex=_KNOWN_SECONDS)
            pipeline.execute()

    def knows(self, address: str, email: str) -> bool:
        """Whether the account logged in from the address before."""
        try:
            return bool(self.client.exists(_known_key(address, email)))
        except redis.RedisError:
            return False


def login_limit(state: "AppState") -> LoginLimit:
    """The limit that a process holds logins to."""
    return LoginLimit(state.redis, state.settings.login_attempts, state.pace)


class LoginDelay:
    """Lets tries to get in wait where their address is slowed down. One for each event loop."""

    def __init__(self, limit: LoginLimit) -> None:
        self._limit = limit
        self._asking = CapacityLimiter(_ASKING_REDIS)

    async def wait(self, address: str, email: str | None = None) -> bool:
        """Whether the account logged in from the address before; returns once it may try.

        Such a one does not wait for what others did there. Raises HttpProblemError.
        """
        if email is not None and await to_thread.run_sync(
            self._limit.knows, address, email, limiter=self._asking
        ):
            return True
        network = network_of(address)
        if self._limit.pace.is_slow(network):
            await self._limit.pace.turn(network)
        return False


@contextmanager
def broker_needed() -> Iterator[None]:
    """Without counting nobody is let in: else guessing would be free while Redis is away."""
    try:
        yield
    except redis.RedisError as error:
        raise HttpProblemError(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "broker_away",
            say("logins_uncounted"),
            headers={"Retry-After": "5"},
        ) from error


def _too_many(seconds: int) -> HttpProblemError:
    return HttpProblemError(
        HTTPStatus.TOO_MANY_REQUESTS,
        "too_many_logins",
        say("logins_too_many", seconds=seconds),
        headers={"Retry-After": str(seconds)},
    )


def _failures_key(address: str, email: str) -> str:
    return f"podmeter:login:failures:{_pair(address, email)}"


def _wait_key(address: str, email: str) -> str:
    return f"podmeter:login:wait:{_pair(address, email)}"


def _known_key(address: str, email: str) -> str:
    return f"podmeter:login:known:{_pair(address, email)}"


def _pair(address: str, email: str) -> str:
    # As a digest, however long the address is that somebody invents.
    account = hashlib.sha256(address_key(email).encode()).hexdigest()[:32]
    return f"{network_of(address)}:{account}"
