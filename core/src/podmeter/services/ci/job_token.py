"""What an issuer signed about a job, believed only where all of it is as it must be."""

from collections.abc import Callable, Mapping
from typing import Any

from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from joserfc.jwt import JWTClaimsRegistry

from podmeter.domain.messages import say
from podmeter.services.ci.errors import CiRefusedError
from podmeter.services.sign_on.id_token import LEEWAY, decoded, why_refused


def verified(
    token: str, keys: Callable[[bool], KeySet], *, issuer: str, audience: str
) -> Mapping[str, Any]:
    """The claims of a job's token. `keys` gives the issuer's, newly fetched if that is asked for.

    Raises CiRefusedError, and what `keys` raises.
    """
    try:
        found = decoded(token, keys)
        JWTClaimsRegistry(
            leeway=LEEWAY,
            iss={"essential": True, "value": issuer},
            aud={"essential": True, "value": audience},
            exp={"essential": True},
            iat={"essential": True},
            sub={"essential": True},
        ).validate(found.claims)
    except (JoseError, ValueError, TypeError) as error:
        raise CiRefusedError(say("ci_token_refused", why=why_refused(error))) from error
    if not isinstance(found.claims["sub"], str):
        raise CiRefusedError(say("ci_token_refused", why=say("id_token_claims")))
    return dict(found.claims)
