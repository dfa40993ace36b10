import uuid

import pytest
from fastapi.testclient import TestClient

from podmeter.db.models import Role
from podmeter.db.session import Sessions
from podmeter.domain.messages import say
from podmeter.domain.run import Outcome, RunState
from podmeter.jobs import AdvanceRun
from podmeter.services.runs import lifecycle
from podmeter.services.work import Work

from .builders import SPEC, UNTIL_DECIDED, PlayedWorker, queue_run, reach, register
from .conftest import LogIn, RememberingQueue
from .everything import ANY
from .measured import fingerprint

pytestmark = pytest.mark.services
RUNS = "/api/v1/runs"


def test_a_run_is_accepted_and_enqueued(
    admin: TestClient, sessions: Sessions, queue: RememberingQueue
) -> None:
    cluster = register(admin)
    reach(sessions, cluster["id"])
    experiment = admin.post("/api/v1/experiments", json=SPEC).json()
    answer = admin.post(
        f"/api/v1/experiments/{experiment['id']}/runs", json={"cluster_id": cluster["id"]}
    )
    assert answer.status_code == 202
    run = answer.json()
    assert answer.headers["location"] == f"{RUNS}/{run['id']}"
    assert (run["state"], run["outcome"], run["queue_position"]) == ("queued", None, 1)
    assert run["progress"] == {
        "pending": 2,
        "running": 0,
        "succeeded": 0,
        "failed": 0,
        "skipped": 0,
    }
    (job,) = queue.sent
    assert isinstance(job, AdvanceRun)
    assert str(job.run_id) == run["id"]
    detail = admin.get(answer.headers["location"]).json()
    assert detail["spec"]["name"] == SPEC["name"]
    assert {block["status"] for block in detail["blocks"]} == {"pending"}
    cases = admin.get(f"{RUNS}/{run['id']}/cases").json()["items"]
    assert {case["point"]["path"] for case in cases} == {"node-node", "pod-pod"}


def test_a_run_needs_a_cluster_that_was_reached(admin: TestClient) -> None:
    experiment = admin.post("/api/v1/experiments", json=SPEC).json()
    path = f"/api/v1/experiments/{experiment['id']}/runs"
    missing = admin.post(path, json={})
    assert missing.status_code == 422
    assert missing.json()["errors"][0]["pointer"] == "/cluster_id"
    never = admin.post(path, json={"cluster_id": register(admin)["id"]})
    assert never.status_code == 409
    assert "preflight" in never.json()["detail"]


def test_a_run_is_of_the_version_whose_plan_was_agreed_to(
    admin: TestClient, sessions: Sessions
) -> None:
    cluster = register(admin)
    reach(sessions, cluster["id"])
    experiment = admin.post("/api/v1/experiments", json=SPEC).json()
    path = f"/api/v1/experiments/{experiment['id']}"
    changed = {**SPEC, "axes": {**SPEC["axes"], "path": ["pod-pod"]}}
    assert admin.put(path, json=changed, headers={"If-Match": "*"}).json()["version"] == 2
    body = {"cluster_id": cluster["id"]}
    refused = admin.post(f"{path}/runs", json={**body, "version": 1})
    assert (refused.status_code, refused.json()["code"]) == (412, "stale_version")
    assert admin.get(RUNS).json()["items"] == []
    assert admin.post(f"{path}/runs", json={**body, "version": 2}).status_code == 202


def test_an_idempotency_key_starts_one_run(
    admin: TestClient, sessions: Sessions, queue: RememberingQueue
) -> None:
    cluster = register(admin)
    reach(sessions, cluster["id"])
    path = f"/api/v1/experiments/{admin.post('/api/v1/experiments', json=SPEC).json()['id']}/runs"
    answers = [
        admin.post(path, json={"cluster_id": cluster["id"]}, headers={"Idempotency-Key": "once"})
        for _ in range(2)
    ]
    assert answers[0].json() == answers[1].json()
    assert answers[1].headers["location"] == answers[0].headers["location"]
    assert len(admin.get(RUNS).json()["items"]) == 1
    assert len(queue.sent) == 1


