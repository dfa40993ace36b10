"""Why a service refuses. Edges turn these into HTTP problems; no HTTP status appears here."""

from collections.abc import Sequence

from podmeter.domain.errors import PermanentError
from podmeter.domain.feasibility import Obstacle
from podmeter.domain.messages import say

NO_SUCH = {
    "ci_trust": "no_such_ci_trust",
    "cluster": "no_such_cluster",
    "comparison": "no_such_comparison",
    "experiment": "no_such_experiment",
    "reference": "no_such_reference",
    "invitation": "no_such_invitation",
    "member": "no_such_member",
    "organization": "no_such_organization",
    "password_reset": "no_such_password_reset",
    "run": "no_such_run",
    "session": "no_such_session",
    "snapshot": "no_such_snapshot",
    "token": "no_such_token",
    "trial": "no_such_trial",
    "user": "no_such_user",
}
CHANGED = {
    "ci_trust": "ci_trust_changed_meanwhile",
    "cluster": "cluster_changed_meanwhile",
    "experiment": "experiment_changed_meanwhile",
    "marks": "marks_changed_meanwhile",
    "member": "member_changed_meanwhile",
    "organization": "organization_changed_meanwhile",
}

ALREADY_THERE = {"experiment": "experiment_already_there"}


class NotFoundError(PermanentError):
    """There is no such thing, or it belongs to somebody else: the two get the same response."""

    code = "not_found"

    def __init__(self, what: str) -> None:
        super().__init__(say(NO_SUCH[what]))


class ConflictError(PermanentError):
    """The state in the database does not allow it."""

    code = "conflict"


class ObstacleError(ConflictError):
    """An experiment cannot be measured on its clusters; `obstacles` says why."""

    code = "obstacles"

    def __init__(self, obstacles: Sequence[Obstacle]) -> None:
        self.obstacles = tuple(obstacles)
        super().__init__(say("several", several=[one.said for one in obstacles]))


class StaleVersionError(PermanentError):
    """Somebody changed the thing since the caller read it."""

    code = "stale_version"

    def __init__(self, what: str, version: int) -> None:
        super().__init__(say(CHANGED[what], version=version))


class AlreadyThereError(PermanentError):
    """The object exists already, and the request asked to create it."""

    code = "already_there"

    def __init__(self, what: str, version: int) -> None:
        super().__init__(say(ALREADY_THERE[what], version=version))


class RoleError(PermanentError):
    """The caller's role does not reach so far."""

    code = "role"


class AuthenticationError(PermanentError):
    """Nobody known is asking."""

    code = "authentication"


class WrongPasswordError(PermanentError):
    """Somebody who is known, and says another password than theirs."""

    code = "password_wrong"


class FencedError(PermanentError):
    """Another worker has taken the run; anyone who gets this must stop and touch nothing more."""

    code = "fenced"
