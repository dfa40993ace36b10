"""One provider: what it says of itself, its keys, and codes exchanged for who signed on."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
from authlib.common.urls import add_params_to_uri
from authlib.oauth2 import OAuth2Error
from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.client import OAuth2Client
from joserfc.jwk import KeySet

from podmeter.domain.messages import say
from podmeter.services.sign_on.attempt import Attempt
from podmeter.services.sign_on.configuration import Configuration, is_plain
from podmeter.services.sign_on.errors import ProviderError, SignOnRefusedError
from podmeter.services.sign_on.fetching import DEADLINE, client, provider_errors
from podmeter.services.sign_on.id_token import key_set, verified
from podmeter.services.sign_on.identity import Identity, find, identity

#: How long what the provider says of itself counts, in seconds.
KEPT = 3600.0
#: How often keys are fetched again, at most, because a token was signed with others, in seconds.
ANEW = 60.0
#: A longer one goes into no address.
_LONGEST_HINT = 4000
_NEEDED = ("authorization_endpoint", "token_endpoint", "jwks_uri")
_ENDPOINTS = (*_NEEDED, "userinfo_endpoint", "end_session_endpoint")
_T = TypeVar("_T")


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


@dataclass
class _Kept:
    value: Any
    fetched_at: float


class Provider:
    """Speaks with one provider. Safe to use from several threads."""

    def __init__(
        self,
        configuration: Configuration,
        clock: Callable[[], float] = time.monotonic,
        deadline: float = DEADLINE,
    ) -> None:
        self._configuration = configuration
        self._clock = clock
        self._http: httpx.Client = client(
            configuration.addresses, configuration.authorities, deadline
        )
        self._kept: dict[str, _Kept] = {}
        self._anew_at = -ANEW

    def authorization_url(self, attempt: Attempt) -> str:
        """Where the browser goes to sign on. Raises ProviderError."""
        url, _ = self._client().create_authorization_url(
            self._metadata()["authorization_endpoint"],
            state=attempt.state,
            code_verifier=attempt.verifier,
            nonce=attempt.nonce,
        )
        return str(url)

    def exchange(self, code: str, attempt: Attempt) -> Identity:
        """Who signed on. Raises ProviderError, SignOnRefusedError."""
        metadata, ours = self._metadata(), self._configuration
        token = self._token(metadata, code, attempt.verifier)
        access_token = token.get("access_token")
        signed = token["id_token"]
        claims = verified(
            signed,
            self._keys,
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
        tells = self._metadata().get("authorization_response_iss_parameter_supported") is True
        if told != self._configuration.issuer and (tells or told is not None):
            raise SignOnRefusedError(say("id_token_refused", why=say("id_token_issuer")))

    def _client(self) -> _Client:
        ours = self._configuration
        return _Client(
            self._http,
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
        known = self._metadata().get("token_endpoint_auth_methods_supported")
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
            answer = self._http.get(url, headers={"Authorization": f"Bearer {access_token}"})
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

    def _metadata(self) -> Mapping[str, Any]:
        return self._keep("metadata", self._fetch_metadata)

    def _fetch_metadata(self) -> Mapping[str, Any]:
        issuer = self._configuration.issuer
        url = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
        with provider_errors(url, "OpenID metadata"):
            found = self._get(url)
            for name in _ENDPOINTS:
                if name in _NEEDED or found.get(name) is not None:
                    _check_endpoint(found[name], issuer)
        if found.get("issuer") != issuer:
            said = say(
                "provider_another_issuer", found=str(found.get("issuer"))[:200], expected=issuer
            )
            raise ProviderError(said, say("mend_provider_issuer"))
        return found

    def _keys(self, anew: bool) -> KeySet:
        if anew and self._clock() - self._anew_at >= ANEW:
            self._anew_at = self._clock()
            self._kept.pop("keys", None)
        return self._keep("keys", self._fetch_keys)

    def _fetch_keys(self) -> KeySet:
        url = self._metadata()["jwks_uri"]
        with provider_errors(url, "keys"):
            return key_set(self._get(url))

    def _get(self, url: str) -> dict[str, Any]:
        answer = self._http.get(url)
        answer.raise_for_status()
        found = answer.json()
        if not isinstance(found, dict):
            raise ValueError("no object")
        return found

    def _keep(self, name: str, fetch: Callable[[], _T]) -> _T:
        kept = self._kept.get(name)
        if kept is None or self._clock() - kept.fetched_at > KEPT:
            kept = _Kept(fetch(), self._clock())
            self._kept[name] = kept
        value: _T = kept.value
        return value


def _address_verified(claims: Mapping[str, Any], told: Mapping[str, Any]) -> Any:
    """What is said of the address that counts, the token's if it has one; not of another one."""
    first, second = (claims, told) if claims.get("email") is not None else (told, claims)
    found = first.get("email_verified")
    if found is None and second.get("email") == first.get("email"):
        found = second.get("email_verified")
    return found


def _check_endpoint(url: Any, issuer: str) -> None:
    """Raises ValueError for an endpoint that anybody on the way could read or change."""
    if not isinstance(url, str) or not urlsplit(url).hostname:
        raise ValueError("no address")
    if urlsplit(url).scheme != "https" and not (is_plain(issuer) and is_plain(url)):
        raise ValueError("not https")
