"""kube-proxy switched on some nodes alone, by DaemonSets of Podmeter's own beside the cluster's.

Each mode has one: a copy of the cluster's DaemonSet on the nodes that are to have the mode, with a
copy of its ConfigMap in which the mode is another. So nodes can have different modes side by side.
The cluster's own is kept off these nodes by a node affinity. Its template is another one then, and
its other pods would be rolled for that: its updates wait meanwhile (OnDelete). At the end it has
the template that these pods were made of, so that none of them is touched.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from podmeter.domain.components.kube_proxy import KUBE_PROXY
from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import KubeProxyMode
from podmeter.domain.rights import Feature
from podmeter_worker.kube.facts.component_state import ComponentState, read_component_state
from podmeter_worker.kube.facts.kube_proxy import NAMESPACE, configured_at
from podmeter_worker.kube.facts.rights import missing_for
from podmeter_worker.kube.resources import DAEMON_SETS, NODES
from podmeter_worker.modes import daemon_set
from podmeter_worker.modes.changes import change
from podmeter_worker.modes.kube_proxy import cleanup as kube_proxy_cleanup
from podmeter_worker.modes.kube_proxy.effect import Target, await_effect, why_not_in_effect
from podmeter_worker.modes.kube_proxy.own import (
    CLUSTERS,
    CLUSTERS_CONFIGURATION,
    KEY,
    NAME,
    OWNS,
    Own,
    configure,
    copy_of,
    is_alike,
    is_configured,
    noted_nodes,
    written_at,
)
from podmeter_worker.modes.kube_proxy.text import metrics_port, written_mode
from podmeter_worker.modes.node_affinity import (
    HOST_NAME,
    hosts_kept_off,
    hosts_let_on,
    is_marked,
    keeping_off,
    letting_on,
    patch_between,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from pydantic import JsonValue

    from podmeter.domain.messages import Message
    from podmeter.domain.switching import SyncPeriods
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object
    from podmeter_worker.modes.switcher import Saved, SwitchContext

#: Marks a saved mode whose switch never writes the cluster's own configuration. Earlier versions,
#: which have no mark, could write it after they had switched some nodes alone.
ALONE = "alone"
_ON_DELETE = "OnDelete"


def why_not(client: KubeClient) -> Message | None:
    """Why kube-proxy cannot be switched on single nodes here, or None."""
    place = configured_at(client)
    if place is None or (place.name, place.key) != (NAME, KEY):
        return say("nodes_alone_config", name=f"{NAMESPACE}/{NAME}", key=KEY)
    running = client.find(CLUSTERS)
    if running is None or not _mounts(running):
        return say("nodes_alone_mount", name=f"{NAMESPACE}/{NAME}")
    missing = missing_for(client, Feature.PROXY_ON_NODES)
    return say("nodes_alone_rights", right=missing[0].said) if missing else None


def save(context: SwitchContext) -> Saved:
    """The changes to the cluster's current DaemonSet, and the nodes."""
    spec = context.client.get(CLUSTERS)["spec"]
    pod = spec["template"]["spec"]
    nodes: list[JsonValue] = [*sorted(context.nodes or ())]
    saved: Saved = {"nodes": nodes, ALONE: True}
    if is_marked(pod.get("affinity")):
        # Already switched, and the original mode is saved: write no mark.
        return saved | {"affinity": letting_on(pod["affinity"])}
    saved["updates"] = spec.get("updateStrategy") or {}
    return saved | ({"affinity": pod["affinity"]} if "affinity" in pod else {})


def configuration(context: SwitchContext) -> str:
    """What kube-proxy on these nodes is set by: their own, or still the cluster's."""
    texts = (written_at(context.client, one.configuration) for one in OWNS)
    own = next((text for text in texts if text is not None), None)
    return own or written_at(context.client, CLUSTERS_CONFIGURATION) or ""


def running_on(context: SwitchContext, mode: KubeProxyMode) -> Object | None:
    """Our DaemonSet of a mode if the nodes of the context are its, else None: the cluster's."""
    found = context.client.find(Own(mode).running)
    if found is None:
        return None
    hosts = set(_hosts(context.client, context.shells).values())
    return found if hosts <= hosts_let_on(_affinity(found)) else None


