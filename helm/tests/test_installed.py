"""The chart on the testbed by a real helm, in the order in which a team meets it."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from core.tests.strangers import (
    API_PROCESSES,
    BURST,
    HALF_HEAD,
    PLACES_OF_AN_ADDRESS,
    WHOLE,
    Crowd,
    Strangers,
)
from helm.tests.chart import NAMESPACE, PROJECT, RELEASE, Chart, backup_commands
from helm.tests.installed import KEPT, STORAGE_CLASS, Installed, browser, patiently, until

from podmeter.demo.api import Api, DemoError
from podmeter.domain.run import Outcome
from podmeter_testbed import lifecycle, loading, machines
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.layout import NODES
from podmeter_testbed.settings import AddOn
from podmeter_testbed.shell import wait_for
from podmeter_testbed.workloads import Namespace, pod

pytestmark = [pytest.mark.helm, pytest.mark.timeout(1500)]

FOLDER = "/var/lib/podmeter-tests"
SPEC: dict[str, Any] = {
    "name": "measured from inside",
    "kind": "throughput",
    "axes": {
        "path": ["pod-pod"],
        "protocol": ["tcp"],
        "streams": [1],
        "kube_proxy_mode": ["iptables", "nftables"],
    },
    "repetition": {"trials": 2, "seconds": 1, "rounds": 1, "warmup": 0},
}
LONG = {
    **SPEC,
    "name": "under way while it is upgraded",
    # Longer than an upgrade takes until it reaches the workers, on a busy machine too.
    "repetition": {"trials": 5, "seconds": 12, "rounds": 1, "warmup": 0},
}


@pytest.fixture(scope="module")
def installed(testbed_session: None, chart: Chart) -> Iterator[Installed]:
    """A testbed that has the images, and room for two databases."""
    archive = Path(os.environ["PODMETER_IMAGES"])
    layout = chart.helm.layout
    # The chart's own NetworkPolicies are to be in effect.
    lifecycle.up(layout, frozenset({AddOn.NETWORK_POLICIES}))
    loading.load(layout, archive)
    kubectl = Kubectl(layout)
    for name in ("postgres", "redis"):
        machines.require(layout, NODES[0]).run("mkdir", "--parents", f"{FOLDER}/{name}")
    kubectl.apply(yaml.safe_dump_all(storage()))
    yield Installed(layout, chart.helm, kubectl)
    kubectl.run("delete", "namespace", NAMESPACE, "--ignore-not-found", timeout=180)
    kubectl.run("delete", "persistentvolume,storageclass", "--selector", f"of={STORAGE_CLASS}")


def storage() -> Iterator[dict[str, Any]]:
    """Volumes on a node's disk, as a cluster without a provisioner has them."""
    labels = {"of": STORAGE_CLASS}
    yield {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": STORAGE_CLASS, "labels": labels},
        "provisioner": "kubernetes.io/no-provisioner",
        "volumeBindingMode": "WaitForFirstConsumer",
    }
    here = {"key": "kubernetes.io/hostname", "operator": "In", "values": [NODES[0]]}
    for name, size in (("postgres", "10Gi"), ("redis", "1Gi")):
        yield {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": f"{STORAGE_CLASS}-{name}", "labels": labels},
            "spec": {
                "capacity": {"storage": size},
                "accessModes": ["ReadWriteOnce"],
                "storageClassName": STORAGE_CLASS,
                "local": {"path": f"{FOLDER}/{name}"},
                "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [here]}]}},
            },
        }


def test_it_is_installed_and_nothing_stumbles(installed: Installed) -> None:
    seconds = installed.install()
    print(f"installed, all parts ready and this cluster registered after {seconds:.0f} s")
    assert "Log in as admin@localhost" in installed.said
    for one in installed.pods():
        states = [
            *one["status"].get("initContainerStatuses", []),
            *one["status"]["containerStatuses"],
        ]
        restarted = [
            (state["name"], state["lastState"]) for state in states if state["restartCount"]
        ]
        assert not restarted, one["metadata"]["name"]


