"""One of everything that an organization can have, and for each operation a request it takes.

Tests that walk the whole API rest on `requests_for`; they fail for an operation not in it.
"""

import base64
import hashlib
import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
from fastapi.testclient import TestClient
from sqlalchemy import select

from podmeter.db.base import now
from podmeter.db.models import (
    CaseRecord,
    Cluster,
    Membership,
    PreflightState,
    Role,
    Trial,
    User,
)
from podmeter.db.session import Sessions
from podmeter.domain.cluster_report import ClusterReport, UnrestoredSwitch
from podmeter.domain.run import Outcome, RunState

from .builders import SPEC, UNTIL_DECIDED, PlayedWorker, kubeconfig, reach, register
from .conftest import PASSWORD
from .measured import SERVER, Measured, paths, store, throughput
from .provider import CLIENT, SECRET

DOCUMENT: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "docs" / "openapi.json").read_text()
)
#: What somebody pastes.
PASTED = (
    "[  5]   0.00-10.00  sec  11.1 GBytes  1138 MBytes/sec    0             sender\n"
    "[  5]   0.00-10.00  sec  11.1 GBytes  1138 MBytes/sec                  receiver\n"
)
#: A picture of a link, as far as anybody looks into it.
PICTURE = base64.b64encode(
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x04\xb0\x00\x00\x02\x76 and its lines"
).decode()
#: Method and path of each operation, by its id.
OPERATIONS: dict[str, tuple[str, str]] = {
    operation["operationId"]: (method.upper(), path)
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
}
#: After one of these, as after each DELETE, what another operation takes is no longer there; or it
#: is not there after another: an account's new password may end what acts for it.
USING_UP = {
    *("accept_invitation", "use_password_reset", "finish_sign_on", "reset_member"),
    *("cancel_run", "conclude_run", "retry_run", "resume_run"),
    *("preflight_cluster", "put_back_cluster", "replace_ci_trust", "exchange_ci_token"),
}


def uses_up(operation: str) -> bool:
    """Whether it takes one of everything of its own, which takes long to put in place."""
    return OPERATIONS[operation][0] == "DELETE" or operation in USING_UP


@dataclass(frozen=True)
class Things:
    """Ids of what one organization has; `email` is its administrator's."""

    email: str
    cluster: str
    cluster_name: str
    switched_cluster: str
    experiment: str
    #: Measured and finished, with a trial and the case of it.
    run: str
    trial: int
    case: int
    queued_run: str
    #: Queued; it runs until it is decided.
    deciding_run: str
    failed_run: str
    cancelled_run: str
    comparison: str
    snapshot: str
    snapshot_token: str
    token: str
    #: Somebody else who belongs to it, and can enter nowhere.
    member: str
    invitation: str
    invitation_link: str
    reset_link: str
    #: Where its administrator may go, and another organization that they may leave.
    organization: str
    left_organization: str
    #: A login of its administrator's.
    session: str
    #: What the provider answered to a sign-on that was begun, and what its browser keeps of it.
    sign_on_code: str
    sign_on_state: str
    sign_on_cookie: tuple[str, str]
    #: Which takes the token that a job's issuer signed.
    ci_trust: str
    ci_job_token: str

    def absent(self) -> "Things":
        """The same, where nothing is."""
        absent: dict[str, Any] = {}
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, int):
                absent[one.name] = value + 10**6
            elif isinstance(value, tuple):
                absent[one.name] = value
            elif (
                one.name in ("email", "cluster_name") or "_token" in one.name or "_link" in one.name
            ):
                absent[one.name] = f"{value[:-4]}0000"
            else:
                absent[one.name] = str(uuid.uuid4())
        return Things(**absent)


def nothing() -> Things:
    """Ids that nobody has, for what asks about requests and sends none."""
    made_up: dict[Any, Callable[[], Any]] = {
        str: lambda: str(uuid.uuid4()),
        int: lambda: uuid.uuid4().int % 10**9,
        tuple[str, str]: lambda: ("podmeter_sign_on", "of nobody"),
    }
    return Things(**{one.name: made_up[one.type]() for one in fields(Things)})


