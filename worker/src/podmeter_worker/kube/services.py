"""Services in bulk, each with the EndpointSlice that a controller would take minutes for.

The slice goes first, so that no node ever programs a Service without an endpoint; a deletion goes
the other way round.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from podmeter.domain import labels
from podmeter.domain.errors import LabError, PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.ports import (
    CreatedServices,
    ExistingServices,
    Service,
    ServiceBatch,
    ServicePort,
    ServiceType,
)
from podmeter_worker.kube.bulk import BulkClient, for_all
from podmeter_worker.kube.own_objects import create_own
from podmeter_worker.kube.resources import ENDPOINT_SLICES, SERVICES, Object, Resource

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from podmeter.domain.messages import Message
    from podmeter_worker.kube.client import KubeClient

#: A cloud takes a minute or two to make one.
_BALANCER_SECONDS = 180.0
_LOOK_SECONDS = 0.5


def service_body(namespace: str, run_label: str, batch: ServiceBatch, name: str) -> Object:
    """A Service without a selector: its slice is written with it."""
    ports = [
        {"name": port_name, "protocol": protocol, "port": port, "targetPort": backend_port}
        for port_name, protocol, port, backend_port in batch.ports_of(name)
    ]
    return {
        "apiVersion": SERVICES.version,
        "kind": "Service",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": labels.of_run(run_label),
        },
        "spec": {
            "type": str(batch.type),
            "ports": ports,
            "ipFamilyPolicy": "SingleStack",
            "ipFamilies": ["IPv4"],
        },
    }


def slice_body(namespace: str, run_label: str, batch: ServiceBatch, name: str) -> Object:
    """The EndpointSlice of a Service, with its backends as endpoints."""
    own = {
        "kubernetes.io/service-name": name,
        "endpointslice.kubernetes.io/managed-by": "podmeter.io",
    }
    return {
        "apiVersion": ENDPOINT_SLICES.version,
        "kind": "EndpointSlice",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": {**labels.of_run(run_label), **own},
        },
        "addressType": "IPv4",
        "endpoints": [
            {"addresses": [address], "conditions": {"ready": True}}
            for address in batch.addresses_of(name)
        ],
        "ports": [
            {"name": port_name, "protocol": protocol, "port": backend_port}
            for port_name, protocol, _, backend_port in batch.ports_of(name)
        ],
    }


def bodies(
    namespace: str, run_label: str, batch: ServiceBatch, name: str
) -> tuple[tuple[Resource, Object], tuple[Resource, Object]]:
    """What makes a Service, in this order."""
    return (
        (ENDPOINT_SLICES, slice_body(namespace, run_label, batch, name)),
        (SERVICES, service_body(namespace, run_label, batch, name)),
    )


def create(
    client: KubeClient,
    namespace: str,
    run_label: str,
    batch: ServiceBatch,
    check: Callable[[], None] = lambda: None,
    progress: Callable[[int], None] | None = None,
) -> CreatedServices:
    """Create all Services of a batch; `check` is called between and may raise to end it.

    `progress` is called now and then with how many exist so far.

    One that this run made before, in a try whose answer was lost, is taken as made. All or
    none: on an error those already made are removed. Raises PreconditionError where there is no
    room, LabError where not all could be made.
    """
    bulk = BulkClient(client)
    begun_with: set[str] = set()

    def one(name: str) -> Service:
        begun_with.add(name)
        made = [
            create_own(bulk, resource, body, run_label, _refused)
            for resource, body in bodies(namespace, run_label, batch, name)
        ]
        service = read_service(made[-1], batch)
        if batch.type is ServiceType.LOAD_BALANCER:
            address = _balancer(client, namespace, name, check)
            return replace(service, load_balancer=address)
        return service

    begun = time.monotonic()
    try:
        services = for_all(one, batch.names, check, progress)
    except BaseException:
        # Of tens of thousands perhaps none was created yet.
        remove(client, namespace, [name for name in batch.names if name in begun_with])
        raise
    return CreatedServices(tuple(services), time.monotonic() - begun)


def remove(
    client: KubeClient,
    namespace: str,
    names: Sequence[str],
    check: Callable[[], None] = lambda: None,
    progress: Callable[[int], None] | None = None,
) -> float:
    """Remove Services with their slices, present or not; the seconds it took.

    `progress` is called now and then with how many are gone so far.
    """
    bulk = BulkClient(client)

    def one(name: str) -> None:
        for resource in (SERVICES, ENDPOINT_SLICES):
            bulk.delete(resource.path(namespace, name))

    begun = time.monotonic()
    for_all(one, names, check, progress)
    return time.monotonic() - begun


def existing_services(
    client: KubeClient, namespace: str, run_label: str, like: ServiceBatch
) -> ExistingServices:
    """The run's Services that stand, and which of them are as `like`, in the order of names.

    A slice without its Service is among the others: both have one name.
    """
    chosen = labels.selector(run_label)
    slices: dict[str, bool] = {}
    for item in client.each(ENDPOINT_SLICES.path(namespace), labels=chosen):
        name = str(item["metadata"]["name"])
        wanted = slice_body(namespace, run_label, like, name)
        slices[name] = _leads_to(item) == _leads_to(wanted)
    alike, others = [], set(slices)
    for item in client.each(SERVICES.path(namespace), labels=chosen):
        name = str(item["metadata"]["name"])
        if slices.get(name) and _serves(item, like):
            alike.append(read_service(item, like))
            others.discard(name)
        else:
            others.add(name)
    alike.sort(key=lambda service: service.name)
    return ExistingServices(tuple(alike), tuple(sorted(others)))


def _leads_to(item: Object) -> tuple[list[tuple[str, bool]], list[tuple[str, str, int]]]:
    """A slice's addresses, and whether each is ready; its ports."""
    return (
        [
            (address, one.get("conditions", {}).get("ready") is True)
            for one in item.get("endpoints") or []
            for address in one["addresses"]
        ],
        [
            (port.get("name", ""), port["protocol"], port["port"])
            for port in item.get("ports") or []
        ],
    )


