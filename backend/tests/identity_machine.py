"""Invitations, resets, sign-ons, links, tokens in any order: nobody gets what is another person's.

Hypothesis plays people against the API. Each person is known by the mailbox and by the subject at
the provider that they alone control; who holds which link, password, session and token is what they
were given. What a person may have follows from that alone, never from what Podmeter says.
"""

import uuid
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

from fastapi.testclient import TestClient
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from sqlalchemy import select

from podmeter.db.models import Membership, Organization, Role, User
from podmeter.services.accounts.confirmation import confirm
from podmeter.services.sign_on.attempt import Attempt
from podmeter.services.sign_on.flow import Answer
from podmeter.services.sign_on.identity import Identity
from podmeter.services.work import Work
from podmeter_api.security import COOKIE, CSRF_HEADER
from podmeter_api.state import AppState

OURS, THEIRS = "ours", "theirs"
PASSWORDS = ("correct horse battery", "staple window orange", "harbour violin cactus")


@dataclass
class PlayedSignOn:
    """Single sign-on whose provider answers at once with anyone who the code stands for."""

    configuration: Any
    people: dict[str, Identity] = field(default_factory=dict)

    def begin(self, way_back: str, **wish: bool) -> tuple[str, Attempt]:
        attempt = Attempt.begin(way_back, **wish)
        return f"https://provider.example/?state={attempt.state}", attempt

    def finish(self, attempt: Attempt, answer: Answer) -> Identity:
        return self.people[str(answer.code)]


@dataclass
class Person:
    """`knows` has the passwords of accounts that are theirs, or that they were `told` of."""

    name: str
    honest: bool
    address: str
    groups: tuple[str, ...]
    knows: dict[str, str] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass
class Credential:
    """A session or a token in somebody's hands, and the account that it was given for."""

    holder: Person
    account: str
    cookie: str | None = None
    token: str | None = None
    #: It must never let in again.
    ended: bool = False

    @property
    def headers(self) -> dict[str, str]:
        if self.token is not None:
            return {"Authorization": f"Bearer {self.token}"}
        return {"Cookie": f"{COOKIE}={self.cookie}"}


@dataclass
class Link:
    """A link in somebody's hands. `account` is whose password it sets, if it is a reset's."""

    holder: Person
    secret: str
    address: str
    organization: str = ""
    account: str | None = None


