"""What a run ran with, in the API's shape."""

from typing import Any

from pydantic import BaseModel, Field

from podmeter.domain.fingerprint import Fingerprint
from podmeter.domain.stored import StoredForm


class OutsideWay(BaseModel):
    """How packets of the client outside leave for a node, in words."""

    node: str
    way: str


class OutsideEnvironment(BaseModel):
    """The client outside the cluster: the versions of its tools, its way to each node."""

    tools: dict[str, str]
    ways: list[OutsideWay]


class ClusterEnvironment(BaseModel):
    """A cluster as its preflight found it, and the client outside it where there was one."""

    cluster_uid: str
    fingerprint: Fingerprint
    outside: OutsideEnvironment | None = None


class WorkerVersions(BaseModel):
    """What measured."""

    podmeter: str
    python: str


class AttemptEnvironment(BaseModel):
    """What one attempt ran with: its clusters by the names that the run calls them."""

    clusters: dict[str, ClusterEnvironment]
    worker: WorkerVersions


class RunEnvironment(AttemptEnvironment):
    """What the latest attempt ran with, and each attempt by its number."""

    attempts: dict[str, AttemptEnvironment] = Field(default_factory=dict)

    @classmethod
    def of(cls, frozen: dict[str, Any] | None) -> "RunEnvironment | None":
        """What was frozen into the run; fields that this version does not know are left out."""
        return None if frozen is None else _STORED.read(frozen)


#: What a run was frozen with, as the database keeps it.
_STORED: StoredForm[RunEnvironment] = StoredForm("run", RunEnvironment, extra="ignore")
