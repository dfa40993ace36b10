"""One provider: what it says of itself, its keys, and codes exchanged for who signed on."""

import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx
from authlib.common.urls import add_params_to_uri
from authlib.oauth2 import OAuth2Error
from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.client import OAuth2Client

from podmeter.domain.messages import say
from podmeter.services.sign_on.attempt import Attempt
from podmeter.services.sign_on.configuration import Configuration
from podmeter.services.sign_on.errors import ProviderError, SignOnRefusedError
from podmeter.services.sign_on.fetching import DEADLINE, provider_errors
from podmeter.services.sign_on.id_token import verified
from podmeter.services.sign_on.identity import Identity, find, identity
from podmeter.services.sign_on.issuer import Issuer

#: A longer one goes into no address.
_LONGEST_HINT = 4000
_NEEDED = ("authorization_endpoint", "token_endpoint", "jwks_uri")
_OTHERS = ("userinfo_endpoint", "end_session_endpoint")


class _ClientAuth(ClientAuth, httpx.Auth):  # type: ignore[misc]
    """How the client says who it is, in the form that httpx takes."""

    requires_request_body = True

    def auth_flow(self, request: httpx.Request) -> Any:
        """The request with it."""
        url, headers, body = self.prepare(
            request.method, str(request.url), dict(request.headers), request.content.decode()
        )
        headers.pop("content-length", None)
        yield httpx.Request(
            request.method, url, headers=headers, content=body, extensions=request.extensions
        )


class _Client(OAuth2Client):  # type: ignore[misc]
    client_auth_class = _ClientAuth


class Provider:
    """Speaks with one provider. Safe to use from several threads."""

    def __init__(
        self,
        configuration: Configuration,
        clock: Callable[[], float] = time.monotonic,
        deadline: float = DEADLINE,
    ) -> None:
        self._configuration = configuration
        self._issuer = Issuer(
            configuration.issuer,
            configuration.addresses,
            configuration.authorities,
            needed=_NEEDED,
            others=_OTHERS,
            clock=clock,
            deadline=deadline,
        )

    def authorization_url(self, attempt: Attempt) -> str:
        """Where the browser goes to sign on. Raises ProviderError."""
        url, _ = self._client().create_authorization_url(
            self._issuer.metadata()["authorization_endpoint"],
            state=attempt.state,
            code_verifier=attempt.verifier,
            nonce=attempt.nonce,
        )
        return str(url)

    def exchange(self, code: str, attempt: Attempt) -> Identity:
        """Who signed on. Raises ProviderError, SignOnRefusedError."""
        metadata, ours = self._issuer.metadata(), self._configuration
        token = self._token(metadata, code, attempt.verifier)
        access_token = token.get("access_token")
        signed = token["id_token"]
        claims = verified(
            signed,
            self._issuer.keys,
            issuer=ours.issuer,
            client_id=ours.client_id,
            nonce=attempt.nonce,
            access_token=access_token,
        )
        told = self._user_info(metadata, access_token, claims)
        return identity(
            {**told, **claims, "email_verified": _address_verified(claims, told)},
            ours.issuer,
            ours.groups_claim,
            self._leave_url(metadata, signed),
            all_verified=ours.addresses_verified,
        )

    def check_issuer(self, told: str | None) -> None:
        """That an answer is this one's (RFC 9207). Raises SignOnRefusedError, ProviderError."""
        tells = (
            self._issuer.metadata().get("authorization_response_iss_parameter_supported") is True
        )
        if told != self._configuration.issuer and (tells or told is not None):
            raise SignOnRefusedError(say("id_token_refused", why=say("id_token_issuer")))

    def _client(self) -> _Client:
        ours = self._configuration
        return _Client(
            self._issuer.http,
            client_id=ours.client_id,
            client_secret=ours.client_secret,
            token_endpoint_auth_method=self._auth_method(),
            scope=ours.scopes,
            redirect_uri=ours.callback,
            code_challenge_method="S256",
        )

    def _auth_method(self) -> str:
        if self._configuration.client_secret is None:
            return "none"
        known = self._issuer.metadata().get("token_endpoint_auth_methods_supported")
        if isinstance(known, list) and "client_secret_basic" not in known:
            return "client_secret_post"
        return "client_secret_basic"

    def _token(self, metadata: Mapping[str, Any], code: str, verifier: str) -> Mapping[str, Any]:
        url = metadata["token_endpoint"]
        try:
            with provider_errors(url, "a token"):
                token = self._client().fetch_token(
                    url, grant_type="authorization_code", code=code, code_verifier=verifier
                )
                if not isinstance(token.get("id_token"), str):
                    raise ValueError("no ID token")
                return dict(token)
        except OAuth2Error as error:
            if error.error == "invalid_grant":
                raise SignOnRefusedError(say("sign_on_code_refused")) from error
            said = say("provider_refuses", host=urlsplit(url).netloc, why=str(error.error)[:200])
            raise ProviderError(said, say("mend_provider_client")) from error

    def _user_info(
        self, metadata: Mapping[str, Any], access_token: str | None, claims: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """What the token leaves out: many providers tell addresses and groups here alone."""
        url = metadata.get("userinfo_endpoint")
        wanted = ("email", self._configuration.groups_claim)
        if not url or not access_token or all(find(claims, one) is not None for one in wanted):
            return {}
        with provider_errors(url, "userinfo"):
            answer = self._issuer.http.get(url, headers={"Authorization": f"Bearer {access_token}"})
            answer.raise_for_status()
            told = answer.json()
            if not isinstance(told, dict):
                raise ValueError("no object")
        if told.get("sub") != claims["sub"]:
            raise SignOnRefusedError(say("id_token_refused", why=say("id_token_claims")))
        return told

    def _leave_url(self, metadata: Mapping[str, Any], id_token: str) -> str | None:
        endpoint = metadata.get("end_session_endpoint")
        if not endpoint:
            return None
        ours = self._configuration
        params = {"client_id": ours.client_id, "post_logout_redirect_uri": ours.after_logout}
        if len(id_token) <= _LONGEST_HINT:
            params["id_token_hint"] = id_token
        return str(add_params_to_uri(endpoint, params))


def _address_verified(claims: Mapping[str, Any], told: Mapping[str, Any]) -> Any:
    """What is said of the address that counts, the token's if it has one; not of another one."""
    first, second = (claims, told) if claims.get("email") is not None else (told, claims)
    found = first.get("email_verified")
    if found is None and second.get("email") == first.get("email"):
        found = second.get("email_verified")
    return found
