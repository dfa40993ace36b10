"""kube-proxy switched on some nodes alone, by a DaemonSet of Podmeter's own beside the cluster's.

It is a copy of the cluster's DaemonSet, with a copy of its ConfigMap in which the mode is another.
The cluster's own is kept off these nodes by a node affinity. Its template is another one then, and
its other pods would be rolled for that: its updates wait meanwhile (OnDelete). At the end it has
the template that these pods were made of, so that none of them is touched.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from podmeter.domain.components.kube_proxy import CONFIGURATIONS, KUBE_PROXY, ON_NODES
from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import KubeProxyMode
from podmeter.domain.rights import Feature
from podmeter_worker.kube.facts.kube_proxy import NAMESPACE, configured_at
from podmeter_worker.kube.facts.rights import missing_for
from podmeter_worker.kube.facts.standing import Standing, take_standing
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS, NODES
from podmeter_worker.modes import daemon_set
from podmeter_worker.modes.changes import change
from podmeter_worker.modes.kube_proxy import cleanup as kube_proxy_cleanup
from podmeter_worker.modes.kube_proxy.effect import Target, await_effect, why_not_in_effect
from podmeter_worker.modes.kube_proxy.text import metrics_port, written_mode
from podmeter_worker.modes.node_affinity import (
    HOST_NAME,
    hosts_kept_off,
    keeping_off,
    letting_on,
    only_on,
    patch_between,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from pydantic import JsonValue

    from podmeter.domain.messages import Message
    from podmeter.domain.switching import SyncPeriods
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object
    from podmeter_worker.modes.switcher import Saved, Site

#: kubeadm's; EKS installs kube-proxy as an add-on, which it sets back.
_NAME, _KEY = CONFIGURATIONS[0]
_CLUSTERS = DAEMON_SETS.path(NAMESPACE, "kube-proxy")
_CLUSTERS_CONFIGURATION = CONFIG_MAPS.path(NAMESPACE, _NAME)
_OWN = DAEMON_SETS.path(NAMESPACE, ON_NODES)
_OWN_CONFIGURATION = CONFIG_MAPS.path(NAMESPACE, ON_NODES)
_SELECTED = {"podmeter.io/kube-proxy": "on-nodes"}
_ON_DELETE = "OnDelete"


def why_not(client: KubeClient) -> Message | None:
    """Why kube-proxy cannot be switched on single nodes here, or None."""
    place = configured_at(client)
    if place is None or (place.name, place.key) != (_NAME, _KEY):
        return say("nodes_alone_config", name=f"{NAMESPACE}/{_NAME}", key=_KEY)
    running = client.find(_CLUSTERS)
    if running is None or not _mounts(running):
        return say("nodes_alone_mount", name=f"{NAMESPACE}/{_NAME}")
    missing = missing_for(client, Feature.PROXY_ON_NODES)
    return say("nodes_alone_rights", right=missing[0].said) if missing else None


def here(site: Site) -> Site:
    """The site of the nodes alone that are switched."""
    nodes = site.nodes or frozenset()
    shells = {node: shell for node, shell in site.shells.items() if node in nodes}
    return replace(site, shells=shells)


def save(site: Site) -> Saved:
    """What is changed of the cluster's DaemonSet, as it stands, and on which nodes."""
    spec = site.client.get(_CLUSTERS)["spec"]
    pod = spec["template"]["spec"]
    nodes: list[JsonValue] = [*sorted(site.nodes or ())]
    saved: Saved = {"nodes": nodes}
    if hosts_kept_off(pod.get("affinity")):
        # Already switched, and what stood before that was saved then: no mark is put back.
        return saved | {"affinity": letting_on(pod["affinity"])}
    saved["updates"] = spec.get("updateStrategy") or {}
    return saved | ({"affinity": pod["affinity"]} if "affinity" in pod else {})


def configuration(site: Site) -> str:
    """What kube-proxy on these nodes is set by: their own, or still the cluster's."""
    return _written(site, _OWN_CONFIGURATION) or _written(site, _CLUSTERS_CONFIGURATION) or ""


def standing(site: Site) -> Standing:
    """What brings the mode about on these nodes; pods on other nodes are nobody's concern."""
    return take_standing(site.client, _OWN, _OWN_CONFIGURATION, _CLUSTERS)


