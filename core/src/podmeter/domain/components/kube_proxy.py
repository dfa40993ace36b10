"""kube-proxy, by its ConfigMap and DaemonSet in kube-system."""

from __future__ import annotations

from podmeter.domain.components.component import Component
from podmeter.domain.guards import Check, Guard, Yardstick, unchanged_but
from podmeter.domain.messages import say
from podmeter.domain.modes import KUBE_PROXY_MODE
from podmeter.domain.pod_guard import POD_CHECKS, POD_VARIABLES
from podmeter.domain.rights import Right

#: No node has this label: while kube-proxy asks for it, it has no pods.
PAUSED = "podmeter.io/paused"

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
#: A pause: nothing of the DaemonSet changes but that one label that its nodes must have.
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
    ),
    checks=(
        Check(
            "dyn(object.spec).all(one, one == 'template' || "
            "dyn(object.spec)[?one] == dyn(oldObject.spec)[?one]) && "
            "object.spec.template.?metadata == oldObject.spec.template.?metadata && "
            "variables.new.all(one, one == 'nodeSelector' || "
            "variables.new[?one] == variables.old[?one]) && "
            "variables.old.all(one, one == 'nodeSelector' || one in variables.new) && "
            f"variables.newNodes.all(one, one == '{PAUSED}' || "
            "variables.newNodes[?one] == variables.oldNodes[?one]) && "
            f"variables.oldNodes.all(one, one == '{PAUSED}' || one in variables.newNodes)",
            f"of a DaemonSet it changes the node label {PAUSED} alone",
        ),
    ),
)
#: Where kube-proxy's configuration is: the ConfigMap and its key. kubeadm's, and EKS'.
CONFIGURATIONS = (("kube-proxy", "config.conf"), ("kube-proxy-config", "config"))
_SECTIONS = "['iptables:', 'ipvs:', 'nftables:']"


def _configuration(name: str, key: str) -> Guard:
    #: Without the mode and the sync periods, which stand in a section of each mode.
    lines = (
        f".data['{key}'].split('\\n').filter(line, line != '' && !line.startsWith('mode:') && "
        "!line.matches('^ +(minS|s)yncPeriod:'))"
    )
    first = name == CONFIGURATIONS[0][0]
    return Guard(
        name="kube-proxy-configuration" if first else f"{name}-{key}",
        group="",
        resources=("configmaps",),
        object_name=name,
        operations=("UPDATE",),
        variables=(("old", f"oldObject{lines}"), ("new", f"object{lines}")),
        checks=(
            unchanged_but(key, "kube-proxy"),
            Check(
                # A section that is not there comes, and goes again, with its periods.
                f"variables.new == variables.old || {_SECTIONS}.exists(one, "
                "variables.new == variables.old + [one] || variables.old == variables.new + [one])",
                "of kube-proxy's configuration it changes the mode and the sync periods alone",
            ),
        ),
    )


KUBE_PROXY = Component(
    name="kube-proxy",
    axis=KUBE_PROXY_MODE,
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
    ),
    guards=(_CLEANUP, _PAUSE, *(_configuration(*one) for one in CONFIGURATIONS)),
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
