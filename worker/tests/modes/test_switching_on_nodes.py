"""kube-proxy switched on one node of a real cluster, by Podmeter's own account; the other node
notices nothing: a probe on it runs through it all.
"""

from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import Any

import pytest

from podmeter.domain.errors import PreconditionError
from podmeter.domain.modes import KUBE_PROXY_MODE, KubeProxyMode
from podmeter.drivers import service_watch
from podmeter_testbed.shell import wait_for
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.facts.component_state import pods_of
from podmeter_worker.kube.facts.kube_proxy import METRICS_PORT
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS, Object
from podmeter_worker.kube.service_watch import ServiceWatch, standing_service
from podmeter_worker.modes.control import SwitcherModeControl
from podmeter_worker.modes.kube_proxy import nodes as kube_proxy_nodes
from podmeter_worker.modes.kube_proxy.effect import observed
from podmeter_worker.modes.kube_proxy.syncs import Syncing, SyncWatch
from podmeter_worker.modes.switcher import SwitchContext

from .contexts import Open
from .interruptions import KilledError, killed_at
from .test_switching_kube_proxy import other
from .test_switching_kube_proxy_of_eks import rolled

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600)]

AXIS = KUBE_PROXY_MODE
CLUSTERS = DAEMON_SETS.path("kube-system", "kube-proxy")
CONFIGURATION = CONFIG_MAPS.path("kube-system", "kube-proxy")
OWN = [f"podmeter-kube-proxy-{mode}" for mode in KubeProxyMode]
KEPT_OFF = "kept_off"
Measuring = Callable[..., SwitchContext]


@pytest.fixture
def measuring(open_here: Open) -> Measuring:
    """A context of which the first node alone measures."""

    def opened(*of: Any) -> SwitchContext:
        context = open_here(*of)
        return replace(context, nodes=frozenset({min(context.shells)}))

    return opened


@pytest.fixture(autouse=True)
def put_back(measuring: Measuring, open_here: Open) -> Iterator[None]:
    """Whatever becomes of a test, what stood before stands again for the next one."""
    saved = SwitcherModeControl(measuring()).save(AXIS)
    yield
    SwitcherModeControl(open_here()).restore(AXIS, saved)


def stands(admin: KubeClient) -> dict[str, Any]:
    """All that a switch may change, as its owner wrote it; and what is ours, of which is none."""
    spec = dict(admin.get(CLUSTERS)["spec"])
    return {
        "spec": spec,
        "configuration": admin.get(CONFIGURATION)["data"],
        "own": [
            path.path("kube-system", name)
            for path in (DAEMON_SETS, CONFIG_MAPS)
            for name in OWN
            if admin.find(path.path("kube-system", name)) is not None
        ],
    }


def proxy_on(admin: KubeClient, node: str) -> list[tuple[str, Any]]:
    """The cluster's own kube-proxy on a node: its pods' UIDs, and how often each was restarted."""
    pods = pods_of(admin, admin.get(CLUSTERS))
    return [
        (pod["metadata"]["uid"], [one["restartCount"] for one in _statuses(pod)])
        for pod in pods
        if pod["spec"]["nodeName"] == node
    ]


def _statuses(pod: Object) -> list[Object]:
    found: list[Object] = pod["status"].get("containerStatuses") or []
    return found


def reports_mode(context: SwitchContext, node: str) -> bool:
    with suppress(PreconditionError):
        return bool(observed(context.shells[node], METRICS_PORT))
    return False


@pytest.fixture
def spared(open_here: Open, client: KubeClient, admin: KubeClient) -> Iterator[str]:
    """The last node: connections from it never fail, and its kube-proxy is the same at the end."""
    context = open_here()
    node = max(context.shells)
    assert node != min(context.shells)
    service = standing_service(client)
    assert service is not None
    wait_for("kube-proxy to be rolled", lambda: rolled(admin), 240)
    # Its pod is ready before it listens: on a busy machine, seconds before.
    wait_for("kube-proxy to report its mode", lambda: reports_mode(context, node), 60)
    before, mode = proxy_on(admin, node), observed(context.shells[node], METRICS_PORT)
    with ServiceWatch([context.shells[node]], (service,), lambda: None, 10.0) as watch:
        yield node
        (seen,) = watch.finish()
    assert seen.output is not None, seen.why_unknown
    (stretches,) = service_watch.parse(seen.output, seen.services).services
    assert [one.works for one in stretches] == [True]
    assert proxy_on(admin, node) == before
    assert observed(context.shells[node], METRICS_PORT) == mode


def test_one_node_is_switched_and_put_back(
    measuring: Measuring, admin: KubeClient, spared: str
) -> None:
    before = stands(admin)
    context = measuring()
    assert kube_proxy_nodes.why_not(context.client) is None
    modes = SwitcherModeControl(context)
    stood = modes.observe(AXIS)
    saved = modes.save(AXIS)
    modes.note(AXIS, saved)
    for value in (other(stood), stood, stood):
        switched = modes.switch(AXIS, value)
        assert modes.observe(AXIS) == value
        assert set(switched.accepted) == set(context.nodes or ()) == set(switched.nodes or ())
        assert proxy_on(admin, min(context.shells)) == []
        standing = modes.component_state(AXIS)
        assert modes.why_touched(AXIS, standing) is None
        # Not the rules that another kube-proxy left there: this one has written its own.
        assert SyncWatch().look(context.shells[min(context.shells)], METRICS_PORT) is Syncing.DONE
    modes.restore(AXIS, saved)
    assert stands(admin) == before
    # All nodes are in one mode again.
    assert SwitcherModeControl(replace(context, nodes=None)).observe(AXIS) == stood


