"""Lanes: work that is bounded, and shared fairly among callers.

A lane has a few places. Callers that wait for one get it in turn, so that a caller with a hundred
requests delays another caller by one of them, and not by all. Every thread that a request uses is
behind a lane: a caller can fill a queue of its own, never the pool of threads that all share.
"""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus

from fastapi import Request

from podmeter.domain.messages import say
from podmeter.settings import Settings
from podmeter_api.callers import Caller
from podmeter_api.errors import HttpProblemError

#: Requests of a process that work with the database at a time. Threads that compute share one
#: interpreter: more of them only wait for each other.
_WORKING = 4
#: Requests of a process that start in one round of its event loop.
_STARTING = 4
#: Requests that may wait for password hashing: of one caller, and of all anonymous clients
#: together. Further requests are refused at once.
_WAITING_TO_HASH = 3
_ALL_WAITING_TO_HASH = 16
#: Files of all rows that may wait to be written, of one caller.
_WAITING_TO_EXPORT = 3
#: Requests of all anonymous clients together that may wait to compute or to export: whether anyone
#: is logged in is known only once they have a place.
_ALL_WAITING_TO_COMPUTE = 16
#: Concurrent requests to the single sign-on provider, and requests that may wait for one.
_ASKING_PROVIDER = 4
_WAITING_FOR_PROVIDER = 6
_ALL_WAITING_FOR_PROVIDER = 30


class Lane:
    """Places that callers take in turn. Belongs to one event loop."""

    def __init__(
        self,
        places: int,
        *,
        per_caller: int | None = None,
        strangers: int | None = None,
        waiting_per_caller: int | None = None,
        waiting: int | None = None,
    ) -> None:
        """`per_caller` and `strangers` are how many places one caller, and all strangers together,
        hold at most; `waiting_per_caller` and `waiting` how many of one caller, and of all
        strangers together, wait at most before the next one is refused. None is no limit of its
        own.
        """
        self._free = places
        self._per_caller = places if per_caller is None else per_caller
        self._strangers = places if strangers is None else strangers
        self._waiting_per_caller = waiting_per_caller
        self._most_waiting = waiting
        self._held: Counter[Caller] = Counter()
        self._held_by_strangers = 0
        #: Those who wait, each caller's in the order of asking; the caller whose turn it is first.
        self._queues: OrderedDict[Caller, deque[asyncio.Future[None]]] = OrderedDict()
        self._waiting_strangers = 0

    @asynccontextmanager
    async def place(self, caller: Caller) -> AsyncIterator[None]:
        """A place, once it is the caller's turn. Raises HttpProblemError where too many wait."""
        await self._take(caller)
        try:
            yield
        finally:
            self._give_back(caller)

    async def _take(self, caller: Caller) -> None:
        if caller not in self._queues and self._may(caller):
            self._hold(caller)
            return
        queue = self._queues.get(caller, ())
        if self._waiting_per_caller is not None and len(queue) >= self._waiting_per_caller:
            raise busy(HTTPStatus.TOO_MANY_REQUESTS)
        full = self._most_waiting is not None and self._waiting_strangers >= self._most_waiting
        if full and not caller.known:
            raise busy(HTTPStatus.SERVICE_UNAVAILABLE)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queues.setdefault(caller, deque()).append(turn)
        self._waiting_strangers += not caller.known
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._give_back(caller)  # it was the caller's turn at the same moment
            else:
                self._leave(caller, turn)
            raise

    def _may(self, caller: Caller) -> bool:
        if self._free == 0 or self._held[caller] >= self._per_caller:
            return False
        return caller.known or self._held_by_strangers < self._strangers

    def _hold(self, caller: Caller) -> None:
        self._free -= 1
        self._held[caller] += 1
        self._held_by_strangers += not caller.known

    def _give_back(self, caller: Caller) -> None:
        self._free += 1
        self._held[caller] -= 1
        if not self._held[caller]:
            del self._held[caller]
        self._held_by_strangers -= not caller.known
        self._grant()

    def _grant(self) -> None:
        while (caller := next((one for one in self._queues if self._may(one)), None)) is not None:
            turn = self._queues[caller][0]
            self._leave(caller, turn)
            if caller in self._queues:
                self._queues.move_to_end(caller)
            self._hold(caller)
            turn.set_result(None)

    def _leave(self, caller: Caller, turn: "asyncio.Future[None]") -> None:
        queue = self._queues[caller]
        queue.remove(turn)
        self._waiting_strangers -= not caller.known
        if not queue:
            del self._queues[caller]