def component_state(context: SwitchContext) -> ComponentState:
    """What brings the modes about on these nodes; pods on other nodes are nobody's concern."""
    found = [
        read_component_state(context.client, one.running, one.configuration, CLUSTERS)
        for one in OWNS
        if context.client.find(one.running) is not None
    ]
    told: ComponentState = {
        key: ", ".join(str(one[key]) for one in found)
        for key in ("daemon_set", "uid", "generation", "configuration")
    }
    return told | {"pods": {uid: pod for one in found for uid, pod in one["pods"].items()}}


def switch(
    whole: SwitchContext,
    wanted: Callable[[str, KubeProxyMode], str],
    assigned: Mapping[str, KubeProxyMode],
    periods: SyncPeriods | None,
    *,
    force_rollout: bool,
) -> bool:
    """Have nodes in the modes that they are `assigned`, set by what is `wanted` of the cluster's
    configuration for a mode; whether any was in another one.

    Without `force_rollout` a node that is in its mode already keeps its kube-proxy; False then
    says that nothing had to be done. Nodes that were switched and are not assigned any more are the
    cluster's again first.
    """
    context = replace(whole, nodes=frozenset(assigned)).here
    hosts = _hosts(context.client, context.shells)
    before = _modes_of(context, hosts)
    _release(whole, assigned)
    left = [one for one in OWNS if context.client.find(one.configuration) is not None]
    # An interrupted switch may have begun to write rules of IPVS on any of the nodes.
    was_ipvs = any(one.mode is KubeProxyMode.IPVS for one in left)
    groups = {
        one: replace(context, nodes=frozenset(nodes)).here
        for one in OWNS
        if (nodes := [node for node, mode in assigned.items() if mode is one.mode])
    }
    written = {one: configure(context, one, wanted, assigned) for one in groups}
    copies = {
        one: copy_of(context, one, [hosts[node] for node in group.shells], written[one])
        for one, group in groups.items()
    }
    targets = {
        one: Target(one.mode, metrics_port(written[one]["data"][KEY]), periods, sure=True)
        for one in groups
    }
    running = _running(context.client)
    alike = {
        one for one, found in running.items() if one in copies and is_alike(found, copies[one])
    }
    settled = (
        set()
        if force_rollout
        else {one for one in alike if _is_in_effect(groups[one], targets[one])}
    )
    if settled == set(groups) == set(running) and _is_kept_off(context, hosts.values()):
        return False
    context.progress(say("step_patched"))
    moving = [
        node
        for one, group in groups.items()
        if one not in settled
        for node in group.shells
        if KubeProxyMode.IPVS in (one.mode, before[node])
        or was_ipvs
        or kube_proxy_cleanup.has_ipvs_rules(replace(context, nodes=frozenset({node})).here)
    ]
    for one, found in running.items():
        # What an interrupted switch to IPVS has started may be about to write its rules.
        cleaned = one in groups and not set(moving).isdisjoint(groups[one].shells)
        if one not in alike or cleaned:
            _remove(context, one, found)
            alike.discard(one)
    clusters = _keep_off(context, hosts.values())
    context.progress(say("step_kept_off"))
    if moving:
        context.progress(say("step_paused"))
        there = replace(context, nodes=frozenset(moving)).here
        kube_proxy_cleanup.clean(there, _container(clusters))
        context.progress(say("step_cleaned"))
    ours = {}
    for one, group in groups.items():
        if one not in alike:
            ours[one] = context.client.create(DAEMON_SETS.path(NAMESPACE), copies[one])
            for node in group.shells:
                context.accepted(node)
        else:
            ours[one] = running[one]
            if one not in settled:
                daemon_set.restart(group, running[one])
    for one, group in groups.items():
        daemon_set.await_ready_on(group, ours[one], group.shells)
    context.progress(say("step_rolled"))
    for one, group in groups.items():
        await_effect(group, ours[one], targets[one])
    for one in left:
        if one not in groups:
            context.client.delete(one.configuration)
    context.progress(say("step_effective"))
    unlike = [
        node for node, mode in assigned.items() if (before[node] or KubeProxyMode.IPTABLES) != mode
    ]
    return not force_rollout or bool(unlike)


def _modes_of(context: SwitchContext, hosts: Mapping[str, str]) -> dict[str, str]:
    """The mode that is written for kube-proxy on each node of the context, "" for its default."""
    clusters = written_mode(written_at(context.client, CLUSTERS_CONFIGURATION) or "")
    by_host: dict[str, str] = {}
    for one in OWNS:
        found = context.client.find(one.running)
        if found is not None:
            by_host |= dict.fromkeys(hosts_let_on(_affinity(found)), str(one.mode))
    return {node: by_host.get(host, clusters) for node, host in hosts.items()}


