"""kube-proxy where an earlier version's manifest is applied, or its switch is not restored."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest

from podmeter.domain.modes import KUBE_PROXY_MODE
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.modes.control import SwitcherModeControl
from podmeter_worker.modes.kube_proxy import nodes as kube_proxy_nodes
from podmeter_worker.modes.kube_proxy.switcher import KubeProxySwitcher
from podmeter_worker.modes.switcher import Saved, SwitchContext

from ...kube.api_server import Answer, Asked
from ..cluster_of_objects import site_of
from ..interruptions import KilledError
from .conformance import MEASURED, SPARED, in_effect
from .objects import CONFIGURATION, OWN_CONFIGURATION, SWITCHER, KubeProxies


def without_node_rights(asked: Asked) -> Answer | None:
    """A manifest from before single nodes could be switched: DaemonSets can be read by any name."""
    if asked.path.endswith("/selfsubjectaccessreviews"):
        return Answer(201, {"status": {"allowed": b"podmeter-kube-proxy" not in asked.body}})
    if asked.path.partition("?")[0] in OWN_CONFIGURATION.values():
        return Answer(403, {"reason": "Forbidden", "message": "configmaps is forbidden"})
    return None


@pytest.mark.parametrize("mode", ["nftables", "ipvs"])
def test_all_nodes_are_switched_without_the_rights_for_single_nodes(
    cluster: KubeProxies, mode: str
) -> None:
    before = cluster.stands()
    cluster.before = without_node_rights
    with site_of(cluster) as context:
        why = SWITCHER.why_not_per_node(context.client)
        assert why is not None
        assert why.code == "nodes_alone_rights"
        modes = SwitcherModeControl(context)
        saved = modes.save(KUBE_PROXY_MODE)
        modes.note(KUBE_PROXY_MODE, saved)
        assert modes.switch(KUBE_PROXY_MODE, mode).changed
        in_effect(cluster, mode)
        modes.restore(KUBE_PROXY_MODE, saved)
    in_effect(cluster, "iptables")
    assert cluster.stands() == before


def test_other_failures_to_read_what_single_nodes_have_are_errors(cluster: KubeProxies) -> None:
    def failing(asked: Asked) -> Answer | None:
        if asked.path.partition("?")[0] in OWN_CONFIGURATION.values():
            return Answer(400, {"reason": "BadRequest", "message": "no"})
        return None

    cluster.before = failing
    with site_of(cluster) as context, pytest.raises(ApiRefusedError):
        kube_proxy_nodes.is_installed(context.client)


class EarlierSwitcher(KubeProxySwitcher):
    """As it was: all nodes were switched also after some were switched alone."""

    def begun_per_node(self, client: KubeClient) -> bool:
        return False

    def save(self, context: SwitchContext) -> Saved:
        saved = super().save(context)
        del saved["alone"]
        return saved


@pytest.mark.parametrize(
    ("mode", "is_killed"), [("nftables", True), ("nftables", False), ("ipvs", True)]
)
def test_a_switch_of_all_nodes_after_some_is_restored(
    cluster: KubeProxies, mode: str, is_killed: bool
) -> None:
    """An earlier version wrote the cluster's own configuration then, as where the rights for single
    nodes were taken away during the run.
    """
    before, earlier = cluster.stands(), EarlierSwitcher()
    with site_of(cluster) as context:
        some = replace(context, nodes=frozenset(MEASURED))
        saved = earlier.save(some)
        earlier.switch(some, mode)

    def kill(step: str) -> None:
        if is_killed:
            raise KilledError

    with site_of(cluster, kill) as context, suppress(KilledError):
        earlier.switch(context, mode)
    assert cluster.stands()[CONFIGURATION] != before[CONFIGURATION]
    with site_of(cluster) as context:
        SWITCHER.restore(context, saved)
    in_effect(cluster, "iptables")
    assert cluster.stands() == before


def test_what_an_earlier_version_switched_on_some_nodes_alone_restarts_no_other_pod(
    cluster: KubeProxies,
) -> None:
    before, earlier = cluster.stands(), EarlierSwitcher()
    with site_of(cluster) as context:
        some = replace(context, nodes=frozenset(MEASURED))
        saved = earlier.save(some)
        earlier.switch(some, "nftables")
        SWITCHER.restore(context, saved)
    in_effect(cluster, "iptables")
    assert cluster.stands() == before
    assert cluster.started.count(SPARED) == 1
