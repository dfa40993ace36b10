"""Toynet, by its ConfigMap and DaemonSet: it wraps packets in toys, or does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.components.component import Component, PodNetwork, Settings
from podmeter.domain.guards import Guard, unchanged_but
from podmeter.domain.messages import say
from podmeter.domain.modes import ENCAPSULATION, Encapsulation
from podmeter.domain.rights import Right

if TYPE_CHECKING:
    from collections.abc import Mapping

NAMESPACE, DAEMON_SET = "kube-system", "toynet-agent"
CONFIG, KEY = "toynet-config", "wrap"
#: A value of its own, beside one that others have too.
TOY = "toy"
DEVICE = "toy0"


def features(data: Mapping[str, str]) -> dict[str, str]:
    """Whether it wraps packets."""
    return {KEY: data[KEY]} if KEY in data else {}


TOYNET = Component(
    name="toynet",
    axis=ENCAPSULATION,
    values=(Encapsulation.NONE, TOY),
    rights=(
        Right("", "configmaps", ("get", "patch"), say("right_config_maps"), names=(CONFIG,)),
        Right("apps", "daemonsets", ("get",), say("right_daemon_sets"), NAMESPACE, (DAEMON_SET,)),
    ),
    guards=(
        Guard(
            name="toynet-configuration",
            group="",
            resources=("configmaps",),
            object_name=CONFIG,
            operations=("UPDATE",),
            checks=(unchanged_but(KEY, "toynet"),),
        ),
    ),
    devices=(DEVICE,),
    follows=(f"cni.features.{KEY}",),
    tunnels={DEVICE: TOY},
    networks=(PodNetwork("toynet", "Toynet", (DAEMON_SET,)),),
    settings=Settings(CONFIG, features),
)
