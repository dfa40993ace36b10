"""/clusters: register, read, change, forget, preflight, fingerprints, noise floor."""

import uuid
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import SecretStr

from podmeter.db.models import PreflightState
from podmeter.services.clusters import registry
from podmeter.services.clusters.foreign_switch import restore_foreign_switch
from podmeter.services.clusters.registry import UNCHANGED, ClusterChange, Registration
from podmeter.services.noise_floor.document import ClusterNoiseFloor
from podmeter.services.noise_floor.experiments import measure
from podmeter.services.noise_floor.read import of_cluster
from podmeter.services.runs import read
from podmeter.services.search import annotations
from podmeter_api.clusters.schemas import (
    ClusterPatch,
    ClusterView,
    FingerprintView,
    NewCluster,
    NoiseFloorRun,
    PutBack,
    RegisteredCluster,
    shown,
)
from podmeter_api.clusters.vault import VaultDep
from podmeter_api.idempotency import Idempotent, IdempotentRoute
from podmeter_api.marks.list_filters import ListFilterDep
from podmeter_api.paging import ListOf, PageDep, listed
from podmeter_api.problems import may
from podmeter_api.runs.accepted import accepted
from podmeter_api.runs.schemas import RunSummary
from podmeter_api.security import Admin, Operator, Viewer
from podmeter_api.unit_of_work import WorkDep
from podmeter_api.versions import IfMatch, etag

router = APIRouter(prefix="/clusters", tags=["clusters"], route_class=IdempotentRoute)


@router.post(
    "",
    operation_id="create_cluster",
    responses=may(409),
    status_code=HTTPStatus.CREATED,
    dependencies=[Idempotent],
)
def create_cluster(
    body: NewCluster, principal: Admin, vault: VaultDep, work: WorkDep, response: Response
) -> RegisteredCluster:
    """Register a cluster. Nothing connects to it until it is preflighted."""
    registration = Registration(
        name=body.name,
        kubeconfig=_bytes(body.kubeconfig) or b"",
        context=body.context,
        description=body.description,
        allow_mode_switch=body.allow_mode_switch,
        allow_host_names=body.allow_host_names,
        renew_credential=body.renew_credential,
        allow_switch_by_hand=body.allow_switch_by_hand,
        switch_by_hand_minutes=body.switch_by_hand_minutes,
        max_requests_per_second=body.max_requests_per_second,
        max_bandwidth_bits_per_second=body.max_bandwidth_bits_per_second,
        bench_image=body.bench_image,
        image_pull_secret=body.image_pull_secret,
    )
    row, kept = registry.register(work, principal, vault, registration)
    response.headers["Location"] = f"/api/v1/clusters/{row.id}"
    response.headers["ETag"] = etag(row.version)
    return RegisteredCluster.with_kept(shown(work, principal, row), kept)


@router.get("", operation_id="list_clusters")
def list_clusters(
    principal: Viewer,
    work: WorkDep,
    page: PageDep,
    wanted: ListFilterDep,
    state: Annotated[
        tuple[PreflightState, ...], Query(description="the latest preflight is in one of these")
    ] = (),
) -> ListOf[ClusterView]:
    """Clusters, newest first unless `sort` says otherwise."""
    found = registry.page(work, principal, page, wanted, state)
    said = annotations.of(work, principal, found.items)
    return listed(found, lambda row: ClusterView.of(row, said[row.id]))


@router.get("/{cluster_id}", operation_id="get_cluster")
def get_cluster(
    cluster_id: uuid.UUID, principal: Viewer, work: WorkDep, response: Response
) -> ClusterView:
    """One cluster."""
    row = registry.get(work, principal, cluster_id)
    response.headers["ETag"] = etag(row.version)
    return shown(work, principal, row)


