"""Why a service refuses. Edges turn these into HTTP problems; no HTTP status appears here."""

from podmeter.domain.errors import PermanentError


class NotFoundError(PermanentError):
    """There is no such thing, or it belongs to somebody else: the two are not told apart."""

    code = "not_found"

    def __init__(self, what: str) -> None:
        super().__init__(f"no such {what}")


class ConflictError(PermanentError):
    """What stands in the database does not allow it."""

    code = "conflict"


class StaleVersionError(PermanentError):
    """Somebody changed the thing since the caller read it."""

    code = "stale_version"

    def __init__(self, what: str, version: int) -> None:
        super().__init__(f"the {what} was changed meanwhile; its version is now {version}")


class RoleError(PermanentError):
    """The caller's role does not reach so far."""

    code = "role"


class AuthenticationError(PermanentError):
    """Nobody known is asking."""

    code = "authentication"


class FencedError(PermanentError):
    """Another worker has taken the run; whoever gets this must stop and touch nothing more."""

    code = "fenced"
