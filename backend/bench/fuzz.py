"""Requests generated from the OpenAPI document, against the API as it is served.

    python backend/bench/fuzz.py [--requests 10000] [--streams 300] [--seed 1]

Starts a PostgreSQL, a Redis and the API's processes of its own; asks as a viewer, an operator and
an administrator of an organization that has one of everything; event streams apart, up to their
first bytes. Prints what was answered with 5xx or took longer than the bar, as commands that ask it
again; exits with 1 where there is any.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import requests
from backend.tests.conftest import PASSWORD
from backend.tests.everything import OPERATIONS, Things, put_in_place, requests_for
from backend.tests.generated import Case, cases
from backend.tests.provider import CLIENT, SECRET, Provider, running
from hypothesis import HealthCheck, Phase, given, seed, settings
from requests.exceptions import InvalidHeader, InvalidURL, RequestException
from served import databases, served

from podmeter.credentials.passwords import Passwords
from podmeter.db.models import Membership, Organization, Role, User
from podmeter.db.session import Sessions, make_engine, make_sessions
from podmeter.stack.redis import free_port
from podmeter_api.security import CSRF_HEADER

BAR_SECONDS = 2.0
STREAM = "stream_events"
ORGANIZATION = "fuzzed"
#: After them who asks is somebody else, or nobody.
ENDING_SESSIONS = {
    *("log_out", "delete_session", "delete_sessions", "change_password"),
    *("switch_organization", "leave_organization", "accept_invitation", "use_password_reset"),
    "finish_sign_on",
}
_SHOWN = 20
#: Of so many requests one says itself who asks.
_MADE_UP = 10


@dataclass
class Found:
    """What was answered: how many requests by status, what broke, what was slow."""

    statuses: Counter[tuple[str, int]] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    slowest: tuple[float, str] = (0.0, "")
    slow: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        """How many were asked."""
        return sum(self.statuses.values())

    def note(self, role: Role, status: int, seconds: float, command: str) -> None:
        """One answer."""
        self.statuses[role, status] += 1
        self.slowest = max(self.slowest, (seconds, command))
        if status >= 500:
            self.broken.append(f"{role}, {status}: {command}")
        if seconds > BAR_SECONDS:
            self.slow.append(f"{role}, {seconds:.1f} s: {command}")


@dataclass(frozen=True)
class Fuzz:
    """The API that is asked, and an organization there."""

    url: str
    sessions: Sessions

    def log_in(self, role: Role) -> requests.Session:
        """A browser of anyone who has the role."""
        session = requests.Session()
        login = {"email": _email(role), "password": PASSWORD}
        answer = session.post(f"{self.url}/api/v1/auth/login", json=login, timeout=30)
        answer.raise_for_status()
        session.headers[CSRF_HEADER] = answer.json()["csrf_token"]
        return session

    def things(self) -> Things:
        """One of everything, again."""
        browser = self.log_in(Role.ADMIN)
        with httpx.Client(
            base_url=self.url,
            cookies=dict(browser.cookies),
            headers={CSRF_HEADER: str(browser.headers[CSRF_HEADER])},
            timeout=30,
        ) as client:
            return put_in_place(client, self.sessions, ORGANIZATION)  # type: ignore[arg-type]

    def ask(
        self, case: Case, session: requests.Session, *, stream: bool, known: bool
    ) -> tuple[int, float]:
        """The answer's status, and the seconds until it was there; of a stream the first byte.

        Who asks is the session's user where it is `known`, else whom the case makes up.
        """
        given = case.as_transport_kwargs(base_url=self.url)
        if known:
            given["headers"] = {
                name: value
                for name, value in given["headers"].items()
                if name.lower() not in ("authorization", "cookie", CSRF_HEADER.lower())
            }
            given["cookies"] = {}
        begun = time.perf_counter()
        with session.request(**given, timeout=60, stream=stream, allow_redirects=False) as answer:
            if stream and answer.ok:
                next(answer.iter_content(1), b"")
            return answer.status_code, time.perf_counter() - begun


def main() -> None:
    """Ask, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--streams", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write the figures there too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="podmeter-fuzz-") as folder, _api(Path(folder)) as fuzz:
        plain = _fuzz(
            fuzz, [one for one in OPERATIONS if one != STREAM], given.requests, given.seed
        )
        streams = _fuzz(fuzz, [STREAM], given.streams, given.seed)
    rows = [*_rows("requests", plain), *_rows("event streams", streams)]
    for row in rows:
        value = f"{row['value']:8.3f} {row['unit']:3} (bar {row['bar']:g})"
        _say(f"{row['what']:<48} {value} {row['note']}")
    for found in (plain, streams):
        for line in (found.broken + found.slow)[:_SHOWN]:
            _say(line)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=2) + "\n")
    sys.exit(0 if all(row["value"] <= row["bar"] for row in rows) else 1)