def _serves(item: Object, like: ServiceBatch) -> bool:
    """Whether a Service has the type and the ports of a batch, and is not on its way out."""
    spec = item["spec"]
    ports = [(port.get("name", ""), port["protocol"], port["port"]) for port in spec["ports"]]
    asked = [port[:3] for port in like.ports_of(item["metadata"]["name"])]
    gone = "deletionTimestamp" in item["metadata"]
    return not gone and spec["type"] == like.type and ports == asked


def _balancer(client: KubeClient, namespace: str, name: str, check: Callable[[], None]) -> str:
    """The IPv4 address of a Service's load balancer, waited for; PreconditionError without one."""
    deadline = time.monotonic() + _BALANCER_SECONDS
    while True:
        found = client.get(SERVICES.path(namespace, name))
        given = found.get("status", {}).get("loadBalancer", {}).get("ingress") or []
        addresses = [str(one.get("ip") or "") for one in given]
        for address in addresses:
            if address and ":" not in address:
                return address
        if time.monotonic() > deadline:
            said = say("no_load_balancer", service=name, seconds=_BALANCER_SECONDS)
            raise PreconditionError(said)
        check()
        time.sleep(_LOOK_SECONDS)


def _refused(said: str) -> Message:
    return say("services_refused", said=said)


def read_service(made: Object, batch: ServiceBatch) -> Service:
    """A Service as the API server answered it; LabError if it is not what was asked for."""
    spec, name = made["spec"], made["metadata"]["name"]
    node_ports = [port.get("nodePort") for port in spec["ports"]]
    asked = batch.ports_of(name)
    wants_node_ports = batch.type is not ServiceType.CLUSTER_IP
    whole = len(node_ports) == len(asked) and (all(node_ports) or not wants_node_ports)
    if not spec.get("clusterIP") or not whole:
        raise LabError(say("service_no_address", service=name))
    return Service(
        name=name,
        cluster_ip=spec["clusterIP"],
        ports=tuple(
            ServicePort(port_name, number, node_port if wants_node_ports else None)
            for (port_name, _, number, _), node_port in zip(asked, node_ports, strict=True)
        ),
    )
