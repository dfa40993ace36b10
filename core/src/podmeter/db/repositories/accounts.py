"""Users and what lets them in. These are the queries that run before an organization is known."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    bindparam,
    collate,
    delete,
    func,
    null,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import InstrumentedAttribute, Session, joinedload

from podmeter.db.base import now
from podmeter.db.models import (
    ApiToken,
    CiTrustExperiment,
    LoginSession,
    Membership,
    Organization,
    Role,
    User,
)
from podmeter.db.paging import Page, PageRequest, newest_first
from podmeter.db.scopes import Scope
from podmeter.domain.email_address import address_key


@dataclass(frozen=True)
class Known:
    """Anyone who holds a credential, and the credential: a login session or an API token.

    `last_used_at` is, of a session, when it was last seen.
    """

    id: uuid.UUID
    expires_at: datetime
    most_role: Role | None
    last_used_at: datetime | None
    user_id: uuid.UUID
    email: str
    disabled_at: datetime | None
    of_provider: bool
    organization_id: uuid.UUID
    organization: str
    role: Role
    token_name: str | None
    cluster_id: uuid.UUID | None
    experiment_id: uuid.UUID | None
    ci_trust_id: uuid.UUID | None
    trusted_experiment_ids: list[uuid.UUID] | None

    @property
    def effective_role(self) -> Role:
        """The lesser of the member's and the credential's own."""
        return min(self.role, self.most_role or self.role, key=lambda role: role.rank)

    @property
    def scope(self) -> Scope | None:
        """What a token is held to, if to anything."""
        if self.cluster_id is not None:
            return Scope(self.cluster_id)
        starts_runs = self.effective_role.rank >= Role.OPERATOR.rank
        if self.experiment_id is not None:
            return Scope(experiment_ids=(self.experiment_id,), reads_clusters=starts_runs)
        if self.ci_trust_id is not None:
            experiments = tuple(self.trusted_experiment_ids or ())
            return Scope(experiment_ids=experiments, reads_clusters=starts_runs)
        return None


class AccountRepository:
    """Users, memberships, sessions and tokens."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def user_by_email(self, email: str) -> User | None:
        """The user with this address, whatever its case."""
        return self.session.scalar(select(User).where(same_address(User.email, email)))

    def user_by_subject(self, issuer: str, subject: str) -> User | None:
        """The user whom a provider knows by this name."""
        return self.session.scalar(
            select(User).where(User.issuer == issuer, User.subject == subject)
        )

    def any_user(self) -> bool:
        """Whether there is any user at all."""
        return bool(self.session.scalar(select(select(User.id).exists())))

    def lock_accounts(self) -> None:
        """Keep two processes from making the first user at the same time, until the commit."""
        self.session.execute(select(func.pg_advisory_xact_lock(0x61646D69)))

    def user(self, user_id: uuid.UUID) -> User:
        """A user who is known, as they are now, locked until the commit."""
        return self.session.scalars(
            select(User)
            .where(User.id == user_id)
            .with_for_update(key_share=True)
            .execution_options(populate_existing=True)
        ).one()

    def has_memberships(self, user_id: uuid.UUID) -> bool:
        """Whether the user is a member anywhere, deactivated or not."""
        query = select(Membership.user_id).where(Membership.user_id == user_id).limit(1)
        return self.session.scalar(query) is not None

    def latest_membership(self, user_id: uuid.UUID) -> Membership | None:
        """Of the memberships that let the user in the one last used, else the oldest.

        With user and organization.
        """
        return self.session.scalar(
            select(Membership)
            .where(Membership.user_id == user_id, Membership.deactivated_at.is_(None))
            .order_by(
                Membership.last_used_at.desc().nulls_last(),
                Membership.created_at,
                Membership.organization_id,
            )
            .limit(1)
            .options(joinedload(Membership.user), joinedload(Membership.organization))
        )

    def first_admin(self) -> Membership | None:
        """The oldest membership of an administrator who may log in, with user and organization."""
        return self.session.scalar(
            select(Membership)
            .join(User, User.id == Membership.user_id)
            .where(
                Membership.role == Role.ADMIN,
                Membership.deactivated_at.is_(None),
                User.disabled_at.is_(None),
            )
            .order_by(Membership.created_at, Membership.organization_id, Membership.user_id)
            .limit(1)
            .options(joinedload(Membership.user), joinedload(Membership.organization))
        )

    def add(self, row: Organization | User | Membership | LoginSession | ApiToken) -> None:
        """Add a row and let the database number it."""
        self.session.add(row)
        self.session.flush()

    def login_session(self, token_hash: str) -> Known | None:
        """Who has the unexpired session with this cookie, if still a member."""
        return self._known(_BY_SESSION, token_hash)

    def delete_login_session(self, session_id: uuid.UUID) -> str | None:
        """Log a browser out; where it goes to leave the provider too, if one let it in."""
        return self.session.scalar(
            delete(LoginSession)
            .where(LoginSession.id == session_id)
            .returning(LoginSession.leave_url)
        )

    def api_token(self, token_hash: str) -> Known | None:
        """Who made the unexpired token with this hash, if still a member."""
        return self._known(_BY_TOKEN, token_hash)

    def touch_token(self, token_id: uuid.UUID, moment: datetime) -> None:
        """Note the use of a token, unless another request is noting it."""
        self._touch(ApiToken, token_id, {"last_used_at": moment})

    def touch_session(
        self, session_id: uuid.UUID, moment: datetime, address: str, agent: str
    ) -> None:
        """Note when and where a session was seen, unless another request is noting it."""
        seen = {"last_seen_at": moment, "address": address, "agent": agent}
        self._touch(LoginSession, session_id, seen)

    def _touch(
        self, model: type[LoginSession] | type[ApiToken], one: uuid.UUID, values: dict[str, Any]
    ) -> None:
        mine = select(model.id).where(model.id == one).with_for_update(skip_locked=True)
        self.session.execute(
            update(model)
            .where(model.id.in_(mine))
            .values(values)
            .execution_options(synchronize_session=False)
        )

    def api_tokens(
        self, organization_id: uuid.UUID, user_id: uuid.UUID | None, request: PageRequest
    ) -> Page[ApiToken]:
        """The tokens of an organization, or of one user in it, with their users, newest first."""
        query = _tokens(organization_id)
        if user_id is not None:
            query = query.where(ApiToken.user_id == user_id)
        return newest_first(self.session, query, ApiToken, request)

    def api_token_of(self, organization_id: uuid.UUID, token_id: uuid.UUID) -> ApiToken | None:
        """One token of an organization, with its user."""
        return self.session.scalar(_tokens(organization_id).where(ApiToken.id == token_id))

    def token_by_id(self, token_id: uuid.UUID) -> ApiToken | None:
        """One token, of whichever organization, expired or not."""
        return self.session.get(ApiToken, token_id)

    def delete_api_token(self, token: ApiToken) -> None:
        """Revoke a token."""
        self.session.execute(delete(ApiToken).where(ApiToken.id == token.id))

    def active(
        self, model: type[LoginSession] | type[ApiToken], credentials: Sequence[uuid.UUID]
    ) -> set[tuple[uuid.UUID, uuid.UUID]]:
        """Of sessions or tokens, those that still let their user in, each with the organization.

        Such a one is there, has not expired, and is a member's.
        """
        if not credentials:
            return set()
        query = (
            select(model.id, model.organization_id)
            .join(Membership, _is_member(model))
            .join(User, User.id == Membership.user_id)
            .where(model.id.in_(credentials), model.expires_at > now(), User.disabled_at.is_(None))
        )
        return {(one, where) for one, where in self.session.execute(query)}

    def _known(self, query: Select[*tuple[Any, ...]], token_hash: str) -> Known | None:
        values = {"token_hash": token_hash, "moment": now()}
        found = self.session.execute(query, values).one_or_none()
        return None if found is None else Known(*found)