def switch(
    whole: Site, wanted: Callable[[str], str], mode: KubeProxyMode, periods: SyncPeriods | None
) -> bool:
    """Have what is `wanted` of the cluster's configuration in effect on these nodes; whether their
    mode was another one.
    """
    site = here(whole)
    hosts = _hosts(site.client, site.shells)
    before = written_mode(configuration(site))
    written = _configure(site, wanted)
    site.progress(say("step_patched"))
    own, copy = site.client.find(_OWN), _copy_of(site, site.client.get(_CLUSTERS), hosts, written)
    # What an interrupted switch to IPVS has started may be about to write its rules.
    ipvs = KubeProxyMode.IPVS in (mode, before) or kube_proxy_cleanup.ipvs_stands(site)
    if own is not None and (ipvs or not _alike(own, copy)):
        _remove(site, own)
        own = None
    running = _keep_off(site, hosts)
    site.progress(say("step_kept_off"))
    if ipvs:
        site.progress(say("step_paused"))
        kube_proxy_cleanup.clean(site, _container(running))
        site.progress(say("step_cleaned"))
    if own is None:
        own = site.client.create(DAEMON_SETS.path(NAMESPACE), copy)
        for node in site.shells:
            site.accepted(node)
        daemon_set.await_ready_on(site, own, site.shells)
    else:
        daemon_set.restart(site, own)
    site.progress(say("step_rolled"))
    await_effect(site, own, Target(mode, metrics_port(written["data"][_KEY]), periods, sure=True))
    site.progress(say("step_effective"))
    return (before or KubeProxyMode.IPTABLES) != mode


def stands(client: KubeClient) -> bool:
    """Whether anything of a switch on single nodes is there."""
    if client.find(_OWN) is not None or client.find(_OWN_CONFIGURATION) is not None:
        return True
    running = client.find(_CLUSTERS)
    return running is not None and bool(hosts_kept_off(_affinity(running)))


def undo(whole: Site, saved: Saved) -> None:
    """The cluster's own kube-proxy on these nodes again, in effect there; nothing of ours left.

    Whatever its owner has changed of it meanwhile stays. What was cut short is done again.
    """
    nodes = saved.get("nodes", list(whole.shells))
    if not isinstance(nodes, list) or not all(isinstance(node, str) for node in nodes):
        raise PreconditionError(say("saved_unusable", component=KUBE_PROXY.name))
    own, running = whole.client.find(_OWN), whole.client.get(_CLUSTERS)
    hosts = hosts_kept_off(_affinity(running))
    kept_off = {node for node, host in _host_names(whole.client).items() if host in hosts}
    site = here(replace(whole, nodes=frozenset({*map(str, nodes), *kept_off})))
    ours, text = (_written(site, one) for one in (_OWN_CONFIGURATION, _CLUSTERS_CONFIGURATION))
    if text is None:
        raise PreconditionError(say("component_gone", component=KUBE_PROXY.name))
    mode = KubeProxyMode(written_mode(text) or KubeProxyMode.IPTABLES)
    target = Target(mode, metrics_port(text), None, sure=False)
    is_back = own is None and _let_on_patch(running, saved) is None
    if not is_back or (ours is not None and why_not_in_effect(site, target) is not None):
        modes = (mode, written_mode(ours or ""))
        ipvs = KubeProxyMode.IPVS in modes or kube_proxy_cleanup.ipvs_stands(site)
        if ipvs:
            # kube-proxy would write its rules again while they are cleaned up.
            running = _keep_off(site, hosts | _hosts(site.client, site.shells))
        if own is not None:
            _remove(site, own)
            site.progress(say("step_paused"))
        if ipvs:
            kube_proxy_cleanup.clean(site, _container(running))
            site.progress(say("step_cleaned"))
        running = _let_on(site, saved)
        daemon_set.await_ready_on(site, running, site.shells)
        site.progress(say("step_rolled"))
        await_effect(site, running, target)
        site.progress(say("step_effective"))
    if not whole.missing:
        # The last of all: it says which mode may have left rules until then.
        site.client.delete(_OWN_CONFIGURATION)


def _configure(site: Site, wanted: Callable[[str], str]) -> Object:
    """Write the ConfigMap of these nodes: the cluster's own as it is now, with what is wanted."""
    data = site.client.get(_CLUSTERS_CONFIGURATION)["data"]
    data = {**data, _KEY: wanted(data[_KEY])}
    if site.client.find(_OWN_CONFIGURATION) is None:
        return site.client.create(
            CONFIG_MAPS.path(NAMESPACE),
            {
                "apiVersion": CONFIG_MAPS.version,
                "kind": "ConfigMap",
                "metadata": {"name": ON_NODES, "namespace": NAMESPACE, "labels": _labels(site)},
                "data": data,
            },
        )

    def unlike(found: Object) -> Object | None:
        old = found.get("data")
        return None if old == data else {"data": patch_between(old, data)}

    return change(site.client, _OWN_CONFIGURATION, unlike)[0]


