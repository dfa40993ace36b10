"""/rbac: what Podmeter needs in a cluster, as a manifest."""

import uuid
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from podmeter.domain.bench_image import OwnImage
from podmeter.rbac.capabilities import Capability
from podmeter.rbac.manifest import manifest
from podmeter.services.clusters import registry
from podmeter_api.fields import ImageReference, SecretName
from podmeter_api.problems import may
from podmeter_api.security import Viewer
from podmeter_api.state import AppState, get_state
from podmeter_api.unit_of_work import WorkDep

router = APIRouter(prefix="/rbac", tags=["clusters"])


@router.get(
    "",
    operation_id="get_rbac",
    response_class=Response,
    responses=may(404)
    | {200: {"content": {"application/yaml": {"schema": {"type": "string", "format": "binary"}}}}},
)
def get_rbac(
    principal: Viewer,
    work: WorkDep,
    state: Annotated[AppState, Depends(get_state)],
    capability: Annotated[
        Capability, Query(description="the most that is allowed; what it rests upon is included")
    ] = Capability.MEASURE,
    admission_policy: Annotated[
        bool,
        Query(
            description="with ValidatingAdmissionPolicies, which hold the token to the pods that "
            "Podmeter makes; false for Kubernetes 1.28 and 1.29, which do not know them"
        ),
    ] = True,
    cluster_id: Annotated[
        uuid.UUID | None,
        Query(
            description="a registered cluster, whose image, pull secret and consent to host names "
            "the manifest follows"
        ),
    ] = None,
    bench_image: Annotated[
        ImageReference | None,
        Query(description="the image that pods are held to instead of the cluster's"),
    ] = None,
    image_pull_secret: Annotated[
        SecretName | None,
        Query(description="the pull secret that pods are held to instead of the cluster's"),
    ] = None,
    default_priority: Annotated[
        int,
        Query(
            ge=0,
            le=1_000_000_000,
            description="the value of the cluster's default PriorityClass, if it has one; pods may "
            "have no higher one",
        ),
    ] = 0,
    renew: Annotated[
        bool,
        Query(
            description="with the right to ask for the account's own next token; a stolen token "
            "then renews itself until the ServiceAccount is deleted"
        ),
    ] = False,
) -> Response:
    """The manifest for `kubectl apply`, with the least rights for what is allowed.

    With host access and with switching modes the token is cluster-admin in effect; the manifest's
    head says what each capability amounts to.
    """
    own, host_names = OwnImage(), False
    if cluster_id is not None:
        cluster = registry.get(work, principal, cluster_id)
        own, host_names = cluster.own_image, cluster.allow_host_names
    text = manifest(
        capability,
        bench_image or own.reference or state.settings.bench_image,
        image_pull_secret or own.pull_secret,
        admission_policy=admission_policy,
        host_names=host_names,
        default_priority=default_priority,
        renew=renew,
    )
    return Response(
        text,
        media_type="application/yaml",
        headers={"Content-Disposition": 'attachment; filename="podmeter-rbac.yaml"'},
    )
