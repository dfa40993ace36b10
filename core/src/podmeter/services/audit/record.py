"""Writing entries, in the transaction that does what they tell: neither is without the other.

Requests that were refused changed nothing and leave none, but for logins, of which the first has
one, and then the tenth, the hundredth and so on: a stranger may fail without end.
"""

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy.orm import Session

from podmeter.db.models import Via
from podmeter.db.repositories import audit
from podmeter.db.repositories.accounts import AccountRepository
from podmeter.services.audit.context import AuditContext
from podmeter.services.work import Work

#: Counts a refusal of somebody, empty for who is unknown: how many there were where an entry is
#: due, None where none is.
Counted = Callable[[str], int | None]


@dataclass(frozen=True)
class Origin:
    """Where something was asked for: the address, as trusted proxies let it be seen, and which
    request it was.
    """

    address: str | None = None
    request_id: str | None = None


def record(session: Session, act: AuditContext, operation: str, origin: Origin) -> None:
    """Note that it was done, in the transaction that does it."""
    _add(session, act, operation, origin, refused=False)


def record_command(work: Work, command: str) -> None:
    """Note what a command of `podmeter` did, in the log that was said, or the installation's."""
    work.audit.by_command()
    record(work.session, work.audit, f"podmeter {command}", Origin())


def record_failure(session: Session, act: AuditContext, operation: str) -> None:
    """Note what upkeep could not do, in the transaction that notes why."""
    _add(session, act, operation, Origin(), refused=True)


def record_refused_login(
    work: Work, operation: str, email: str, origin: Origin, counted: Counted
) -> None:
    """Note that somebody was not let in, in a transaction of its own; what was begun is undone.

    In the log of the organization that they would have entered. Where there is no such account it
    is the installation's, and what was typed is not kept: it may have been a password.
    """
    work.session.rollback()
    accounts = AccountRepository(work.session)
    user = accounts.user_by_email(email)
    act = AuditContext(via=Via.PASSWORD)
    if user is not None:
        membership = accounts.latest_membership(user.id)
        act.who, act.user_id = user.email, user.id
        act.organization_id = membership.organization_id if membership else None
    _add_refusal(work, act, operation, origin, counted)


def record_refused_sign_on(work: Work, operation: str, origin: Origin, counted: Counted) -> None:
    """Note that somebody whom the provider let in was not let in here, and end the transaction.

    What was done for it stands: who may not enter any more loses what they had.
    """
    _add_refusal(work, work.audit, operation, origin, counted)


def _add_refusal(
    work: Work, act: AuditContext, operation: str, origin: Origin, counted: Counted
) -> None:
    # A job is nobody: its refusals count for the trust. Nor is anyone known whom the provider
    # refused: theirs count for the organization.
    attempts = counted(str(act.user_id or act.who or act.object_id or act.organization_id or ""))
    if attempts is not None:
        act.details |= {"attempts": attempts} if attempts > 1 else {}
        _add(work.session, act, operation, origin, refused=True)
    work.session.commit()


def _add(
    session: Session, act: AuditContext, operation: str, origin: Origin, *, refused: bool
) -> None:
    entry = {
        "via": act.via,
        "user_id": act.user_id,
        "who": act.who,
        "token_id": act.token_id,
        "token_name": act.token_name,
        "address": origin.address,
        "request_id": origin.request_id,
        "operation": operation,
        "refused": refused,
        "object_kind": act.object_kind,
        "object_id": act.object_id,
        "object_name": act.object_name,
    }
    for organization_id in (act.organization_id, *(act.also_in - {act.organization_id})):
        own = {} if organization_id is None else act.details_in.get(organization_id, {})
        whose = {"organization_id": organization_id, "details": act.details | own}
        audit.add(session, entry | whose)
