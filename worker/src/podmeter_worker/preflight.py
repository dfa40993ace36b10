"""Looking at a registered cluster: what it is, what can be measured and switched, and why not."""

from __future__ import annotations

import secrets
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from podmeter.db.repositories.locks import try_lock
from podmeter.domain.axes import MODE_AXES
from podmeter.domain.errors import PodmeterError
from podmeter.domain.ports import Access
from podmeter.rbac.capabilities import Capability, needed
from podmeter.services.execution import preflights
from podmeter_worker.kube.facts.fingerprint import take_fingerprint
from podmeter_worker.kube.facts.identity import cluster_uid, kubernetes_version
from podmeter_worker.kube.facts.nodes import read_node, why_unfit
from podmeter_worker.kube.facts.refusals import pod_refusals
from podmeter_worker.kube.facts.rights import missing_rights
from podmeter_worker.kube.facts.service_room import service_room
from podmeter_worker.kube.lease import ClusterLease
from podmeter_worker.kube.node_shells import NodeShells
from podmeter_worker.kube.resources import NODES
from podmeter_worker.kube.shells import Shells
from podmeter_worker.kube.sweep import sweep_objects
from podmeter_worker.modes.registry import switcher_for
from podmeter_worker.modes.switcher import Site

if TYPE_CHECKING:
    import uuid

    from podmeter.domain.fingerprint import Fingerprint
    from podmeter.services.execution.preflights import Asked
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.state import WorkerState


def look_at_cluster(here: WorkerState, organization_id: uuid.UUID, cluster_id: uuid.UUID) -> None:
    """Look at a cluster and keep what was found, or why it could not be looked at.

    Does nothing where another worker is looking at it.
    """
    with try_lock(here.sessions, lock_name(cluster_id)) as got:
        if got:
            _look_and_keep(here, organization_id, cluster_id)


def lock_name(cluster_id: uuid.UUID) -> str:
    """What a worker holds while it looks at a cluster."""
    return f"preflight {cluster_id}"


def _look_and_keep(here: WorkerState, organization_id: uuid.UUID, cluster_id: uuid.UUID) -> None:
    asked = here.ledger.write(lambda work: preflights.begin(work, organization_id, cluster_id))
    if asked is None:
        return
    try:
        uid, capabilities, fingerprint = _look(here, organization_id, asked)
    except PodmeterError as error:
        reason = str(error)
        here.ledger.write(lambda work: preflights.fail(work, organization_id, asked, reason))
        return
    except Exception as error:
        reason = f"internal error: {type(error).__name__}"
        here.ledger.write(lambda work: preflights.fail(work, organization_id, asked, reason))
        raise
    found = None if fingerprint is None else fingerprint.model_dump(mode="json")
    here.ledger.write(
        lambda work: preflights.succeed(work, organization_id, asked, uid, capabilities, found)
    )


def _look(
    here: WorkerState, organization_id: uuid.UUID, asked: Asked
) -> tuple[str, dict[str, Any], Fingerprint | None]:
    with here.connector.client(organization_id, asked.cluster_id) as client:
        uid = cluster_uid(client)
        missing = {
            capability: [str(right) for right in missing_rights(client, capability)]
            for capability in Capability
        }
        report: dict[str, Any] = {
            "kubernetes_version": kubernetes_version(client),
            "nodes": _nodes(client),
            "rights": {
                capability: {
                    "allowed": not any(missing[one] for one in needed(capability)),
                    "missing": missing[capability],
                }
                for capability in Capability
            },
        }
        if missing[Capability.MEASURE]:
            report["not_looked_at"] = "rights to measure are missing, so no pod was started"
            return uid, report, None
        room = service_room(client, "preflight")
        report["room"] = {
            "services": room.total,
            "free_cluster_ips": room.free_cluster_ips,
            "free_node_ports": room.free_node_ports,
        }
        if asked.measured_by is not None:
            report["not_looked_at"] = f"run {asked.measured_by} is measuring: pods would disturb it"
            return uid, report, None
        if here.connector.image is None:
            report["not_looked_at"] = "no image of the measuring pods is set (BENCH_IMAGE)"
            return uid, report, None
        host = not missing[Capability.HOST_ACCESS]
        accesses = set(Access) if host else {Access.POD}
        refusals = pod_refusals(client, accesses, here.connector.image)
        report["refusals"] = [asdict(one) for one in refusals]
        if refusals:
            report["not_looked_at"] = "the cluster refuses or changes measuring pods; see refusals"
            return uid, report, None
        fingerprint, report["modes"] = _look_inside(client, here.connector.image, host=host)
        report["cni"] = fingerprint.cni.model_dump(mode="json")
        report["kube_proxy"] = fingerprint.kube_proxy.model_dump(mode="json")
        report["shared_host"] = fingerprint.shared_host
        return uid, report, fingerprint


def _look_inside(
    client: KubeClient, image: str, *, host: bool
) -> tuple[Fingerprint, dict[str, Any]]:
    """What only pods can tell. They have the cluster to themselves, and are gone afterwards."""
    label = f"look-{secrets.token_hex(4)}"
    lease = ClusterLease(client, label)
    lease.acquire()
    try:
        with Shells(client.access) as shells:
            nodes = NodeShells(client, shells, image=image, run_label=label) if host else None
            fingerprint = take_fingerprint(client, image=image, run_label=label, node_shells=nodes)
            if nodes is None:
                why = "modes are seen on the nodes, and host access is not allowed"
                return fingerprint, {axis: {"why_not": why} for axis in MODE_AXES}
            site = Site(client, nodes.everywhere(), check=lambda: None, progress=lambda step: None)
            return fingerprint, {axis: _axis(site, axis) for axis in MODE_AXES}
    finally:
        sweep_objects(client, label)
        lease.release()


def _axis(site: Site, axis: str) -> dict[str, Any]:
    """The value in effect, and every value with why it cannot be switched to (None: it can)."""
    try:
        switcher = switcher_for(site, axis)
        values = switcher.values(site)
    except PodmeterError as error:
        return {"why_not": str(error)}
    try:
        observed = switcher.observe(site)
    except PodmeterError as error:
        return {"component": switcher.component, "values": values, "unclear": str(error)}
    return {"component": switcher.component, "values": values, "observed": observed}


def _nodes(client: KubeClient) -> list[dict[str, Any]]:
    found = []
    for item in client.list_all(NODES.path()).items:
        node, info = read_node(item), item["status"]["nodeInfo"]
        found.append(
            {
                "name": node.name,
                "address": node.address,
                "architecture": node.architecture,
                "kernel": info["kernelVersion"],
                "os": info["osImage"],
                "cpus": item["status"]["capacity"]["cpu"],
                "why_unfit": why_unfit(item),
            }
        )
    return found