def test_the_queue_shows_positions_and_lists_filter(
    admin: TestClient, sessions: Sessions, organization: str
) -> None:
    first, second = queue_run(admin, sessions), queue_run(admin, sessions)
    assert admin.get(f"{RUNS}/{second['id']}").json()["queue_position"] == 2
    worker = PlayedWorker(sessions, organization, first["id"])
    worker.move(RunState.PREFLIGHT)
    assert admin.get(f"{RUNS}/{second['id']}").json()["queue_position"] == 1
    states = {run["id"]: run["state"] for run in admin.get(RUNS).json()["items"]}
    assert states == {first["id"]: "preflight", second["id"]: "queued"}

    def listed(query: str) -> list[str]:
        return [run["id"] for run in admin.get(f"{RUNS}?{query}").json()["items"]]

    assert listed("state=queued") == [second["id"]]
    assert listed("state=queued&state=preflight") == [second["id"], first["id"]]
    assert listed("outcome=failed&outcome=cancelled") == []
    worker.finish(Outcome.FAILED, "no path")
    admin.post(f"{RUNS}/{second['id']}/cancel")
    assert listed("outcome=failed") == [first["id"]]
    assert listed("outcome=failed&outcome=cancelled&state=finished") == [second["id"], first["id"]]
    assert listed("outcome=failed&state=queued") == []
    assert admin.get(f"{RUNS}?outcome=fine").status_code == 422
    assert listed("kind=service_scale") == []
    assert listed(f"experiment_id={first['experiment_id']}") == [first["id"]]
    assert listed(f"cluster_id={second['clusters'][0]['cluster_id']}") == [second["id"]]
    assert admin.get(f"{RUNS}?state=lost").status_code == 422


def test_a_run_that_waits_for_a_held_cluster_says_for_whom(
    admin: TestClient, sessions: Sessions
) -> None:
    run = queue_run(admin, sessions)
    worker = PlayedWorker(sessions, admin.get("/api/v1/me").json()["organization_id"], run["id"])
    held = say("lease_held", holder=say("holder_look", label="look-1"), since="noon")
    with sessions.begin() as session:
        why = say("waits_for_cluster", cluster="ours", why=held)
        lifecycle.requeue_run(Work(session), worker.run_hold, why)
    seen = admin.get(f"{RUNS}/{run['id']}").json()
    assert (seen["state"], seen["queue_position"], seen["started_at"]) == ("queued", 1, None)
    assert seen["reason"]["code"] == "waits_for_cluster"
    assert seen["reason"]["params"]["why"]["params"]["since"] == "noon"
    assert "a preflight (look-1)" in seen["reason"]["text"]
    assert admin.get(RUNS).json()["items"][0]["reason"] == seen["reason"]


def test_what_a_run_yields_can_be_read(
    admin: TestClient, sessions: Sessions, organization: str
) -> None:
    run = queue_run(admin, sessions)
    worker = PlayedWorker(sessions, organization, run["id"])
    worker.move(RunState.PREFLIGHT)
    worker.move(RunState.RUNNING)
    failed, counted = worker.trial(1, failed=True), worker.trial(1)
    worker.log("a line")
    worker.finish()
    path = f"{RUNS}/{run['id']}"
    trials = admin.get(f"{path}/trials").json()["items"]
    assert [trial["id"] for trial in trials] == [failed, counted]
    assert trials[0]["failure"] == {
        "code": "lab",
        "message": {
            "code": "text",
            "params": {"text": "the pod is gone"},
            "text": "the pod is gone",
        },
        "temporary": True,
    }
    only = admin.get(f"{path}/trials?status=counted").json()["items"]
    assert [trial["id"] for trial in only] == [counted]
    detail = admin.get(f"{path}/trials/{counted}").json()
    assert detail["invocations"][0]["argv"] == ["iperf3", "-c"]
    assert detail["invocations"][0]["stdout"] == '{"end": 1}'
    assert detail["series"][0]["values"] == [9.4e9, 9.6e9]
    assert detail["case_key"].startswith("path=")
    measurements = admin.get(f"{path}/measurements").json()["items"]
    units = {one["metric"]: (one["unit"], one["direction"]) for one in measurements}
    # What this version's kind does not know is shown, without a unit it would have to guess.
    assert units == {"throughput": ("bit/s", "higher"), "cpu": (None, None)}
    for one in (*detail["measurements"], *detail["series"]):
        assert (one["unit"], one["direction"]) == units[one["metric"]]
    assert [(one["metric"], one["subject"]) for one in measurements] == [
        ("cpu", "worker-1"),
        ("throughput", ""),
    ]
    filtered = admin.get(f"{path}/measurements?metric=throughput&status=counted").json()["items"]
    assert [one["value"] for one in filtered] == [9.5e9]
    assert [line["message"]["text"] for line in admin.get(f"{path}/log").json()["items"]] == [
        "a line"
    ]
    assert admin.get(f"{path}/trials/{counted + 999}").status_code == 404
    assert admin.get(f"{path}/trials/0").status_code == 422
    assert admin.get(f"{path}/measurements?metric=NO").status_code == 422


