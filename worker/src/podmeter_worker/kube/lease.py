"""One run at a time in a real cluster, across all its registrations: a Lease in the cluster.

The database guards the runs of one Podmeter; this guards against another one's.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Self

from podmeter.domain.labels import LOOK, MANAGED_BY, RESTORE
from podmeter.domain.messages import Message, say
from podmeter.domain.ports import POD_NAMESPACE
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.clock import clock
from podmeter_worker.kube.errors import ApiRefusedError, ClusterBusyError, LeaseLostError
from podmeter_worker.kube.resources import LEASES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from podmeter_worker.kube.resources import Object

NAME = "podmeter-run"
SECONDS = 60
#: By its own clock a holder is past its Lease so much earlier, in parts of the whole.
_MARGIN = 1 / 6
_TRIES = 3
_TOKEN_DIGITS = 20
_LONGEST_SECONDS = 24 * 3600


@dataclass(frozen=True, slots=True)
class Holder:
    """Who has a cluster: a run's label, or that of a look or a restore, and its fencing token.

    Of two of one label the one with the higher token is the later.
    """

    label: str
    token: int = 0

    def __str__(self) -> str:
        return f"{self.label}/{self.token}" if self.token else self.label

    @classmethod
    def read(cls, text: str) -> Self:
        """What `str` gave; any other text is a label."""
        label, _, token = text.rpartition("/")
        known = label and token.isdecimal() and len(token) < _TOKEN_DIGITS
        return cls(label, int(token)) if known else cls(text)

    @property
    def said(self) -> Message:
        """In a sentence."""
        if self.label.startswith(LOOK):
            return say("holder_look", label=self.label)
        if self.label.startswith(RESTORE):
            return say("holder_restore", label=self.label)
        return say("holder_run", label=self.label)


class ClusterLease:
    """The Lease for `holder`, good for `seconds` after each renewal.

    Times in it are the API server's own, so that the clocks of two workers need not agree.
    `require` goes by this machine's clock alone. Safe to use from several threads.
    """

    def __init__(self, client: KubeClient, holder: Holder, seconds: int = SECONDS) -> None:
        self._client, self._holder, self._seconds = client, holder, seconds
        self._lock = threading.RLock()
        self._good_until: float | None = None
        self._lost: LeaseLostError | None = None
        self._released = False

    def acquire(self) -> None:
        """Take it, or renew it where it is held already.

        Raises ClusterBusyError where another one has it, LeaseLostError where a later worker of
        this very run has.
        """
        with self._lock:
            self._released = False
            self._write(self._client, self._taken)

    def renew(self) -> None:
        """Renew it with one request; a lost Lease is not acquired again.

        Raises LeaseLostError when it is gone or another one's; it stays lost then. One that was
        given back is left alone.
        """
        with self._lock:
            if not self._released:
                with self._impatient() as client:
                    self._write(client, self._renewed)

    def require(self) -> None:
        """Raise unless the cluster is ours still, LeaseLostError or what a renewal raises.

        Nothing is asked while our own clock says that it must be.
        """
        if self._is_past():
            # Only then: a renewal in progress must not delay a measurement.
            with self._lock:
                if self._is_past():
                    self.renew()

    def release(self) -> None:
        """Give it back, asking once, if it is held still."""
        with self._lock, self._impatient() as client:
            self._released, self._good_until = True, None
            lease = client.find(self._path())
            if lease is not None and self._is_ours(lease):
                metadata = lease["metadata"]
                version = metadata["resourceVersion"]
                client.delete(self._path(), uid=metadata["uid"], version=version)

    def why_busy(self) -> Message | None:
        """Who else has the cluster at present, or None; asks once and changes nothing."""
        with self._impatient() as client:
            lease = client.find(self._path())
            return None if lease is None else self._why_not_ours(lease, self._now(client))

    def _write(
        self, client: KubeClient, body_of: Callable[[Object | None, datetime], Object]
    ) -> None:
        asked = clock()
        for _ in range(_TRIES):
            now = self._now(client)
            lease = client.find(self._path())
            body = body_of(lease, now)
            try:
                if lease is None:
                    client.create(LEASES.path(POD_NAMESPACE), body)
                else:
                    client.replace(self._path(), body)
            except ApiRefusedError as error:
                if error.status != 409:
                    raise
                # Another one was faster, or an answer of ours was lost; which of them, it says.
                continue
            self._good_until = asked + self._seconds * (1 - _MARGIN)
            return
        raise ClusterBusyError(say("lease_taken"))

    def _taken(self, lease: Object | None, now: datetime) -> Object:
        if lease is None:
            return self._body(now, None)
        self._check_not_later(lease)
        if why := self._why_not_ours(lease, now):
            raise ClusterBusyError(why, _holder(lease).label)
        return self._body(now, lease)

    def _renewed(self, lease: Object | None, now: datetime) -> Object:
        if lease is None:
            raise self._loses(say("lease_gone"))
        self._check_not_later(lease)
        if not self._is_ours(lease):
            raise self._loses(say("lease_lost", holder=_holder(lease).said))
        return self._body(now, lease)

    def _check_not_later(self, lease: Object) -> None:
        theirs = _holder(lease)
        if theirs.label == self._holder.label and theirs.token > self._holder.token:
            raise self._loses(say("lease_lost", holder=theirs.said))

    def _is_past(self) -> bool:
        if self._lost is not None:
            raise self._lost
        until = self._good_until
        return until is not None and clock() >= until

    def _loses(self, why: Message) -> LeaseLostError:
        self._lost = LeaseLostError(why)
        return self._lost

    def _is_ours(self, lease: Object) -> bool:
        return _holder(lease) == self._holder

    def _why_not_ours(self, lease: Object, now: datetime) -> Message | None:
        theirs = _holder(lease)
        if theirs.label in ("", self._holder.label) or now >= expiry(lease):
            return None
        since = _moment(lease, "acquireTime")
        shown = f"{since.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC" if since else say("since_unknown")
        return say("lease_held", holder=theirs.said, since=shown)

    def _body(self, now: datetime, lease: Object | None) -> Object:
        metadata: Object = {
            "name": NAME,
            "namespace": POD_NAMESPACE,
            "labels": dict(MANAGED_BY),
        }
        written = now.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        since = written
        if lease is not None:
            metadata["resourceVersion"] = lease["metadata"]["resourceVersion"]
            if _holder(lease).label == self._holder.label:
                since = _spec(lease).get("acquireTime") or written
        return {
            "apiVersion": LEASES.version,
            "kind": "Lease",
            "metadata": metadata,
            "spec": {
                "holderIdentity": str(self._holder),
                "leaseDurationSeconds": self._seconds,
                "acquireTime": since,
                "renewTime": written,
            },
        }

    @contextmanager
    def _impatient(self) -> Iterator[KubeClient]:
        """Asks once, and by a connection of its own: the others may stand behind a slow answer."""
        with KubeClient(self._client.access, patience_seconds=0.0) as client:
            yield client

    def _path(self) -> str:
        return LEASES.path(POD_NAMESPACE, NAME)

    def _now(self, client: KubeClient) -> datetime:
        return parsedate_to_datetime(client.now()).astimezone(UTC)


def expiry(lease: Object) -> datetime:
    """When a Lease ends; at once where it does not say."""
    renewed, seconds = _moment(lease, "renewTime"), _spec(lease).get("leaseDurationSeconds")
    if renewed is None or not isinstance(seconds, int):
        return datetime.min.replace(tzinfo=UTC)
    try:
        return renewed + timedelta(seconds=min(max(seconds, 0), _LONGEST_SECONDS))
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)


def _spec(lease: Object) -> Object:
    spec = lease.get("spec")
    return spec if isinstance(spec, dict) else {}


def _moment(lease: Object, name: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(_spec(lease).get(name) or "")
    except (TypeError, ValueError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _holder(lease: Object) -> Holder:
    return Holder.read(str(_spec(lease).get("holderIdentity") or ""))