def test_every_part_goes_on(installed: Installed) -> None:
    assert "Phase:          Succeeded" in installed.test()


def test_strangers_do_not_reach_the_databases(installed: Installed) -> None:
    room = Namespace(installed.kubectl, NAMESPACE)
    room.apply(pod("stranger", NODES[1]))
    room.wait_until_ready("stranger")
    try:
        for host, port in (("postgres", 5432), ("redis", 6379)):
            knock = f"timeout 5 bash -c '</dev/tcp/{RELEASE}-{host}/{port}'"
            wait_for(
                f"{host} to be closed to strangers",
                lambda knock=knock: not room.succeeds("stranger", "bash", "-c", knock),  # type: ignore[misc]
                60,
            )
        fetch = ("curl", "--silent", "--fail", "--max-time", "5", f"http://{RELEASE}/healthz")
        assert room.succeeds("stranger", *fetch)
    finally:
        room.run("delete", "pod", "stranger", "--now")


def test_strangers_cannot_hold_the_api(installed: Installed) -> None:
    address = urlsplit(installed.url)
    assert address.hostname is not None
    assert address.port is not None
    with Strangers(address.hostname, address.port) as strangers:
        strangers.assert_bounded()


def test_a_burst_of_connections_is_answered_without_a_reset(installed: Installed) -> None:
    address = urlsplit(installed.url)
    with Crowd(str(address.hostname), int(address.port or 0), BURST, WHOLE) as burst:
        burst.assert_answered_without_a_reset()


def crowd(installed: Installed) -> Crowd:
    """More half heads than all API processes have places for an address; a node is that address."""
    address = urlsplit(installed.url)
    replicas = len([p for p in installed.pods() if "-api-" in p["metadata"]["name"]])
    places = PLACES_OF_AN_ADDRESS * API_PROCESSES * replicas
    return Crowd(str(address.hostname), int(address.port or 0), places + 100, HALF_HEAD)


def test_beyond_its_places_an_address_is_refused_and_another_one_is_served(
    installed: Installed,
) -> None:
    room = Namespace(installed.kubectl, NAMESPACE)
    room.apply(pod("stranger", NODES[1]))
    room.wait_until_ready("stranger")
    try:
        with crowd(installed) as strangers:
            strangers.wait_until_sent()
            fetch = ("curl", "--silent", "--fail", "--max-time", "5", f"http://{RELEASE}/healthz")
            assert room.succeeds("stranger", *fetch)
            endings = strangers.endings()
    finally:
        room.run("delete", "pod", "stranger", "--now")
    assert set(endings) == {"408", "429"}
    assert endings["429"] >= 100


def test_a_trusted_proxy_has_any_number_of_connections(installed: Installed) -> None:
    # Of the nodes and of pods: a node port's connections come from either.
    installed.upgrade("--set", "trustedProxies={10.0.0.0/8}")
    wait_for("the replaced pods to go", lambda: not ending(installed), 120)
    with crowd(installed) as strangers:
        strangers.wait_until_sent()
        with Crowd(strangers.host, strangers.port, 1, WHOLE) as one:
            assert one.endings() == {"200": 1}
        # The deadline of a head is the proxy's too.
        assert strangers.endings() == {"408": strangers.count}
    installed.upgrade()


def ending(installed: Installed) -> list[str]:
    """The pods that are being deleted."""
    metadata = [one["metadata"] for one in installed.pods()]
    return [one["name"] for one in metadata if "deletionTimestamp" in one]


def cluster_of(api: Api) -> dict[str, Any]:
    (cluster,) = patiently(lambda: list(api.all("/clusters")))
    found: dict[str, Any] = cluster
    return found


