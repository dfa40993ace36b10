"""What an API server's refusals and absences are, as domain errors."""

from __future__ import annotations

from podmeter.domain.errors import LabError, PermanentError


class ApiRefusedError(PermanentError):
    """The API server answered, and the answer is no; asking the same again gives the same.

    `status` is the HTTP status, `reason` Kubernetes' own word such as `Forbidden` or
    `AlreadyExists`.
    """

    code = "api_refused"

    def __init__(self, status: int, reason: str, message: str) -> None:
        self.status = status
        self.reason = reason
        super().__init__(message)


class ApiUnavailableError(LabError):
    """The API server was not reached, was too busy, or failed; it may answer later.

    `retry_after` are the seconds it asked to wait, None where it did not say.
    """

    code = "api_unavailable"

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class PortRefusedError(ApiUnavailableError):
    """Nothing listens where the API server should be, for now at least."""

    code = "api_port_refused"


class MalformedAnswerError(ApiUnavailableError):
    """It answered, but not as an API server of Kubernetes does: something else may be there."""

    code = "api_malformed"


class AnotherClusterError(PermanentError):
    """The responding cluster is not the expected one; nothing was changed in it."""

    code = "another_cluster"


class ClusterBusyError(PermanentError):
    """Another run holds the cluster's Lease; `label` is that run's, '' where it is not known."""

    code = "cluster_busy"

    def __init__(self, message: str, label: str = "") -> None:
        self.label = label
        super().__init__(message)


class LeaseLostError(PermanentError):
    """The cluster's Lease was ours and is not any more; nothing may be changed there by us."""

    code = "lease_lost"