STOOD_BEFORE = UnrestoredSwitch(
    axis="kube_proxy_mode",
    component="kube-proxy",
    saved={"mode": "iptables"},
    holder="77f0/9",
    since=datetime(2026, 11, 22, tzinfo=UTC),
)
#: A change of whatever version there is.
ANY = {"If-Match": "*"}


@dataclass(frozen=True)
class Asked:
    """A request, but for the method and path of its operation."""

    path: dict[str, Any] = field(default_factory=dict)
    query: dict[str, Any] = field(default_factory=dict)
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    cookies: dict[str, str] = field(default_factory=dict)

    def send(self, client: TestClient, operation: str) -> Any:
        """The answer to it."""
        method, path = OPERATIONS[operation]
        url = path.format(**self.path)
        client.cookies.update(self.cookies)
        return client.request(method, url, params=self.query, json=self.body, headers=self.headers)


def put_first_in_place(
    client: TestClient, sessions: Sessions, organization: str = "ours"
) -> Things:
    """Two reached clusters, the second with a switched mode, and an experiment.

    Of all else nothing is there: these ids are made up.
    """
    me = client.get("/api/v1/me").json()
    name = f"cluster-of-{organization}-{uuid.uuid4().hex}"
    cluster = register(client, name)["id"]
    reach(sessions, cluster, str(uuid.uuid4()))
    switched = register(client, f"switched-{name}")["id"]
    reach(sessions, switched, str(uuid.uuid4()))
    with sessions.begin() as session:
        report = ClusterReport(
            kubernetes_version="v1.34.4", nodes=[], rights={}, stood_before=[STOOD_BEFORE]
        )
        session.get_one(Cluster, uuid.UUID(switched)).capabilities = report.model_dump(mode="json")
    return replace(
        nothing(),
        email=me["email"],
        organization=me["organization_id"],
        cluster=cluster,
        cluster_name=name,
        switched_cluster=switched,
        experiment=_made(client, "experiments", SPEC)["id"],
    )


def put_in_place(client: TestClient, sessions: Sessions, organization: str = "ours") -> Things:
    """One of everything, for the organization whose administrator the client is."""
    first = put_first_in_place(client, sessions, organization)
    owner = uuid.UUID(first.organization)
    queued_experiment = _made(client, "experiments", SPEC)["id"]
    failed, cancelled, queued = (
        _queued(client, sessions, owner, queued_experiment) for _ in range(3)
    )
    worker = PlayedWorker(sessions, first.organization, failed)
    worker.move(RunState.PREFLIGHT)
    worker.finish(Outcome.FAILED, "no path")
    client.post(f"/api/v1/runs/{cancelled}/cancel")
    deciding_experiment = _made(client, "experiments", UNTIL_DECIDED)["id"]
    run = store(sessions, Measured(throughput(), paths, organization=owner))
    with sessions() as session:
        trial = session.scalars(select(Trial.id).where(Trial.run_id == run).limit(1)).one()
        case = session.scalars(select(CaseRecord.id).where(CaseRecord.run_id == run).limit(1)).one()
    snapshot = _made(client, "snapshots", {"title": "ours", "run_id": str(run)})
    with sessions.begin() as session:
        user = User(email=f"{uuid.uuid4()}@{organization}.example", password_hash="!")
        session.add(user)
        session.flush()
        left = _made(client, "organizations", {"name": "to be left"})["id"]
        for where in (owner, uuid.UUID(left)):
            whose = {"organization_id": where, "user_id": user.id}
            session.add(Membership(**whose, role=Role.ADMIN))
        member = str(user.id)
    invited = {"email": f"{uuid.uuid4()}@{organization}.example"}
    invitation = _made(client, "invitations", invited)
    reset = _made(client, f"members/{member}/password-reset", None)
    begun = begin_sign_on(client)
    trusted, job_token = in_ci(client, first.experiment)
    return Things(
        email=first.email,
        cluster=first.cluster,
        cluster_name=first.cluster_name,
        switched_cluster=first.switched_cluster,
        experiment=first.experiment,
        run=str(run),
        trial=trial,
        case=case,
        queued_run=queued,
        deciding_run=_queued(client, sessions, owner, deciding_experiment),
        failed_run=failed,
        cancelled_run=cancelled,
        comparison=_made(client, "comparisons", compared(str(run)))["id"],
        snapshot=snapshot["id"],
        snapshot_token=snapshot["token"],
        token=_made(client, "tokens", {"name": "ours"})["id"],
        member=member,
        invitation=invitation["id"],
        invitation_link=invitation["link"].partition("#")[2],
        reset_link=reset["link"].partition("#")[2],
        organization=first.organization,
        left_organization=left,
        session=client.get("/api/v1/me/sessions").json()["items"][0]["id"],
        sign_on_code=begun["code"],
        sign_on_state=begun["state"],
        sign_on_cookie=begun["cookie"],
        ci_trust=_made(client, "ci-trusts", trusted)["id"],
        ci_job_token=job_token,
    )