@pytest.fixture(scope="module")
def api(installed: Installed) -> Api:
    """Of one session, which outlives upgrades; the cluster has been looked at."""
    api = patiently(installed.api)
    until("the preflight", lambda: cluster_of(api)["preflight_state"] == "succeeded", 240)
    return api


def test_this_cluster_is_registered_with_a_credential_that_lasts(api: Api) -> None:
    cluster = cluster_of(api)
    assert cluster["name"] == "this-cluster"
    assert cluster["credential_expires_at"] is None
    assert cluster["allow_mode_switch"] is True
    # Bypass kube-proxy, whose mode will be switched.
    assert cluster["server"] == "https://10.89.0.2:6443"


def test_from_inside_encapsulation_is_not_switched_and_kube_proxys_mode_is(api: Api) -> None:
    modes = cluster_of(api)["capabilities"]["modes"]
    why = modes["encapsulation"]["why_not"]
    assert "Podmeter itself runs on this cluster's pod network" in why["text"]
    (reason,) = why["params"]["reasons"]
    assert reason["params"]["why"]["code"] == "podmeter_inside"
    assert any("postgres" in one for one in reason["params"]["why"]["params"]["pods"])
    assert modes["kube_proxy_mode"]["values"]["nftables"] is None
    # A run that needs it is refused with that reason.
    spec = {**SPEC, "axes": {**SPEC["axes"], "encapsulation": ["host-gw", "vxlan"]}}
    with pytest.raises(DemoError, match="Podmeter itself runs on this cluster's pod network"):
        start(api, spec)


def start(api: Api, spec: dict[str, Any]) -> str:
    experiment = api.post("/experiments", spec)
    body = {"cluster_id": cluster_of(api)["id"]}
    return str(api.post(f"/experiments/{experiment['id']}/runs", body)["id"])


def finished(api: Api, run_id: str, seconds: float = 400) -> dict[str, Any]:
    seen: list[dict[str, Any]] = []

    def ended() -> bool:
        seen.append(api.get(f"/runs/{run_id}"))
        return bool(seen[-1]["state"] == "finished")

    until(f"run {run_id} to end", ended, seconds)
    return seen[-1]


def trials(api: Api, run_id: str) -> dict[str, str]:
    """The status of each trial that is stored."""
    return {
        one["id"]: one["status"]
        for one in patiently(lambda: list(api.all(f"/runs/{run_id}/trials")))
    }


def test_a_run_from_inside_up_to_a_link_in_the_browser(installed: Installed, api: Api) -> None:
    before = installed.proxy_mode()
    run = finished(api, start(api, SPEC))
    assert (run["outcome"], run["reason"]) == (Outcome.SUCCEEDED, None)
    assert set(trials(api, run["id"]).values()) == {"counted"}
    assert installed.proxy_mode() == before
    assert not installed.noted()
    title = "What this cluster says of itself"
    url = patiently(lambda: api.post("/snapshots", {"title": title, "run_id": run["id"]}))["url"]
    assert url.startswith(f"{installed.url}/s/")
    print(f"permalink {url}")
    environment = {"E2E_PERMALINK": url, "E2E_TITLE": title, "E2E_URL": installed.url}
    seen = browser(str(PROJECT / "frontend"), "permalink", **environment)
    assert seen.returncode == 0, seen.stdout[-4000:]


def test_an_upgrade_under_a_run_loses_no_trial(installed: Installed, api: Api) -> None:
    password = installed.secret("admin-password")
    under_way = start(api, LONG)
    queued = start(api, SPEC)
    until("trials", lambda: len(trials(api, under_way)) >= 2, 240)
    installed.upgrade("--set", "worker.concurrency=3", "--set", "api.replicas=1")
    assert installed.secret("admin-password") == password
    stopped = finished(api, under_way)
    assert stopped["outcome"] == Outcome.INTERRUPTED
    stored = trials(api, under_way)
    assert len([one for one in stored.values() if one == "counted"]) >= 2
    assert finished(api, queued)["outcome"] == Outcome.SUCCEEDED
    patiently(lambda: api.post(f"/runs/{under_way}/resume"))
    assert finished(api, under_way, 600)["outcome"] == Outcome.SUCCEEDED
    after = trials(api, under_way)
    assert stored.items() <= after.items()
    assert len([one for one in after.values() if one == "counted"]) >= 10
    assert not installed.noted()
    installed.test()


