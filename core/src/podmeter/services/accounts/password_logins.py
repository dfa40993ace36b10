"""Whose password lets in, where a single sign-on provider does besides or instead."""

from dataclasses import dataclass

from podmeter.db.models import User
from podmeter.domain.email_address import address_key


@dataclass(frozen=True)
class PasswordLogins:
    """`provider`: there is one; `only`: no password lets in but that of the account `break_glass`.

    An account is the provider's or has a password; that one may have both, for when the provider
    is away.
    """

    provider: bool = False
    only: bool = False
    break_glass: str = ""

    def is_break_glass(self, email: str) -> bool:
        """Whether it is the account whose password lets in whatever the provider does."""
        return address_key(email) == address_key(self.break_glass)

    def allows_password(self, email: str) -> bool:
        """Whether a password of this address may let in at all."""
        return not self.only or self.is_break_glass(email)

    def may_have_one(self, user: User) -> bool:
        """Whether a user may be given a password."""
        if self.is_break_glass(user.email):
            return True
        return not self.only and not (self.provider and user.subject is not None)


#: Where there is no provider.
EVERYBODY = PasswordLogins()
