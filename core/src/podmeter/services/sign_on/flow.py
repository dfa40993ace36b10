"""Beginning a sign-on and finishing it, with what is imported first when somebody does so."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.messages import say
from podmeter.services.sign_on.attempt import Attempt
from podmeter.services.sign_on.configuration import Configuration
from podmeter.services.sign_on.errors import SignOnRefusedError

if TYPE_CHECKING:
    from podmeter.services.sign_on.identity import Identity
    from podmeter.services.sign_on.provider import Provider


@dataclass(frozen=True)
class Answer:
    """What the provider sent the browser back with."""

    code: str | None = None
    error: str | None = None
    issuer: str | None = None


class SignOn:
    """Single sign-on with one provider; made once, and safe to use from several threads."""

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration
        self._provider: Provider | None = None
        self._lock = threading.Lock()

    @property
    def provider(self) -> Provider:
        """The provider, spoken with from now on."""
        with self._lock:
            if self._provider is None:
                from podmeter.services.sign_on.provider import Provider

                self._provider = Provider(self.configuration)
            return self._provider

    def begin(self, way_back: str, *, new_account: bool = False) -> tuple[str, Attempt]:
        """Where the browser goes, and what it keeps until it is back. Raises ProviderError."""
        attempt = Attempt.begin(way_back, new_account=new_account)
        return self.provider.authorization_url(attempt), attempt

    def finish(self, attempt: Attempt, answer: Answer) -> Identity:
        """Who signed on. Raises SignOnRefusedError, ProviderError."""
        self.provider.check_issuer(answer.issuer)
        if answer.error is not None or answer.code is None:
            raise SignOnRefusedError(say("sign_on_denied", why=(answer.error or "no code")[:200]))
        return self.provider.exchange(answer.code, attempt)
