"""Where another Podmeter's note stands the current mode is not the original: nobody saves it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from podmeter.domain.cluster_report import UnrestoredSwitch
from podmeter.domain.errors import PreconditionError
from podmeter.domain.modes import KUBE_PROXY_MODE
from podmeter.services.errors import FencedError
from podmeter_worker.kube.lease import Holder
from podmeter_worker.modes import switch_record
from podmeter_worker.modes.control import SwitcherModeControl
from podmeter_worker.modes.switcher import SwitchContext

from ..kube.object_server import served
from .cluster_of_objects import site_of
from .kube_proxy.objects import CLUSTERS, CONFIGURATION, KubeProxies


@pytest.fixture
def context(tmp_path: Path) -> Iterator[SwitchContext]:
    with served(KubeProxies, tmp_path) as cluster:
        cluster.set_up("nftables")
        with site_of(cluster) as made:
            yield replace(made, holder=Holder("mine", 2))


def note_of(context: SwitchContext, path: str, holder: Holder) -> None:
    note = UnrestoredSwitch(
        axis=KUBE_PROXY_MODE,
        component="kube-proxy",
        saved={"mode": "iptables"},
        holder=str(holder),
        since=datetime(2026, 11, 22, tzinfo=UTC),
    )
    switch_record.write(context.client, path, note)


@pytest.mark.parametrize("path", [CONFIGURATION, CLUSTERS])
def test_another_one_s_mode_is_not_saved(context: SwitchContext, path: str) -> None:
    """Whichever of the objects has its note: it may have been stopped between the two."""
    note_of(context, path, Holder("theirs", 9))
    with pytest.raises(PreconditionError, match="mode: iptables") as caught:
        SwitcherModeControl(context).save(KUBE_PROXY_MODE)
    assert caught.value.said.code == "stood_before"


def test_beside_a_note_of_its_own_a_run_goes_on(context: SwitchContext) -> None:
    note_of(context, CONFIGURATION, Holder("mine", 1))
    assert SwitcherModeControl(context).save(KUBE_PROXY_MODE)["saved"] == {"mode": "nftables"}


def test_a_later_worker_of_the_run_is_left_alone(context: SwitchContext) -> None:
    note_of(context, CONFIGURATION, Holder("mine", 3))
    with pytest.raises(FencedError):
        SwitcherModeControl(context).save(KUBE_PROXY_MODE)
