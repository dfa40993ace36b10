"""Why a sign-on fails: by its provider, or by who signs on."""

from podmeter.domain.errors import TemporaryError
from podmeter.domain.messages import Message, say
from podmeter.services.errors import AuthenticationError


class ProviderError(TemporaryError):
    """The provider is away, or says what nothing can be done with: `message`, and `remedy`."""

    code = "provider"

    def __init__(self, message: Message, remedy: Message, said: Message | None = None) -> None:
        self.message = message
        self.remedy = remedy
        super().__init__(said or say("provider_fails"))


class SignOnRefusedError(AuthenticationError):
    """Somebody is not let in, or nobody who is known for sure."""

    code = "sign_on"
