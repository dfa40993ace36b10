"""kube-proxy where a manifest of an earlier version is applied."""

from __future__ import annotations

import pytest

from podmeter.domain.modes import KUBE_PROXY_MODE
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.modes.control import SwitcherModeControl
from podmeter_worker.modes.kube_proxy import nodes as kube_proxy_nodes

from ...kube.api_server import Answer, Asked
from ..cluster_of_objects import site_of
from .conformance import in_effect
from .objects import OWN_CONFIGURATION, SWITCHER, KubeProxies


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
