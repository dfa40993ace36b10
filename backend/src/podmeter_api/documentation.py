"""What the API says of itself: its document, and a page of it, for those who may use it."""

from functools import lru_cache
from typing import Literal

from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse

from podmeter.kinds.json_schema import experiment_schema
from podmeter_api.documentation_page import render
from podmeter_api.openapi_3_0 import downgraded
from podmeter_api.public.style import PLAIN_POLICY
from podmeter_api.security import known_unless
from podmeter_api.state import state_of


def _everybody(request: Request) -> bool:
    return state_of(request).settings.public_api_docs


router = APIRouter(include_in_schema=False, dependencies=[Depends(known_unless(_everybody))])


@router.get("/api/v1/openapi.json")
def get_document(request: Request, version: Literal["3.1", "3.0"] = "3.1") -> Response:
    """The OpenAPI document; `version=3.0` for generators that do not read 3.1."""
    document = request.app.openapi()
    return JSONResponse(document if version == "3.1" else downgraded(document))


@router.get("/api/v1/experiment-schema.json")
def get_experiment_schema() -> Response:
    """The JSON Schema of an experiment's YAML, for editors."""
    return JSONResponse(experiment_schema())


@router.get("/api/docs")
def get_page(request: Request) -> Response:
    """The same to read."""
    return HTMLResponse(_page(request.app), headers={"Content-Security-Policy": PLAIN_POLICY})


@lru_cache(maxsize=1)
def _page(app: FastAPI) -> str:
    return render(app.openapi())