def _is_in_effect(group: SwitchContext, target: Target) -> bool:
    return why_not_in_effect(group, target) is None


def is_installed(client: KubeClient) -> bool:
    """Whether anything of a switch on single nodes is there."""
    running = client.find(CLUSTERS)
    return (
        bool(_running(client))
        or (running is not None and is_marked(_affinity(running)))
        or is_configured(client)
    )


def undo(whole: SwitchContext, saved: Saved) -> None:
    """The cluster's own kube-proxy on these nodes again, in effect there; nothing of ours left.

    Whatever its owner has changed of it meanwhile stays. What was cut short is done again.
    """
    nodes = saved.get("nodes", list(whole.shells))
    if not isinstance(nodes, list) or not all(isinstance(node, str) for node in nodes):
        raise PreconditionError(say("saved_unusable", component=KUBE_PROXY.name))
    running = whole.client.get(CLUSTERS)
    there = _taken(whole.client, running).union(map(str, nodes))
    context = replace(whole, nodes=there).here
    ours = [one.mode for one in OWNS if context.client.find(one.configuration) is not None]
    own, target = _running(context.client), _clusters_target(context.client)
    is_back = not own and _let_on_patch(running, saved) is None
    if not is_back or (ours and why_not_in_effect(context, target) is not None):
        _give_back(context, own, running, target, lambda: _let_on(context, saved))
    if not whole.missing:
        # The last of all: it says which mode may have left rules until then.
        for one in OWNS:
            context.client.delete(one.configuration)


def _release(whole: SwitchContext, assigned: Collection[str]) -> None:
    """Give nodes back that an earlier switch took and that are not `assigned` any more.

    As where another node measures in their place, since they were drained. A restore cannot tell
    them from nodes that were never switched once the cluster's kube-proxy is let on there, so rules
    that it would not remove are removed before.
    """
    running = whole.client.get(CLUSTERS)
    taken = _taken(whole.client, running)
    # The time of a switch is that of the nodes that are switched to something.
    context = replace(whole, nodes=taken.difference(assigned), accepted=lambda node: None).here
    if not context.shells:
        return
    leaving = set(_hosts(context.client, context.shells).values())
    own = {
        one: found
        for one, found in _running(context.client).items()
        if not leaving.isdisjoint(hosts_let_on(_affinity(found)))
    }
    stay = hosts_kept_off(_affinity(running)) - leaving
    target = _clusters_target(context.client)
    _give_back(context, own, running, target, lambda: _set_kept_off(context, stay)[0])


def _give_back(
    context: SwitchContext,
    own: Mapping[Own, Object],
    running: Object,
    target: Target,
    let_on: Callable[[], Object],
) -> None:
    """The cluster's own kube-proxy on the nodes of the context again, in effect there.

    `own` are the DaemonSets that are in its way, `let_on` takes away what keeps it off.
    """
    ours = [one.mode for one in OWNS if context.client.find(one.configuration) is not None]
    # None of these nodes may be left, where all of them were replaced: nothing to clean then.
    ipvs = bool(context.shells) and (
        KubeProxyMode.IPVS in (target.mode, *ours) or kube_proxy_cleanup.has_ipvs_rules(context)
    )
    if ipvs:
        # kube-proxy would write its rules again while they are cleaned up.
        hosts = hosts_kept_off(_affinity(running))
        hosts = hosts.union(_hosts(context.client, context.shells).values())
        running = _keep_off(context, hosts)
    for one, found in own.items():
        _remove(context, one, found)
    if own:
        context.progress(say("step_paused"))
    if ipvs:
        kube_proxy_cleanup.clean(context, _container(running))
        context.progress(say("step_cleaned"))
    running = let_on()
    daemon_set.await_ready_on(context, running, context.shells)
    context.progress(say("step_rolled"))
    await_effect(context, running, target)
    context.progress(say("step_effective"))


def _running(client: KubeClient) -> dict[Own, Object]:
    """Our DaemonSets that there are."""
    return {one: found for one in OWNS if (found := client.find(one.running)) is not None}


