"""One run at a time in a real cluster, whoever registered it where: a Lease in the cluster.

The database guards the runs of one Podmeter; this guards against another one's.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from podmeter.domain.labels import MANAGED_BY
from podmeter.domain.messages import say
from podmeter.domain.ports import POD_NAMESPACE
from podmeter_worker.kube.errors import ApiRefusedError, ClusterBusyError
from podmeter_worker.kube.resources import LEASES

if TYPE_CHECKING:
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object

NAME = "podmeter-run"


@dataclass(frozen=True, slots=True)
class ClusterLease:
    """The Lease for `holder`, a run's label, good for `seconds` after each renewal.

    Times are the API server's own, so that the clocks of two workers need not agree.
    """

    client: KubeClient
    holder: str
    seconds: int = 60

    def acquire(self) -> None:
        """Take it, or renew it where it is held already. Raises ClusterBusyError."""
        now = self._now()
        found = self.client.find(self._path())
        try:
            if found is None:
                self.client.create(LEASES.path(POD_NAMESPACE), self._body(now, None))
                return
            holder = found["spec"].get("holderIdentity") or ""
            if holder not in ("", self.holder) and now < expiry(found):
                until = f"{expiry(found):%H:%M:%S}"
                raise ClusterBusyError(say("lease_held", holder=holder, time=until))
            self.client.replace(self._path(), self._body(now, found))
        except ApiRefusedError as error:
            # Another one was faster, or an answer of ours was lost; which of them, it says.
            if error.status != 409 or not self._held():
                if error.status == 409:
                    raise ClusterBusyError(say("lease_taken")) from error
                raise

    def renew(self) -> None:
        """Hold it for longer. Raises ClusterBusyError when it was lost meanwhile."""
        self.acquire()

    def release(self) -> None:
        """Give it back, if it is held still."""
        found = self.client.find(self._path())
        if found is not None and found["spec"].get("holderIdentity") == self.holder:
            self.client.delete(self._path(), uid=found["metadata"]["uid"])

    def _held(self) -> bool:
        found = self.client.find(self._path())
        return found is not None and found["spec"].get("holderIdentity") == self.holder

    def _body(self, now: datetime, found: Object | None) -> Object:
        metadata: Object = {
            "name": NAME,
            "namespace": POD_NAMESPACE,
            "labels": dict(MANAGED_BY),
        }
        if found is not None:
            metadata["resourceVersion"] = found["metadata"]["resourceVersion"]
        return {
            "apiVersion": LEASES.version,
            "kind": "Lease",
            "metadata": metadata,
            "spec": {
                "holderIdentity": self.holder,
                "leaseDurationSeconds": self.seconds,
                "renewTime": now.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            },
        }

    def _path(self) -> str:
        return LEASES.path(POD_NAMESPACE, NAME)

    def _now(self) -> datetime:
        return parsedate_to_datetime(self.client.now()).astimezone(UTC)


def expiry(lease: Object) -> datetime:
    """When a Lease ends; at once where it does not say."""
    spec = lease["spec"]
    renewed = spec.get("renewTime")
    if not renewed:
        return datetime.min.replace(tzinfo=UTC)
    begun = datetime.fromisoformat(renewed)
    return begun + timedelta(seconds=int(spec.get("leaseDurationSeconds") or 0))
