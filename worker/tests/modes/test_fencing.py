"""What a worker changes too late is refused by the cluster, and what stood is written there."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.domain.cluster_report import UnrestoredSwitch
from podmeter.domain.errors import PreconditionError
from podmeter.domain.labels import UNRESTORED_SWITCH
from podmeter.services.errors import FencedError
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.lease import Holder
from podmeter_worker.kube.resources import CONFIG_MAPS
from podmeter_worker.modes import switch_record
from podmeter_worker.modes.changes import rewrite

from ..kube.object_server import Objects

LOCAL = AddressPolicy.of(["127.0.0.0/8"])
PATH = CONFIG_MAPS.path("kube-system", "kube-proxy")


@pytest.fixture
def opened(objects: Objects) -> Iterator[Callable[[], KubeClient]]:
    objects.put(PATH, {"data": {"mode": "iptables"}})
    made: list[KubeClient] = []

    def open_one() -> KubeClient:
        made.append(KubeClient(ClusterAccess(objects.kept, LOCAL), 0.0))
        return made[-1]

    yield open_one
    for client in made:
        client.close()


def note(holder: Holder, mode: str = "iptables") -> UnrestoredSwitch:
    return UnrestoredSwitch(
        axis="kube_proxy_mode",
        component="kube-proxy",
        saved={"mode": mode},
        holder=str(holder),
        since=datetime(2026, 11, 22, tzinfo=UTC),
    )


def test_a_change_that_was_stalled_is_refused_once_another_worker_restores(
    objects: Objects, opened: Callable[[], KubeClient]
) -> None:
    """It was let through by its guard, and stopped before it was sent."""
    stalled, heir = opened(), opened()
    switch_record.write(stalled, PATH, note(Holder("run", 1)))
    past: list[bool] = []

    def guard() -> None:
        if past:
            raise FencedError("past its lease")
        past.append(True)
        switch_record.claim(heir, PATH, note(Holder("run", 2)))
        rewrite(heir, PATH, "mode", lambda old: "iptables")
        switch_record.forget(heir, PATH)

    stalled.guard = guard
    with pytest.raises(FencedError):
        rewrite(stalled, PATH, "mode", lambda old: "nftables")
    assert objects.at[PATH]["data"] == {"mode": "iptables"}
    assert switch_record.read(objects.at[PATH]) is None


def test_it_is_refused_as_well_if_it_had_changed_nothing_yet(
    objects: Objects, opened: Callable[[], KubeClient]
) -> None:
    stalled, heir = opened(), opened()
    versions = [objects.at[PATH]["metadata"]["resourceVersion"]]
    switch_record.claim(heir, PATH, note(Holder("run", 2)))
    versions.append(objects.at[PATH]["metadata"]["resourceVersion"])
    assert len(set(versions)) == 2
    body = {"metadata": {"resourceVersion": versions[0]}, "data": {"mode": "nftables"}}
    with pytest.raises(ApiRefusedError) as refused:
        stalled.patch(PATH, body)
    assert refused.value.status == 409
    with pytest.raises(FencedError):
        switch_record.write(stalled, PATH, note(Holder("run", 1)))


def test_somebody_else_s_change_in_between_is_no_hindrance(
    objects: Objects, opened: Callable[[], KubeClient]
) -> None:
    client, other = opened(), opened()
    left = [1, 2, 3]

    def guard() -> None:
        if left:
            other.patch(PATH, {"data": {"other": str(left.pop())}})

    client.guard = guard
    assert rewrite(client, PATH, "mode", lambda old: "nftables") == ("nftables", True)
    assert objects.at[PATH]["data"] == {"mode": "nftables", "other": "1"}
    assert rewrite(client, PATH, "mode", lambda old: "nftables") == ("nftables", False)


def test_what_stood_first_stays_noted_through_further_switches(
    objects: Objects, opened: Callable[[], KubeClient]
) -> None:
    client = opened()
    first = note(Holder("run", 1))
    switch_record.write(client, PATH, first)
    switch_record.write(client, PATH, note(Holder("run", 1), "nftables"))
    assert switch_record.read_all(client, [PATH, CONFIG_MAPS.path("x", "none")]) == [first]


def test_another_podmeter_s_note_stands_against_a_switch_and_another_restore(
    opened: Callable[[], KubeClient],
) -> None:
    client = opened()
    switch_record.write(client, PATH, note(Holder("theirs", 9), "ipvs"))
    for change in (switch_record.write, switch_record.claim):
        with pytest.raises(PreconditionError, match="ipvs") as refused:
            change(client, PATH, note(Holder("mine", 10)))
        assert refused.value.said.code == "stood_before"
    switch_record.claim(client, PATH, note(Holder("mine", 10), "ipvs"))
    (found,) = switch_record.read_all(client, [PATH])
    assert (found.holder, found.since) == ("mine/10", datetime(2026, 11, 22, tzinfo=UTC))


def test_how_often_a_network_was_restarted_for_an_mtu_is_kept_in_the_cluster(
    objects: Objects, opened: Callable[[], KubeClient]
) -> None:
    """By any worker, until it is done; a note of an older Podmeter does not say it."""
    client = opened()
    switch_record.write(client, PATH, note(Holder("run", 1)))
    for restarts, label in enumerate(("run", "b", "c")):
        holder = Holder(label, 1)
        claims = [switch_record.claim(client, PATH, note(holder)) for _ in range(2)]
        assert claims == [restarts] * 2
        switch_record.count_mtu_restart(client, PATH, holder)
    with pytest.raises(PreconditionError):
        switch_record.count_mtu_restart(client, PATH, Holder("run", 1))
    assert switch_record.claim(client, PATH, note(Holder("run", 1))) == 3
    switch_record.forget(client, PATH)
    assert switch_record.claim(client, PATH, note(Holder("run", 1))) == 0
    annotations = {UNRESTORED_SWITCH: note(Holder("run", 1)).model_dump_json()}
    objects.edit(PATH, lambda found: found["metadata"].update(annotations=annotations))
    assert switch_record.claim(client, PATH, note(Holder("run", 2))) == 0


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"axis": 3}', "x" * 70_000, "\ud83d\ude00"])
def test_a_note_that_nobody_can_read_is_said_and_left(
    objects: Objects, opened: Callable[[], KubeClient], text: str
) -> None:
    client = opened()
    annotations = {UNRESTORED_SWITCH: text}
    objects.edit(PATH, lambda found: found["metadata"].update(annotations=annotations))
    with pytest.raises(PreconditionError, match="cannot be read"):
        switch_record.read_all(client, [PATH])
    with pytest.raises(PreconditionError, match="cannot be read"):
        switch_record.claim(client, PATH, note(Holder("mine", 1)))
