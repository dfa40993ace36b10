"""Who belongs to organizations, who is invited, and whose password may be set by a link."""

import uuid
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Select, and_, delete, func, select
from sqlalchemy.orm import Session, aliased, contains_eager, joinedload

from podmeter.db.base import now
from podmeter.db.models import (
    ApiToken,
    CiTrust,
    IdempotencyKey,
    Invitation,
    LoginSession,
    Membership,
    Organization,
    PasswordReset,
    Role,
    User,
)
from podmeter.db.paging import Page, PageRequest, fetch_page, newest_first
from podmeter.db.repositories.accounts import same_address
from podmeter.db.repositories.base import OrganizationRepository


class MemberRepository(OrganizationRepository):
    """The members of one organization, and those who are invited to it."""

    def lock(self) -> Organization:
        """The organization; nobody else changes who belongs to it until the commit."""
        return self.session.scalars(
            select(Organization)
            .where(Organization.id == self.organization_id)
            .with_for_update(key_share=True)
            .execution_options(populate_existing=True)
        ).one()

    def page(self, request: PageRequest) -> Page[Membership]:
        """Members with their users, the one first who has been one for longest."""
        query = (
            select(Membership)
            .where(Membership.organization_id == self.organization_id)
            .options(joinedload(Membership.user))
        )
        columns = [Membership.created_at, Membership.user_id]
        return fetch_page(
            self.session, query, columns, lambda row: (row.created_at, row.user_id), request
        )

    def get(self, user_id: uuid.UUID) -> Membership | None:
        """One member, with user and organization, as it is now."""
        return self.session.scalar(
            select(Membership)
            .where(
                Membership.organization_id == self.organization_id, Membership.user_id == user_id
            )
            .options(joinedload(Membership.user), joinedload(Membership.organization))
            .execution_options(populate_existing=True)
        )

    def has_address(self, email: str) -> bool:
        """Whether somebody with this address is a member, deactivated or not."""
        query = _with_address(email).where(Membership.organization_id == self.organization_id)
        return self.session.scalar(query) is not None

    def other_admin(self, user_id: uuid.UUID) -> bool:
        """Whether somebody else administers the organization, and may log in."""
        query = (
            select(Membership.user_id)
            .join(User, User.id == Membership.user_id)
            .where(
                Membership.organization_id == self.organization_id,
                Membership.user_id != user_id,
                *_administers(Membership, User),
            )
            .limit(1)
        )
        return self.session.scalar(query) is not None

    def revoke_access(self, user_id: uuid.UUID) -> None:
        """End all by which the user was let in to the organization."""
        for model in (LoginSession, ApiToken, IdempotencyKey):
            self.session.execute(
                delete(model).where(
                    model.organization_id == self.organization_id, model.user_id == user_id
                )
            )

    def invitations(self, request: PageRequest) -> Page[Invitation]:
        """Those that can still be accepted, newest first."""
        query = _open_invitations().where(Invitation.organization_id == self.organization_id)
        return newest_first(self.session, query, Invitation, request)

    def delete_invitation(self, invitation_id: uuid.UUID) -> str | None:
        """Take an invitation back; the address it was for, None if there is none."""
        return self.session.scalar(
            delete(Invitation)
            .where(
                Invitation.id == invitation_id,
                Invitation.organization_id == self.organization_id,
            )
            .returning(Invitation.email)
        )

    def delete_invitations_of(self, email: str) -> None:
        """Take back all that were made for an address."""
        self.session.execute(
            delete(Invitation).where(
                Invitation.organization_id == self.organization_id,
                same_address(Invitation.email, email),
            )
        )


def memberships_of(session: Session, user_id: uuid.UUID) -> Sequence[Membership]:
    """The organizations that let a user in, by name."""
    return session.scalars(
        select(Membership)
        .join(Membership.organization)
        .where(Membership.user_id == user_id, Membership.deactivated_at.is_(None))
        .order_by(Organization.name)
        .options(contains_eager(Membership.organization))
    ).all()


def count_administered(session: Session, user_id: uuid.UUID) -> int:
    """How many organizations a user administers."""
    query = select(func.count()).where(Membership.user_id == user_id, Membership.role == Role.ADMIN)
    return session.scalar(query) or 0


def invitation(session: Session, token_hash: str, *, lock: bool = False) -> Invitation | None:
    """The invitation behind a link, if it can still be accepted; locked until the commit."""
    query = (
        _open_invitations()
        .where(Invitation.token_hash == token_hash)
        .options(joinedload(Invitation.organization))
    )
    return session.scalar(query.with_for_update(of=Invitation) if lock else query)


def password_reset(
    session: Session, token_hash: str, *, lock: bool = False
) -> PasswordReset | None:
    """The reset behind a link, with its user, if it can still be used; locked until the commit."""
    query = (
        select(PasswordReset)
        .where(PasswordReset.token_hash == token_hash, PasswordReset.expires_at > now())
        .options(joinedload(PasswordReset.user, innerjoin=True))
    )
    return session.scalar(query.with_for_update(of=PasswordReset) if lock else query)


