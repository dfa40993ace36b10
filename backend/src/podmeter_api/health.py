"""Whether the process lives, and whether it can serve."""

from fastapi import APIRouter, Request, Response

from podmeter_api.readiness import Readiness
from podmeter_api.shared_look import SharedLook

router = APIRouter(tags=["health"], include_in_schema=False)


@router.get("/healthz")
async def healthz() -> dict[str, str]:
    """The process lives."""
    return {"status": "ok"}


@router.get("/readyz")
async def readyz(request: Request, response: Response) -> Readiness:
    """The process can serve; 503 and what is missing if it cannot.

    A silent worker is reported, but no reason for 503: taking the API away for it would take
    away what says so, and all that has been measured.
    """
    readiness = await _latest(request)
    response.status_code = 200 if readiness.ready else 503
    return readiness


@router.get("/readyz/parts")
async def readyz_parts(request: Request, response: Response) -> Readiness:
    """Every part continues; 503 and which one does not, since when. For anyone who watches over
    all.
    """
    readiness = await _latest(request)
    response.status_code = 200 if readiness.complete else 503
    return readiness


async def _latest(request: Request) -> Readiness:
    look: SharedLook[Readiness] = request.app.state.readiness
    return await look.latest()
