"""Whether the process lives, whether it can serve, and its figures for Prometheus."""

import os

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from pydantic import BaseModel
from redis import RedisError
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from podmeter.db.migrate import expected_revision, present_revision
from podmeter_api.state import AppState, state_of

router = APIRouter(tags=["health"], include_in_schema=False)


class Readiness(BaseModel):
    """Each thing the API needs: `ok`, or what is wrong."""

    database: str
    schema_version: str
    broker: str

    @property
    def ready(self) -> bool:
        """Whether all is well."""
        return {self.database, self.schema_version, self.broker} == {"ok"}


@router.get("/healthz")
def healthz() -> dict[str, str]:
    """The process lives."""
    return {"status": "ok"}


@router.get("/readyz")
def readyz(request: Request, response: Response) -> Readiness:
    """The process can serve; 503 and what is missing if it cannot."""
    readiness = _readiness(state_of(request))
    response.status_code = 200 if readiness.ready else 503
    return readiness


@router.get("/metrics")
def metrics() -> Response:
    """Requests by route and status, and their duration, of all processes that serve."""
    found = CollectorRegistry() if "PROMETHEUS_MULTIPROC_DIR" in os.environ else REGISTRY
    if found is not REGISTRY:
        MultiProcessCollector(found)  # type: ignore[no-untyped-call]
    return Response(generate_latest(found), media_type=CONTENT_TYPE_LATEST)


def _readiness(state: AppState) -> Readiness:
    database, schema = "ok", "ok"
    try:
        present = present_revision(state.engine)
        expected = expected_revision(state.settings.migrations_dir)
        if present != expected:
            schema = f"at {present}, needs {expected}: run `podmeter migrate`"
    except (SQLAlchemyError, PoolTimeoutError):
        database = schema = "cannot be reached"
    try:
        state.redis.ping()
        broker = "ok"
    except RedisError:
        broker = "cannot be reached"
    return Readiness(database=database, schema_version=schema, broker=broker)
