"""An issuer of tokens: what it says of itself, and the keys that it signs with."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
from joserfc.jwk import KeySet

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.domain.messages import say
from podmeter.services.sign_on.configuration import is_plain
from podmeter.services.sign_on.errors import ProviderError
from podmeter.services.sign_on.fetching import DEADLINE, client, provider_errors
from podmeter.services.sign_on.id_token import key_set

#: How long what the issuer says of itself counts, in seconds.
KEPT = 3600.0
#: How often keys are fetched again, at most, because a token was signed with others, in seconds.
ANEW = 60.0
_T = TypeVar("_T")


@dataclass
class _CachedIssuer:
    value: Any
    fetched_at: float


class Issuer:
    """Speaks with one issuer. Safe to use from several threads.

    Its metadata has the endpoints `needed`, and may have the `others`.
    """

    def __init__(
        self,
        url: str,
        addresses: AddressPolicy,
        authorities: str | None = None,
        *,
        needed: Sequence[str] = ("jwks_uri",),
        others: Sequence[str] = (),
        clock: Callable[[], float] = time.monotonic,
        deadline: float = DEADLINE,
    ) -> None:
        self.url = url
        self.http: httpx.Client = client(addresses, authorities, deadline)
        self._needed, self._others, self._clock = needed, others, clock
        self._kept: dict[str, _CachedIssuer] = {}
        self._anew_at = -ANEW

    def metadata(self) -> Mapping[str, Any]:
        """What it says of itself. Raises ProviderError."""
        return self._keep("metadata", self._fetch_metadata)

    def keys(self, anew: bool) -> KeySet:
        """Its keys, fetched again if that is asked for and was not just done.

        Raises ProviderError.
        """
        if anew and self._clock() - self._anew_at >= ANEW:
            self._anew_at = self._clock()
            self._kept.pop("keys", None)
        return self._keep("keys", self._fetch_keys)

    def _fetch_metadata(self) -> Mapping[str, Any]:
        url = f"{self.url.rstrip('/')}/.well-known/openid-configuration"
        with provider_errors(url, "OpenID metadata"):
            found = self._get(url)
            for name in (*self._needed, *self._others):
                if name in self._needed or found.get(name) is not None:
                    _check_endpoint(found[name], self.url)
        if found.get("issuer") != self.url:
            said = say(
                "provider_another_issuer", found=str(found.get("issuer"))[:200], expected=self.url
            )
            raise ProviderError(said, say("mend_provider_issuer"))
        return found

    def _fetch_keys(self) -> KeySet:
        url = self.metadata()["jwks_uri"]
        with provider_errors(url, "keys"):
            return key_set(self._get(url))

    def _get(self, url: str) -> dict[str, Any]:
        answer = self.http.get(url)
        answer.raise_for_status()
        found = answer.json()
        if not isinstance(found, dict):
            raise ValueError("no object")
        return found

    def _keep(self, name: str, fetch: Callable[[], _T]) -> _T:
        kept = self._kept.get(name)
        if kept is None or self._clock() - kept.fetched_at > KEPT:
            kept = _CachedIssuer(fetch(), self._clock())
            self._kept[name] = kept
        value: _T = kept.value
        return value


def _check_endpoint(url: Any, issuer: str) -> None:
    """Raises ValueError for an endpoint that anybody on the way could read or change."""
    if not isinstance(url, str) or not urlsplit(url).hostname:
        raise ValueError("no address")
    if urlsplit(url).scheme != "https" and not (is_plain(issuer) and is_plain(url)):
        raise ValueError("not https")
