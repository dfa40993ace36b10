"""A context that restores the cluster's modes whatever a test does."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from podmeter.domain.ports import POD_NAMESPACE
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.node_shells import NodeShells
from podmeter_worker.kube.resources import PODS
from podmeter_worker.kube.shells import Shells
from podmeter_worker.kube.sweep import sweep_objects
from podmeter_worker.modes.control import SwitcherModeControl
from podmeter_worker.modes.switcher import SwitchContext

from ..labs import IMAGE, RUN

Open = Callable[..., SwitchContext]


@pytest.fixture(scope="module")
def node_shells(client: KubeClient) -> Iterator[NodeShells]:
    """The node shells of the module's tests."""
    with Shells(client.access) as shells:
        yield NodeShells(client, shells, image=IMAGE, run_label=RUN)
    sweep_objects(client, RUN)


@pytest.fixture
def open_here(client: KubeClient, node_shells: NodeShells) -> Open:
    """Makes a context of the cluster; takes `progress`."""

    def opened(progress: Callable[[str], None] = lambda step: None) -> SwitchContext:
        return SwitchContext(client, node_shells.everywhere(), lambda: None, progress)

    return opened


@pytest.fixture
def stood(open_here: Open, request: pytest.FixtureRequest) -> Iterator[str]:
    """The value of the module's AXIS that stands; it stands again after the test."""
    axis: str = request.module.AXIS
    modes = SwitcherModeControl(open_here())
    value, saved = modes.observe(axis), modes.save(axis)
    yield value
    modes = SwitcherModeControl(open_here())
    modes.restore(axis, saved)
    assert modes.observe(axis) == value


def networked_pods(admin: KubeClient) -> set[str]:
    """The UIDs of all pods that are on the pod network, but a run's own."""
    return {
        item["metadata"]["uid"]
        for item in admin.list_all(PODS.path()).items
        if not item["spec"].get("hostNetwork") and item["metadata"]["namespace"] != POD_NAMESPACE
    }
