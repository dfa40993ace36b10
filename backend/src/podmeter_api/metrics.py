"""GET /metrics: figures for Prometheus, for those who may use the API and from named networks."""

import os
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from podmeter_api.callers import is_in, networks
from podmeter_api.queue_metrics import collect_queue_metrics
from podmeter_api.security import known_unless
from podmeter_api.state import AppState, get_state, state_of


def _from_a_named_network(request: Request) -> bool:
    named = networks(state_of(request).settings.metrics_networks)
    return request.client is not None and is_in(request.client.host, named)


router = APIRouter(
    tags=["health"],
    include_in_schema=False,
    dependencies=[Depends(known_unless(_from_a_named_network))],
)


@router.get("/metrics")
def metrics(state: Annotated[AppState, Depends(get_state)]) -> Response:
    """Requests by route and status and their duration, of all processes that serve; and how it
    stands with runs, the queue, workers and clusters.
    """
    found = CollectorRegistry() if "PROMETHEUS_MULTIPROC_DIR" in os.environ else REGISTRY
    if found is not REGISTRY:
        MultiProcessCollector(found)  # type: ignore[no-untyped-call]
    text = generate_latest(found) + generate_latest(collect_queue_metrics(state))
    return Response(text, media_type=CONTENT_TYPE_LATEST)
