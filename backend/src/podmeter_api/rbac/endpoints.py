"""/rbac: what Podmeter needs in a cluster, as a manifest."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from podmeter.rbac.capabilities import Capability
from podmeter.rbac.manifest import manifest
from podmeter_api.security import Viewer

router = APIRouter(prefix="/rbac", tags=["clusters"])


@router.get(
    "",
    operation_id="get_rbac",
    response_class=Response,
    responses={200: {"content": {"application/yaml": {"schema": {"type": "string"}}}}},
)
def get_rbac(
    _: Viewer,
    capability: Annotated[
        Capability, Query(description="the most that is allowed; what it rests upon is included")
    ] = Capability.HOST_ACCESS,
) -> Response:
    """The manifest for `kubectl apply`, with the least rights for what is allowed."""
    return Response(
        manifest(capability),
        media_type="application/yaml",
        headers={"Content-Disposition": 'attachment; filename="podmeter-rbac.yaml"'},
    )
