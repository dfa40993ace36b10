"""kube-proxy, by its ConfigMap and DaemonSet in kube-system."""

from __future__ import annotations

from dataclasses import replace

from podmeter.domain.components.component import Component
from podmeter.domain.guards import Check, Guard, Yardstick, unchanged_but, unlike_in
from podmeter.domain.labels import KEEPS_OFF, MANAGED_BY, PAUSED
from podmeter.domain.messages import say
from podmeter.domain.modes import KUBE_PROXY_MODE, KubeProxyMode
from podmeter.domain.pod_guard import POD_CHECKS, POD_VARIABLES
from podmeter.domain.rights import Feature, Right

_LABEL, _OWN = next(iter(MANAGED_BY.items()))

#: Podmeter's own DaemonSet and ConfigMap of each mode, by which kube-proxy is switched on some
#: nodes alone.
ON_NODES = {mode: f"podmeter-kube-proxy-{mode}" for mode in KubeProxyMode}
_OWN_NAMES = tuple(ON_NODES.values())
_IS_OWN = f"object.metadata.name in {list(_OWN_NAMES)}"
_NAMED = "podmeter-kube-proxy-MODE"
_HOST_NAME = "kubernetes.io/hostname"

#: Its own `--cleanup` on a node, of the very image that runs there.
_CLEANUP = Guard(
    name="kube-proxy-cleanup",
    group="",
    resources=("pods",),
    operations=("CREATE",),
    container="kube-proxy",
    yardstick=Yardstick("apps/v1", "DaemonSet", "kube-system", "kube-proxy"),
    variables=(*POD_VARIABLES, ("proxy", "params.spec.template.spec.containers[0]")),
    checks=(
        *POD_CHECKS,
        Check(
            "variables.host && variables.container.image == variables.proxy.image && "
            "variables.container.?args.orValue([]).size() == 0 && "
            "variables.container.?env.orValue([]).size() == 0 && "
            "variables.container.?command.orValue([]) == "
            "[string(variables.proxy.?command.orValue(['kube-proxy'])[0]), '--cleanup', "
            "'--hostname-override=' + string(object.spec.nodeName)]",
            "of kube-proxy's image it runs kube-proxy --cleanup alone",
        ),
    ),
)
_REQUIRED = "?nodeAffinity.?requiredDuringSchedulingIgnoredDuringExecution.?nodeSelectorTerms"


def _terms(spec: str) -> str:
    """CEL: the required terms of a template's node affinity, without what keeps it off nodes."""
    marked = (
        f"it.key == '{_HOST_NAME}' && it.operator == 'NotIn' && "
        f"'{KEEPS_OFF}' in it.?values.orValue([])"
    )
    return (
        f"{spec}.?affinity.{_REQUIRED}.orValue([]).map(term, [dyn(term.?matchFields.orValue([])), "
        f"dyn(term.?matchExpressions.orValue([]).filter(it, !({marked})))])"
        ".filter(term, term.exists(one, one.size() > 0))"
    )


#: A pause, or keeping it off nodes: of the DaemonSet nothing changes but one label that its nodes
#: must have, one expression of its node affinity, and whether its updates wait.
_PAUSE = Guard(
    name="kube-proxy-pause",
    group="apps",
    resources=("daemonsets",),
    object_name="kube-proxy",
    operations=("UPDATE",),
    variables=(
        ("old", "dyn(oldObject.spec.template.spec)"),
        ("new", "dyn(object.spec.template.spec)"),
        ("oldNodes", "dyn(oldObject.spec.template.spec.?nodeSelector.orValue({}))"),
        ("newNodes", "dyn(object.spec.template.spec.?nodeSelector.orValue({}))"),
        ("oldTerms", _terms("variables.old")),
        ("newTerms", _terms("variables.new")),
    ),
    checks=(
        Check(
            f"{unlike_in('object.spec', 'oldObject.spec', ('template', 'updateStrategy'))} && "
            "object.spec.template.?metadata == oldObject.spec.template.?metadata && "
            f"{unlike_in('variables.new', 'variables.old', ('nodeSelector', 'affinity'))} && "
            f"{unlike_in('variables.newNodes', 'variables.oldNodes', (PAUSED,))}",
            f"of a DaemonSet it changes the node label {PAUSED} and what keeps it off nodes alone",
        ),
        Check(
            "variables.newTerms == variables.oldTerms && "
            + unlike_in(
                "variables.new.?affinity.orValue({})",
                "variables.old.?affinity.orValue({})",
                ("nodeAffinity",),
            )
            + " && "
            + unlike_in(
                "variables.new.?affinity.?nodeAffinity.orValue({})",
                "variables.old.?affinity.?nodeAffinity.orValue({})",
                ("requiredDuringSchedulingIgnoredDuringExecution",),
            ),
            "of a DaemonSet's affinity it changes its own mark alone",
        ),
    ),
)
#: A copy of the cluster's DaemonSet on some nodes: what it runs is what runs there already.
_COPY = Guard(
    name="kube-proxy-on-nodes",
    group="apps",
    resources=("daemonsets",),
    operations=("CREATE",),
    yardstick=Yardstick("apps/v1", "DaemonSet", "kube-system", "kube-proxy"),
    variables=(
        ("pod", "dyn(object.spec.template.spec)"),
        ("proxy", "dyn(params.spec.template.spec)"),
    ),
    checks=(
        Check(
            f"request.namespace == 'kube-system' && {_IS_OWN} && "
            f"object.metadata.?labels[?'{_LABEL}'].orValue('') == '{_OWN}'",
            f"of DaemonSets it creates kube-system/{_NAMED} alone",
        ),
        Check(
            f"{unlike_in('variables.pod', 'variables.proxy', ('affinity', 'volumes'))} && "
            "object.spec.template.?metadata.?annotations.orValue({}).size() == 0",
            "its DaemonSet runs what kube-proxy's own runs",
        ),
        Check(
            "variables.pod.?volumes.orValue([]).size() == "
            "variables.proxy.?volumes.orValue([]).size() && "
            "variables.pod.?volumes.orValue([]).all(it, "
            "variables.proxy.?volumes.orValue([]).exists_one(was, was.name == it.name && "
            "(was == it || (it.?configMap.?name.orValue('') == object.metadata.name && "
            "was.?configMap.?name.orValue('') == 'kube-proxy'))))",
            "its DaemonSet sees what kube-proxy's own sees, and the ConfigMap of its own name",
        ),
    ),
)
#: Where kube-proxy's configuration is: the ConfigMap and its key. kubeadm's, and EKS'.
CONFIGURATIONS = (("kube-proxy", "config.conf"), ("kube-proxy-config", "config"))
_SECTIONS = "['iptables:', 'ipvs:', 'nftables:']"


