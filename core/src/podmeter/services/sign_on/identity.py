"""Who the provider says it is that signs on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from podmeter.domain.email_address import is_address


@dataclass(frozen=True)
class Identity:
    """Somebody, known by `issuer` and `subject` alone.

    `email` is None where the provider tells none that is one. `leave_url` is where the provider
    ends its own session, None where it cannot.
    """

    issuer: str
    subject: str
    email: str | None
    email_verified: bool
    groups: tuple[str, ...]
    leave_url: str | None = None


def identity(
    claims: Mapping[str, Any],
    issuer: str,
    groups_claim: str,
    leave_url: str | None,
    *,
    all_verified: bool = False,
) -> Identity:
    """Of claims that were found to be the provider's own.

    `all_verified` says that it verifies every address though it does not say so; where it says
    that it did not, it did not.
    """
    email, verified = claims.get("email"), claims.get("email_verified")
    return Identity(
        issuer=issuer,
        subject=str(claims["sub"]),
        email=email if is_address(email) else None,
        # Some providers write it as text.
        email_verified=verified is True
        or verified == "true"
        or (verified is None and all_verified),
        groups=_groups(claims, groups_claim),
        leave_url=leave_url,
    )


def find(claims: Mapping[str, Any], name: str) -> Any:
    """A claim by its name, or, where there is none of that name, by its path with dots."""
    if name in claims:
        return claims[name]
    found: Any = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _groups(claims: Mapping[str, Any], name: str) -> tuple[str, ...]:
    found = find(claims, name)
    if isinstance(found, str):
        return (found,)
    if isinstance(found, list):
        return tuple(one for one in found if isinstance(one, str))
    return ()
