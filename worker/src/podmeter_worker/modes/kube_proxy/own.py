"""Podmeter's own DaemonSet and ConfigMap of each mode, by which single nodes have it.

Each is a copy of the cluster's. Every ConfigMap names the nodes that had a mode of these, until
they are the cluster's again: their kernels may hold rules that only `--cleanup` removes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.components.kube_proxy import CONFIGURATIONS, ON_NODES
from podmeter.domain.labels import SWITCHED_NODES
from podmeter.domain.modes import KubeProxyMode
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.facts.kube_proxy import NAMESPACE
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS
from podmeter_worker.modes.changes import change
from podmeter_worker.modes.node_affinity import only_on, patch_between

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object
    from podmeter_worker.modes.switcher import SwitchContext

#: kubeadm's; EKS installs kube-proxy as an add-on, which it sets back.
NAME, KEY = CONFIGURATIONS[0]
CLUSTERS = DAEMON_SETS.path(NAMESPACE, "kube-proxy")
CLUSTERS_CONFIGURATION = CONFIG_MAPS.path(NAMESPACE, NAME)
_ON_DELETE = "OnDelete"


@dataclass(frozen=True, slots=True)
class Own:
    """The DaemonSet and the ConfigMap of one mode."""

    mode: KubeProxyMode

    @property
    def name(self) -> str:
        """That of both."""
        return ON_NODES[self.mode]

    @property
    def running(self) -> str:
        """The path of the DaemonSet."""
        return DAEMON_SETS.path(NAMESPACE, self.name)

    @property
    def configuration(self) -> str:
        """The path of the ConfigMap."""
        return CONFIG_MAPS.path(NAMESPACE, self.name)

    @property
    def labels(self) -> dict[str, str]:
        """Those of the DaemonSet's pods."""
        return {"podmeter.io/kube-proxy": str(self.mode)}


OWNS = tuple(Own(mode) for mode in KubeProxyMode)


def is_configured(client: KubeClient) -> bool:
    """Whether a ConfigMap of these is there, as far as they may be read."""
    try:
        return any(client.find(one.configuration) is not None for one in OWNS)
    except ApiRefusedError as error:
        # A manifest from before single nodes could be switched does not allow it.
        if error.status != 403:
            raise
        return False


def noted_nodes(client: KubeClient) -> frozenset[str]:
    """The nodes that had a mode of these and may hold rules of it, as the ConfigMaps name them."""
    found = (client.find(one.configuration) for one in OWNS)
    noted = ((one["metadata"].get("annotations") or {}) for one in found if one is not None)
    names = (node for one in noted for node in one.get(SWITCHED_NODES, "").split(","))
    return frozenset(name for name in names if name)


def configure(
    context: SwitchContext,
    one: Own,
    wanted: Callable[[str, KubeProxyMode], str],
    nodes: Collection[str],
) -> Object:
    """Write the ConfigMap of a mode: the cluster's current one with the desired mode.

    `nodes` are all that have a mode of their own from now on, whichever it is.
    """
    data = context.client.get(CLUSTERS_CONFIGURATION)["data"]
    data = {**data, KEY: wanted(data[KEY], one.mode)}
    noted = {SWITCHED_NODES: ",".join(sorted(nodes))}
    if context.client.find(one.configuration) is None:
        return context.client.create(
            CONFIG_MAPS.path(NAMESPACE),
            {
                "apiVersion": CONFIG_MAPS.version,
                "kind": "ConfigMap",
                "metadata": {
                    "name": one.name,
                    "namespace": NAMESPACE,
                    "labels": _labels(context),
                    "annotations": noted,
                },
                "data": data,
            },
        )

    def unlike(found: Object) -> Object | None:
        old, annotations = found.get("data"), found["metadata"].get("annotations") or {}
        if old == data and annotations.items() >= noted.items():
            return None
        return {"data": patch_between(old, data), "metadata": {"annotations": noted}}

    return change(context.client, one.configuration, unlike)[0]


def copy_of(context: SwitchContext, one: Own, hosts: Iterable[str], written: Object) -> Object:
    """The cluster's DaemonSet as it is to run on these nodes, set by what is `written`.

    That owns it: where a worker that was stalled creates it after all is undone, Kubernetes itself
    removes what has no owner.
    """
    template = context.client.get(CLUSTERS)["spec"]["template"]
    pod = dict(template["spec"])
    pod["affinity"] = only_on(pod.get("affinity"), hosts)
    pod["volumes"] = [_own_volume(volume, one) for volume in pod.get("volumes") or []]
    return {
        "apiVersion": DAEMON_SETS.version,
        "kind": "DaemonSet",
        "metadata": {
            "name": one.name,
            "namespace": NAMESPACE,
            "labels": _labels(context),
            "ownerReferences": [
                {
                    "apiVersion": CONFIG_MAPS.version,
                    "kind": "ConfigMap",
                    "name": one.name,
                    "uid": written["metadata"]["uid"],
                }
            ],
        },
        "spec": {
            "selector": {"matchLabels": one.labels},
            "updateStrategy": {"type": _ON_DELETE},
            "template": {"metadata": {"labels": one.labels}, "spec": pod},
        },
    }


def _own_volume(volume: Object, one: Own) -> Object:
    source = volume.get("configMap") or {}
    if source.get("name") != NAME:
        return volume
    return {**volume, "configMap": {**source, "name": one.name}}


def is_alike(own: Object, copy: Object) -> bool:
    """Whether a DaemonSet that is there is as it would be created now."""
    owners = [one["metadata"].get("ownerReferences") for one in (own, copy)]
    pods = [one["spec"]["template"]["spec"] for one in (own, copy)]
    return bool(owners[0] == owners[1] and pods[0] == pods[1])


def _labels(context: SwitchContext) -> dict[str, str]:
    return dict(next(iter(context.shells.values())).labels)


def written_at(client: KubeClient, path: str) -> str | None:
    """kube-proxy's configuration in a ConfigMap, None where there is none."""
    found = client.find(path)
    return None if found is None else (found.get("data") or {}).get(KEY)
