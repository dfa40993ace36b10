"""Calico's encapsulation on a real API server, with objects of Calico's names and fields.

Neither Calico nor its operator is there: the CustomResourceDefinitions are written from its
documentation, calico-node only sleeps, a thread does what the operator would, and what the devices
of nodes show is told. Real are the API server, its admission, Podmeter's rights, DaemonSets, pods.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from ipaddress import IPv4Network
from typing import Any

import pytest

from podmeter.domain.labels import STOOD_BEFORE
from podmeter.domain.ports import CommandOutput
from podmeter_testbed.shell import wait_for
from podmeter_worker.connection import SiteControl
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.facts.nodes import internal_address
from podmeter_worker.kube.resources import DAEMON_SETS, NAMESPACES, NODES, PODS, Object
from podmeter_worker.modes import notes
from podmeter_worker.modes.calico_ippool import CalicoPoolSwitcher
from podmeter_worker.modes.daemon_set import is_ready
from podmeter_worker.modes.switcher import Site

from ..labs import IMAGE
from .calico.objects import INSTALLATION, POOL, Calico, Node, modes_by_operator, pool_path

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.cni("flannel"),
    pytest.mark.subnets("1"),
    pytest.mark.timeout(600),
]

CIDR = "10.244.0.0/16"
SWITCHER = CalicoPoolSwitcher()
_CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_ADDRESS = "projectcalico.org/IPv4Address"
_OWNED = {"app.kubernetes.io/managed-by": "tigera-operator"}
Kept = dict[str, Any]
#: Group, version, kind, plural, and the fields of spec that are told apart.
_MODE = {"type": "string", "enum": ["Never", "Always", "CrossSubnet"]}
_POOL: Kept = {
    "cidr": {"type": "string"},
    "ipipMode": _MODE,
    "vxlanMode": _MODE,
    "natOutgoing": {"type": "boolean"},
    "disabled": {"type": "boolean"},
    "nodeSelector": {"type": "string"},
    "allowedUses": {"type": "array", "items": {"type": "string"}},
    "blockSize": {"type": "integer"},
}
_LISTED: Kept = {
    "cidr": {"type": "string"},
    "encapsulation": {"type": "string"},
    "natOutgoing": {"type": "string"},
    "nodeSelector": {"type": "string"},
    "blockSize": {"type": "integer"},
}
_NETWORK: Kept = {
    "bgp": {"type": "string"},
    "mtu": {"type": "integer"},
    "linuxDataplane": {"type": "string"},
    "ipPools": {"type": "array", "items": {"type": "object", "properties": _LISTED}},
}
_INSTALLATION: Kept = {
    "variant": {"type": "string"},
    "registry": {"type": "string"},
    "cni": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    "calicoNetwork": {"type": "object", "properties": _NETWORK},
}
KINDS: tuple[tuple[str, str, str, str, Kept], ...] = (
    ("crd.projectcalico.org", "v1", "IPPool", "ippools", _POOL),
    ("crd.projectcalico.org", "v1", "FelixConfiguration", "felixconfigurations", {}),
    ("projectcalico.org", "v3", "IPPool", "ippools", _POOL),
    ("operator.tigera.io", "v1", "Installation", "installations", _INSTALLATION),
    ("operator.tigera.io", "v1", "TigeraStatus", "tigerastatuses", {}),
)


def definition(group: str, version: str, kind: str, plural: str, spec: Kept) -> Object:
    schema: Object = {"type": "object", "properties": spec}
    if not spec:
        schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    whole = {"type": "object", "properties": {"spec": schema, "status": {**schema}}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{plural}.{group}",
        },
        "spec": {
            "group": group,
            "scope": "Cluster",
            "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
            "versions": [
                {
                    "name": version,
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": whole},
                }
            ],
        },
    }


@pytest.fixture(scope="module", autouse=True)
def kinds(admin: KubeClient, client: KubeClient) -> Iterator[None]:
    """Calico's kinds, made after the manifest was applied: so it is on every other cluster."""
    for one in KINDS:
        admin.create(_CRDS, definition(*one))
    try:
        for group, version, _, plural, _ in KINDS:
            served = partial(is_served, admin, f"/apis/{group}/{version}/{plural}")
            wait_for(f"{plural}.{group} to be served", served, 60)
        wait_for("the policies to be asked", lambda: is_held(admin, client), 60)
        yield
    finally:
        for group, _, _, plural, _ in KINDS:
            admin.delete(f"{_CRDS}/{plural}.{group}")


def body(spec: Kept, group: str = "crd.projectcalico.org", **metadata: Any) -> Object:
    version = "v1" if group.startswith("crd.") else "v3"
    return {
        "apiVersion": f"{group}/{version}",
        "kind": "IPPool",
        "metadata": {"name": POOL, **metadata},
        "spec": {"cidr": CIDR, "ipipMode": "Always", "natOutgoing": True, **spec},
    }


def is_served(admin: KubeClient, path: str) -> bool:
    return admin.find(path) is not None