def test_a_rollback_keeps_what_was_measured(installed: Installed, api: Api) -> None:
    known = {one["id"] for one in patiently(lambda: list(api.all("/runs")))}
    words = ("--namespace", NAMESPACE, "--wait", "--timeout", "6m")
    installed.helm.run("rollback", RELEASE, "1", *words, timeout=400)
    installed.test()
    assert {one["id"] for one in patiently(lambda: list(api.all("/runs")))} == known
    assert len([p for p in installed.pods() if "-api-" in p["metadata"]["name"]]) == 2


def test_a_backup_is_restored_as_its_page_says(
    installed: Installed, api: Api, tmp_path: Path
) -> None:
    backup, restore = backup_commands()
    runs = {one["id"] for one in patiently(lambda: list(api.all("/runs")))}
    installed.in_shell(backup, tmp_path)
    later = patiently(lambda: api.post("/experiments", {**SPEC, "name": "made after the backup"}))
    installed.in_shell(restore, tmp_path)
    until("the restored API", lambda: {one["id"] for one in api.all("/runs")} == runs, 240)
    assert later["id"] not in {one["id"] for one in api.all("/experiments")}
    installed.test()


def test_uninstalling_under_a_run_puts_modes_back_and_leaves_what_it_says(
    installed: Installed, api: Api
) -> None:
    before = installed.proxy_mode()
    runs = {one["id"] for one in patiently(lambda: list(api.all("/runs")))}
    run = start(api, LONG)
    until("kube-proxy to be switched", lambda: installed.noted() and bool(trials(api, run)), 240)
    words = ("--namespace", NAMESPACE, "--wait", "--timeout", "8m")
    said = installed.helm.run("uninstall", RELEASE, *words, timeout=500)
    assert installed.proxy_mode() == before
    assert not installed.noted()
    assert f"[Secret] {RELEASE}" in said
    assert left(installed) == {*KEPT, f"secret/{RELEASE}"}
    assert everywhere(installed) == []

    # What was kept is all that it takes.
    installed.install()
    again = patiently(installed.api)
    assert {one["id"] for one in again.all("/runs")} == {*runs, run}
    assert patiently(lambda: again.get(f"/runs/{run}"))["outcome"] == Outcome.INTERRUPTED
    installed.helm.run("uninstall", RELEASE, *words, timeout=500)


def left(installed: Installed) -> set[str]:
    """What is in the release's namespace, but for what every namespace has."""
    kinds = (
        "all,secret,configmap,serviceaccount,role,rolebinding,networkpolicy,ingress,"
        "poddisruptionbudget,horizontalpodautoscaler,persistentvolumeclaim,lease"
    )
    words = ("get", kinds, "--output=name", "--namespace", NAMESPACE)
    wait_for("pods to go", lambda: not installed.pods(), 120)
    names = set(installed.kubectl.run(*words).split())
    return names - {"configmap/kube-root-ca.crt", "serviceaccount/default"}


def everywhere(installed: Installed) -> list[str]:
    """What of Podmeter is anywhere else in the cluster."""
    kinds = (
        "namespace,clusterrole,clusterrolebinding,validatingadmissionpolicy,"
        "validatingadmissionpolicybinding"
    )
    names = installed.kubectl.run("get", kinds, "--output=name").split()
    roles = installed.kubectl.run(
        "get", "role,rolebinding", "--all-namespaces", "--output=name"
    ).split()
    ours = re.compile(r"/podmeter(-|$)")
    return [one for one in (*names, *roles) if ours.search(one) and one != f"namespace/{NAMESPACE}"]
