"""Whether somebody tells Calico's nodes the way to each other's pods by BGP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.components.calico import CALICO_GROUPS
from podmeter.domain.messages import say
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.resources import Resource
from podmeter_worker.modes.optional_kinds import listed

if TYPE_CHECKING:
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object


def why_nobody_routes(client: KubeClient, group: str) -> str | None:
    """Why no node would know the way to another one's pods without encapsulation, or None.

    Nodes tell each other (the mesh), or peers outside do: a router at the top of a rack, a route
    reflector. Where the rights to read that are missing, what is seen after the switch decides.
    """
    try:
        configurations = _objects(client, group, "bgpconfigurations")
        peers = _objects(client, group, "bgppeers")
    except ApiRefusedError as error:
        if error.status != 403:
            raise
        return None
    default = [one for one in configurations if one["metadata"]["name"] == "default"]
    meshed = all(one["spec"].get("nodeToNodeMeshEnabled", True) for one in default)
    return None if meshed or peers else say("calico_nobody_routes")


def _objects(client: KubeClient, group: str, plural: str) -> tuple[Object, ...]:
    version = "v1" if group == CALICO_GROUPS[0] else "v3"
    return listed(client, Resource(f"{group}/{version}", plural, namespaced=False))
