"""Calico, by its IPPools, or by the operator's Installation that owns them.

The IPPools that calico-node reads are `crd.projectcalico.org/v1`, and `projectcalico.org/v3` only
where that is a CustomResourceDefinition too: what Calico's own API server serves under that name is
stored as the former, and not every version of it asks admission policies.
"""

from __future__ import annotations

from podmeter.domain.components.component import Component, PodNetwork
from podmeter.domain.guards import Check, Guard, own_annotation_alone, unlike_in
from podmeter.domain.messages import say
from podmeter.domain.modes import ENCAPSULATION, Encapsulation
from podmeter.domain.rights import Right

#: The API groups that its objects may be stored in.
CALICO_GROUPS = ("crd.projectcalico.org", "projectcalico.org")
#: The group of its operator, and that one's only Installation.
OPERATOR_GROUP, INSTALLATION = "operator.tigera.io", "default"
#: Where its own manifest has its settings.
CONFIG = "calico-config"
#: What its operator says of itself.
STATUSES = ("calico", "ippools")
_MODES = ("ipipMode", "vxlanMode")


def _pools(group: str) -> Guard:
    return Guard(
        name="calico-pools" if group == CALICO_GROUPS[0] else "calico-pools-v3",
        group=group,
        resources=("ippools",),
        operations=("UPDATE",),
        checks=(
            Check(
                unlike_in("object.spec", "oldObject.spec", _MODES),
                "of an IPPool it changes ipipMode and vxlanMode alone",
            ),
            Check(
                "[object.spec.?ipipMode.orValue(''), object.spec.?vxlanMode.orValue('')].all(one, "
                "one in ['', 'Never', 'Always', 'CrossSubnet'])",
                "an IPPool's modes are those that Calico knows",
            ),
            own_annotation_alone("an IPPool"),
        ),
    )


_INSTALLATION = Guard(
    name="calico-installation",
    group=OPERATOR_GROUP,
    resources=("installations",),
    operations=("UPDATE",),
    variables=(
        ("old", "dyn(oldObject.spec.?calicoNetwork.orValue({}))"),
        ("new", "dyn(object.spec.?calicoNetwork.orValue({}))"),
        ("oldPools", "dyn(variables.old.?ipPools.orValue([]))"),
        ("newPools", "dyn(variables.new.?ipPools.orValue([]))"),
    ),
    checks=(
        Check(
            f"{unlike_in('object.spec', 'oldObject.spec', ('calicoNetwork',))} && "
            f"{unlike_in('variables.new', 'variables.old', ('ipPools',))} && "
            "has(object.spec.calicoNetwork) == has(oldObject.spec.calicoNetwork) && "
            "variables.newPools.map(one, one.cidr) == variables.oldPools.map(one, one.cidr) && "
            "variables.newPools.all(pool, variables.oldPools.exists_one(was, "
            f"was.cidr == pool.cidr && {unlike_in('pool', 'was', ('encapsulation',))}))",
            "of an Installation it changes the encapsulation of its ipPools alone",
        ),
        Check(
            "variables.newPools.all(one, one.?encapsulation.orValue('') in "
            "['', 'None', 'IPIP', 'IPIPCrossSubnet', 'VXLAN', 'VXLANCrossSubnet'])",
            "an Installation's encapsulations are those that Calico knows",
        ),
        own_annotation_alone("an Installation"),
    ),
)

#: All of them are optional: a manifest that was applied before Calico could be switched still does
#: for all else. No names of pools: these are the cluster's own, and the guards hold to the modes.
_RIGHTS = (
    *(
        Right(group, "ippools", ("get", "list", "patch"), say("right_patch_calico"), optional=True)
        for group in CALICO_GROUPS
    ),
    *(
        Right(group, plural, ("list",), say("right_felix"), optional=True)
        for group in CALICO_GROUPS
        for plural in ("felixconfigurations", "bgpconfigurations", "bgppeers")
    ),
    Right(
        OPERATOR_GROUP,
        "installations",
        ("get", "patch"),
        say("right_patch_installation"),
        names=(INSTALLATION,),
        optional=True,
    ),
    Right(
        OPERATOR_GROUP,
        "tigerastatuses",
        ("get",),
        say("right_operator_status"),
        names=STATUSES,
        optional=True,
    ),
    Right("", "configmaps", ("get",), say("right_felix"), names=(CONFIG,), optional=True),
)

CALICO = Component(
    name="calico",
    axis=ENCAPSULATION,
    values=(
        Encapsulation.NONE,
        Encapsulation.VXLAN,
        Encapsulation.VXLAN_CROSS_SUBNET,
        Encapsulation.IPIP,
        Encapsulation.IPIP_CROSS_SUBNET,
    ),
    rights=_RIGHTS,
    guards=(*(_pools(group) for group in CALICO_GROUPS), _INSTALLATION),
    # tunl0 belongs to the kernel and stays, with an MTU that Calico has set.
    devices=("vxlan.calico", "vxlan-v6.calico", "tunl0"),
    networks=(PodNetwork("calico", "Calico", ("calico-node",), ("calico-node",)),),
)
