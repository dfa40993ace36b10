"""kube-proxy as EKS has it: its configuration in ConfigMap kube-proxy-config, key config."""

from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from podmeter.domain.modes import KUBE_PROXY_MODE, KubeProxyMode
from podmeter_testbed.shell import wait_for
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.facts.kube_proxy import configured_at
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS, Object
from podmeter_worker.modes.control import SwitcherModeControl

from .contexts import Open
from .interruptions import KilledError, killed_at
from .test_switching_kube_proxy import other

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600)]

AXIS = KUBE_PROXY_MODE
KUBEADMS = CONFIG_MAPS.path("kube-system", "kube-proxy")
EKS = CONFIG_MAPS.path("kube-system", "kube-proxy-config")
RUNNING = DAEMON_SETS.path("kube-system", "kube-proxy")


def rolled(admin: KubeClient) -> bool:
    found = admin.get(RUNNING)
    status, wanted = found["status"], found["status"]["desiredNumberScheduled"]
    current = status.get("observedGeneration") == found["metadata"]["generation"]
    ready = status.get("numberReady", 0) == status.get("updatedNumberScheduled", 0) == wanted
    return current and ready and not status.get("numberUnavailable")


def roll(admin: KubeClient, spec: Object) -> None:
    container = spec["template"]["spec"]["containers"][0]
    admin.patch(
        RUNNING,
        {
            "spec": {
                "template": {
                    "spec": {
                        "containers": [container],
                        "volumes": spec["template"]["spec"]["volumes"],
                    }
                }
            }
        },
    )
    wait_for("kube-proxy to be rolled", lambda: rolled(admin), 240)


@pytest.fixture(scope="module", autouse=True)
def as_eks_has_it(admin: KubeClient, granted: dict[str, str]) -> Iterator[None]:
    """The testbed's ConfigMap by EKS' name and key, and the DaemonSet that reads it there."""
    before, stood = admin.get(KUBEADMS)["data"], admin.get(RUNNING)["spec"]
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kube-proxy-config"}}
    admin.create(
        CONFIG_MAPS.path("kube-system"), {**body, "data": {"config": before["config.conf"]}}
    )
    try:
        spec = admin.get(RUNNING)["spec"]
        pod = spec["template"]["spec"]
        (container,) = pod["containers"]
        container["command"] = [
            one.replace("/kube-proxy/config.conf", "/kube-proxy-config/config")
            for one in container["command"]
        ]
        container["volumeMounts"].append(
            {"name": "config", "mountPath": "/var/lib/kube-proxy-config"}
        )
        pod["volumes"].append({"name": "config", "configMap": {"name": "kube-proxy-config"}})
        roll(admin, spec)
        admin.patch(KUBEADMS, {"data": {"config.conf": None}})
        yield
    finally:
        admin.patch(KUBEADMS, {"data": before})
        roll(admin, stood)
        admin.delete(EKS)


def configuration(admin: KubeClient) -> str:
    return str(admin.get(EKS)["data"]["config"])


@pytest.mark.parametrize("step", ["patched", "rolled", None])
def test_a_switch_is_undone_wherever_it_was_interrupted(
    stood: str, open_here: Open, admin: KubeClient, step: str | None
) -> None:
    """None: it was not, and after its last step that makes no difference."""
    before = configuration(admin)
    context = open_here(killed_at(step))
    place = configured_at(context.client)
    assert place is not None
    assert (place.name, place.key) == ("kube-proxy-config", "config")
    modes = SwitcherModeControl(context)
    saved = modes.save(AXIS)
    with nullcontext() if step is None else pytest.raises(KilledError):
        modes.switch(AXIS, other(stood))
        assert modes.observe(AXIS) == other(stood)
    for _ in range(2):
        context = open_here()
        SwitcherModeControl(context).restore(AXIS, saved)
        assert SwitcherModeControl(context).observe(AXIS) == stood
    assert configuration(admin) == before


def test_a_restore_that_is_killed_is_done_by_the_next(
    stood: str, open_here: Open, admin: KubeClient
) -> None:
    before = configuration(admin)
    saved = SwitcherModeControl(open_here()).save(AXIS)
    SwitcherModeControl(open_here()).switch(AXIS, other(stood))
    for step in ("patched", "rolled"):
        with pytest.raises(KilledError):
            SwitcherModeControl(open_here(killed_at(step))).restore(AXIS, saved)
        SwitcherModeControl(open_here()).switch(AXIS, other(stood))
    SwitcherModeControl(open_here()).restore(AXIS, saved)
    assert SwitcherModeControl(open_here()).observe(AXIS) == stood == KubeProxyMode(stood)
    assert configuration(admin) == before
