"""Two nodes of a real cluster in modes of their own, by Podmeter's own account; the third node
notices nothing: a probe on it runs through it all.
"""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest

from podmeter.domain.errors import PreconditionError
from podmeter.domain.modes import KUBE_PROXY_MODE
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.facts.kube_proxy import METRICS_PORT
from podmeter_worker.modes.control import SwitcherModeControl
from podmeter_worker.modes.kube_proxy.syncs import Syncing, SyncWatch
from podmeter_worker.modes.switcher import SwitchContext

from .contexts import Open
from .interruptions import KilledError, killed_at
from .test_switching_on_nodes import (  # noqa: F401
    KEPT_OFF,
    proxy_on,
    put_back,
    spared,
    stands,
)

pytestmark = [pytest.mark.cluster, pytest.mark.nodes("3"), pytest.mark.timeout(600)]

AXIS = KUBE_PROXY_MODE
FIRST, SECOND = "node-1", "node-2"
BESIDE = {FIRST: "iptables", SECOND: "nftables"}
SWAPPED = {FIRST: "nftables", SECOND: "iptables"}
Measuring = Callable[..., SwitchContext]


@pytest.fixture
def measuring(open_here: Open) -> Measuring:
    """A context of which the first two nodes alone are switched."""
    return lambda *of: replace(open_here(*of), nodes=frozenset(BESIDE))


@pytest.mark.usefixtures("spared")
def test_each_node_has_its_own_mode_and_they_swap(measuring: Measuring, admin: KubeClient) -> None:
    before = stands(admin)
    context = measuring()
    modes = SwitcherModeControl(context)
    stood = SwitcherModeControl(replace(context, nodes=None)).observe(AXIS)
    saved = modes.save(AXIS)
    modes.note(AXIS, saved)
    assert modes.seats == (FIRST, SECOND)
    for values in (BESIDE, SWAPPED, BESIDE):
        assert modes.assign(AXIS, values)
        assert {node: modes.observe(AXIS, node) for node in values} == values
        with pytest.raises(PreconditionError):
            modes.observe(AXIS)
        standing = modes.component_state(AXIS)
        for node in values:
            assert proxy_on(admin, node) == []
            assert SyncWatch().look(context.shells[node], METRICS_PORT) is Syncing.DONE
        # Nodes that are in their modes are left alone.
        assert not modes.assign(AXIS, values)
        assert modes.why_touched(AXIS, standing) is None
    modes.restore(AXIS, saved)
    assert stands(admin) == before
    assert SwitcherModeControl(replace(context, nodes=None)).observe(AXIS) == stood


@pytest.mark.usefixtures("spared")
@pytest.mark.parametrize("step", ["patched", KEPT_OFF, "rolled", "effective", None])
@pytest.mark.parametrize("first", [None, SWAPPED], ids=["from the cluster's", "swap"])
def test_it_is_undone_wherever_it_was_interrupted(
    measuring: Measuring,
    open_here: Open,
    admin: KubeClient,
    step: str | None,
    first: dict[str, str] | None,
) -> None:
    """By a context that knows no nodes, like the reaper's; twice does no harm. None: it was not."""
    before = stands(admin)
    modes = SwitcherModeControl(measuring())
    saved: dict[str, Any] = modes.save(AXIS)
    if first is not None:
        modes.assign(AXIS, first)
    with nullcontext() if step is None else pytest.raises(KilledError):
        SwitcherModeControl(measuring(killed_at(step))).assign(AXIS, BESIDE)
    for _ in range(2):
        SwitcherModeControl(open_here()).restore(AXIS, saved)
    assert stands(admin) == before
