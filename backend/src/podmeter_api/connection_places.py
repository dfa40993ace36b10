"""Places for connections: how many an address has, who waits for one, and who gives way."""

import logging
import time
from collections import OrderedDict
from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network
from typing import Any, Protocol

from podmeter.stack import open_files
from podmeter_api.callers import is_in, network_of
from podmeter_api.connection_refusals import Refusals, no_place

logger = logging.getLogger(__name__)

#: Files of a process that are no client's connections: database, Redis, pages, logs.
_OTHER_FILES = 128
#: Each takes memory, so that a high limit of open files is no reason for more.
MOST_CONNECTIONS = 20_000
#: Of each `Allowance`; any number of addresses may use some of it.
MAX_HELD_BYTES = 32 * 1024 * 1024
#: Connections of an address that wait for a place, and as many more that are still to be told that
#: there is none: a burst of a thousand is served.
MAX_WAITING = 1_000
_LOG_AGAIN_SECONDS = 60.0
#: The key of a process' connections in the state of its lifespan.
CONNECTIONS = "connections"


class Connection(Protocol):
    """What an address has to know of its connections."""

    transport: Any

    @property
    def is_idle(self) -> bool:
        """Whether it is kept alive between two requests."""

    def serve(self) -> None:
        """It has a place now."""


class Allowance:
    """The bytes of one kind that all connections together may keep in memory."""

    def __init__(self, most: int) -> None:
        self.used, self._most = 0, most

    def change(self, more: int) -> bool:
        """Keep so many bytes more, or fewer; false, and nothing changes, if there is no room."""
        if more > 0 and self.used + more > self._most:
            return False
        self.used += more
        return True


class Connections:
    """The connections of one process. Belongs to one event loop."""

    def __init__(
        self,
        per_address: int,
        trusted: Iterable[IPv4Network | IPv6Network] = (),
        most: int | None = None,
        waiting: int = MAX_WAITING,
        held: int = MAX_HELD_BYTES,
    ) -> None:
        """`per_address` are served of one address, and `waiting` of it wait; trusted proxies may
        have any number. `most` are open in all; unset, 20,000 or as many as the limit of open
        files leaves. `held` is the size of each allowance.
        """
        self._per_address = per_address
        limit = open_files.limit()
        other = min(_OTHER_FILES, limit // 4)
        self.most = most or min(MOST_CONNECTIONS, limit - other)
        #: A few more, which are to be told that there is no room.
        self._most_refused = self.most + other // 4
        self._waiting = waiting
        self.open = 0
        # Apart, so that waiting connections cannot take what served ones need, nor these theirs.
        #: Sent by connections that wait for a place.
        self.waiting_bytes = Allowance(held)
        #: Of served connections, each beyond a short piece: sent during an answer; heads.
        self.early_bytes, self.head_bytes = Allowance(held), Allowance(held)
        self.refusals = Refusals()
        self.no_place = no_place(per_address)
        self._trusted = tuple(trusted)
        self._addresses: dict[str, Address] = {}
        self._logged = -_LOG_AGAIN_SECONDS

    def enter(self, client: tuple[str, int] | None) -> "Address":
        """One more is open: what it counts for."""
        self.open += 1
        if client is None or is_in(client[0], self._trusted):
            # Each of a trusted proxy, or of a local socket, has a place of its own.
            return Address("", 1, 1)
        name = network_of(client[0])
        return self._addresses.setdefault(name, Address(name, self._per_address, self._waiting))

    def leave(self, address: "Address", one: Connection) -> None:
        """It is closed; nothing is kept of an address without connections."""
        self.open -= 1
        address.leave(one)
        if not len(address):
            self._addresses.pop(address.name, None)

    @property
    def is_overrun(self) -> bool:
        """Whether there is not even room to tell one more that there is none."""
        return self.open > self._most_refused

    def has_room(self, address: "Address") -> bool:
        """Whether one more may be open: where there is no room, the largest crowd has one less."""
        if self.open <= self.most:
            return True
        if time.monotonic() - self._logged >= _LOG_AGAIN_SECONDS:
            self._logged = time.monotonic()
            logger.error(
                "connections are running out: %d are open, and this process takes %d; it may have "
                "%d files open (RLIMIT_NOFILE)",
                *(self.open, self.most, open_files.limit()),
            )
        crowd = max(self._addresses.values(), key=len, default=None)
        if crowd is None or len(crowd) <= 1 + len(address):
            return False
        crowd.shrink()
        return True


class Address:
    """The connections of one address: those that are served, those that wait for a place, and
    those that are to be told that there is none.
    """

    def __init__(self, name: str, places: int, waiting: int) -> None:
        self.name = name
        self._places, self._most_waiting = places, waiting
        self._served: set[Connection] = set()
        # In the order of arrival; any of thousands may leave at any moment.
        self._waiting: OrderedDict[Connection, None] = OrderedDict()
        self._refused: set[Connection] = set()

    def __len__(self) -> int:
        return len(self._served) + len(self._waiting) + len(self._refused)

    def take(self, one: Connection) -> bool:
        """Whether there is a place now."""
        if len(self._served) >= self._places or self._waiting:
            return False
        self._served.add(one)
        return True

    def wait(self, one: Connection) -> bool:
        """Whether it may wait for a place; an idle connection makes room."""
        if len(self._waiting) >= self._most_waiting:
            return False
        self._waiting[one] = None
        idle = next((other for other in self._served if other.is_idle), None)
        if idle is not None:
            idle.transport.close()
        return True

    def refuse(self, one: Connection) -> bool:
        """Whether it may stay open until the refusal is sent."""
        self._waiting.pop(one, None)
        if len(self._refused) >= self._most_waiting:
            return False
        self._refused.add(one)
        return True

    @property
    def is_awaited(self) -> bool:
        """Whether a connection waits for a place."""
        return bool(self._waiting)

    def leave(self, one: Connection) -> None:
        """Give its place to the longest waiting request."""
        self._waiting.pop(one, None)
        self._refused.discard(one)
        if one not in self._served:
            return
        self._served.remove(one)
        if self._waiting:
            following, _ = self._waiting.popitem(last=False)
            self._served.add(following)
            following.serve()

    def shrink(self) -> None:
        """End a connection at once: a refused one, the last that waits, or any."""
        if self._refused:
            self._refused.pop().transport.abort()
            return
        if self._waiting:
            last, _ = self._waiting.popitem()
            last.transport.abort()
            return
        open_ones = (one for one in self._served if not one.transport.is_closing())
        if (one := next(open_ones, None)) is not None:
            one.transport.abort()