def is_held(admin: KubeClient, client: KubeClient) -> bool:
    """Whether the admission policies know these kinds by now."""
    path = pool_path()
    admin.create(path.rpartition("/")[0], body({}))
    try:
        client.patch(f"{path}?dryRun=All", {"spec": {"natOutgoing": False}})
    except ApiRefusedError as error:
        return "podmeter-calico-pools" in error.said
    finally:
        admin.delete(path)
    return False


@contextmanager
def calico_node(admin: KubeClient, namespace: str) -> Iterator[None]:
    """The DaemonSet of that name, whose pods sleep, and what it writes on its nodes."""
    for item in admin.list_all(NODES.path()).items:
        told = {_ADDRESS: f"{internal_address(item)}/24"}
        path = NODES.path(name=item["metadata"]["name"])
        admin.patch(path, {"metadata": {"annotations": told}})
    if namespace != "kube-system":
        admin.create(NAMESPACES.path(), {"metadata": {"name": namespace}})
    chosen = {"k8s-app": "calico-node"}
    environment = {"DATASTORE_TYPE": "kubernetes", "CALICO_NETWORKING_BACKEND": "bird"}
    container = {
        "name": "calico-node",
        "image": IMAGE.reference,
        "imagePullPolicy": "IfNotPresent",
        "command": ["sleep", "infinity"],
        "env": [{"name": name, "value": value} for name, value in environment.items()],
    }
    spec = {
        "hostNetwork": True,
        "terminationGracePeriodSeconds": 0,
        "tolerations": [{"operator": "Exists"}],
        "containers": [container],
    }
    path = DAEMON_SETS.path(namespace)
    made = admin.create(
        path,
        {
            "apiVersion": "apps/v1",
            "kind": "DaemonSet",
            "metadata": {"name": "calico-node"},
            "spec": {
                "selector": {"matchLabels": chosen},
                "template": {"metadata": {"labels": chosen}, "spec": spec},
            },
        },
    )
    path = f"{path}/{made['metadata']['name']}"
    try:

        def runs() -> bool:
            status = admin.get(path).get("status") or {}
            return bool(0 < status.get("desiredNumberScheduled", 0) == status.get("numberReady"))

        wait_for("calico-node to run", runs, 120)
        yield
    finally:
        admin.delete(path)
        if namespace != "kube-system":
            admin.delete(NAMESPACES.path(name=namespace))
        for item in admin.list_all(NODES.path()).items:
            none = {"metadata": {"annotations": {_ADDRESS: None}}}
            admin.patch(NODES.path(name=item["metadata"]["name"]), none)
        selector = "k8s-app=calico-node"

        def gone() -> bool:
            if admin.list_all(PODS.path(), labels=selector).items:
                return False
            kept = namespace == "kube-system"
            return kept or admin.find(NAMESPACES.path(name=namespace)) is None

        wait_for(f"{namespace}'s calico-node to be gone", gone, 120)


class Told(Node):
    """A node whose devices show what the pool says at the moment, as Felix would have it."""

    def __init__(self, node: str, cluster: Calico, admin: KubeClient) -> None:
        super().__init__(node, cluster)
        self.admin = admin

    def run(self, argv: Sequence[str]) -> CommandOutput:
        found = self.admin.get(pool_path())["spec"]
        modes = {"Never": "", "Always": "", "CrossSubnet": "-cross-subnet"}
        value = "none"
        for name, key in (("vxlan", "vxlanMode"), ("ipip", "ipipMode")):
            if found.get(key, "Never") != "Never":
                value = name + modes[found[key]]
        self.cluster.felix = dict.fromkeys(self.cluster.addresses, value)
        self.cluster.at = {
            PODS.path(item["metadata"]["namespace"], item["metadata"]["name"]): item
            for item in self.admin.list_all(PODS.path()).items
            if "nodeName" in item["spec"] and item["status"].get("podIP")
        }
        return super().run(argv)


Opened = Callable[..., Site]


@pytest.fixture
def opened(admin: KubeClient, client: KubeClient) -> Opened:
    """Makes a site whose requests are Podmeter's own, with the rights of its manifest."""
    items = admin.list_all(NODES.path()).items
    addresses = {item["metadata"]["name"]: f"{internal_address(item)}/24" for item in items}

    def made(progress: Callable[[str], None] = lambda step: None) -> Site:
        cluster = Calico({}, addresses=addresses, networks=IPv4Network(CIDR))
        shells: dict[str, Any] = {node: Told(node, cluster, admin) for node in addresses}
        return Site(client, shells, lambda: None, progress)

    return made


@pytest.fixture
def manifest(admin: KubeClient) -> Iterator[str]:
    """Calico as its own manifest installs it: the path of what is switched."""
    path = pool_path()
    admin.create(path.rpartition("/")[0], body({"nodeSelector": "all()"}))
    try:
        with calico_node(admin, "kube-system"):
            yield path
    finally:
        admin.delete(path)