def _queued(
    client: TestClient, sessions: Sessions, organization: uuid.UUID, experiment: str
) -> str:
    """A queued run on a real cluster of its own: runs on the same one wait for each other."""
    cluster = uuid.uuid4()
    with sessions.begin() as session:
        reached = Cluster(
            id=cluster,
            organization_id=organization,
            name=f"cluster-{cluster}",
            server=SERVER,
            kubeconfig=b"",
            cluster_uid=str(uuid.uuid4()),
            preflight_state=PreflightState.SUCCEEDED,
            preflighted_at=now(),
        )
        session.add(reached)
    body = {"cluster_id": str(cluster)}
    answer = client.post(f"/api/v1/experiments/{experiment}/runs", json=body)
    assert answer.status_code == 202, answer.text
    return str(answer.json()["id"])


@cache
def provider_client() -> httpx.Client:
    """Asks the provider; each new client would read all certificate authorities first."""
    return httpx.Client(trust_env=False, timeout=30)


def in_ci(client: TestClient, experiment: str) -> tuple[dict[str, Any], str]:
    """What trusts a job of the provider to the experiment, and the job's token."""
    location = client.post("/api/v1/auth/sign-on/start", json={}).json()["location"]
    issuer = location.partition("/authorize")[0]
    verifier = "x" * 43
    digest = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest())
    challenge = digest.rstrip(b"=").decode()
    asked = {"response_type": "code", "code_challenge_method": "S256", "nonce": "n", "state": "s"}
    asked |= {"code_challenge": challenge, "redirect_uri": "https://ci.example/"}
    answer = provider_client().get(f"{issuer}/authorize", params=asked)
    code = dict(parse_qsl(urlsplit(answer.headers["location"]).query))["code"]
    form = {"code": code, "code_verifier": verifier}
    given = provider_client().post(f"{issuer}/token", data=form, auth=(CLIENT, SECRET))
    token = given.json()["id_token"]
    claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
    named = {"name": "ours", "issuer": issuer, "audience": CLIENT, "experiment_ids": [experiment]}
    return {**named, "claims": {"sub": claims["sub"]}}, token


def begin_sign_on(
    client: TestClient, way_back: str = "/", *, new_account: bool = False
) -> dict[str, Any]:
    """Begin to sign on, and let the provider answer: code, state, iss, and the browser's cookie."""
    body = {"next": way_back} | ({"new_account": True} if new_account else {})
    answer = client.post("/api/v1/auth/sign-on/start", json=body)
    assert answer.status_code == 200, answer.text
    at_provider = provider_client().get(answer.json()["location"])
    back = dict(parse_qsl(urlsplit(at_provider.headers["location"]).query))
    (cookie,) = answer.cookies.items()
    return {**back, "cookie": cookie}