def _keep_off(site: Site, hosts: Collection[str]) -> Object:
    """Keep the cluster's own kube-proxy off these hosts, and wait until it is gone from there."""

    def wanted(found: Object) -> Object | None:
        old = _affinity(found)
        new = keeping_off(old, hosts)
        if old == new and _waits(found):
            return None
        body: Object = {"template": {"spec": {"affinity": patch_between(old, new)}}}
        return {"spec": body | {"updateStrategy": {"type": _ON_DELETE, "rollingUpdate": None}}}

    running, changed = change(site.client, _CLUSTERS, wanted)
    if changed:
        for node in site.shells:
            site.accepted(node)
    daemon_set.await_gone_from(site, running, site.shells)
    return running


def _let_on(site: Site, saved: Saved) -> Object:
    """Take away what keeps the cluster's own kube-proxy off, and nothing that its owner wrote."""
    return change(site.client, _CLUSTERS, lambda found: _let_on_patch(found, saved))[0]


def _let_on_patch(running: Object, saved: Saved) -> Object | None:
    stood = cast("Object | None", saved.get("affinity"))
    updates = cast("Object", saved.get("updates") or {"type": "RollingUpdate"})
    old = _affinity(running)
    body: Object = {}
    if hosts_kept_off(old):
        # To the letter where nobody changed it, so that its pods are those of its template.
        left = stood if letting_on(old) == letting_on(stood) else letting_on(old)
        body["template"] = {"spec": {"affinity": patch_between(old, left)}}
    if _waits(running) and updates.get("type") != _ON_DELETE:
        body["updateStrategy"] = updates
    return {"spec": body} if body else None


def _remove(site: Site, own: Object) -> None:
    site.client.delete(_OWN)
    for node in site.shells:
        site.accepted(node)
    daemon_set.await_gone(site, own)


def _copy_of(site: Site, running: Object, hosts: Collection[str], written: Object) -> Object:
    """The cluster's DaemonSet as it is to run on these nodes, set by what is `written`.

    That owns it: where a worker that was stalled creates it after all is undone, Kubernetes itself
    removes what has no owner.
    """
    template = running["spec"]["template"]
    pod = dict(template["spec"])
    pod["affinity"] = only_on(pod.get("affinity"), hosts)
    pod["volumes"] = [_own_volume(volume) for volume in pod.get("volumes") or []]
    return {
        "apiVersion": DAEMON_SETS.version,
        "kind": "DaemonSet",
        "metadata": {
            "name": ON_NODES,
            "namespace": NAMESPACE,
            "labels": _labels(site),
            "ownerReferences": [
                {
                    "apiVersion": CONFIG_MAPS.version,
                    "kind": "ConfigMap",
                    "name": ON_NODES,
                    "uid": written["metadata"]["uid"],
                }
            ],
        },
        "spec": {
            "selector": {"matchLabels": _SELECTED},
            "updateStrategy": {"type": _ON_DELETE},
            "template": {"metadata": {"labels": _SELECTED}, "spec": pod},
        },
    }


def _own_volume(volume: Object) -> Object:
    source = volume.get("configMap") or {}
    if source.get("name") != _NAME:
        return volume
    return {**volume, "configMap": {**source, "name": ON_NODES}}


def _alike(own: Object, copy: Object) -> bool:
    owners = [one["metadata"].get("ownerReferences") for one in (own, copy)]
    pods = [one["spec"]["template"]["spec"] for one in (own, copy)]
    return bool(owners[0] == owners[1] and pods[0] == pods[1])


def _mounts(running: Object) -> bool:
    volumes = running["spec"]["template"]["spec"].get("volumes") or []
    return any((one.get("configMap") or {}).get("name") == _NAME for one in volumes)


def _hosts(client: KubeClient, nodes: Collection[str]) -> frozenset[str]:
    """What nodes are called by their label, which is not always their name."""
    found = _host_names(client)
    without = sorted(node for node in nodes if not found.get(node))
    if without or not nodes:
        raise PreconditionError(say("nodes_unlabelled", nodes=without or "-", label=HOST_NAME))
    return frozenset(str(found[node]) for node in nodes)


def _host_names(client: KubeClient) -> dict[str, str | None]:
    return {
        item["metadata"]["name"]: (item["metadata"].get("labels") or {}).get(HOST_NAME)
        for item in client.list_all(NODES.path()).items
    }


def _labels(site: Site) -> dict[str, str]:
    return dict(next(iter(site.shells.values())).labels)


def _waits(running: Object) -> bool:
    """Whether changes of its template are left to whoever deletes its pods."""
    return (running["spec"].get("updateStrategy") or {}).get("type") == _ON_DELETE


def _affinity(running: Object) -> Object | None:
    found: Object | None = running["spec"]["template"]["spec"].get("affinity")
    return found


def _container(running: Object) -> Object:
    container: Object = running["spec"]["template"]["spec"]["containers"][0]
    return container


def _written(site: Site, path: str) -> str | None:
    found = site.client.find(path)
    return None if found is None else (found.get("data") or {}).get(_KEY)
