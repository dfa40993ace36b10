"""The application: routes, errors, headers, and what it holds while it runs."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from fastapi import APIRouter, Depends, FastAPI

from podmeter.settings import Settings, get_settings
from podmeter.version import VERSION
from podmeter_api import documentation, errors, health, metrics, openapi
from podmeter_api.audit.endpoints import router as audit
from podmeter_api.auth.endpoints import router as auth
from podmeter_api.callers import KnownCredentials
from podmeter_api.changes.endpoints import router as changes
from podmeter_api.ci.endpoints import router as ci
from podmeter_api.clusters.endpoints import router as clusters
from podmeter_api.comparisons.endpoints import router as comparisons
from podmeter_api.compression import PublicCompression
from podmeter_api.experiments.endpoints import router as experiments
from podmeter_api.exports.endpoints import router as exports
from podmeter_api.frontend import mount_frontend
from podmeter_api.headers import SecurityHeaders
from podmeter_api.hosts import KnownHosts, known_hosts
from podmeter_api.imports.endpoints import router as imports
from podmeter_api.kinds.endpoints import router as kinds
from podmeter_api.known_parameters import known_parameters
from podmeter_api.lanes import make_lanes
from podmeter_api.language import Speaking
from podmeter_api.marks.endpoints import router as marks
from podmeter_api.me.endpoints import router as me
from podmeter_api.members.endpoints import router as members
from podmeter_api.metrics import SharedFigures
from podmeter_api.organizations.endpoints import router as organizations
from podmeter_api.overview.endpoints import router as overview
from podmeter_api.problems import RESPONSES
from podmeter_api.public.endpoints import router as public
from podmeter_api.public.method_page import router as method_page
from podmeter_api.public.page import router as pages
from podmeter_api.public.picture import router as pictures
from podmeter_api.rate_limit import LoginDelay, login_limit
from podmeter_api.rbac.endpoints import router as rbac
from podmeter_api.readiness import shared_readiness
from podmeter_api.references.endpoints import router as references
from podmeter_api.request_limits import BodyLimit, CallerLimit
from podmeter_api.request_metrics import RequestMetrics
from podmeter_api.runs.endpoints import router as runs
from podmeter_api.runs.events import StreamLimit
from podmeter_api.runs.events import router as events
from podmeter_api.runs.trials import router as trials
from podmeter_api.runs.watch import RunWatch
from podmeter_api.search.endpoints import router as search
from podmeter_api.sign_on.endpoints import router as sign_on
from podmeter_api.snapshots.endpoints import router as snapshots
from podmeter_api.state import AppState, make_state
from podmeter_api.summaries.endpoints import router as summaries
from podmeter_api.templates.endpoints import router as templates
from podmeter_api.tokens.endpoints import router as tokens

#: Every resource. A new one is a folder and a line here. Each request asks them in this order
#: whether it is theirs, twice: what is asked for most comes first.
RESOURCES: tuple[APIRouter, ...] = (
    runs,
    comparisons,
    auth,
    sign_on,
    me,
    organizations,
    members,
    tokens,
    ci,
    audit,
    clusters,
    rbac,
    kinds,
    experiments,
    trials,
    events,
    summaries,
    changes,
    snapshots,
    public,
    exports,
    overview,
    references,
    templates,
    marks,
    search,
    imports,
)


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Hold the state that was given, or connect; each start reads it again."""
    given: AppState | None = app.state.given
    state = given or make_state(app.state.settings)
    app.state.podmeter = state
    app.state.lanes = make_lanes(state.settings)
    app.state.login_turns = LoginDelay(login_limit(state))
    app.state.run_watch = RunWatch(state.sessions, state.engine, state.settings.streams_per_user)
    app.state.readiness = shared_readiness(state)
    app.state.figures = SharedFigures(state)
    yield
    if given is None:
        state.close()


def create_app(
    settings: Settings | None = None,
    state: AppState | None = None,
    lifespan: Callable[[FastAPI], AbstractAsyncContextManager[Any]] = lifespan,
) -> FastAPI:
    """The application. Without `state` it connects to what the settings name when it starts."""
    settings = settings or (state.settings if state else get_settings())
    app = FastAPI(
        title="Podmeter",
        version=VERSION,
        summary="What a Kubernetes cluster's network costs, measured on the cluster itself",
        license_info={
            "name": "Apache-2.0",
            "url": "https://www.apache.org/licenses/LICENSE-2.0",
        },
        lifespan=lifespan,
        # By `documentation`, which asks who wants it.
        openapi_url=None,
        separate_input_output_schemas=False,
        redirect_slashes=False,
    )
    app.state.settings = settings
    app.state.given = state
    for resource in RESOURCES:
        app.include_router(
            resource,
            prefix="/api/v1",
            dependencies=[Depends(known_parameters)],
            responses=RESPONSES,
        )
    app.include_router(documentation.router)
    app.include_router(health.router)
    app.include_router(metrics.router)
    app.include_router(pages)
    app.include_router(pictures)
    app.include_router(method_page)
    mount_frontend(app, settings.frontend_dir)
    errors.install(app)
    openapi.install(app)
    app.state.known_credentials = known = KnownCredentials()
    app.add_middleware(PublicCompression)
    app.add_middleware(BodyLimit)
    app.add_middleware(StreamLimit)
    app.add_middleware(CallerLimit, known=known, at_a_time=settings.requests_per_caller)
    app.add_middleware(KnownHosts, hosts=known_hosts(settings))
    app.add_middleware(SecurityHeaders, https=settings.public_url.startswith("https://"))
    app.add_middleware(RequestMetrics)
    app.add_middleware(Speaking)
    return app
