"""Why a job is not let in."""

from podmeter.domain.messages import say
from podmeter.services.errors import AuthenticationError
from podmeter.services.sign_on.errors import ProviderError


class CiRefusedError(AuthenticationError):
    """The job's token is not taken."""

    code = "ci_refused"


class CiIssuerError(ProviderError):
    """The issuer is away, or says what nothing can be done with."""

    code = "ci_issuer"

    def __init__(self, issuer: str) -> None:
        said = say("ci_issuer_unavailable", issuer=issuer)
        super().__init__(said, say("mend_ci_issuer"), said)