@pytest.fixture
def operator(admin: KubeClient) -> Iterator[str]:
    """Calico by its operator, which puts the pool back whenever it is not as it says."""
    path = pool_path()
    admin.create(path.rpartition("/")[0], body({}, labels=_OWNED))
    listed = [
        {"cidr": CIDR, "encapsulation": "IPIP", "blockSize": 26, "nodeSelector": "all()"},
        {"cidr": "fd00:10::/56", "encapsulation": "None", "blockSize": 122},
    ]
    network = {"bgp": "Enabled", "linuxDataplane": "Iptables", "ipPools": listed}
    admin.create(
        INSTALLATION.rpartition("/")[0],
        {
            "apiVersion": "operator.tigera.io/v1",
            "kind": "Installation",
            "metadata": {"name": "default"},
            "spec": {"variant": "Calico", "cni": {"type": "Calico"}, "calicoNetwork": network},
        },
    )
    ended = threading.Event()

    def reconcile() -> None:
        while not ended.wait(0.2):
            modes = modes_by_operator(admin.get(INSTALLATION), CIDR)
            spec = admin.get(path)["spec"]
            if any(spec.get(key, "Never") != value for key, value in modes.items()):
                admin.patch(path, {"spec": modes})

    thread = threading.Thread(target=reconcile)
    thread.start()
    try:
        with calico_node(admin, "calico-system"):
            yield INSTALLATION
    finally:
        ended.set()
        thread.join()
        admin.delete(INSTALLATION)
        admin.delete(path)


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
    site = opened()
    assert SWITCHER.why_absent(site) is None
    found = SWITCHER.values(site)
    refused = {value: getattr(why, "code", None) for value, why in found.items() if why}
    assert refused == dict.fromkeys(("vxlan-cross-subnet", "ipip-cross-subnet"), "one_subnet")
    saved = SWITCHER.save(site)
    for value in ("vxlan", "none", "none"):
        old = running(admin)
        SWITCHER.switch(site, value)
        assert SWITCHER.observe(site) == value
        # Also where it stood already.
        assert not old & running(admin)
        assert {one.get("ipipMode") for one in [admin.get(pool_path())["spec"]]} == {"Never"}
    SWITCHER.restore(site, saved)
    assert SWITCHER.observe(site) == "ipip"
    assert kept(admin, path) == before
    wait_for("all pods to be ready", lambda: all_ready(admin), 120)


def all_ready(admin: KubeClient) -> bool:
    return all(is_ready(item) for item in admin.list_all(PODS.path("kube-system")).items)


@pytest.mark.parametrize("sort", ["manifest", "operator"])
@pytest.mark.parametrize("step", ["step_patched", "step_rolled"])
def test_an_interrupted_switch_is_undone(
    admin: KubeClient, opened: Opened, request: pytest.FixtureRequest, sort: str, step: str
) -> None:
    path: str = request.getfixturevalue(sort)
    before = kept(admin, path)

    class KilledError(Exception):
        pass

    def progress(reached: str) -> None:
        if getattr(reached, "code", "") == step:
            raise KilledError

    site = opened(progress)
    saved = SWITCHER.save(site)
    with pytest.raises(KilledError):
        SWITCHER.switch(site, "vxlan")
    assert kept(admin, path) != before
    site = opened()
    SWITCHER.restore(site, saved)
    assert SWITCHER.observe(site) == "ipip"
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
    site = opened()
    modes = SiteControl(site)
    saved = {"component": SWITCHER.component, "saved": SWITCHER.save(site)}
    modes.note("encapsulation", saved)
    assert list(kept(admin, path)["metadata"]["annotations"]) == [STOOD_BEFORE]
    (noted,) = notes.read_all(site.client, SWITCHER.configurations(site.client))
    assert noted.saved == saved["saved"]
    modes.restore("encapsulation", saved)
    assert kept(admin, path) == before


def test_of_a_pool_only_its_modes_change(client: KubeClient, admin: KubeClient) -> None:
    for group in ("crd.projectcalico.org", "projectcalico.org"):
        path = pool_path(group=group)
        admin.create(path.rpartition("/")[0], body({}, group))
        dry = f"{path}?dryRun=All"
        noted = {"metadata": {"annotations": {STOOD_BEFORE: "{}"}}}
        try:
            client.patch(dry, {"spec": {"ipipMode": "Never", "vxlanMode": "CrossSubnet"}, **noted})
            client.patch(dry, {"spec": {"ipipMode": None}})
            for change in (
                {"spec": {"natOutgoing": False}},
                {"spec": {"natOutgoing": None}},
                {"spec": {"disabled": True}},
                {"spec": {"cidr": "10.0.0.0/8"}},
                {"metadata": {"labels": _OWNED}},
                {"metadata": {"annotations": {"projectcalico.org/metadata": "{}"}}},
                {"metadata": {"finalizers": ["example.com/any"]}},
            ):
                with pytest.raises(ApiRefusedError, match="podmeter-calico-pools"):
                    client.patch(dry, change)
            admin.patch(dry, {"spec": {"natOutgoing": False}})
            with pytest.raises(ApiRefusedError, match="cannot delete"):
                client.delete(path)
            with pytest.raises(ApiRefusedError, match="cannot create"):
                client.create(path.rpartition("/")[0], body({}, group))
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

    noted = {"metadata": {"annotations": {STOOD_BEFORE: "{}"}}}
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