def same_address(column: InstrumentedAttribute[str], email: str) -> ColumnElement[bool]:
    """That a column has this address, whatever the case of its ASCII letters."""
    return func.lower(collate(column, "C")) == address_key(email)


def _tokens(organization_id: uuid.UUID) -> Select[ApiToken]:
    return (
        select(ApiToken)
        .where(ApiToken.organization_id == organization_id)
        .options(joinedload(ApiToken.user, innerjoin=True))
    )


def _is_member(model: type[LoginSession] | type[ApiToken]) -> ColumnElement[bool]:
    """That a membership is of the credential's user, in its organization, and lets in."""
    return and_(
        Membership.organization_id == model.organization_id,
        Membership.user_id == model.user_id,
        Membership.deactivated_at.is_(None),
    )


#: The experiments of the trust by which a job got its token.
_TRUSTED = (
    select(
        func.array_agg(
            aggregate_order_by(CiTrustExperiment.experiment_id, CiTrustExperiment.experiment_id)
        )
    )
    .where(CiTrustExperiment.trust_id == ApiToken.ci_trust_id)
    .scalar_subquery()
)


def _by_credential(model: type[LoginSession] | type[ApiToken]) -> Select[*tuple[Any, ...]]:
    """One row for what every request asks, and a statement that is put together once."""
    token = model is ApiToken
    return (
        select(
            model.id,
            model.expires_at,
            ApiToken.role if token else null(),
            ApiToken.last_used_at if token else LoginSession.last_seen_at,
            User.id,
            User.email,
            User.disabled_at,
            User.subject.is_not(None),
            Organization.id,
            Organization.name,
            Membership.role,
            ApiToken.name if token else null(),
            ApiToken.cluster_id if token else null(),
            ApiToken.experiment_id if token else null(),
            ApiToken.ci_trust_id if token else null(),
            _TRUSTED if token else null(),
        )
        .select_from(model)
        .join(Membership, _is_member(model))
        .join(User, User.id == Membership.user_id)
        .join(Organization, Organization.id == Membership.organization_id)
        .where(
            model.token_hash == bindparam("token_hash"),
            model.expires_at > bindparam("moment"),
        )
    )


_BY_SESSION = _by_credential(LoginSession)
_BY_TOKEN = _by_credential(ApiToken)