class People(RuleBasedStateMachine):
    """One example: an honest organization, which single sign-on is for, and Eve's."""

    #: Given by the test.
    api: TestClient
    state: AppState
    sign_on: PlayedSignOn

    @initialize(squatted=st.integers(0, 3), confirmed=st.booleans())
    def begin(self, squatted: int, confirmed: bool) -> None:
        """Most examples begin with an account that Eve made of somebody's address."""
        self.run = uuid.uuid4().hex[:12]
        self.root = self._person("root", honest=True)
        self.boss = self._person("boss", honest=True, groups=("net-admins",))
        self.ann = self._person("ann", honest=True, groups=("readers",))
        self.eve = self._person("eve", honest=False)
        self.people = [self.root, self.boss, self.ann, self.eve]
        self.credentials: list[Credential] = []
        self.over: list[Credential] = []
        self.links: list[Link] = []
        #: Who may act in an organization, by which account.
        self.may: set[tuple[Person, str, str]] = set()
        #: Accounts of the provider, by account.
        self.owner: dict[str, Person] = {}
        self.organizations: dict[str, str] = {}
        self.out: set[str] = set()
        for name, person in ((OURS, self.root), (THEIRS, self.eve)):
            self._found(name, person)
        self.sign_on.configuration = replace(
            self.sign_on.configuration, organization=self.organizations[OURS]
        )
        self.sign_on.people.clear()

        if self.people[squatted].honest:
            self.invite(True, squatted, "admin")
            self.accept(-1, PASSWORDS[0])
        if confirmed:
            self.confirm(squatted)

    # --- what people do

    @rule(by_eve=st.booleans(), whom=st.integers(0, 3), role=st.sampled_from(["viewer", "admin"]))
    def invite(self, by_eve: bool, whom: int, role: str) -> None:
        """An honest administrator hands the link to the mailbox's owner; Eve keeps it as well."""
        admin, invited = self.eve if by_eve else self.root, self.people[whom]
        home = self._home(admin)
        body = {"email": invited.address, "role": role}
        answer = home and self._ask(home, "POST", "invitations", body)
        if not answer or answer.status_code != 201:
            return
        secret = answer.json()["link"].partition("#")[2]
        where = THEIRS if by_eve else OURS
        for holder in (invited, self.eve) if by_eve and invited is not self.eve else (invited,):
            self.links.append(Link(holder, secret, invited.address, self.organizations[where]))

    @precondition(lambda self: any(one.account is None for one in self.links))
    @rule(number=st.integers(0, 99), word=st.sampled_from(PASSWORDS))
    def accept(self, number: int, word: str) -> None:
        link = self._pick([one for one in self.links if one.account is None], number)
        word = f"{word} {link.holder.name}"
        known = [link.holder.knows[one] for one in link.holder.knows if self._is(one, link.address)]
        body = {"token": link.secret, "password": known[0] if known else word}
        told = [one for one in link.holder.told if self._is(one, link.address)]
        if known and told:
            # As the page asks of anyone who did not choose the password.
            body["new_password"] = word
        answer = self._post("auth/invitation/accept", body)
        if answer.status_code != 200:
            return
        self.links = [one for one in self.links if one.secret != link.secret]
        if "new_password" in body:
            self._end(told[0])
            for one in self.people:
                one.knows.pop(told[0], None)
            self._inherit(link.holder, told[0])
            link.holder.told.discard(told[0])
        account = self._entered(link.holder, answer)
        link.holder.knows[account] = body.get("new_password", body["password"])
        self.may.add((link.holder, account, link.organization))

    @precondition(lambda self: any(one.knows for one in self.people))
    @rule(number=st.integers(0, 99))
    def log_in(self, number: int) -> None:
        person, account = self._pick([(p, a) for p in self.people for a in p.knows], number)
        body = {"email": self._address(account), "password": person.knows[account]}
        answer = self._post("auth/login", body)
        if answer.status_code == 200:
            assert self._entered(person, answer) == account

    @rule(number=st.integers(0, 99))
    def tell_password(self, number: int) -> None:
        """Eve tells somebody the password of an account that she made of their address."""
        for account, password in self.eve.knows.items():
            for person in self.people:
                theirs = person.honest and self._is(account, person.address)
                if theirs and account not in person.knows:
                    person.knows[account] = password
                    person.told.add(account)

    @rule(number=st.integers(0, 99))
    def confirm(self, number: int) -> None:
        """Anyone who runs the installation takes an account for its owner's."""
        with self.state.sessions.begin() as session:
            users = session.scalars(select(User.email).where(User.email.contains(self.run)))
            confirm(Work(session), self._pick(sorted(users), number))

    @rule(who=st.integers(1, 2))
    def change_groups(self, who: int) -> None:
        """The provider puts somebody out of the groups, or back into them."""
        person = self.people[who]
        person.groups = () if person.groups else ("net-admins",)

    @rule(
        who=st.integers(1, 3),
        browser=st.integers(0, 99),
        new_account=st.booleans(),
        as_whom=st.integers(0, 3),
    )
    def sign_in(self, who: int, browser: int, new_account: bool, as_whom: int) -> None:
        """In a browser where they may be logged in. Eve may tell the provider any address."""
        person, claimed = self.people[who], self.people[as_whom]
        claimed = person if person.honest else claimed
        mine = [one for one in self.credentials if one.holder is person and one.cookie]
        used = self._pick([None, *mine], browser)
        answer = self._signed_on(person, claimed, used, new_account)
        verified = person is claimed
        if not person.groups:
            # Anyone who has the account is a member of the provider's organization no more.
            accounts = {one for one, owner in self.owner.items() if owner is person}
            where = self.organizations[OURS]
            self.may = {one for one in self.may if one[1] not in accounts or one[2] != where}
        if answer.status_code != 200:
            self._check_refusal(person, verified, new_account, answer)
            return
        assert verified, "an address that nobody verified was let in"
        account = answer.json()["me"]["user_id"]
        assert person.groups or self.owner.get(account) is person, "none of the groups may"
        if account not in self.owner:
            # Whatever let anybody in to the account before is over, and so is what they may.
            self._end(account)
            for one in self.people:
                one.knows.pop(account, None)
                one.told.discard(account)
            self._inherit(person, account)
            self.owner[account] = person
        assert self.owner[account] is person, "the account is another person's"
        if person.groups:
            self.may.add((person, account, self.organizations[OURS]))
        self._keep(person, answer, account)

    @precondition(lambda self: any(one.cookie and not one.ended for one in self.credentials))
    @rule(number=st.integers(0, 99))
    def make_token(self, number: int) -> None:
        mine = self._pick([o for o in self.credentials if o.cookie and not o.ended], number)
        answer = self._ask(mine, "POST", "tokens", {"name": "t"})
        if answer.status_code == 201:
            self.credentials.append(
                Credential(mine.holder, mine.account, token=answer.json()["token"])
            )

    @precondition(lambda self: any(one.cookie and not one.ended for one in self.credentials))
    @rule(number=st.integers(0, 99), where=st.sampled_from([OURS, THEIRS]))
    def switch(self, number: int, where: str) -> None:
        mine = self._pick([o for o in self.credentials if o.cookie and not o.ended], number)
        body = {"organization_id": self.organizations[where]}
        answer = self._ask(mine, "PUT", "me/organization", body)
        allowed = (mine.holder, mine.account, self.organizations[where]) in self.may
        assert answer.status_code != 200 or allowed, f"{mine.holder.name} came into {where}"

    @rule(by_eve=st.booleans(), number=st.integers(0, 99), hand_over=st.booleans())
    def make_reset(self, by_eve: bool, number: int, hand_over: bool) -> None:
        """Eve may use the link herself: in an organization of hers alone she may."""
        admin = self.eve if by_eve else self.root
        home = self._home(admin)
        if home is None:
            return
        listed = self._ask(home, "GET", "members").json()["items"]
        member = self._pick(listed, number)
        answer = self._ask(home, "POST", f"members/{member['user_id']}/password-reset", None)
        if answer.status_code != 201:
            return
        owner = next((o for o in self.people if o.address == member["email"]), admin)
        holder = owner if hand_over or not by_eve else admin
        secret = answer.json()["link"].partition("#")[2]
        self.links.append(Link(holder, secret, member["email"], account=member["user_id"]))

    @precondition(lambda self: any(one.account for one in self.links))
    @rule(number=st.integers(0, 99), word=st.sampled_from(PASSWORDS))
    def use_reset(self, number: int, word: str) -> None:
        link = self._pick([one for one in self.links if one.account], number)
        word = f"{word} {link.holder.name}"
        self.links.remove(link)
        answer = self._post("auth/password-reset/use", {"token": link.secret, "password": word})
        if answer.status_code != 204:
            return
        assert link.account is not None
        self._end(link.account)
        for one in self.people:
            one.knows.pop(link.account, None)
        link.holder.knows[link.account] = word
        theirs = {where for _, account, where in self.may if account == link.account}
        self.may |= {(link.holder, link.account, where) for where in theirs}

    @precondition(lambda self: any(one.cookie and not one.ended for one in self.credentials))
    @rule(number=st.integers(0, 99), word=st.sampled_from(PASSWORDS))
    def change_password(self, number: int, word: str) -> None:
        mine = self._pick([o for o in self.credentials if o.cookie and not o.ended], number)
        current = mine.holder.knows.get(mine.account)
        if current is None:
            return
        word = f"{word} {mine.holder.name}"
        body = {"current_password": current, "new_password": word}
        if self._ask(mine, "PUT", "me/password", body).status_code == 204:
            self._end(mine.account, but=mine)
            for one in self.people:
                one.knows.pop(mine.account, None)
            mine.holder.knows[mine.account] = word
            mine.holder.told.discard(mine.account)

    @rule(by_eve=st.booleans(), number=st.integers(0, 99), remove=st.booleans())
    def put_out(self, by_eve: bool, number: int, remove: bool) -> None:
        """Remove a member, or deactivate one."""
        home = self._home(self.eve if by_eve else self.root)
        if home is None:
            return
        where = self.organizations[THEIRS if by_eve else OURS]
        listed = self._ask(home, "GET", "members").json()["items"]
        account = self._pick(listed, number)["user_id"]
        if account == home.account:
            return
        method, body = ("DELETE", None) if remove else ("PATCH", {"active": False})
        answer = self._ask(home, method, f"members/{account}", body)
        if answer.is_success:
            self.may = {one for one in self.may if one[1:] != (account, where)}
            if not remove and not by_eve:
                self.out.add(account)
            elif remove:
                self.out.discard(account)

    @precondition(lambda self: any(one.cookie and not one.ended for one in self.credentials))
    @rule(number=st.integers(0, 99), others=st.booleans())
    def end_sessions(self, number: int, others: bool) -> None:
        mine = self._pick([o for o in self.credentials if o.cookie and not o.ended], number)
        if others:
            if self._ask(mine, "DELETE", "me/sessions", None).is_success:
                self._end(mine.account, but=mine, tokens=False)
        elif self._ask(mine, "POST", "auth/logout", None).is_success:
            mine.ended = True

    # --- what must hold

    @invariant()
    def nobody_has_what_is_anothers(self) -> None:
        for one in list(getattr(self, "credentials", [])):
            answer = self._ask(one, "GET", "me", None)
            if one.ended:
                assert not answer.is_success, f"{one.holder.name} is let in by what has ended"
                # Asked once more at the end; for each step it would be most of the time.
                self.credentials.remove(one)
                self.over.append(one)
            if not answer.is_success:
                continue
            me = answer.json()
            assert me["user_id"] == one.account
            reached = {me["organization_id"]}
            if one.cookie:
                listed = self._ask(one, "GET", "me/organizations", None).json()["items"]
                reached |= {each["id"] for each in listed}
            for where in reached:
                # Eve may let anybody in to what is hers.
                if where == self.organizations[THEIRS] and one.holder.honest:
                    continue
                assert (one.holder, one.account, where) in self.may, (
                    f"{one.holder.name} reaches {self._name(where)} as {me['email']}"
                )

    def teardown(self) -> None:
        """What has ended does not begin again by what was done after."""
        for one in getattr(self, "over", []):
            answer = self._ask(one, "GET", "me", None)
            assert not answer.is_success, f"{one.holder.name} is let in by what had ended"

    # --- how

    def _person(self, name: str, *, honest: bool, groups: tuple[str, ...] = ()) -> Person:
        return Person(name, honest, f"{name}@{self.run}.example", groups)

    def _found(self, name: str, person: Person) -> None:
        with self.state.sessions.begin() as session:
            owner = Organization(name=f"{name}-{self.run}")
            word = f"{PASSWORDS[0]} {name}"
            hashed = self.state.passwords.hash(word)
            user = User(email=person.address, password_hash=hashed)
            session.add_all([owner, user])
            session.flush()
            whose = {"organization_id": owner.id, "user_id": user.id}
            session.add(Membership(**whose, role=Role.ADMIN))
            account, organization = str(user.id), str(owner.id)
        self.organizations[name] = organization
        person.knows[account] = word
        self.may.add((person, account, organization))
        body = {"email": person.address, "password": word}
        self._entered(person, self._post("auth/login", body))

    def _home(self, person: Person) -> Credential | None:
        """A session by which somebody administers the organization that was theirs at first."""
        where = self.organizations[THEIRS if person is self.eve else OURS]
        for one in self.credentials:
            if one.holder is person and one.cookie and not one.ended:
                me = self._ask(one, "GET", "me", None)
                if me.is_success and me.json()["organization_id"] == where:
                    return one
        return None

    def _signed_on(
        self, person: Person, claimed: Person, used: Credential | None, new_account: bool
    ) -> Any:
        code = uuid.uuid4().hex
        self.sign_on.people[code] = Identity(
            issuer="https://provider.example",
            subject=f"{person.name}-{self.run}",
            email=claimed.address,
            email_verified=person is claimed,
            groups=person.groups or ("net-admins",) * (not person.honest and person is not claimed),
        )
        wish = {"new_account": True} if new_account else {}
        begun = self._post("auth/sign-on/start", {"next": "/", **wish})
        if begun.status_code == 422:  # before there was such a wish
            begun = self._post("auth/sign-on/start", {"next": "/"})
        state = parse_qs(urlsplit(begun.json()["location"]).query)["state"][0]
        kept = "; ".join(f"{name}={value}" for name, value in begun.cookies.items())
        session = f"; {COOKIE}={used.cookie}" if used else ""
        body = {"state": state, "code": code}
        return self._post("auth/sign-on/finish", body, {"Cookie": kept + session})

    def _check_refusal(
        self, person: Person, verified: bool, new_account: bool, answer: Any
    ) -> None:
        said = answer.json()["message"]["code"]
        if not verified:
            return
        if said == "sign_on_deactivated":
            assert any(self._is(one, person.address) for one in self.out), "nobody put them out"
        elif not person.groups:
            assert said == "sign_on_no_group"
        else:
            assert (said, new_account) == ("sign_on_address_unproved", False), (
                f"{person.name} is kept out of what is theirs: {said}"
            )

    def _entered(self, person: Person, answer: Any) -> str:
        assert answer.status_code == 200, answer.text
        account = str(answer.json()["user_id"])
        self._keep(person, answer, account)
        return account

    def _keep(self, person: Person, answer: Any, account: str) -> None:
        self.credentials.append(Credential(person, account, cookie=answer.cookies[COOKIE]))

    def _end(self, account: str, but: Credential | None = None, tokens: bool = True) -> None:
        for one in self.credentials:
            if one.account == account and one is not but and (tokens or one.cookie):
                one.ended = True

    def _ask(self, mine: Credential, method: str, where: str, body: Any = None) -> Any:
        headers = {**mine.headers, "If-Match": "*"}
        if method != "GET" and mine.cookie:
            me = self._send("GET", "me", None, headers)
            headers[CSRF_HEADER] = me.json().get("csrf_token") or ""
        return self._send(method, where, body, headers)

    def _post(self, where: str, body: Any, headers: dict[str, str] | None = None) -> Any:
        return self._send("POST", where, body, headers or {})

    def _send(self, method: str, where: str, body: Any, headers: dict[str, str]) -> Any:
        answer = self.api.request(method, f"/api/v1/{where}", json=body, headers=headers)
        self.api.cookies.clear()
        assert answer.status_code < 500, answer.text
        return answer

    def _inherit(self, person: Person, account: str) -> None:
        """The person who proves to own an account has it alone, with its organizations."""
        where = {one[2] for one in self.may if one[1] == account}
        self.may = {one for one in self.may if one[1] != account}
        self.may |= {(person, account, each) for each in where}

    def _pick(self, among: list[Any], number: int) -> Any:
        return among[number % len(among)]

    def _address(self, account: str) -> str:
        with self.state.sessions() as session:
            return session.get_one(User, uuid.UUID(account)).email

    def _is(self, account: str, address: str) -> bool:
        return self._address(account) == address

    def _name(self, organization: str) -> str:
        return next(name for name, one in self.organizations.items() if one == organization)
