"""kube-router as the pod network, by its DaemonSet as its own manifests install it."""

from __future__ import annotations

from podmeter.domain.components.component import Component, PodNetwork
from podmeter.domain.guards import Check, Guard, own_annotation_alone, unlike_in
from podmeter.domain.messages import say
from podmeter.domain.modes import ENCAPSULATION, Encapsulation
from podmeter.domain.rights import Right

NAMESPACE, DAEMON_SET = "kube-system", "kube-router"
#: All of its arguments that a mode is made of.
ENABLE, TYPE = "enable-overlay", "overlay-type"
#: The API server counts a DaemonSet's templates there.
_COUNTED = "deprecated.daemonset.template.generation"
_OURS = f"^--({ENABLE}|{TYPE})(=|$)"
_KNOWN = f"^--({ENABLE}(=(1|t|T|true|True|TRUE|0|f|F|false|False|FALSE))?|{TYPE}=(subnet|full))$"
_OTHERS = f".?args.orValue([]).filter(one, !one.matches('{_OURS}'))"

_ARGUMENTS = Guard(
    name="kube-router-overlay",
    group="apps",
    resources=("daemonsets",),
    object_name=DAEMON_SET,
    operations=("UPDATE",),
    variables=(
        ("old", "dyn(oldObject.spec.template.spec)"),
        ("new", "dyn(object.spec.template.spec)"),
    ),
    checks=(
        Check(
            f"{unlike_in('dyn(object.spec)', 'dyn(oldObject.spec)', ('template',))} && "
            "object.spec.template.?metadata == oldObject.spec.template.?metadata && "
            f"{unlike_in('variables.new', 'variables.old', ('containers',))} && "
            "variables.new.containers.size() == variables.old.containers.size() && "
            "variables.new.containers.all(it, variables.old.containers.exists_one(was, "
            f"was.name == it.name && {unlike_in('it', 'was', ('args',))} && "
            f"(it.name == '{DAEMON_SET}' || it.?args == was.?args)))",
            "of kube-router's DaemonSet it changes its arguments alone",
        ),
        Check(
            f"variables.new.containers.all(it, it.name != '{DAEMON_SET}' || "
            f"variables.old.containers.exists(was, was.name == it.name && "
            f"it{_OTHERS} == was{_OTHERS}))",
            f"of kube-router's arguments it changes --{ENABLE} and --{TYPE} alone",
        ),
        Check(
            f"variables.new.containers.all(it, it.name != '{DAEMON_SET}' || "
            f"it.?args.orValue([]).all(one, !one.matches('{_OURS}') || one.matches('{_KNOWN}')))",
            "kube-router's overlay is one that it knows",
        ),
        own_annotation_alone("DaemonSet kube-router", _COUNTED),
    ),
)

KUBE_ROUTER = Component(
    name="kube-router",
    axis=ENCAPSULATION,
    values=(Encapsulation.NONE, Encapsulation.IPIP, Encapsulation.IPIP_CROSS_SUBNET),
    rights=(
        # Optional: a manifest that was applied before it could be switched still does for all else.
        Right(
            "apps",
            "daemonsets",
            ("patch",),
            say("right_patch_kube_router"),
            NAMESPACE,
            (DAEMON_SET,),
            optional=True,
        ),
    ),
    guards=(_ARGUMENTS,),
    # Its tunnels, and the bridge that its pods are on.
    devices=("tun-*", "kube-bridge"),
    networks=(PodNetwork("kube-router", "kube-router", (DAEMON_SET,), (DAEMON_SET,), beside=True),),
)
