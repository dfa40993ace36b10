"""Calico's encapsulation on a real API server, with objects of Calico's names and fields.

Neither Calico nor its operator is there: its kinds are those of `calico/definitions.py`, and its
stand-in is in `calico/stand_ins.py`. Real are the API server, its admission, Podmeter's
rights, DaemonSets, pods.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from functools import partial
from ipaddress import IPv4Network
from typing import Any

import pytest

from podmeter.domain.labels import UNRESTORED_SWITCH
from podmeter_testbed.shell import wait_for
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.facts.nodes import internal_address
from podmeter_worker.kube.resources import NODES, PODS
from podmeter_worker.modes import switch_record
from podmeter_worker.modes.control import SwitcherModeControl
from podmeter_worker.modes.daemon_set import is_ready
from podmeter_worker.modes.switcher import SwitchContext

from .calico.definitions import CIDR, CRDS, KINDS, OWNED, definition, pool_body
from .calico.objects import SWITCHER, Calico, pool_path
from .calico.stand_ins import ToldNode, by_manifest, by_operator
from .interruptions import KilledError, killed_at

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.cni("flannel"),
    pytest.mark.subnets("1"),
    pytest.mark.timeout(600),
]

Kept = dict[str, Any]


@pytest.fixture(scope="module", autouse=True)
def kinds(admin: KubeClient, client: KubeClient) -> Iterator[None]:
    """Calico's kinds, made after the manifest was applied: so it is on every other cluster."""
    for one in KINDS:
        admin.create(CRDS, definition(*one))
    try:
        for group, version, _, plural, _ in KINDS:
            served = partial(is_served, admin, f"/apis/{group}/{version}/{plural}")
            wait_for(f"{plural}.{group} to be served", served, 60)
        wait_for("the policies to be asked", lambda: is_held(admin, client), 60)
        yield
    finally:
        for group, _, _, plural, _ in KINDS:
            admin.delete(f"{CRDS}/{plural}.{group}")


def is_served(admin: KubeClient, path: str) -> bool:
    return admin.find(path) is not None


def is_held(admin: KubeClient, client: KubeClient) -> bool:
    """Whether the admission policies know these kinds."""
    path = pool_path()
    admin.create(path.rpartition("/")[0], pool_body({}))
    try:
        client.patch(f"{path}?dryRun=All", {"spec": {"natOutgoing": False}})
    except ApiRefusedError as error:
        return "podmeter-calico-pools" in error.said
    finally:
        admin.delete(path)
    return False


Opened = Callable[..., SwitchContext]


@pytest.fixture
def opened(admin: KubeClient, client: KubeClient) -> Opened:
    """Makes a context whose requests are Podmeter's own, with the rights of its manifest."""
    items = admin.list_all(NODES.path()).items
    addresses = {item["metadata"]["name"]: f"{internal_address(item)}/24" for item in items}

    def made(progress: Callable[[str], None] = lambda step: None) -> SwitchContext:
        cluster = Calico({}, addresses=addresses, networks=IPv4Network(CIDR))
        shells: dict[str, Any] = {node: ToldNode(node, cluster, admin) for node in addresses}
        return SwitchContext(client, shells, lambda: None, progress)

    return made


@pytest.fixture
def manifest(admin: KubeClient) -> Iterator[str]:
    """The path of what is switched."""
    with by_manifest(admin) as path:
        yield path


@pytest.fixture
def operator(admin: KubeClient) -> Iterator[str]:
    """The path of what is switched."""
    with by_operator(admin) as path:
        yield path


def kept(admin: KubeClient, path: str) -> Kept:
    found = admin.get(path)
    names = ("labels", "annotations")
    metadata = {name: found["metadata"].get(name) or {} for name in names}
    return {"metadata": metadata, "spec": found["spec"]}


def running(admin: KubeClient) -> set[str]:
    """Pods of the pod network, and calico-node's."""
    return {
        item["metadata"]["uid"]
        for item in admin.list_all(PODS.path()).items
        if not item["spec"].get("hostNetwork")
        or (item["metadata"].get("labels") or {}).get("k8s-app") == "calico-node"
    }


@pytest.mark.parametrize("sort", ["manifest", "operator"])
def test_through_modes_and_back(
    admin: KubeClient, opened: Opened, request: pytest.FixtureRequest, sort: str
) -> None:
    path: str = request.getfixturevalue(sort)
    before = kept(admin, path)
    context = opened()
    assert SWITCHER.why_absent(context) is None
    found = SWITCHER.values(context)
    refused = {value: getattr(why, "code", None) for value, why in found.items() if why}
    assert refused == dict.fromkeys(("vxlan-cross-subnet", "ipip-cross-subnet"), "one_subnet")
    saved = SWITCHER.save(context)
    for value in ("vxlan", "none", "none"):
        old = running(admin)
        SWITCHER.switch(context, value)
        assert SWITCHER.observe(context) == value
        # Also where it stood already.
        assert not old & running(admin)
        assert {one.get("ipipMode") for one in [admin.get(pool_path())["spec"]]} == {"Never"}
    SWITCHER.restore(context, saved)
    assert SWITCHER.observe(context) == "ipip"
    assert kept(admin, path) == before
    wait_for("all pods to be ready", lambda: all_ready(admin), 120)


