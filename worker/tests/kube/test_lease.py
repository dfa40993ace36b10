"""The cluster's Lease: who has it, who may not take it, and until when its holder may act."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.domain.ports import POD_NAMESPACE
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.clock import clock
from podmeter_worker.kube.errors import ClusterBusyError, LeaseLostError
from podmeter_worker.kube.lease import NAME, ClusterLease, Holder
from podmeter_worker.kube.resources import CONFIG_MAPS, LEASES

from .object_server import Objects

LOCAL = AddressPolicy.of(["127.0.0.0/8"])
PATH = LEASES.path(POD_NAMESPACE, NAME)
OBJECT = CONFIG_MAPS.path("kube-system", "any")


@pytest.fixture
def client(objects: Objects) -> Iterator[KubeClient]:
    with KubeClient(ClusterAccess(objects.kept, LOCAL), 0.0) as client:
        yield client


@pytest.fixture
def went_by(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that a stopped process finds to have gone by."""
    seconds = [0.0]
    monkeypatch.setattr("podmeter_worker.kube.lease.clock", lambda: clock() + seconds[0])
    return seconds


def holder(objects: Objects) -> str:
    return str(objects.at[PATH]["spec"]["holderIdentity"])


def test_a_renewal_never_takes_a_lease_that_is_gone(objects: Objects, client: KubeClient) -> None:
    lease = ClusterLease(client, Holder("mine", 1))
    lease.acquire()
    del objects.at[PATH]
    with pytest.raises(LeaseLostError, match="deleted"):
        lease.renew()
    assert PATH not in objects.at
    with pytest.raises(LeaseLostError):
        lease.require()


def test_a_renewal_never_takes_another_one_s(objects: Objects, client: KubeClient) -> None:
    lease = ClusterLease(client, Holder("mine", 1))
    lease.acquire()
    objects.ahead = timedelta(minutes=5)
    ClusterLease(client, Holder("theirs", 9)).acquire()
    objects.ahead = timedelta(minutes=50)  # theirs has run out as well
    with pytest.raises(LeaseLostError, match="run theirs"):
        lease.renew()
    lease.release()
    assert holder(objects) == "theirs/9"


def test_a_later_worker_of_the_run_takes_it_and_the_earlier_one_never_again(
    objects: Objects, client: KubeClient
) -> None:
    early, late = ClusterLease(client, Holder("mine", 4)), ClusterLease(client, Holder("mine", 7))
    early.acquire()
    late.acquire()
    assert holder(objects) == "mine/7"
    with pytest.raises(LeaseLostError):
        early.renew()
    early.release()
    with pytest.raises(LeaseLostError):
        ClusterLease(client, Holder("mine", 4)).acquire()
    assert holder(objects) == "mine/7"


def test_who_has_it_and_since_when_is_said(objects: Objects, client: KubeClient) -> None:
    theirs, mine = ClusterLease(client, Holder("look-1")), ClusterLease(client, Holder("mine", 1))
    assert mine.why_busy() is None
    theirs.acquire()
    since = objects.at[PATH]["spec"]["acquireTime"]
    objects.ahead = timedelta(seconds=20)
    theirs.renew()
    assert objects.at[PATH]["spec"]["acquireTime"] == since
    with pytest.raises(ClusterBusyError, match="a preflight") as busy:
        mine.acquire()
    said = mine.why_busy()
    assert said == busy.value.said
    assert said is not None
    assert str(said.params["since"]).startswith(since[:10])
    assert theirs.why_busy() is None
    objects.ahead = timedelta(minutes=5)
    assert mine.why_busy() is None


def test_nothing_is_changed_past_the_lease(
    objects: Objects, client: KubeClient, went_by: list[float]
) -> None:
    """A worker that was stopped finds another one in the cluster, and its change is not made."""
    objects.put(OBJECT, {"data": {"mode": "iptables"}})
    lease = ClusterLease(client, Holder("mine", 1))
    client.guard = lease.require
    lease.acquire()
    client.patch(OBJECT, {"data": {"mode": "nftables"}})
    went_by[0] = 45.0
    client.patch(OBJECT, {"data": {"mode": "ipvs"}})
    assert holder(objects) == "mine/1"
    went_by[0] = 120.0
    objects.ahead = timedelta(minutes=2)
    with KubeClient(client.access, 0.0) as other:
        ClusterLease(other, Holder("theirs", 2)).acquire()
    with pytest.raises(LeaseLostError, match="run theirs"):
        client.patch(OBJECT, {"data": {"mode": "nftables"}})
    assert objects.at[OBJECT]["data"] == {"mode": "ipvs"}
    assert client.get(OBJECT)["data"] == {"mode": "ipvs"}


def test_past_the_lease_it_is_renewed_where_nobody_took_it(
    objects: Objects, client: KubeClient, went_by: list[float]
) -> None:
    lease = ClusterLease(client, Holder("mine", 1))
    client.guard = lease.require
    lease.acquire()
    before = objects.at[PATH]["metadata"]["resourceVersion"]
    went_by[0] = 300.0
    objects.ahead = timedelta(minutes=5)
    objects.put(OBJECT, {})
    client.patch(OBJECT, {"data": {}})
    assert objects.at[PATH]["metadata"]["resourceVersion"] != before


def test_one_that_was_given_back_is_not_taken_by_a_late_renewal(
    objects: Objects, client: KubeClient
) -> None:
    lease = ClusterLease(client, Holder("mine", 1))
    lease.acquire()
    lease.release()
    lease.renew()
    assert PATH not in objects.at


THEIRS = {"holderIdentity": "theirs", "acquireTime": 3}


@pytest.mark.parametrize(
    "spec",
    [
        THEIRS,
        {**THEIRS, "renewTime": "soon", "leaseDurationSeconds": 60},
        {**THEIRS, "renewTime": "2026-11-22T00:00:00Z", "leaseDurationSeconds": "x"},
        {**THEIRS, "renewTime": "2026-01-01T00:00:00", "leaseDurationSeconds": 10**30},
        {"holderIdentity": "x/" + "9" * 5000},
        {"holderIdentity": 3},
        None,
    ],
)
def test_a_lease_that_says_nothing_is_free(
    objects: Objects, client: KubeClient, spec: dict[str, object] | None
) -> None:
    objects.put(PATH, {"spec": spec})
    ClusterLease(client, Holder("mine", 1)).acquire()
    assert holder(objects) == "mine/1"