@pytest.mark.usefixtures("spared")
@pytest.mark.parametrize("step", ["patched", KEPT_OFF, "rolled", "effective", None])
def test_a_switch_is_undone_wherever_it_was_interrupted(
    measuring: Measuring, open_here: Open, admin: KubeClient, step: str | None
) -> None:
    """By a context that knows no nodes, like the reaper's; twice does no harm. None: it was not."""
    before = stands(admin)
    modes = SwitcherModeControl(measuring(killed_at(step)))
    stood = modes.observe(AXIS)
    saved = modes.save(AXIS)
    with nullcontext() if step is None else pytest.raises(KilledError):
        modes.switch(AXIS, other(stood))
    for _ in range(2):
        SwitcherModeControl(open_here()).restore(AXIS, saved)
        assert SwitcherModeControl(open_here()).observe(AXIS) == stood
    assert stands(admin) == before


@pytest.mark.usefixtures("spared")
@pytest.mark.parametrize("step", ["paused", "rolled", "effective"])
def test_a_restore_that_is_killed_is_done_by_the_next(
    measuring: Measuring, open_here: Open, admin: KubeClient, step: str
) -> None:
    before = stands(admin)
    modes = SwitcherModeControl(measuring())
    stood = modes.observe(AXIS)
    saved = modes.save(AXIS)
    modes.switch(AXIS, other(stood))
    with pytest.raises(KilledError):
        SwitcherModeControl(open_here(killed_at(step))).restore(AXIS, saved)
    SwitcherModeControl(open_here()).restore(AXIS, saved)
    assert SwitcherModeControl(open_here()).observe(AXIS) == stood
    assert stands(admin) == before


def test_what_the_owner_changes_of_the_daemon_set_meanwhile_stays(
    measuring: Measuring, open_here: Open, admin: KubeClient
) -> None:
    """It makes a block void, waits while nodes are switched, and is rolled out in the end."""
    before = stands(admin)
    context = measuring()
    spared = max(context.shells)
    modes = SwitcherModeControl(context)
    saved = modes.save(AXIS)
    modes.switch(AXIS, other(modes.observe(AXIS)))
    standing, proxy = modes.component_state(AXIS), proxy_on(admin, spared)
    affinity: dict[str, Any] = {
        "podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}
    }
    admin.patch(CLUSTERS, {"spec": {"template": {"spec": {"affinity": affinity}}}})
    try:
        assert modes.why_touched(AXIS, standing) is not None
        assert proxy_on(admin, spared) == proxy
        SwitcherModeControl(open_here()).restore(AXIS, saved)
        found = stands(admin)
        assert list(found["spec"]["template"]["spec"].pop("affinity")) == ["podAffinity"]
        assert found["spec"]["updateStrategy"] == before["spec"]["updateStrategy"]
        assert found["own"] == []
        wait_for("the owner's change to be rolled out", lambda: rolled(admin), 240)
        assert proxy_on(admin, spared) != proxy
    finally:
        admin.patch(CLUSTERS, {"spec": {"template": {"spec": {"affinity": None}}}})
        wait_for("kube-proxy to be rolled back", lambda: rolled(admin), 240)
    assert stands(admin) == before


@pytest.mark.usefixtures("spared")
@pytest.mark.kernel("machine")
def test_a_mode_that_the_node_lacks_is_refused_before_anything_is_changed(
    measuring: Measuring, admin: KubeClient
) -> None:
    before = stands(admin)
    modes = SwitcherModeControl(measuring())
    if modes.why_not(AXIS, KubeProxyMode.IPVS) is None:
        pytest.skip("the kernel of this cluster has ip_vs")
    with pytest.raises(PreconditionError, match="ip_vs"):
        modes.switch(AXIS, KubeProxyMode.IPVS)
    assert stands(admin) == before


@pytest.mark.usefixtures("spared")
@pytest.mark.kernel("uml")
@pytest.mark.parametrize("step", [KEPT_OFF, "paused", "cleaned", "rolled", None])
def test_ipvs_on_one_node_is_undone_wherever_it_was_interrupted(
    measuring: Measuring, open_here: Open, admin: KubeClient, step: str | None
) -> None:
    before = stands(admin)
    modes = SwitcherModeControl(measuring(killed_at(step)))
    stood = modes.observe(AXIS)
    saved = modes.save(AXIS)
    with nullcontext() if step is None else pytest.raises(KilledError):
        modes.switch(AXIS, KubeProxyMode.IPVS)
        assert modes.observe(AXIS) == KubeProxyMode.IPVS
    SwitcherModeControl(open_here()).restore(AXIS, saved)
    assert SwitcherModeControl(open_here()).observe(AXIS) == stood
    assert stands(admin) == before
