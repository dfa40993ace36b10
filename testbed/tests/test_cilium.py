"""The testbed with Cilium: built where it is asked for, and no other pod network beside it."""

from pathlib import Path

import pytest

from podmeter_testbed import builds, cilium, images, lifecycle, machines
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.layout import NODES, Layout
from podmeter_testbed.settings import Cni, kept_cni
from podmeter_testbed.shell import wait_for
from podmeter_testbed.workloads import NGINX, fetch, namespace, pod, service

on_cilium = pytest.mark.cni("cilium")
TOY = builds.Component(
    "toy",
    "example.invalid/toy",
    ("toy",),
    extras=("programs",),
    changes=(builds.Change("main.go", '"old"', '"new"'),),
)


def test_it_is_no_part_of_what_is_always_built() -> None:
    assert cilium.COMPONENT not in builds.COMPONENTS
    assert all(image.component is not cilium.COMPONENT for image in images.IMAGES)


def test_its_images_are_beside_the_others(tmp_path: Path) -> None:
    assert cilium.output(tmp_path).parent == images.output(tmp_path).parent
    assert cilium.output(tmp_path) != images.output(tmp_path)
    assert not any(stage.is_built() for stage in cilium.stages(tmp_path))


def test_a_change_of_a_module_that_does_not_fit_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = tmp_path / "module"
    module.mkdir()
    folder = tmp_path / "toy"
    folder.mkdir()
    (folder / "go.mod").write_text("module toy\n\nrequire example.invalid/toy v1.2.3\n")
    (folder / "go.sum").touch()
    monkeypatch.setattr(builds, "GO_MODULES", tmp_path)

    def no_go(*argv: object, **_: object) -> str:
        return f"{module}\n" if "list" in argv else ""

    monkeypatch.setattr(builds, "run", no_go)
    for text in ('const a = "other"', 'const a, b = "old", "old"'):
        (module / "main.go").write_text(text)
        with pytest.raises(TestbedError, match=r"main\.go of example\.invalid/toy v1\.2\.3"):
            builds.build(tmp_path / "cache", TOY)
    assert not builds.is_built(tmp_path / "cache", TOY)


@pytest.mark.cluster
@on_cilium
def test_nothing_of_another_pod_network_runs_beside_it(testbed: Layout, kubectl: Kubectl) -> None:
    assert kept_cni(testbed.state) is Cni.CILIUM
    sets = kubectl.get("daemonsets", "--all-namespaces")["items"]
    names = {item["metadata"]["name"] for item in sets}
    assert names - {"speaker"} == {"kube-proxy", "cilium"}
    for name in NODES:
        node = machines.require(testbed, name)
        assert node.run("ls", "/etc/cni/net.d").split() == ["05-cilium.conflist"]


@pytest.mark.cluster
@on_cilium
def test_the_whole_computers_settings_are_left_alone(testbed: Layout) -> None:
    """Its agent would turn off unprivileged BPF for good, until this computer restarts."""
    for name in ("unprivileged_bpf_disabled", "timer_migration"):
        shown = Path("/proc/sys/kernel", name)
        if shown.exists():
            node = machines.require(testbed, "node-1")
            assert f" {shown} " in node.run("cat", "/proc/self/mountinfo")
            # Written there by the agent, and not here.
            assert node.run("cat", str(shown)).strip() in ("0", "1")


@pytest.mark.cluster
@on_cilium
def test_a_testbed_with_another_pod_network_is_left_alone(
    testbed: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PODMETER_TESTBED_CNI", "flannel")
    with pytest.raises(TestbedError, match="up with CNI=cilium, not flannel"):
        lifecycle.up(Layout.from_environment())
    assert lifecycle.is_whole(testbed)


@pytest.mark.cluster
@on_cilium
def test_pods_services_are_answered_without_kube_proxy(testbed: Layout, kubectl: Kubectl) -> None:
    """Beside kube-proxy, too: so its mode decides nothing of them, which results say."""
    nodes = [machines.require(testbed, name) for name in NODES]
    with namespace(kubectl, "stopped") as room:
        room.apply(pod("client", "node-1"), pod("server", "node-2", NGINX))
        room.wait_until_ready("client", "server")
        for node in nodes:
            node.run("pkill", "-STOP", "-x", "kube-proxy")
        try:
            room.apply(service("late", "server"))
            url = f"http://{room.get('service', 'late')['spec']['clusterIP']}/"
            wait_for("the pod to be answered", lambda: room.succeeds("client", *fetch(url)), 60)
        finally:
            for node in nodes:
                node.run("pkill", "-CONT", "-x", "kube-proxy")