def compared(run: str, case: int | None = None) -> dict[str, Any]:
    """The body of a comparison inside one run, of one case with itself or of its two modes."""
    if case is not None:
        return {
            "baseline": {"run_id": run, "case_id": case},
            "contenders": [{"run_id": run, "case_id": case}],
        }
    return {
        "baseline": {"run_id": run, "where": {"encapsulation": "host-gw"}},
        "contenders": [{"run_id": run, "where": {"encapsulation": "vxlan"}}],
    }


def requests_for(things: Things) -> dict[str, Asked]:
    """For each operation a request that answers 2xx where these things are there."""
    run, comparison = {"run_id": things.run}, {"comparison_id": things.comparison}
    experiment, cluster = {"experiment_id": things.experiment}, {"cluster_id": things.cluster}
    snapshot, member = {"token": things.snapshot_token}, {"user_id": things.member}
    new_trust = {
        "name": "another",
        "issuer": "https://ci.example",
        "claims": {"repository": "acme/net"},
        "experiment_ids": [things.experiment],
    }
    new_cluster = {"name": f"new-{uuid.uuid4()}", "kubeconfig": kubeconfig()}
    marking: dict[str, dict[str, Any]] = {
        "get_{}_marks": {},
        "update_{}_marks": {"body": {"tags": ["kept"]}, "headers": ANY},
        "set_{}_favourite": {"body": {"favourite": True}},
    }
    return {
        "log_in": Asked(body={"email": things.email, "password": PASSWORD}),
        "log_out": Asked(),
        "get_me": Asked(),
        "change_password": Asked(body={"current_password": PASSWORD, "new_password": PASSWORD}),
        "list_sessions": Asked(),
        "delete_sessions": Asked(),
        "delete_session": Asked({"session_id": things.session}),
        "list_own_organizations": Asked(),
        "switch_organization": Asked(body={"organization_id": things.organization}),
        "leave_organization": Asked({"organization_id": things.left_organization}),
        "create_organization": Asked(body={"name": "another"}),
        "get_organization": Asked(),
        "update_organization": Asked(body={"name": "changed"}, headers=ANY),
        "list_members": Asked(query={"limit": 10}),
        "update_member": Asked(member, body={"role": "viewer"}, headers=ANY),
        "delete_member": Asked(member, headers=ANY),
        "reset_member": Asked(member),
        "create_invitation": Asked(body={"email": f"{uuid.uuid4()}@example.org"}),
        "list_invitations": Asked(),
        "delete_invitation": Asked({"invitation_id": things.invitation}),
        "get_sign_on": Asked(),
        "start_sign_on": Asked(body={"next": "/runs"}),
        "finish_sign_on": Asked(
            body={"state": things.sign_on_state, "code": things.sign_on_code},
            cookies=dict([things.sign_on_cookie]),
        ),
        "read_invitation": Asked(body={"token": things.invitation_link}),
        "accept_invitation": Asked(body={"token": things.invitation_link, "password": PASSWORD}),
        "read_password_reset": Asked(body={"token": things.reset_link}),
        "use_password_reset": Asked(body={"token": things.reset_link, "password": PASSWORD}),
        "list_audit": Asked(query={"limit": 10}),
        "export_audit": Asked(query={"format": "csv"}),
        "get_overview": Asked(),
        "create_token": Asked(body={"name": "another", "role": "operator", **cluster}),
        "list_tokens": Asked(query={"limit": 10}),
        "delete_token": Asked({"token_id": things.token}),
        "list_ci_trusts": Asked(),
        "create_ci_trust": Asked(body=new_trust),
        "replace_ci_trust": Asked({"trust_id": things.ci_trust}, body=new_trust, headers=ANY),
        "delete_ci_trust": Asked({"trust_id": things.ci_trust}, headers=ANY),
        "exchange_ci_token": Asked(
            body={"trust_id": things.ci_trust, "token": things.ci_job_token}
        ),
        "create_cluster": Asked(body=new_cluster),
        "list_clusters": Asked(),
        "get_cluster": Asked(cluster),
        "update_cluster": Asked(cluster, body={"description": "changed"}, headers=ANY),
        "delete_cluster": Asked(cluster, headers=ANY),
        "preflight_cluster": Asked(cluster),
        "put_back_cluster": Asked(
            {"cluster_id": things.switched_cluster},
            body={"stood_before": [STOOD_BEFORE.model_dump(mode="json")]},
        ),
        "list_fingerprints": Asked(cluster),
        "get_noise_floor": Asked(cluster),
        "measure_noise_floor": Asked(cluster, body={"kind": "throughput"}),
        "get_rbac": Asked(query={"capability": "measure", **cluster}),
        "list_kinds": Asked(),
        "list_references": Asked(),
        "get_reference": Asked({"reference_id": "flannel-qperf"}),
        "get_reproduction": Asked({"reference_id": "calico-modes-2024"}, query=run),
        "list_templates": Asked(),
        "create_experiment": Asked(body=SPEC),
        "plan_experiment": Asked(query=cluster, body=SPEC),
        "list_experiments": Asked(),
        "get_experiment": Asked(experiment),
        "replace_experiment": Asked(experiment, body={**SPEC, "name": "changed"}, headers=ANY),
        "delete_experiment": Asked(experiment, headers=ANY),
        "create_run": Asked(experiment, body=cluster),
        "list_runs": Asked(query={**experiment, "cluster_id": things.cluster}),
        "get_run": Asked(run),
        "delete_run": Asked(run),
        "get_run_plan": Asked(run),
        "list_cases": Asked(run),
        "list_log": Asked(run),
        "list_trials": Asked(run, query={"case_id": things.case}),
        "get_trial": Asked({**run, "trial_id": things.trial}),
        "list_measurements": Asked(run, query={"case_id": things.case, "metric": "throughput"}),
        "get_summaries": Asked(run),
        "get_run_changes": Asked(run),
        "get_latest_changes": Asked(),
        "stream_events": Asked(run),
        "export_run": Asked(run, query={"format": "csv"}),
        "export_run_rows": Asked(run, query={"format": "csv"}),
        "cancel_run": Asked({"run_id": things.queued_run}),
        "conclude_run": Asked({"run_id": things.deciding_run}),
        "retry_run": Asked({"run_id": things.failed_run}),
        "resume_run": Asked({"run_id": things.cancelled_run}),
        "repeat_run": Asked({"run_id": things.failed_run}, body={"rounds": 7}),
        "plan_repeated_run": Asked({"run_id": things.failed_run}, body={"rounds": 7}),
        "preview_import": Asked(body={"text": PASTED}),
        "create_import": Asked(body={"name": "pasted", "text": PASTED}),
        "create_comparison": Asked(body=compared(things.run)),
        "list_comparisons": Asked(query=run),
        "get_comparison": Asked(comparison),
        "delete_comparison": Asked(comparison),
        "export_comparison": Asked(comparison, query={"format": "markdown"}),
        "export_comparison_rows": Asked(comparison, query={"format": "parquet"}),
        "preview_snapshot": Asked(body={"title": "a run", **run}),
        "create_snapshot": Asked(body={"title": "a comparison", **comparison}),
        "list_snapshots": Asked(),
        "set_snapshot_picture": Asked({"snapshot_id": things.snapshot}, body={"png": PICTURE}),
        "delete_snapshot": Asked({"snapshot_id": things.snapshot}),
        "get_public_snapshot": Asked(snapshot),
        "export_public_snapshot": Asked(snapshot, query={"format": "json"}),
        "list_tags": Asked(),
        "search": Asked(query={"q": "cluster"}),
        **{
            operation.format(thing): Asked(where, **how)
            for thing, where in (("run", run), ("experiment", experiment), ("cluster", cluster))
            for operation, how in marking.items()
        },
    }


def _made(client: TestClient, resource: str, body: Any) -> dict[str, Any]:
    answer = client.post(f"/api/v1/{resource}", json=body)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())
