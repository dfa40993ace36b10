"""What decides whether two cases may be compared: the environment they were measured in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from podmeter.domain.modes import KubeProxyMode
from podmeter.domain.stored import StoredForm
from podmeter.domain.untrusted_text import NumberByText, SafeText, SafeTextList, SafeTextMap

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


#: The hypervisor of a node whose kernel is a process of another one.
USER_MODE_LINUX = "User Mode Linux"
_OF_IPVS = "net.ipv4.vs."


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class NodeFacts(_Frozen):
    """One node. None is "not visible from here", never "absent"."""

    name: SafeText
    kernel: SafeText
    os: SafeText
    architecture: SafeText
    cpu_model: SafeText | None = None
    cpu_count: int
    memory_bytes: int
    hypervisor: SafeText | None = None
    nics: SafeTextList = Field(default=(), description="driver and speed of each visible NIC")
    mtus: NumberByText = Field(default_factory=dict, description="device -> MTU in bytes")
    sysctls: SafeTextMap = Field(default_factory=dict)
    shaping: SafeTextMap = Field(
        default_factory=dict, description="device -> what limits or delays what leaves by it"
    )
    iptables_backend: SafeText | None = Field(default=None, description="nft or legacy")


class CniFacts(_Frozen):
    """The pod network's plugin, the encapsulation observed, its features as the CNI names them."""

    name: SafeText
    version: SafeText | None = None
    encapsulation: SafeText | None = None
    pod_mtu: int | None = None
    features: SafeTextMap = Field(default_factory=dict)


class KubeProxyFacts(_Frozen):
    """kube-proxy as observed; the periods in seconds.

    `ipvs_scheduler` is what the kernels' virtual servers have in that mode, several by commas.
    """

    mode: SafeText | None = None
    version: SafeText | None = None
    sync_period: float | None = None
    min_sync_period: float | None = None
    ipvs_scheduler: SafeText | None = None


def services_by_cni(cni: str | None, kube_proxy_mode: str | None) -> bool:
    """Whether beside kube-proxy the CNI gives what pods ask of a ClusterIP its backend itself.

    Cilium does so where the packet leaves the pod (`ENABLE_PER_PACKET_LB` in its bpf_lxc.c), so
    kube-proxy's rules are not met; of node ports it does so in kube-proxy's place alone.
    """
    return cni == "cilium" and kube_proxy_mode is not None


class Placement(_Frozen):
    """Which nodes the two ends of the traffic sat on; client None is outside the cluster.

    Where an end changes its node by round, all of them, with ", " between.

    `nic` is the device that the packets between the two left the client's node by in the end, what
    wraps them apart; None where they did not leave it, or it could not be seen.
    """

    client_node: SafeText | None
    server_node: SafeText
    nic: SafeText | None = None


class Fingerprint(_Frozen):
    """Design section 1: every field must agree for a comparison, or follow from a compared axis.

    `shared_host` says that some of the nodes have one boot id, so are one machine. `placement`
    is None for a cluster as such and set for a case.
    """

    cluster_uid: SafeText = Field(description="UID of the kube-system namespace")
    kubernetes_version: SafeText
    nodes: tuple[NodeFacts, ...]
    shared_host: bool
    cni: CniFacts
    kube_proxy: KubeProxyFacts
    placement: Placement | None = None
    image_digest: SafeText | None = None
    tool_versions: SafeTextMap = Field(default_factory=dict)


def in_use(sysctls: Mapping[str, str], kube_proxy_mode: str | None) -> dict[str, str]:
    """Without those of IPVS where another mode serves.

    They say something of virtual servers alone, and stay as kube-proxy's IPVS mode has set them:
    kube-proxy never sets them back.
    """
    ipvs = kube_proxy_mode in (None, KubeProxyMode.IPVS)
    return {name: one for name, one in sysctls.items() if ipvs or not name.startswith(_OF_IPVS)}


def flatten(fingerprint: Fingerprint) -> dict[str, JsonValue]:
    """Every leaf by its dotted name, such as `nodes.worker-1.mtus.eth0`; of sysctls those in use.

    Nodes go by name, so that their order does not matter; a name holds for one cluster only, and
    two clusters differ in `cluster_uid` anyway.
    """
    document = fingerprint.model_dump(mode="json")
    for node in document["nodes"]:
        node["sysctls"] = in_use(node["sysctls"], fingerprint.kube_proxy.mode)
    document["nodes"] = {node.pop("name"): node for node in document["nodes"]}
    if document["placement"] is None:
        del document["placement"]
    return dict(_leaves("", document))


def _leaves(prefix: str, value: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(f"{prefix}.{key}" if prefix else key, inner)
    else:
        yield prefix, value


#: A fingerprint, as the database keeps it.
FINGERPRINT: StoredForm[Fingerprint] = StoredForm("fingerprint", Fingerprint)
