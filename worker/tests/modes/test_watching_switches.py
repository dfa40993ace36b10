"""What the nodes of a real cluster see of Services while kube-proxy's mode is switched."""

import time
from math import inf

import pytest

from podmeter.domain.errors import RunCancelledError, ToolError
from podmeter.domain.messages import say
from podmeter.domain.modes import KUBE_PROXY_MODE
from podmeter.domain.switching import NodeWatch
from podmeter.drivers import service_watch
from podmeter.kinds import switching
from podmeter.kinds.outage import Outage, outage_of
from podmeter_testbed import lifecycle
from podmeter_testbed.layout import Layout
from podmeter_testbed.settings import Kernel
from podmeter_testbed.shell import wait_for
from podmeter_worker.kube import pods
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.resources import PODS
from podmeter_worker.kube.service_watch import ServiceWatch, standing_service
from podmeter_worker.modes.control import SwitcherModeControl
from podmeter_worker.modes.switcher import SwitchContext

from .contexts import Open
from .test_switching_kube_proxy import other

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600)]

AXIS = KUBE_PROXY_MODE


def watching(context: SwitchContext) -> list[str]:
    """The nodes on which something watches at this moment."""
    sign = "for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' <$f; echo; done 2>/dev/null | "
    found = []
    for node, shell in context.shells.items():
        counted = shell.run(("sh", "-c", sign + "grep -c '^podmeter-measure watch-[s]ervices'"))
        found += [node] if counted.stdout.strip() != "0" else []
    return found


def told(watch: NodeWatch, accepted: float) -> Outage | None:
    """What a node saw of a switch; None where connections failed before it already."""
    try:
        return outage_of(watch, accepted)
    except ToolError as error:
        # That there is no number then is right, and repeating it is what is left.
        if error.said != say("watch_failed_before"):
            raise
        return None


def tour_seen(testbed: Layout, stood: str, context: SwitchContext) -> bool:
    """There and back, then once more to the current mode: checks shapes, not times.

    Returns whether everything was reported: not if connections failed before a switch.
    """
    # A kernel of the testbed's own began to count later than this machine's.
    one_clock = lifecycle.kernel_in_use(testbed) is Kernel.MACHINE
    modes = SwitcherModeControl(context)
    all_told = True
    for value, expected in ((other(stood), "switch"), (stood, "switch"), (stood, "roll")):
        with modes.watch(10.0) as watch:
            assert watching(context) == list(context.shells)
            begun = time.monotonic()
            switched = modes.switch(AXIS, value)
            watches = watch.finish()
        ended = time.monotonic()
        assert watching(context) == []
        assert set(switched.accepted) == set(context.shells)
        assert all(begun < one < switched.effective < ended for one in switched.accepted.values())
        found = []
        for one in watches:
            assert one.output is not None, one.why_unknown
            # On a busy machine it may be that none succeeded for a second in all the time there is.
            assert one.begun + service_watch.GOOD_SECONDS < one.told
            assert one.told < begun or one.told == inf
            seen = service_watch.parse(one.output, one.services)
            if one_clock:
                # What is known of how the nodes' and the worker's lie apart holds nothing.
                assert seen.ended - one.answered <= 0 <= min(seen.begin - one.begun, 1.0)
                assert seen.asked >= one.asked
            found.append(told(one, switched.accepted[one.node]))
        report = switching.report([switched], watches, ended - begun)
        measured = {one.metric: one.value for one in report.measurements}
        assert measured[f"{expected}_seconds"] > 0
        assert len(report.invocations) == len(context.shells)
        # What one node does not tell is not known of all of them.
        known = {f"{expected}_outage", "switch_resolution"} if None not in found else set()
        known |= {"switch_convergence"} if known and expected == "switch" else set()
        assert set(measured) == known | {f"{expected}_seconds"}
        assert len(report.warnings) == found.count(None)
        for outage in found:
            if outage is not None:
                assert 0 <= outage.seconds <= outage.convergence + outage.resolution
                assert 0.02 <= outage.resolution < ended - begun
        all_told &= None not in found
    return all_told


def test_each_switch_is_seen_from_every_node(testbed: Layout, stood: str, open_here: Open) -> None:
    context = open_here()
    assert any(tour_seen(testbed, stood, context) for _ in range(4))


def test_a_node_shell_that_dies_is_unknown_and_the_others_tell(
    stood: str, open_here: Open, admin: KubeClient
) -> None:
    context = open_here()
    modes = SwitcherModeControl(context)
    *_, doomed = context.shells.values()
    with modes.watch(10.0) as watch:
        switched = modes.switch(AXIS, stood)
        path = PODS.path("podmeter-host", doomed.place.name)
        pods.delete(admin, admin.get(path))
        wait_for("the pod to be gone", lambda: admin.find(path) is None, 60)
        watches = watch.finish()
    for one in watches:
        if one.node == doomed.node:
            with pytest.raises(ToolError):
                outage_of(one, switched.accepted[one.node])
        else:
            told(one, switched.accepted[one.node])
    report = switching.report([switched], watches, 1.0)
    assert {one.metric for one in report.measurements} == {"roll_seconds"}
    assert any(doomed.node in warning for warning in report.warnings)


def test_a_watch_that_is_left_or_cancelled_leaves_nothing_behind(
    stood: str, open_here: Open
) -> None:
    context = open_here()
    service = standing_service(context.client)
    assert service is not None
    stop: list[str] = []

    def check() -> None:
        if stop:
            raise RunCancelledError("stopped")

    shells = context.shells.values()
    with ServiceWatch(shells, [service], check, 60.0):
        assert watching(context) == list(context.shells)
    assert watching(context) == []
    with ServiceWatch(shells, ["192.0.2.1:9"], check, 60.0) as watch:
        stop.append("now")
        with pytest.raises(RunCancelledError):
            watch.finish()
        stop.clear()
    assert watching(context) == []


def test_without_a_service_to_ask_all_is_unknown(stood: str, open_here: Open) -> None:
    context = open_here()
    with ServiceWatch(context.shells.values(), [], context.check, 1.0) as watch:
        watches = watch.finish()
    assert [one.output for one in watches] == [None] * len(context.shells)
    assert all("default/kubernetes" in str(one.why_unknown) for one in watches)