def _lines(key: str) -> str:
    """CEL: the configuration's lines without the mode and the sync periods of each mode."""
    return (
        f".data['{key}'].split('\\n').filter(line, line != '' && !line.startsWith('mode:') && "
        "!line.matches('^ +(minS|s)yncPeriod:'))"
    )


def _mode_and_periods(key: str) -> tuple[Check, ...]:
    return (
        unchanged_but(key, "kube-proxy"),
        Check(
            # A section that is not there comes, and goes again, with its periods.
            f"variables.new == variables.old || {_SECTIONS}.exists(one, "
            "variables.new == variables.old + [one] || variables.old == variables.new + [one])",
            "of kube-proxy's configuration it changes the mode and the sync periods alone",
        ),
    )


def _configuration(name: str, key: str) -> Guard:
    first = name == CONFIGURATIONS[0][0]
    return Guard(
        name="kube-proxy-configuration" if first else f"{name}-{key}",
        group="",
        resources=("configmaps",),
        object_name=name,
        operations=("UPDATE",),
        variables=(("old", f"oldObject{_lines(key)}"), ("new", f"object{_lines(key)}")),
        checks=_mode_and_periods(key),
    )


def _copied() -> Guard:
    """What the copy is set by: the cluster's configuration but for the mode and the periods."""
    name, key = CONFIGURATIONS[0]
    return Guard(
        name="kube-proxy-on-nodes-configuration",
        group="",
        resources=("configmaps",),
        operations=("CREATE", "UPDATE"),
        only_for=f"request.operation == 'CREATE' || {_IS_OWN}",
        yardstick=Yardstick("v1", "ConfigMap", "kube-system", name),
        variables=(("old", f"params{_lines(key)}"), ("new", f"object{_lines(key)}")),
        checks=(
            Check(
                f"request.namespace == 'kube-system' && {_IS_OWN} && "
                f"object.metadata.?labels[?'{_LABEL}'].orValue('') == '{_OWN}'",
                f"of ConfigMaps it creates kube-system/{_NAMED} alone",
            ),
            *(
                replace(check, expression=check.expression.replace("oldObject.", "params."))
                for check in _mode_and_periods(key)
            ),
        ),
    )


#: Without these kube-proxy is switched on all nodes. A name says nothing about what is created.
_ON_NODES_RIGHTS = tuple(
    Right(
        group,
        resource,
        verbs,
        say("right_proxy_on_nodes"),
        "kube-system",
        names,
        optional=True,
        feature=Feature.PROXY_ON_NODES,
    )
    for group, resource, verbs, names in (
        ("apps", "daemonsets", ("create",), ()),
        ("apps", "daemonsets", ("delete",), _OWN_NAMES),
        ("", "configmaps", ("create",), ()),
        ("", "configmaps", ("get", "patch", "delete"), _OWN_NAMES),
    )
)

KUBE_PROXY = Component(
    name="kube-proxy",
    axis=KUBE_PROXY_MODE,
    values=tuple(KubeProxyMode),
    rights=(
        # By name wherever it is: a role in a namespace that a cluster lacks cannot be applied.
        Right("", "configmaps", ("patch",), say("right_patch_proxy"), names=("kube-proxy",)),
        # A manifest that was applied before it was known still does for all other clusters.
        Right(
            "",
            "configmaps",
            ("patch",),
            say("right_patch_proxy"),
            names=("kube-proxy-config",),
            optional=True,
        ),
        Right(
            "apps",
            "daemonsets",
            ("patch",),
            say("right_pause_proxy"),
            "kube-system",
            ("kube-proxy",),
        ),
        *_ON_NODES_RIGHTS,
    ),
    guards=(
        _CLEANUP,
        _PAUSE,
        _COPY,
        *(_configuration(*one) for one in CONFIGURATIONS),
        _copied(),
    ),
    devices=("kube-ipvs0",),
    follows=(
        "kube_proxy.mode",
        "kube_proxy.sync_period",
        "kube_proxy.min_sync_period",
        "kube_proxy.ipvs_scheduler",
        "nodes.*.sysctls.net.ipv4.vs.*",
        # In IPVS mode kube-proxy sets these for its dummy device.
        "nodes.*.sysctls.net.ipv4.conf.all.arp_ignore",
        "nodes.*.sysctls.net.ipv4.conf.all.arp_announce",
    ),
    # Where kube-proxy writes nftables, no iptables backend is its own.
    absent_with=("nodes.*.iptables_backend",),
)
