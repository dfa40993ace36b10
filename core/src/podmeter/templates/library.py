"""Every template there is: the files in `data/`, read once."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING

import yaml

from podmeter.templates.document import Template

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The order in which they are offered: article by article, then what no article asks.
_ORDER = (
    "vxlan_vs_host_gw",
    "flannel_modes",
    "calico_modes",
    "latency_by_path",
    "calico_latency",
    "iptables_vs_nftables",
    "iptables_vs_ipvs",
    "kube_proxy_modes_to_5000",
    "iptables_beside_nftables_to_30000",
    "kube_proxy_syncs",
    "services_as_they_stand",
    "three_paths_by_qperf",
    "cilium_native_vs_vxlan",
    "policies_and_sizes",
    "six_paths",
    "every_pair_of_nodes",
    "every_pair_latency",
    "wireguard_vs_vxlan",
)


@cache
def templates() -> Mapping[str, Template]:
    """All of them by id. A file is named by its id."""
    folder = files("podmeter.templates") / "data"
    read = (
        Template.model_validate(yaml.safe_load((folder / f"{id_}.yaml").read_text("utf-8")))
        for id_ in _ORDER
    )
    return MappingProxyType({one.id: one for one in read})
