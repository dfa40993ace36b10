"""What is wrong with a credential: where, what, and how to fix it; never the credential."""

from collections.abc import Iterable
from dataclasses import dataclass

from podmeter.domain.errors import PermanentError
from podmeter.domain.messages import Message, say


@dataclass(frozen=True)
class CredentialProblem:
    """One fault of a document with secrets in it.

    pointer
        JSON pointer (RFC 6901) of the faulty field, "" for the whole document. Made of known
        field names and list positions only, so that nothing of the document's text leaks.
    code
        Stable, for programs and translations.
    message, remedy
        What is wrong and how to fix it, one sentence each.
    """

    pointer: str
    code: str
    message: Message
    remedy: Message

    @property
    def said(self) -> Message:
        """All of it."""
        pointer = self.pointer or "/"
        return say("credential_problem", pointer=pointer, what=self.message, remedy=self.remedy)


@dataclass(frozen=True)
class ContextChoice:
    """A context that can be picked; ``current`` is the one the file itself points at."""

    name: str
    current: bool


class KubeconfigRefusedError(PermanentError):
    """A kubeconfig cannot be taken as it is.

    ``problems`` lists every fault found; ``contexts`` the contexts to pick from, where the
    document got so far as to have any.
    """

    code = "kubeconfig_refused"

    def __init__(
        self, problems: Iterable[CredentialProblem], contexts: Iterable[ContextChoice] = ()
    ) -> None:
        self.problems = tuple(problems)
        self.contexts = tuple(contexts)
        super().__init__(say("several", several=[one.said for one in self.problems]))


class ServerRefusedError(PermanentError):
    """A server URL, or an address that its name resolves to, may not be connected to.

    ``reason`` is stable, for programs; ``remedy`` says what to do.
    """

    code = "server_refused"

    def __init__(self, reason: str, message: Message, remedy: Message) -> None:
        self.reason = reason
        self.message = message
        self.remedy = remedy
        super().__init__(say("what_and_remedy", what=message, remedy=remedy))


class KeyRingError(PermanentError):
    """The encryption keys are absent or malformed; the text says how to make one."""

    code = "encryption_keys"


class EnvelopeError(PermanentError):
    """Encrypted data cannot be opened: damaged, bound to something else, or its key is gone."""

    code = "envelope"


class PasswordRefusedError(PermanentError):
    """A password is too short, too long, or easily guessed."""

    code = "password_refused"
