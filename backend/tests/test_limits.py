"""What one caller may take from the others: nothing that they need."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from types import SimpleNamespace

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from redis import Redis

from podmeter.credentials.passwords import PasswordCheck, Passwords
from podmeter.db.models import User
from podmeter.domain.shallow_json import TooDeepError, TooManyValuesError, check_shape
from podmeter.settings import Settings
from podmeter_api import rate_limit
from podmeter_api.app import create_app
from podmeter_api.callers import Caller, network_of
from podmeter_api.errors import HttpProblemError
from podmeter_api.lanes import Lane, Starts, make_lanes
from podmeter_api.rate_limit import AddressPace, LoginLimit
from podmeter_api.security import COOKIE
from podmeter_api.state import AppState

from .conftest import ORIGIN, PASSWORD, Browser

services = pytest.mark.services
LOGIN = "/api/v1/auth/login"


@services
@pytest.mark.parametrize(
    ("body", "status"),
    [
        (json.dumps({f"k{number}": 0 for number in range(20_000)}).encode(), 413),
        (b'{"email":' + b"[" * 5000 + b"]" * 5000 + b"}", 413),
        (json.dumps([0] * 6000).encode(), 413),
        (json.dumps({"email": "a", "password": "b"}).encode("utf-16"), 400),
    ],
)
@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_of_many_keys_or_levels_is_refused_before_it_is_parsed(
    browser: Browser, body: bytes, status: int, chunked: bool
) -> None:
    # Of the paths that take small bodies only, this one takes a larger one.
    content = iter([body[:100], body[100:]]) if chunked else body
    answer = browser().post(
        "/api/v1/clusters", content=content, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == status
    assert len(answer.content) < 1000


@services
def test_what_lets_in_takes_small_bodies(browser: Browser) -> None:
    answer = browser().post(LOGIN, json={"email": "a" * 20_000, "password": "b"})
    assert answer.status_code == 413


@services
def test_twenty_errors_are_listed_and_all_are_counted(browser: Browser) -> None:
    body = {f"k{number}": 0 for number in range(500)} | {"x" * 5000: 1}
    answer = browser().post(LOGIN, json=body)
    assert answer.status_code == 422
    problem = answer.json()
    assert len(problem["errors"]) == 20
    assert problem["error_count"] == 503
    assert len(answer.content) < 10_000
    query = "&".join(f"x{number}=1" for number in range(100))
    asked = browser().get(f"/api/v1/auth/sign-on?{query}").json()
    assert (len(asked["errors"]), asked["error_count"]) == (20, 100)


@services
def test_a_long_query_is_refused(browser: Browser) -> None:
    client = browser()
    assert client.get("/api/v1/me?x=" + "y" * 20_000).status_code == 414


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (b'{"a": "[[[[,,,,{{{{", "b": [1, 2]}', None),
        (b'{"a": "\\"[[[[[[[[[", "b": 1}', None),
        (b"[" * 5, TooDeepError),
        (b"[1,2,3,4,5,6,7,8,9,10,11]", TooManyValuesError),
        (b'"a" ' * 100, TooManyValuesError),
        (b"]" * 100, ValueError),
        (b"no json, at all", None),
    ],
)
def test_marks_inside_of_strings_do_not_count(text: bytes, error: type[Exception] | None) -> None:
    if error is None:
        check_shape(text, 4, 10)
    else:
        with pytest.raises(error):
            check_shape(text, 4, 10)


JSON = st.recursive(
    st.none() | st.integers() | st.text('[]{},:"\\\\ab\u00e9\u2028'),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text('[]{},:"\\\\', max_size=3), inner, max_size=4)
    ),
)


def shape(value: object) -> tuple[int, int]:
    """How deep it nests, and how many marks of structure it has that make values."""
    if not isinstance(value, list | dict):
        return 0, 0
    inner = [shape(one) for one in (value.values() if isinstance(value, dict) else value)]
    depth = 1 + max((found for found, _ in inner), default=0)
    return depth, 1 + max(0, len(inner) - 1) + sum(count for _, count in inner)


@given(JSON, st.booleans())
def test_keys_items_and_levels_are_counted_as_a_parser_does(value: object, escaped: bool) -> None:
    text = json.dumps(value, ensure_ascii=escaped).encode()
    depth, count = shape(value)
    check_shape(text, depth, max(count, text.count(b'"')))
    if depth:
        with pytest.raises(TooDeepError):
            check_shape(text, depth - 1, max(count, text.count(b'"')))
        with pytest.raises(TooManyValuesError):
            check_shape(text, depth, count - 1)


class BlockedPasswords(Passwords):
    """Hashes nothing before it is let."""

    def __init__(self) -> None:
        self.free = threading.Event()

    def check(self, password: str, stored_hash: str | None) -> PasswordCheck:
        assert self.free.wait(30)
        return PasswordCheck(correct=False)


@asynccontextmanager
async def client_at(app: FastAPI, address: str) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=app, client=(address, 4711))
    async with httpx.AsyncClient(transport=transport, base_url=ORIGIN, timeout=10) as client:
        yield client


@services
def test_logged_in_users_do_not_wait_for_failed_logins(admin: TestClient, state: AppState) -> None:
    """Each login held one of three places in which all requests work."""
    blocked = BlockedPasswords()
    app = create_app(state=replace(state, passwords=blocked))

    async def attack() -> tuple[list[int], int, int]:
        async with (
            app.router.lifespan_context(app),
            client_at(app, "192.0.2.1") as attacker,
            client_at(app, "192.0.2.2") as user,
        ):
            user.cookies.set(COOKIE, admin.cookies[COOKIE])
            body = {"email": "nobody@example.org", "password": "x"}
            tries = [asyncio.ensure_future(attacker.post(LOGIN, json=body)) for _ in range(10)]
            # One is hashed, three wait; the others are refused at once.
            refused: set[asyncio.Future[httpx.Response]] = set()
            hashing = set(tries)
            while len(refused) < 6:
                done, hashing = await asyncio.wait(
                    hashing, timeout=10, return_when=asyncio.FIRST_COMPLETED
                )
                assert done, "a login that has no place is not refused"
                refused |= done
            me = await asyncio.wait_for(user.get("/api/v1/me"), 10)
            blocked.free.set()
            ended = await asyncio.gather(*tries)
            retry = min(int(one.result().headers["retry-after"]) for one in refused)
            return sorted(one.status_code for one in ended), me.status_code, retry

    statuses, me, retry = asyncio.run(attack())
    assert me == 200
    assert statuses.count(401) <= 4
    assert set(statuses) <= {401, 429}
    assert retry >= 1


def test_a_burst_does_not_start_before_a_request_of_another_caller() -> None:
    async def work() -> tuple[int, int]:
        starts, begun = Starts(at_a_time=2), 0

        async def request(caller: Caller) -> int:
            nonlocal begun
            await starts.turn(caller)
            begun += 1
            return begun

        burst, other = Caller("burst", known=False), Caller("other", known=True)
        tasks = [asyncio.create_task(request(burst)) for _ in range(50)]
        tasks[3].cancel()
        await asyncio.sleep(0)
        place = await asyncio.create_task(request(other))
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        return place, sum(isinstance(one, int) for one in ended)

    place, ended = asyncio.run(work())
    assert place <= 6
    assert ended == 49


def test_callers_take_turns_in_a_lane() -> None:
    async def work() -> list[str]:
        lane, order = Lane(1), []

        async def one(caller: Caller) -> None:
            async with lane.place(caller):
                order.append(caller.name)
                await asyncio.sleep(0)

        greedy, other = Caller("greedy", known=True), Caller("other", known=True)
        tasks = [asyncio.create_task(one(greedy)) for _ in range(50)]
        await asyncio.sleep(0)
        await asyncio.gather(*tasks, asyncio.create_task(one(other)))
        return order

    assert asyncio.run(work()).index("other") <= 3


def test_neither_a_caller_nor_strangers_fill_a_lane_and_who_leaves_takes_nothing_along() -> None:
    async def work() -> None:
        lane = Lane(3, per_caller=2, strangers=2, waiting_per_caller=1)
        strangers = [Caller(f"192.0.2.{number}", known=False) for number in range(3)]
        known = Caller("user", known=True)
        for one in strangers[:2]:
            await lane._take(one)
        waiting = asyncio.create_task(lane._take(strangers[2]))
        await asyncio.sleep(0)
        with pytest.raises(HttpProblemError):
            await lane._take(strangers[2])
        await asyncio.wait_for(lane._take(known), 5)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        lane._give_back(strangers[0])
        await asyncio.wait_for(lane._take(known), 5)

    asyncio.run(work())


def test_an_address_is_its_network() -> None:
    assert network_of("2001:db8:1:2:3::4") == network_of("2001:db8:1:2:ffff::1")
    assert network_of("2001:db8:1:2::1") != network_of("2001:db8:1:3::1")
    assert network_of("::ffff:192.0.2.1") == network_of("192.0.2.1") != network_of("192.0.2.2")


@services
def test_failed_logins_lock_out_nobody_else_at_the_address(
    browser: Browser, add_user: Callable[..., User]
) -> None:
    """101 wrong ones locked out all who share it."""
    add_user("ada@example.org")
    client = browser()
    for number in range(31):  # ten times as many as one account may
        body = {"email": f"nobody{number}@example.org", "password": "x"}
        assert client.post(LOGIN, json=body).status_code == 401
    right = {"email": "ada@example.org", "password": PASSWORD}
    assert client.post(LOGIN, json=right).status_code == 200


@services
def test_links_that_others_guess_lock_out_nobody(browser: Browser) -> None:
    client = browser()
    for _ in range(5):
        answer = client.post("/api/v1/auth/invitation", json={"token": "x" * 43})
        assert answer.status_code == 404


def test_a_slow_address_waits_its_turn_and_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    # All tries come at one moment: each later second would let another one wait.
    monkeypatch.setattr(rate_limit, "time", SimpleNamespace(monotonic=lambda: 1000.0))

    async def tries() -> int:
        pace = AddressPace(failures=2)
        for _ in range(2):
            assert not pace.is_slow("192.0.2.1")
            pace.failed("192.0.2.1")
        assert pace.is_slow("192.0.2.1")
        assert not pace.is_slow("192.0.2.2")
        turns = [asyncio.create_task(pace.turn("192.0.2.1")) for _ in range(20)]
        done, waiting = await asyncio.wait(turns, timeout=0.5)
        for one in waiting:
            one.cancel()
        refused = [one for one in done if one.exception() is not None]
        assert all(isinstance(one.exception(), HttpProblemError) for one in refused)
        return len(refused)

    assert asyncio.run(tries()) == 16


def test_strangers_do_not_fill_the_queue_for_those_who_are_known() -> None:
    async def work() -> None:
        lane = Lane(1, waiting_per_caller=1, waiting=2)
        strangers = [Caller(f"192.0.2.{number}", known=False) for number in range(4)]
        await lane._take(strangers[0])
        waiting = [asyncio.create_task(lane._take(one)) for one in strangers[1:3]]
        await asyncio.sleep(0)
        with pytest.raises(HttpProblemError):
            await lane._take(strangers[3])
        known = asyncio.create_task(lane._take(Caller("user", known=True)))
        await asyncio.sleep(0)
        for _ in range(3):
            lane._give_back(strangers[0])
        await asyncio.wait_for(known, 5)
        await asyncio.gather(*waiting)

    asyncio.run(work())


@pytest.mark.parametrize("lane", ["computing", "exporting"])
def test_strangers_do_not_queue_without_end_for_what_computes(lane: str) -> None:
    async def work() -> int:
        computing: Lane = getattr(make_lanes(Settings(_env_file=None)), lane)
        strangers = [Caller(f"192.0.2.{number}", known=False) for number in range(40)]
        asked = [asyncio.create_task(computing._take(one)) for one in strangers]
        await asyncio.sleep(0)
        for one in asked:
            one.cancel()
        ended = await asyncio.gather(*asked, return_exceptions=True)
        return sum(isinstance(one, HttpProblemError) for one in ended)

    assert asyncio.run(work()) == 40 - 1 - 16


@services
def test_who_logged_in_from_an_address_waits_by_a_name_of_their_own(
    browser: Browser, add_user: Callable[..., User], monkeypatch: pytest.MonkeyPatch
) -> None:
    add_user("ada@example.org")
    taken: list[Caller] = []
    take = Lane._take

    async def noted(self: Lane, caller: Caller) -> None:
        taken.append(caller)
        await take(self, caller)

    monkeypatch.setattr(Lane, "_take", noted)
    right = {"email": "ada@example.org", "password": PASSWORD}
    for _ in range(2):
        assert browser().post(LOGIN, json=right).status_code == 200
    assert [one.known for one in taken] == [False, True]


@services
def test_an_account_is_not_slowed_down_for_one_that_only_looks_like_it(
    redis_client: Redis,
) -> None:
    limit = LoginLimit(redis_client, 3, AddressPace(30))
    for _ in range(3):
        limit.failed("192.0.2.1", "\u212aim@example.org")
    limit.check("192.0.2.1", "kim@example.org")


@services
def test_who_logged_in_there_is_known_there_alone(redis_client: Redis) -> None:
    limit = LoginLimit(redis_client, 3, AddressPace(30))
    limit.succeeded("2001:db8::1", "Ada@example.org")
    assert limit.knows("2001:db8::2", "ada@example.org")
    assert not limit.knows("2001:db8:0:1::1", "ada@example.org")
    assert not limit.knows("2001:db8::1", "bob@example.org")
    for _ in range(3):
        limit.failed("2001:db8::1", "ada@example.org")
    with pytest.raises(HttpProblemError):
        limit.check("2001:db8::ffff", "ADA@example.org")
    limit.check("192.0.2.1", "ada@example.org")
    assert 0 < redis_client.ttl(redis_client.keys("podmeter:login:wait:*")[0]) <= 100
