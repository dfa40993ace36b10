"""/rbac: what Podmeter needs in a cluster, as a manifest."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from podmeter.rbac.capabilities import Capability
from podmeter.rbac.manifest import manifest
from podmeter_api.security import Viewer
from podmeter_api.state import AppState, get_state

router = APIRouter(prefix="/rbac", tags=["clusters"])


@router.get(
    "",
    operation_id="get_rbac",
    response_class=Response,
    responses={200: {"content": {"application/yaml": {"schema": {"type": "string"}}}}},
)
def get_rbac(
    _: Viewer,
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
) -> Response:
    """The manifest for `kubectl apply`, with the least rights for what is allowed.

    With host access and with switching modes the token is cluster-admin in effect; the manifest's
    head says what each capability amounts to.
    """
    image = state.settings.bench_image
    return Response(
        manifest(capability, image, admission_policy=admission_policy),
        media_type="application/yaml",
        headers={"Content-Disposition": 'attachment; filename="podmeter-rbac.yaml"'},
    )