def test_cancel_retry_resume_and_delete(
    admin: TestClient, sessions: Sessions, organization: str
) -> None:
    run = queue_run(admin, sessions)
    path = f"{RUNS}/{run['id']}"
    assert admin.delete(path).status_code == 409
    assert admin.post(f"{path}/retry").status_code == 409
    cancelled = admin.post(f"{path}/cancel")
    assert cancelled.status_code == 202
    assert cancelled.json()["outcome"] == "cancelled"
    assert admin.post(f"{path}/cancel").status_code == 409
    resumed = admin.post(f"{path}/resume")
    assert resumed.status_code == 202
    assert (resumed.json()["state"], resumed.json()["attempt"]) == ("queued", 2)
    worker = PlayedWorker(sessions, organization, run["id"])
    worker.move(RunState.PREFLIGHT)
    asked = admin.post(f"{path}/cancel")
    assert asked.json()["state"] == "preflight"
    assert asked.json()["cancel_requested_at"] is not None
    worker.finish(Outcome.FAILED, "no path")
    assert admin.post(f"{path}/resume").status_code == 409
    assert admin.post(f"{path}/retry").json()["attempt"] == 3
    admin.post(f"{path}/cancel")
    assert admin.delete(path).status_code == 204
    assert admin.get(path).status_code == 404


def test_only_a_run_until_decided_is_concluded(admin: TestClient, sessions: Sessions) -> None:
    fixed = queue_run(admin, sessions)
    refused = admin.post(f"{RUNS}/{fixed['id']}/conclude")
    assert (refused.status_code, refused.json()["message"]["code"]) == (409, "run_rounds_fixed")
    path = f"{RUNS}/{queue_run(admin, sessions, 'uid-2', UNTIL_DECIDED)['id']}"
    assert admin.get(path).json()["conclude_requested_at"] is None
    asked = admin.post(f"{path}/conclude")
    assert (asked.status_code, asked.json()["state"]) == (202, "queued")
    since = asked.json()["conclude_requested_at"]
    assert since is not None
    assert admin.post(f"{path}/conclude").json()["conclude_requested_at"] == since
    admin.post(f"{path}/cancel")
    assert admin.post(f"{path}/conclude").json()["message"]["code"] == "run_finished"
    # A new attempt runs until it is decided, as the first attempt did.
    assert admin.post(f"{path}/resume").json()["conclude_requested_at"] is None


def test_a_step_that_is_refused_says_which_are_taken(
    admin: TestClient, sessions: Sessions, organization: str
) -> None:
    ended = {
        Outcome.SUCCEEDED: ["start", "delete"],
        Outcome.PARTIAL: ["retry", "start", "delete"],
        Outcome.FAILED: ["retry", "start", "delete"],
        Outcome.CANCELLED: ["resume", "start", "delete"],
        Outcome.INTERRUPTED: ["resume", "start", "delete"],
    }
    for outcome, allowed in ended.items():
        run = queue_run(admin, sessions)
        path = f"{RUNS}/{run['id']}"
        for step in ("retry", "resume"):
            refused = admin.post(f"{path}/{step}")
            assert (refused.status_code, refused.json()["allowed"]) == (409, ["cancel"])
        assert admin.delete(path).json()["allowed"] == ["cancel"]
        worker = PlayedWorker(sessions, organization, run["id"])
        worker.move(RunState.PREFLIGHT)
        worker.finish(outcome, "said")
        for step in {"retry", "resume", "cancel"} - set(allowed):
            refused = admin.post(f"{path}/{step}")
            assert (refused.status_code, refused.json()["allowed"]) == (409, allowed), step
    (cluster,) = run["clusters"]
    gone = admin.delete(f"/api/v1/clusters/{cluster['cluster_id']}", headers=ANY)
    assert gone.status_code == 204
    refused = admin.post(f"{path}/resume")
    assert (refused.status_code, refused.json()["allowed"]) == (409, ["start", "delete"])
    assert "allowed" not in admin.get(f"{RUNS}/{uuid.uuid4()}").json()


def test_a_viewer_reads_but_steers_nothing(
    admin: TestClient, log_in: LogIn, sessions: Sessions
) -> None:
    run = queue_run(admin, sessions)
    viewer = log_in(Role.VIEWER)
    path = f"{RUNS}/{run['id']}"
    assert viewer.get(path).status_code == 200
    for step in ("cancel", "conclude", "retry", "resume"):
        assert viewer.post(f"{path}/{step}").status_code == 403
    assert viewer.delete(path).status_code == 403


