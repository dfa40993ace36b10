"""Services in bulk, each with the EndpointSlice that a controller would take minutes for.

A few connections are kept alive and each is given the next object as soon as it is free. The
slice goes first, so that no node ever programs a Service without an endpoint; a deletion goes
the other way round.
"""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING

from podmeter.domain import labels
from podmeter.domain.errors import LabError
from podmeter.domain.ports import CreatedServices, Service, ServiceBatch, ServiceType
from podmeter_worker.kube.bulk import Request, Sender, for_all
from podmeter_worker.kube.resources import ENDPOINT_SLICES, SERVICES, Object

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from podmeter_worker.kube.access import ClusterAccess


def service_body(namespace: str, run_label: str, batch: ServiceBatch, name: str) -> Object:
    """A Service without a selector: its slice is written with it."""
    ports = [
        {
            "name": protocol.lower(),
            "protocol": protocol,
            "port": batch.port,
            "targetPort": batch.backend_port,
        }
        for protocol in batch.protocols
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
    """The EndpointSlice of a Service, with the batch's backend as its only endpoint."""
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
        "endpoints": [{"addresses": [batch.backend_address], "conditions": {"ready": True}}],
        "ports": [
            {"name": protocol.lower(), "protocol": protocol, "port": batch.backend_port}
            for protocol in batch.protocols
        ],
    }


def creation(
    namespace: str, run_label: str, batch: ServiceBatch, name: str
) -> tuple[Request, Request]:
    """The requests that make a Service: the slice's and its own."""
    made = (
        (ENDPOINT_SLICES, slice_body(namespace, run_label, batch, name)),
        (SERVICES, service_body(namespace, run_label, batch, name)),
    )
    first, second = (
        Request("POST", resource.path(namespace), json.dumps(body, separators=(",", ":")).encode())
        for resource, body in made
    )
    return first, second


def create(
    access: ClusterAccess,
    namespace: str,
    run_label: str,
    batch: ServiceBatch,
    check: Callable[[], None] = lambda: None,
) -> CreatedServices:
    """Create all Services of a batch; `check` is called between and may raise to end it.

    One that this run made before, in a try whose answer was lost, is taken as made. All or
    none: on an error those already made are removed. Raises PreconditionError where there is no
    room, LabError where not all could be made.
    """

    async def one(sender: Sender, name: str) -> Service:
        first, second = creation(namespace, run_label, batch, name)
        await sender.create(first, ENDPOINT_SLICES.path(namespace, name), run_label)
        made = await sender.create(second, SERVICES.path(namespace, name), run_label)
        return read_service(made, batch)

    begun = time.monotonic()
    try:
        services = asyncio.run(for_all(access, one, batch.names, check))
    except BaseException:
        remove(access, namespace, batch.names)
        raise
    return CreatedServices(tuple(services), time.monotonic() - begun)


def remove(
    access: ClusterAccess,
    namespace: str,
    names: Sequence[str],
    check: Callable[[], None] = lambda: None,
) -> float:
    """Remove Services with their slices, present or not; the seconds it took."""

    async def one(sender: Sender, name: str) -> None:
        for resource in (SERVICES, ENDPOINT_SLICES):
            await sender.delete(resource.path(namespace, name))

    begun = time.monotonic()
    asyncio.run(for_all(access, one, names, check))
    return time.monotonic() - begun


def read_service(made: Object, batch: ServiceBatch) -> Service:
    """A Service as the API server answered it; LabError if it is not what was asked for."""
    spec, metadata = made["spec"], made["metadata"]
    ports = [port.get("nodePort") for port in spec["ports"]]
    wants_node_port = batch.type is ServiceType.NODE_PORT
    if not spec.get("clusterIP") or (wants_node_port and not all(ports)):
        raise LabError(f"Service {metadata['name']} was given no address")
    return Service(
        name=metadata["name"],
        cluster_ip=spec["clusterIP"],
        port=batch.port,
        node_port=ports[0] if wants_node_port else None,
    )