@router.patch("/{cluster_id}", operation_id="update_cluster", responses=may(409))
def update_cluster(
    cluster_id: uuid.UUID,
    body: ClusterPatch,
    principal: Admin,
    vault: VaultDep,
    work: WorkDep,
    version: IfMatch,
    response: Response,
) -> ClusterView:
    """Change a cluster; a new kubeconfig needs a new preflight.

    While a run is in progress it is refused, as another image is. While a mode is not
    restored, a kubeconfig waits, as `replacement`, until a worker has seen the same cluster through
    it.
    """
    given = body.model_fields_set
    change = ClusterChange(
        name=body.name,
        description=body.description,
        allow_mode_switch=body.allow_mode_switch,
        allow_host_names=body.allow_host_names,
        renew_credential=body.renew_credential,
        allow_switch_by_hand=body.allow_switch_by_hand,
        switch_by_hand_minutes=body.switch_by_hand_minutes,
        kubeconfig=_bytes(body.kubeconfig),
        context=body.context,
        max_requests_per_second=(
            body.max_requests_per_second if "max_requests_per_second" in given else UNCHANGED
        ),
        max_bandwidth_bits_per_second=(
            body.max_bandwidth_bits_per_second
            if "max_bandwidth_bits_per_second" in given
            else UNCHANGED
        ),
        bench_image=body.bench_image if "bench_image" in given else UNCHANGED,
        image_pull_secret=body.image_pull_secret if "image_pull_secret" in given else UNCHANGED,
        restored=body.needs_restore is False,
    )
    row = registry.change(work, principal, vault, cluster_id, change, version)
    response.headers["ETag"] = etag(row.version)
    return shown(work, principal, row)


@router.delete(
    "/{cluster_id}",
    operation_id="delete_cluster",
    responses=may(409),
    status_code=HTTPStatus.NO_CONTENT,
)
def delete_cluster(
    cluster_id: uuid.UUID, principal: Admin, work: WorkDep, version: IfMatch
) -> None:
    """Forget a cluster and its kubeconfig; its runs stay."""
    registry.delete(work, principal, cluster_id, version)


@router.post(
    "/{cluster_id}/preflight",
    operation_id="preflight_cluster",
    status_code=HTTPStatus.ACCEPTED,
    dependencies=[Idempotent],
)
def preflight_cluster(
    cluster_id: uuid.UUID, principal: Operator, work: WorkDep, response: Response
) -> ClusterView:
    """Look at the cluster: versions, modes, room, rights. The outcome appears on the cluster."""
    row = registry.request_preflight(work, principal, cluster_id)
    response.headers["Location"] = f"/api/v1/clusters/{row.id}"
    return shown(work, principal, row)


@router.post(
    "/{cluster_id}/put-back",
    operation_id="put_back_cluster",
    responses=may(409),
    status_code=HTTPStatus.ACCEPTED,
    dependencies=[Idempotent],
)
def restore_switched_cluster(
    cluster_id: uuid.UUID, body: PutBack, principal: Admin, work: WorkDep, response: Response
) -> ClusterView:
    """Restore what another Podmeter switched and left, as noted in the cluster itself.

    It is confirmed by being given as the cluster's latest preflight shows it.
    """
    row = restore_foreign_switch(work, principal, cluster_id, body.stood_before)
    response.headers["Location"] = f"/api/v1/clusters/{row.id}"
    return shown(work, principal, row)


@router.get("/{cluster_id}/fingerprints", operation_id="list_fingerprints")
def list_fingerprints(
    cluster_id: uuid.UUID, principal: Viewer, work: WorkDep, page: PageDep
) -> ListOf[FingerprintView]:
    """What the cluster was like over time, the latest first."""
    return listed(registry.fingerprints(work, principal, cluster_id, page), FingerprintView.of)


@router.get("/{cluster_id}/noise-floor", operation_id="get_noise_floor")
def get_noise_floor(cluster_id: uuid.UUID, principal: Viewer, work: WorkDep) -> ClusterNoiseFloor:
    """How far the cluster differs from itself, as A/A runs and repeated runs tell."""
    return of_cluster(work, principal, cluster_id)


@router.post(
    "/{cluster_id}/noise-floor",
    operation_id="measure_noise_floor",
    responses=may(409),
    status_code=HTTPStatus.ACCEPTED,
    dependencies=[Idempotent],
)
def measure_noise_floor(
    cluster_id: uuid.UUID,
    body: NoiseFloorRun,
    principal: Operator,
    work: WorkDep,
    response: Response,
) -> RunSummary:
    """Queue a run that measures it for a kind: the same on both arms, each set up again."""
    said = body.model_dump(include={"name", "description"}, exclude_none=True)
    run = measure(work, principal, cluster_id, body.kind, said, force=body.force)
    return accepted(read.view(work, principal, run), response)


def _bytes(secret: SecretStr | None) -> bytes | None:
    return None if secret is None else secret.get_secret_value().encode("utf-8", "surrogatepass")
