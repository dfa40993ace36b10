"""What a provider signed, believed only where all of it is as it must be."""

from collections.abc import Callable, Mapping
from typing import Any

from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import (
    BadSignatureError,
    ClaimError,
    ConflictAlgorithmError,
    ExpiredTokenError,
    InvalidKeyIdError,
    JoseError,
    MissingAlgorithmError,
    UnsupportedAlgorithmError,
    UnsupportedKeyAlgorithmError,
)
from joserfc.jwk import JWKRegistry, Key, KeySet
from joserfc.jws import JWSRegistry

from podmeter.domain.messages import Message, say
from podmeter.services.sign_on.errors import SignOnRefusedError

#: Signatures by a key pair: never none, nor by a secret that both have.
ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA", "Ed25519"),
)
#: How far the two clocks may be apart, in seconds.
LEEWAY = 60
_KEY_TYPES = frozenset({"RSA", "EC", "OKP"})
_OF_CLAIM = {
    "iss": "id_token_issuer",
    "aud": "id_token_audience",
    "azp": "id_token_audience",
    "nonce": "id_token_nonce",
    "exp": "id_token_expired",
}


def key_set(document: Mapping[str, Any]) -> KeySet:
    """The public keys of a JWKS that sign; those not understood are left out. Raises ValueError."""
    found: list[Key] = []
    for one in document["keys"]:
        if one.get("kty") not in _KEY_TYPES or one.get("use", "sig") != "sig":
            continue
        try:
            key = JWKRegistry.import_key(one)
            key.ensure_kid()
        except (JoseError, ValueError, KeyError, TypeError):
            continue
        found.append(key)
    if not found:
        raise ValueError("no keys")
    return KeySet(found)


def verified(
    token: str,
    keys: Callable[[bool], KeySet],
    *,
    issuer: str,
    client_id: str,
    nonce: str,
    access_token: str | None,
) -> Mapping[str, Any]:
    """The claims of an ID token. `keys` gives the provider's, newly fetched if that is asked for.

    Raises SignOnRefusedError, and what `keys` raises.
    """
    try:
        found = decoded(token, keys)
        options: Any = {"iss": {"essential": True, "value": issuer}}
        options["aud"] = {"essential": True, "value": client_id}
        params = {"nonce": nonce, "client_id": client_id, "access_token": access_token}
        claims = CodeIDToken(found.claims, found.header, options, params)
        claims.validate(leeway=LEEWAY)
    except (JoseError, ValueError, TypeError) as error:
        raise SignOnRefusedError(say("id_token_refused", why=why_refused(error))) from error
    if not isinstance(claims["sub"], str) or not 0 < len(claims["sub"]) <= 255:
        raise SignOnRefusedError(say("id_token_refused", why=say("id_token_claims")))
    return dict(claims)


def decoded(token: str, keys: Callable[[bool], KeySet]) -> jwt.Token:
    """The token, whose signature is one of the issuer's. Raises JoseError, ValueError."""
    try:
        return _decoded(token, keys(False))
    except (InvalidKeyIdError, BadSignatureError):
        # The keys may have been changed since they were fetched.
        return _decoded(token, keys(True))


def _decoded(token: str, keys: KeySet) -> jwt.Token:
    # A provider with several keys names its signing key.
    return jwt.decode(
        token, keys, registry=JWSRegistry(None, ALGORITHMS, strict_check_header=False)
    )


def why_refused(error: Exception) -> Message:
    """What is wrong with a token that raised this."""
    if isinstance(error, ExpiredTokenError):
        return say("id_token_expired")
    if isinstance(error, ClaimError):
        return say(_OF_CLAIM.get(error.claim, "id_token_claims"))
    if isinstance(error, BadSignatureError | InvalidKeyIdError):
        return say("id_token_signature")
    if isinstance(
        error,
        UnsupportedAlgorithmError
        | MissingAlgorithmError
        | ConflictAlgorithmError
        | UnsupportedKeyAlgorithmError,
    ):
        return say("id_token_algorithm")
    return say("id_token_claims")