def _rows(what: str, found: Found) -> list[dict[str, Any]]:
    seconds, command = found.slowest
    by_class = Counter[str]()
    for (_, status), count in found.statuses.items():
        by_class[f"{status // 100}xx"] += count
    asked = ", ".join(f"{count:,} {name}" for name, count in sorted(by_class.items()))
    return [
        {
            "what": f"{found.count:,} {what} as viewer, operator, admin: 5xx",
            "value": len(found.broken),
            "unit": "",
            "bar": 0,
            "note": asked,
        },
        {
            "what": f"slowest of {found.count:,} {what}",
            "value": round(seconds, 3),
            "unit": "s",
            "bar": BAR_SECONDS,
            "note": command.partition("?")[0][:80],
        },
    ]


def _fuzz(fuzz: Fuzz, operations: list[str], count: int, first_seed: int) -> Found:
    """Ask `count` times at least, each operation as each role, each round by a new seed."""
    found, rounds = Found(), 0
    while found.count < count:
        examples = max(5, -(-(count - found.count) // (len(operations) * len(Role))))
        shared = fuzz.things()
        for operation in operations:
            method, _ = OPERATIONS[operation]
            for role in Role:
                # What removes things has some of its own: else it would soon find none.
                own = method == "DELETE" and role is not Role.VIEWER
                things = fuzz.things() if own else shared
                number = first_seed + rounds
                _operation(fuzz, found, operation, role, things, number, min(examples, 200))
        rounds += 1
        _say(f"{found.count:,} of {count:,} asked, {len(found.broken)} broken")
    return found


def _operation(
    fuzz: Fuzz,
    found: Found,
    operation: str,
    role: Role,
    things: Things,
    number: int,
    examples: int,
) -> None:
    session = fuzz.log_in(role)

    @seed(number)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(cases(operation, requests_for(things)[operation]))
    def each(case: Case) -> None:
        nonlocal session
        known = found.count % _MADE_UP != 0
        try:
            status, seconds = fuzz.ask(case, session, stream=operation == STREAM, known=known)
        except (InvalidHeader, InvalidURL, UnicodeError):
            return  # nothing that can be sent
        except RequestException as error:
            status, seconds = 599, 0.0  # no answer at all
            _say(f"{operation}: {error}")
        found.note(role, status, seconds, f"{operation}: {case.as_curl_command()}")
        if operation in ENDING_SESSIONS and status < 300:
            session = fuzz.log_in(role)

    each()


@contextmanager
def _api(folder: Path) -> Iterator[Fuzz]:
    """The API with servers of its own, and somebody of each role."""
    port = free_port()
    with databases(folder, port, durable=False) as (postgres, environment):
        engine = make_engine(postgres.url())
        sessions = make_sessions(engine)
        _people(sessions)
        # Each wrong login that is generated counts; being locked out is tested elsewhere.
        environment["PODMETER_LOGIN_ATTEMPTS"] = "1000000"
        environment["PODMETER_QUOTA_ORGANIZATIONS"] = "1000000"
        try:
            with running() as provider, served({**environment, **_sign_on(provider)}, port):
                yield Fuzz(f"http://127.0.0.1:{port}", sessions)
        finally:
            engine.dispose()


def _sign_on(provider: Provider) -> dict[str, str]:
    return {
        "PODMETER_OIDC_ISSUER": provider.url,
        "PODMETER_OIDC_CLIENT_ID": CLIENT,
        "PODMETER_OIDC_CLIENT_SECRET": SECRET,
        "PODMETER_OIDC_ROLES": "net-admins=admin",
        "PODMETER_OIDC_ALLOWED_NETWORKS": "127.0.0.0/8",
    }


def _people(sessions: Sessions) -> None:
    with sessions.begin() as session:
        organization = Organization(name=ORGANIZATION)
        session.add(organization)
        session.flush()
        for role in Role:
            user = User(email=_email(role), password_hash=Passwords().hash(PASSWORD))
            session.add(user)
            session.flush()
            session.add(Membership(organization_id=organization.id, user_id=user.id, role=role))


def _email(role: Role) -> str:
    return f"{role}@{ORGANIZATION}.example"


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