def delete_resets_of(session: Session, user_id: uuid.UUID) -> None:
    """Forget all links that would set a user's password."""
    session.execute(delete(PasswordReset).where(PasswordReset.user_id == user_id))


def administers_all_of(session: Session, admin_id: uuid.UUID, user_id: uuid.UUID) -> bool:
    """Whether one user administers every organization that another one belongs to, and any.

    Otherwise to set the other's password would be to enter an organization of other people's.
    """
    theirs = select(Membership.organization_id).where(Membership.user_id == user_id)
    mine = (
        select(Membership.organization_id)
        .join(User, User.id == Membership.user_id)
        .where(Membership.user_id == admin_id, *_administers(Membership, User))
    )
    outside = theirs.where(Membership.organization_id.not_in(mine))
    any_at_all = session.scalar(theirs.limit(1)) is not None
    return any_at_all and session.scalar(outside.limit(1)) is None


def sessions_of(session: Session, user_id: uuid.UUID) -> Sequence[tuple[LoginSession, str]]:
    """A user's sessions with the name of the organization each acts in, the newest first."""
    query = (
        select(LoginSession, Organization.name)
        .join(Organization, Organization.id == LoginSession.organization_id)
        .where(LoginSession.user_id == user_id, LoginSession.expires_at > now())
        .order_by(LoginSession.created_at.desc(), LoginSession.id)
    )
    return [(row[0], row[1]) for row in session.execute(query)]


def end_session(session: Session, user_id: uuid.UUID, session_id: uuid.UUID) -> bool:
    """End one of a user's sessions; False if there is none."""
    found = session.execute(
        delete(LoginSession)
        .where(LoginSession.user_id == user_id, LoginSession.id == session_id)
        .returning(LoginSession.id)
    )
    return found.first() is not None


def end_sessions(session: Session, user_id: uuid.UUID, keep: uuid.UUID | None = None) -> None:
    """End all of a user's sessions, but for one."""
    gone = delete(LoginSession).where(LoginSession.user_id == user_id)
    session.execute(gone if keep is None else gone.where(LoginSession.id != keep))


def revoke_tokens(session: Session, user_id: uuid.UUID) -> int:
    """Revoke all API tokens of a user, in all organizations; how many."""
    gone = delete(ApiToken).where(ApiToken.user_id == user_id).returning(ApiToken.id)
    return len(session.execute(gone).all())


def delete_ci_trusts(session: Session, user_id: uuid.UUID) -> dict[uuid.UUID, list[str]]:
    """End the CI trusts that a user saved last, whose jobs act as the user.

    The names of those that ended, by organization.
    """
    gone = delete(CiTrust).where(CiTrust.user_id == user_id)
    ended: dict[uuid.UUID, list[str]] = {}
    for organization_id, name in session.execute(
        gone.returning(CiTrust.organization_id, CiTrust.name)
    ):
        ended.setdefault(organization_id, []).append(name)
    return ended


def end_everything(session: Session, user: User) -> dict[uuid.UUID, list[str]]:
    """End whatever lets anybody in as a user, or was handed out in their name or to their address.

    All sessions (and so the event streams), API tokens, CI trusts, links that set the password, and
    invitations and resets that the user made: somebody else may have had the account. The names of
    the CI trusts that ended, by organization.
    """
    end_sessions(session, user.id)
    revoke_tokens(session, user.id)
    ended = delete_ci_trusts(session, user.id)
    # An answer that is kept to be repeated may hold a token or a link.
    session.execute(delete(IdempotencyKey).where(IdempotencyKey.user_id == user.id))
    made_or_meant = (PasswordReset.user_id == user.id) | (PasswordReset.created_by == user.id)
    session.execute(delete(PasswordReset).where(made_or_meant))
    invited = (Invitation.created_by == user.id) | same_address(Invitation.email, user.email)
    session.execute(delete(Invitation).where(invited))
    return ended


def delete_expired_links(session: Session, moment: datetime) -> None:
    """Forget invitations and resets whose time is over."""
    for model in (Invitation, PasswordReset):
        session.execute(delete(model).where(model.expires_at <= moment))


def _with_address(email: str) -> Select[uuid.UUID]:
    return (
        select(Membership.user_id)
        .join(User, User.id == Membership.user_id)
        .where(same_address(User.email, email))
        .limit(1)
    )


def _open_invitations() -> Select[Invitation]:
    """Unexpired, and made by who still administers the organization."""
    maker, person = aliased(Membership), aliased(User)
    return (
        select(Invitation)
        .join(
            maker,
            and_(
                maker.organization_id == Invitation.organization_id,
                maker.user_id == Invitation.created_by,
            ),
        )
        .join(person, person.id == Invitation.created_by)
        .where(Invitation.expires_at > now(), *_administers(maker, person))
    )


def _administers(
    membership: type[Membership], user: type[User]
) -> tuple[ColumnElement[bool], ColumnElement[bool], ColumnElement[bool]]:
    """That a membership is of an administrator who may log in."""
    return (
        membership.role == Role.ADMIN,
        membership.deactivated_at.is_(None),
        user.disabled_at.is_(None),
    )
