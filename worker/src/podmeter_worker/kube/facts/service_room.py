"""How many Services there are, and how many more the cluster's ranges hold."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import TYPE_CHECKING

import yaml

from podmeter.domain import labels
from podmeter.domain.ports import POD_NAMESPACE, ServiceRoom
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.resources import (
    CONFIG_MAPS,
    ENDPOINT_SLICES,
    SERVICE_CIDRS,
    SERVICES,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object

#: So many Services are read instead of tens of thousands.
_FEW = 20
#: The default of kube-apiserver.
_DEFAULT_NODE_PORTS = "30000-32767"
#: Before 1.33 the kind is there in this version, if at all.
_BETA_SERVICE_CIDRS = "/apis/networking.k8s.io/v1beta1/servicecidrs"


def service_room(client: KubeClient, run_label: str) -> ServiceRoom:
    """What the cluster holds and has room for; None where the API server does not tell.

    Services of others are listed; a run's own, tens of thousands maybe, only counted: the room is
    what others leave to the run.
    """
    others = [
        _needed(item) for item in client.each(SERVICES.path(), labels=f"{labels.RUN}!={run_label}")
    ]
    strangers = [item for item in others if item["metadata"]["namespace"] == POD_NAMESPACE]
    of_run = client.count(SERVICES.path(POD_NAMESPACE)) - len(strangers)
    not_ours = f"{labels.RUN}!={run_label}"
    foreign = sum(1 for _ in client.each(ENDPOINT_SLICES.path(POD_NAMESPACE), labels=not_ours))
    slices = client.count(ENDPOINT_SLICES.path(POD_NAMESPACE)) - foreign
    networks, node_ports = _ranges(client)
    return ServiceRoom(
        total=len(others) + of_run,
        of_run=of_run,
        endpoint_slices=slices,
        free_cluster_ips=_free_addresses(networks, others),
        free_node_ports=_free_ports(node_ports, others),
    )


def service_ports(client: KubeClient) -> int:
    """How many Service ports exist at most, each of which has rules in every kernel.

    Podmeter's may have many ports each, all of a run about as many: a few of them show how many.
    """
    own = SERVICES.path(POD_NAMESPACE)
    few = client.get(own, {"limit": str(_FEW)}).get("items") or []
    most = max((len(item["spec"].get("ports") or []) for item in few), default=1)
    return client.count(SERVICES.path()) + (most - 1) * client.count(own)


def _needed(item: Object) -> Object:
    """Of a Service what is counted: there may be tens of thousands."""
    spec = item.get("spec", {})
    kept = ("clusterIPs", "ports", "healthCheckNodePort")
    return {
        "metadata": {"namespace": item["metadata"]["namespace"]},
        "spec": {name: spec[name] for name in kept if name in spec},
    }


def _ranges(client: KubeClient) -> tuple[list[IPv4Network], str | None]:
    kubeadm = _kubeadm(client)
    networks = _service_cidrs(client)
    if networks is None:
        text = str(kubeadm.get("networking", {}).get("serviceSubnet") or "")
        networks = _ipv4(text.split(","))
    return networks, node_port_range(kubeadm) if kubeadm else None


def _service_cidrs(client: KubeClient) -> list[IPv4Network] | None:
    for path in (SERVICE_CIDRS.path(), _BETA_SERVICE_CIDRS):
        try:
            items = client.list_all(path).items
        except ApiRefusedError as error:
            if error.status in (403, 404):
                continue
            raise
        return _ipv4(text for item in items for text in item["spec"]["cidrs"])
    return None


def _kubeadm(client: KubeClient) -> Object:
    """Kubeadm's ClusterConfiguration, {} where there is none or it may not be read."""
    try:
        found = client.find(CONFIG_MAPS.path("kube-system", "kubeadm-config"))
    except ApiRefusedError as error:
        if error.status == 403:
            return {}
        raise
    text = (found or {}).get("data", {}).get("ClusterConfiguration", "")
    document = yaml.safe_load(text) if text else None
    return document if isinstance(document, dict) else {}


def node_port_range(kubeadm: Object) -> str:
    """The range by kubeadm's ClusterConfiguration, of v1beta4 (a list) or older (a mapping)."""
    extra = kubeadm.get("apiServer", {}).get("extraArgs") or []
    if isinstance(extra, dict):
        extra = [{"name": name, "value": value} for name, value in extra.items()]
    for argument in extra:
        if argument.get("name") == "service-node-port-range":
            return str(argument["value"])
    return _DEFAULT_NODE_PORTS


def _free_addresses(networks: list[IPv4Network], others: Iterable[Object]) -> int | None:
    if not networks:
        return None
    taken = sum(
        1
        for item in others
        for address in item["spec"].get("clusterIPs") or []
        if address != "None" and ":" not in address
    )
    # The first address of a range is never given out, nor the last one.
    size = sum(network.num_addresses - 2 for network in networks)
    return max(0, size - taken)


def _free_ports(text: str | None, others: Iterable[Object]) -> int | None:
    if text is None:
        return None
    separator = "+" if "+" in text else "-"
    first, _, last = text.partition(separator)
    size = int(last) + 1 if separator == "+" else int(last or first) - int(first) + 1
    return max(0, size - sum(len(_node_ports(item)) for item in others))


def _node_ports(item: Object) -> list[int]:
    spec = item.get("spec", {})
    ports = [port["nodePort"] for port in spec.get("ports") or [] if port.get("nodePort")]
    if spec.get("healthCheckNodePort"):
        ports.append(spec["healthCheckNodePort"])
    return ports


def _ipv4(texts: Iterable[str]) -> list[IPv4Network]:
    return [IPv4Network(text.strip()) for text in texts if text.strip() and ":" not in text]
