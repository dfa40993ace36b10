"""kube-proxy switched on a real cluster, interrupted at every step, and restored."""

from contextlib import nullcontext
from dataclasses import replace

import pytest

from podmeter.domain.errors import PreconditionError
from podmeter.domain.modes import KUBE_PROXY_MODE, KubeProxyMode
from podmeter.domain.ports import POD_NAMESPACE
from podmeter.domain.switching import SyncPeriods
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.facts.component_state import pods_of
from podmeter_worker.kube.facts.kube_proxy import parse_configz, read_setup
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS, SERVICES
from podmeter_worker.modes import daemon_set
from podmeter_worker.modes.control import SwitcherModeControl
from podmeter_worker.modes.kube_proxy import cleanup as kube_proxy_cleanup
from podmeter_worker.modes.kube_proxy.effect import Target, await_effect, why_not_in_effect
from podmeter_worker.modes.kube_proxy.text import metrics_port
from podmeter_worker.modes.switcher import SwitchContext

from .contexts import Open
from .interruptions import KilledError, killed_at

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600)]

AXIS = KUBE_PROXY_MODE


def other(mode: str) -> str:
    return KubeProxyMode.NFTABLES if mode != KubeProxyMode.NFTABLES else KubeProxyMode.IPTABLES


def configuration(admin: KubeClient) -> str:
    return str(admin.get(CONFIG_MAPS.path("kube-system", "kube-proxy"))["data"]["config.conf"])


def test_switching_to_what_stands_sets_it_up_anew(
    stood: str, open_here: Open, admin: KubeClient
) -> None:
    """Nothing but the mode may tell a block from one of another mode."""
    steps: list[str] = []
    before = configuration(admin)
    context = open_here(steps.append)
    saved = SwitcherModeControl(context).save(AXIS)
    SwitcherModeControl(context).switch(AXIS, stood)
    assert [getattr(step, "code", "") for step in steps] == ["step_rolled", "step_effective"]
    assert configuration(admin) == before
    SwitcherModeControl(context).restore(AXIS, saved)
    assert len(steps) == 2, "putting back what stands restarts nothing"


def test_rules_that_are_missing_are_written_for_a_service(
    stood: str, open_here: Open, client: KubeClient
) -> None:
    """As if a sync failed and is not repeated; nothing is restarted for it."""
    steps: list[str] = []
    context = open_here(steps.append)
    modes = SwitcherModeControl(context)
    saved = modes.save(AXIS)
    modes.switch(AXIS, KubeProxyMode.IPTABLES)
    running = client.get(DAEMON_SETS.path("kube-system", "kube-proxy"))
    pods = pods_of(client, running)
    for shell in context.shells.values():
        shell.run(("iptables", "-w", "-t", "nat", "-F", "KUBE-SERVICES"))
    port = metrics_port(configuration(client))
    target = Target(KubeProxyMode.IPTABLES, port, periods=None, sure=True)
    assert why_not_in_effect(context, target) is not None
    await_effect(context, running, target)
    assert "created and removed a Service" in steps[-1]
    assert modes.observe(AXIS) == KubeProxyMode.IPTABLES
    assert [one["metadata"]["uid"] for one in pods_of(client, running)] == [
        one["metadata"]["uid"] for one in pods
    ]
    assert not [
        item
        for item in client.list_all(SERVICES.path(POD_NAMESPACE)).items
        if item["metadata"]["name"].startswith("pm-nudge-")
    ]
    modes.restore(AXIS, saved)


@pytest.mark.parametrize("step", ["patched", "rolled", None])
def test_a_switch_is_undone_wherever_it_was_interrupted(
    stood: str, open_here: Open, admin: KubeClient, step: str | None
) -> None:
    """None: it was not, and after its last step that makes no difference."""
    before = configuration(admin)
    context = open_here(killed_at(step))
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