class Starts:
    """Has requests start a few at a time, caller by caller. Belongs to one event loop.

    A thousand that start at once would have every other request wait for all of them at each of
    its steps.
    """

    def __init__(self, at_a_time: int = _STARTING) -> None:
        """`at_a_time` start in one round of the event loop."""
        self._at_a_time = at_a_time
        self._queues: OrderedDict[Caller, deque[asyncio.Future[None]]] = OrderedDict()

    async def turn(self, caller: Caller) -> None:
        """Return when it is the turn of this request."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        if not self._queues:
            loop.call_soon(self._round)
        self._queues.setdefault(caller, deque()).append(turn)
        await turn

    def _round(self) -> None:
        for _ in range(self._at_a_time):
            if not self._queues:
                return
            caller, queue = self._queues.popitem(last=False)
            turn = queue.popleft()
            if queue:
                self._queues[caller] = queue
            if not turn.done():
                turn.set_result(None)
        if self._queues:
            asyncio.get_running_loop().call_soon(self._round)


def busy(status: HTTPStatus) -> HttpProblemError:
    """The refusal of a lane that has no room: 429 for the caller's own share, 503 for all."""
    own = status is HTTPStatus.TOO_MANY_REQUESTS
    return HttpProblemError(
        status,
        "too_many_requests" if own else "busy",
        say("requests_too_many" if own else "lane_full"),
        headers={"Retry-After": "1"},
    )


@dataclass(frozen=True)
class Lanes:
    """The lanes of one process."""

    #: With a connection to the database each.
    work: Lane
    #: For operations that hash a password, which takes 64 MiB and a tenth of a second of all CPUs;
    #: with a connection each too.
    hashing: Lane
    #: For what mostly computes: two at the same time would both end when the second one does.
    computing: Lane
    #: For writing files of all rows, which may take many seconds that no comparison waits for.
    exporting: Lane
    #: For reading YAML documents.
    parsing: Lane
    #: For asking the single sign-on provider, which may be slow.
    provider: Lane
    #: For asking the issuers that trusts of CIs name; none of them keeps people from signing on.
    issuers: Lane


def working(settings: Settings) -> int:
    """How many requests of one process work at a time; hashing takes a connection besides."""
    return max(1, min(_WORKING, settings.database_pool - 1))


def make_lanes(settings: Settings) -> Lanes:
    """The lanes of a process that starts.

    No caller, and no crowd of strangers, holds all the places in which requests work.
    """
    places = working(settings)
    share = max(1, places - 1)
    return Lanes(
        work=Lane(places, per_caller=share, strangers=share),
        hashing=Lane(1, waiting_per_caller=_WAITING_TO_HASH, waiting=_ALL_WAITING_TO_HASH),
        computing=Lane(1, waiting=_ALL_WAITING_TO_COMPUTE),
        exporting=Lane(1, waiting_per_caller=_WAITING_TO_EXPORT, waiting=_ALL_WAITING_TO_COMPUTE),
        parsing=Lane(1),
        provider=Lane(
            _ASKING_PROVIDER,
            per_caller=_ASKING_PROVIDER // 2,
            waiting_per_caller=_WAITING_FOR_PROVIDER,
            waiting=_ALL_WAITING_FOR_PROVIDER,
        ),
        issuers=Lane(
            _ASKING_PROVIDER,
            per_caller=_ASKING_PROVIDER // 2,
            waiting_per_caller=_WAITING_FOR_PROVIDER,
            waiting=_ALL_WAITING_FOR_PROVIDER,
        ),
    )


def lanes_of(request: Request) -> Lanes:
    """The lanes of the process that serves the request."""
    lanes = request.app.state.lanes
    if not isinstance(lanes, Lanes):
        raise TypeError("the application has no lanes")
    return lanes