def all_ready(admin: KubeClient) -> bool:
    return all(is_ready(item) for item in admin.list_all(PODS.path("kube-system")).items)


@pytest.mark.parametrize("sort", ["manifest", "operator"])
@pytest.mark.parametrize("step", ["patched", "rolled"], ids="step_{}".format)
def test_an_interrupted_switch_is_undone(
    admin: KubeClient, opened: Opened, request: pytest.FixtureRequest, sort: str, step: str
) -> None:
    path: str = request.getfixturevalue(sort)
    before = kept(admin, path)
    context = opened(killed_at(step))
    saved = SWITCHER.save(context)
    with pytest.raises(KilledError):
        SWITCHER.switch(context, "vxlan")
    assert kept(admin, path) != before
    context = opened()
    SWITCHER.restore(context, saved)
    assert SWITCHER.observe(context) == "ipip"
    assert kept(admin, path) == before


@pytest.mark.parametrize("sort", ["manifest", "operator"])
def test_what_stood_is_noted_on_what_is_switched(
    admin: KubeClient,
    opened: Opened,
    request: pytest.FixtureRequest,
    sort: str,
) -> None:
    path: str = request.getfixturevalue(sort)
    before = kept(admin, path)
    context = opened()
    modes = SwitcherModeControl(context)
    saved = {"component": SWITCHER.component, "saved": SWITCHER.save(context)}
    modes.note("encapsulation", saved)
    assert list(kept(admin, path)["metadata"]["annotations"]) == [UNRESTORED_SWITCH]
    (noted,) = switch_record.read_all(context.client, SWITCHER.configurations(context.client))
    assert noted.saved == saved["saved"]
    modes.restore("encapsulation", saved)
    assert kept(admin, path) == before


def test_of_a_pool_only_its_modes_change(client: KubeClient, admin: KubeClient) -> None:
    for group in ("crd.projectcalico.org", "projectcalico.org"):
        path = pool_path(group=group)
        admin.create(path.rpartition("/")[0], pool_body({}, group))
        dry = f"{path}?dryRun=All"
        noted = {"metadata": {"annotations": {UNRESTORED_SWITCH: "{}"}}}
        try:
            client.patch(dry, {"spec": {"ipipMode": "Never", "vxlanMode": "CrossSubnet"}, **noted})
            client.patch(dry, {"spec": {"ipipMode": None}})
            for change in (
                {"spec": {"natOutgoing": False}},
                {"spec": {"natOutgoing": None}},
                {"spec": {"disabled": True}},
                {"spec": {"cidr": "10.0.0.0/8"}},
                {"metadata": {"labels": OWNED}},
                {"metadata": {"annotations": {"projectcalico.org/metadata": "{}"}}},
                {"metadata": {"finalizers": ["example.com/any"]}},
            ):
                with pytest.raises(ApiRefusedError, match="podmeter-calico-pools"):
                    client.patch(dry, change)
            admin.patch(dry, {"spec": {"natOutgoing": False}})
            with pytest.raises(ApiRefusedError, match="cannot delete"):
                client.delete(path)
            with pytest.raises(ApiRefusedError, match="cannot create"):
                client.create(path.rpartition("/")[0], pool_body({}, group))
        finally:
            admin.delete(path)


def test_of_an_installation_only_encapsulations_change(
    operator: str, client: KubeClient, admin: KubeClient
) -> None:
    dry = f"{operator}?dryRun=All"
    pools = admin.get(operator)["spec"]["calicoNetwork"]["ipPools"]

    def listed(change: Callable[[list[Kept]], Any]) -> Kept:
        made = copy.deepcopy(pools)
        change(made)
        return {"spec": {"calicoNetwork": {"ipPools": made}}}

    noted = {"metadata": {"annotations": {UNRESTORED_SWITCH: "{}"}}}
    client.patch(dry, {**listed(lambda made: made[0].update(encapsulation="VXLAN")), **noted})
    for change in (
        listed(lambda made: made[0].update(encapsulation="Geneve")),
        listed(lambda made: made[0].update(blockSize=24)),
        listed(lambda made: made[0].pop("blockSize")),
        listed(lambda made: made[0].update(natOutgoing="Disabled")),
        listed(lambda made: made.pop()),
        listed(lambda made: made.append({"cidr": "10.0.0.0/8", "encapsulation": "None"})),
        listed(lambda made: made.reverse()),
        listed(lambda made: made[0].update(cidr="10.0.0.0/8")),
        {"spec": {"calicoNetwork": {"ipPools": None}}},
        {"spec": {"calicoNetwork": {"mtu": 1400}}},
        {"spec": {"calicoNetwork": None}},
        {"spec": {"registry": "evil.example"}},
        {"spec": {"cni": {"type": "AmazonVPC"}}},
        {"metadata": {"labels": {"any": "x"}}},
        {"metadata": {"annotations": {"any": "x"}}},
    ):
        with pytest.raises(ApiRefusedError, match="podmeter-calico-installation"):
            client.patch(dry, change)
    admin.patch(dry, {"spec": {"registry": "another.example"}})