def test_a_pause_for_cleaning_up_is_ended_by_a_restore(
    stood: str, open_here: Open, admin: KubeClient
) -> None:
    path = DAEMON_SETS.path("kube-system", "kube-proxy")
    before = admin.get(path)["spec"]["template"]
    context = open_here()
    saved = SwitcherModeControl(context).save(AXIS)
    running = context.client.get(path)
    daemon_set.pause(context, running)
    kube_proxy_cleanup.clean(context, running["spec"]["template"]["spec"]["containers"][0])
    assert not any(kube_proxy_cleanup.iptables_left(shell) for shell in context.shells.values())
    with pytest.raises(PreconditionError):
        SwitcherModeControl(context).observe(AXIS)
    context = open_here()
    SwitcherModeControl(context).restore(AXIS, saved)
    assert SwitcherModeControl(context).observe(AXIS) == stood
    assert admin.get(path)["spec"]["template"] == before


PERIODS = SyncPeriods(period=75.0, minimum=2.0)


def periods_in_effect(context: SwitchContext) -> set[tuple[float | None, float | None]]:
    """What kube-proxy says on each node."""
    asked = ("curl", "-sS", "http://127.0.0.1:10249/configz")
    return {parse_configz(shell.run(asked).stdout) for shell in context.shells.values()}


@pytest.mark.parametrize("step", ["patched", "rolled", None])
def test_sync_periods_are_in_effect_and_put_back_to_the_letter(
    stood: str, open_here: Open, admin: KubeClient, step: str | None
) -> None:
    """The mode stands; None: it is not interrupted."""
    before = configuration(admin)
    context = replace(open_here(killed_at(step)), sync_periods=PERIODS)
    earlier = periods_in_effect(context)
    assert earlier != {(75.0, 2.0)}
    modes = SwitcherModeControl(context)
    saved = modes.save(AXIS)
    assert modes.why_not(AXIS, stood) is None
    with nullcontext() if step is None else pytest.raises(KilledError):
        switched = modes.switch(AXIS, stood)
        assert not switched.changed
        assert periods_in_effect(context) == {(75.0, 2.0)}
        assert read_setup(context.client).sync_period == 75.0
    assert configuration(admin) != before
    for _ in range(2):
        SwitcherModeControl(open_here()).restore(AXIS, saved)
        assert configuration(admin) == before
        assert periods_in_effect(context) == earlier


def test_periods_that_were_put_back_and_not_rolled_are_in_the_next_try(
    stood: str, open_here: Open, admin: KubeClient
) -> None:
    """Killed between the two: the configuration is right, and kube-proxy runs with the old one."""
    context = replace(open_here(), sync_periods=PERIODS)
    earlier = periods_in_effect(context)
    modes = SwitcherModeControl(context)
    saved = modes.save(AXIS)
    modes.switch(AXIS, stood)

    def progress(reached: str) -> None:
        raise KilledError

    with pytest.raises(KilledError):
        SwitcherModeControl(open_here(progress)).restore(AXIS, saved)
    assert periods_in_effect(context) == {(75.0, 2.0)}
    SwitcherModeControl(open_here()).restore(AXIS, saved)
    assert periods_in_effect(context) == earlier


def test_periods_that_kube_proxy_would_refuse_are_refused_before_anything_is_changed(
    stood: str, open_here: Open, admin: KubeClient
) -> None:
    before = configuration(admin)
    context = replace(open_here(), sync_periods=SyncPeriods(minimum=60.0))
    modes = SwitcherModeControl(context)
    assert "above its syncPeriod" in str(modes.why_not(AXIS, stood))
    with pytest.raises(PreconditionError, match="above its syncPeriod"):
        modes.switch(AXIS, stood)
    assert configuration(admin) == before


@pytest.mark.kernel("machine")
def test_a_mode_that_the_kernel_lacks_is_refused_before_anything_is_changed(
    stood: str, open_here: Open, admin: KubeClient
) -> None:
    before = configuration(admin)
    context = open_here()
    modes = SwitcherModeControl(context)
    reason = modes.why_not(AXIS, KubeProxyMode.IPVS)
    if reason is None:
        pytest.skip("the kernel of this cluster has ip_vs")
    assert "ip_vs" in reason
    with pytest.raises(PreconditionError, match="ip_vs"):
        modes.switch(AXIS, KubeProxyMode.IPVS)
    assert configuration(admin) == before