def _clusters_target(client: KubeClient) -> Target:
    """What the cluster's own kube-proxy is set to."""
    text = written_at(client, CLUSTERS_CONFIGURATION)
    if text is None:
        raise PreconditionError(say("component_gone", component=KUBE_PROXY.name))
    mode = written_mode(text) or KubeProxyMode.IPTABLES
    if mode not in (*KubeProxyMode,):
        raise PreconditionError(say("proxy_mode_unknown", name=f"{NAMESPACE}/{NAME}", mode=mode))
    return Target(KubeProxyMode(mode), metrics_port(text), None, sure=False)


def _taken(client: KubeClient, running: Object) -> frozenset[str]:
    """The nodes that the cluster's own kube-proxy is kept off, or was without being back since."""
    hosts = hosts_kept_off(_affinity(running))
    kept_off = {node for node, host in _host_names(client).items() if host in hosts}
    return noted_nodes(client) | kept_off


def _is_kept_off(context: SwitchContext, hosts: Collection[str]) -> bool:
    """Whether the cluster's own kube-proxy is kept off these hosts, and no others."""
    running = context.client.get(CLUSTERS)
    return hosts_kept_off(_affinity(running)) == frozenset(hosts) and _waits(running)


def _keep_off(context: SwitchContext, hosts: Collection[str]) -> Object:
    """Keep the cluster's own kube-proxy off these hosts, and wait until it is gone from there."""
    running, changed = _set_kept_off(context, hosts)
    if changed:
        for node in context.shells:
            context.accepted(node)
    daemon_set.await_gone_from(context, running, context.shells)
    return running


def _set_kept_off(context: SwitchContext, hosts: Collection[str]) -> tuple[Object, bool]:
    """Keep the cluster's own kube-proxy off these hosts and no others; whether it was otherwise."""

    def wanted(found: Object) -> Object | None:
        old = _affinity(found)
        new = keeping_off(old, hosts)
        if old == new and _waits(found):
            return None
        body: Object = {"template": {"spec": {"affinity": patch_between(old, new)}}}
        return {"spec": body | {"updateStrategy": {"type": _ON_DELETE, "rollingUpdate": None}}}

    return change(context.client, CLUSTERS, wanted)


def _let_on(context: SwitchContext, saved: Saved) -> Object:
    """Take away what keeps the cluster's own kube-proxy off, and nothing that its owner wrote."""
    return change(context.client, CLUSTERS, lambda found: _let_on_patch(found, saved))[0]


def _let_on_patch(running: Object, saved: Saved) -> Object | None:
    stood = cast("Object | None", saved.get("affinity"))
    updates = cast("Object", saved.get("updates") or {"type": "RollingUpdate"})
    old = _affinity(running)
    body: Object = {}
    if is_marked(old):
        # To the letter where nobody changed it, so that its pods are those of its template.
        left = stood if letting_on(old) == letting_on(stood) else letting_on(old)
        body["template"] = {"spec": {"affinity": patch_between(old, left)}}
    if _waits(running) and updates.get("type") != _ON_DELETE:
        body["updateStrategy"] = updates
    return {"spec": body} if body else None


def _remove(context: SwitchContext, one: Own, own: Object) -> None:
    context.client.delete(one.running)
    for node in context.shells:
        context.accepted(node)
    daemon_set.await_gone(context, own)


def _mounts(running: Object) -> bool:
    volumes = running["spec"]["template"]["spec"].get("volumes") or []
    return any((one.get("configMap") or {}).get("name") == NAME for one in volumes)


def _hosts(client: KubeClient, nodes: Collection[str]) -> dict[str, str]:
    """What nodes are called by their label, which is not always their name."""
    found = _host_names(client)
    without = sorted(node for node in nodes if not found.get(node))
    if without or not nodes:
        raise PreconditionError(say("nodes_unlabelled", nodes=without or "-", label=HOST_NAME))
    return {node: str(found[node]) for node in nodes}


def _host_names(client: KubeClient) -> dict[str, str | None]:
    return {
        item["metadata"]["name"]: (item["metadata"].get("labels") or {}).get(HOST_NAME)
        for item in client.list_all(NODES.path()).items
    }


def _waits(running: Object) -> bool:
    """Whether template changes only apply when its pods are deleted (OnDelete)."""
    return (running["spec"].get("updateStrategy") or {}).get("type") == _ON_DELETE


def _affinity(running: Object) -> Object | None:
    found: Object | None = running["spec"]["template"]["spec"].get("affinity")
    return found


def _container(running: Object) -> Object:
    container: Object = running["spec"]["template"]["spec"]["containers"][0]
    return container