def test_another_organization_gets_the_same_404_as_for_nothing(
    admin: TestClient, log_in: LogIn, sessions: Sessions, organization: str
) -> None:
    run = queue_run(admin, sessions)
    worker = PlayedWorker(sessions, organization, run["id"])
    trial = worker.trial(1)
    stranger = log_in(organization="theirs")
    absent = uuid.uuid4()
    cluster, experiment = run["clusters"][0]["cluster_id"], run["experiment_id"]
    reads = ["", "/cases", "/trials", f"/trials/{trial}", "/measurements", "/log", "/events"]
    calls = [("GET", f"{RUNS}/{{}}{path}", run["id"]) for path in reads]
    steps = ("cancel", "conclude", "retry", "resume")
    calls += [("POST", f"{RUNS}/{{}}/{step}", run["id"]) for step in steps]
    calls += [("DELETE", f"{RUNS}/{{}}", run["id"])]
    calls += [(m, "/api/v1/clusters/{}", cluster) for m in ("GET", "DELETE")]
    calls += [("POST", "/api/v1/clusters/{}/preflight", cluster)]
    calls += [("GET", "/api/v1/clusters/{}/fingerprints", cluster)]
    calls += [(m, "/api/v1/experiments/{}", experiment) for m in ("GET", "DELETE")]
    for method, path, own in calls:
        theirs = stranger.request(method, path.format(own), headers=ANY)
        nothing = stranger.request(method, path.format(absent), headers=ANY)
        assert theirs.status_code == nothing.status_code == 404, path
        assert theirs.json() == nothing.json(), path
    changes = [("PATCH", f"/api/v1/clusters/{cluster}", {}), ("PUT", "", SPEC)]
    changes += [("POST", f"/api/v1/experiments/{experiment}/runs", {"cluster_id": cluster})]
    for method, path, body in changes:
        path = path or f"/api/v1/experiments/{experiment}"
        assert stranger.request(method, path, json=body, headers=ANY).status_code == 404
    for path in ("clusters", "experiments", "runs"):
        assert stranger.get(f"/api/v1/{path}").json()["items"] == []
    assert admin.get(f"{RUNS}/{run['id']}").status_code == 200


def test_the_environment_of_each_attempt_is_told(admin: TestClient, sessions: Sessions) -> None:
    run = queue_run(admin, sessions)
    path = f"{RUNS}/{run['id']}"
    worker = PlayedWorker(sessions, admin.get("/api/v1/me").json()["organization_id"], run["id"])
    worker.move(RunState.PREFLIGHT)
    cluster = {"cluster_uid": "uid-1", "fingerprint": {**fingerprint(), "of_another_version": 1}}
    found = {"clusters": {"prod": cluster}, "worker": {"podmeter": "0.1.0", "python": "3.13.5"}}
    worker.freeze(found)
    told = admin.get(path).json()["environment"]
    assert told["worker"] == found["worker"]
    assert told["clusters"]["prod"]["fingerprint"]["cluster_uid"] == "uid-1"
    assert told["clusters"]["prod"]["fingerprint"]["cni"]["name"] == "flannel"
    assert told["attempts"] == {"1": {key: told[key] for key in ("clusters", "worker")}}


def test_a_run_has_the_labels_that_it_was_started_with(
    admin: TestClient, sessions: Sessions
) -> None:
    cluster = register(admin)
    reach(sessions, cluster["id"])
    experiment = admin.post("/api/v1/experiments", json=SPEC).json()
    url = f"/api/v1/experiments/{experiment['id']}/runs"
    made = []
    for commit in ("1a2b3c", "Ab=cd"):
        labels = {"commit": commit, "branch": "main"}
        body = {"cluster_id": cluster["id"], "labels": labels}
        answer = admin.post(url, json=body)
        assert (answer.status_code, answer.json()["labels"]) == (202, labels)
        made.append(answer.json()["id"])
    assert admin.get(f"{RUNS}/{made[1]}").json()["labels"] == {"commit": "Ab=cd", "branch": "main"}

    def found(**query: object) -> list[str]:
        items = admin.get(RUNS, params=query).json()["items"]
        return [one["id"] for one in items]

    assert found(label="branch=main") == made[::-1]
    assert found(label=["branch=main", "commit=Ab=cd"]) == made[1:]
    assert found(label="commit=1a2b") == []
    assert found(q="1a2b3c") == made[:1]
    assert admin.get(RUNS, params={"label": "main"}).status_code == 422
    searched = admin.get("/api/v1/search", params={"q": "ab=cd"}).json()
    assert made[1] in str(searched)


@pytest.mark.parametrize(
    "labels", [{"Commit": "x"}, {"commit": ""}, {"commit": "a\u202eb"}, {"commit": 1}, {"a b": "x"}]
)
def test_labels_that_are_none_are_refused(admin: TestClient, labels: dict[str, object]) -> None:
    experiment = admin.post("/api/v1/experiments", json=SPEC).json()
    body = {"labels": labels}
    answer = admin.post(f"/api/v1/experiments/{experiment['id']}/runs", json=body)
    assert answer.status_code == 422
    assert any("/labels" in one["pointer"] for one in answer.json()["errors"])
