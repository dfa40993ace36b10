"""Nothing of a run changes after it was started, whatever becomes of its kind."""

import uuid
from itertools import groupby, product
from operator import itemgetter
from typing import Any

import pytest
from core.tests.kinds.changed_kinds import (
    Change,
    defaults,
    new_axis,
    new_parameter,
    new_version,
)
from core.tests.sampling import sampled
from fastapi.testclient import TestClient

from podmeter.db.session import Sessions
from podmeter.domain.run import Outcome, RunState
from podmeter.kinds.registry import KINDS
from podmeter.services.experiments.duration import SET_UP_SECONDS

from .builders import PlayedWorker, queue_run
from .measured import Measure, Measured, ladder, paths, service_scale, store, throughput

pytestmark = pytest.mark.services
RUNS = "/api/v1/runs"
VERSION = KINDS["throughput"].version
#: Leaves open what has a default: parameters, axes (two paths of six are said), repetition.
OPEN = {"name": "open", "kind": "throughput", "axes": {"path": ["node-node", "pod-pod"]}}


#: Runs, and each of them after each change.
MEASURED: list[tuple[dict[str, Any], Measure]] = [
    (OPEN, paths),
    (throughput(repetition={}), paths),
    (service_scale(), ladder),
]
CHANGED = [*product(range(len(MEASURED)), (defaults, new_parameter, new_axis, new_version))]


def got(client: TestClient, method: str, path: str, **more: Any) -> Any:
    answer = client.request(method, path, **more)
    assert answer.is_success, answer.text
    return answer.json() if "json" in answer.headers["content-type"] else answer.text


def all_of(client: TestClient, *runs: uuid.UUID) -> dict[str, Any]:
    """Everything that the API says of runs, and of the comparison of the first two."""
    found: dict[str, Any] = {}
    for run in runs:
        for part in ("", "/plan", "/cases", "/summaries"):
            found[f"{run}{part}"] = got(client, "GET", f"{RUNS}/{run}{part}")
        for form in ("csv", "json", "markdown"):
            path = f"{RUNS}/{run}/export?format={form}"
            found[f"{run}{form}"] = got(client, "GET", path)
        body = {"title": "t", "run_id": str(run)}
        found[f"{run} shared"] = got(client, "POST", "/api/v1/snapshots/preview", json=body)
    sides = {"baseline": {"run_id": str(runs[0])}, "contenders": [{"run_id": str(runs[1])}]}
    made = got(client, "POST", "/api/v1/comparisons", json={**sides, "metrics": "all"})
    found["compared"] = made
    return found


def lasting(content: Any) -> Any:
    """Without ids and moments of asking, and without the estimates that only its kind can give."""
    estimates = ("measuring_seconds", "switching_seconds", "expected_seconds")
    passing = (*estimates, "id", "created_at", "taken_at", "exported_at")
    if isinstance(content, dict):
        return {key: lasting(one) for key, one in content.items() if key not in passing}
    if isinstance(content, list):
        return [lasting(one) for one in content]
    return content


def test_nothing_of_an_old_run_changes(
    admin: TestClient, sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, changes in groupby(sampled(CHANGED, 1), key=itemgetter(0)):
        spec, measure = MEASURED[number]
        runs = [store(sessions, Measured(spec, measure, seed=seed)) for seed in (1, 2)]
        before = lasting(all_of(admin, *runs))
        for _, change in changes:
            with monkeypatch.context() as patch:
                change(patch)
                after = lasting(all_of(admin, *runs))
            assert after == before, (spec, change.__name__)


def test_the_plan_of_an_old_run_has_its_own_cases_and_defaults_only_new_ones(
    admin: TestClient, sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = store(sessions, Measured(OPEN, paths))
    plan = got(admin, "GET", f"{RUNS}/{run}/plan")
    assert len(plan["cases"]) == 8
    assert plan["trials"] == 8 * 3 * 6
    assert plan["measuring_seconds"] == len(plan["blocks"]) * SET_UP_SECONDS + 8 * 3 * 6 * 4.0
    defaults(monkeypatch)
    assert got(admin, "GET", f"{RUNS}/{run}/plan") == plan
    today = got(admin, "POST", "/api/v1/experiments/plan", json=OPEN)
    assert (len(today["cases"]), today["trials"]) == (2, 2 * 2 * 10)


def test_a_run_shows_what_it_runs_with_and_what_was_written(
    admin: TestClient, sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = store(sessions, Measured(OPEN, paths))
    defaults(monkeypatch)
    found = got(admin, "GET", f"{RUNS}/{run}")
    spec = found["spec"]
    assert spec["kind_version"] == VERSION
    assert spec["parameters"]["datagram_bytes"] == 1400
    assert [(axis["name"], axis["values"]) for axis in spec["axes"]] == [
        ("path", ["node-node", "pod-pod"]),
        ("protocol", ["tcp", "udp"]),
        ("streams", [1, 8]),
    ]
    assert spec["repetition"] == {
        "trials": 2,
        "seconds": 3,
        "rounds": 6,
        "warmup": 1,
        "void_replacements": 3,
        "seed": 1,
        "until_decided": None,
    }
    assert found["written"]["axes"] == OPEN["axes"]
    assert found["written"]["parameters"] == {}
    assert found["written"]["repetition"]["trials"] is None


def test_runs_started_under_different_defaults_are_confounded_by_them(
    admin: TestClient, sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both specs are written alike; only what was frozen tells them apart."""
    old = store(sessions, Measured(OPEN, paths))
    defaults(monkeypatch)
    axes = {**OPEN["axes"], "protocol": ["tcp", "udp"], "streams": [1, 8]}  # type: ignore[dict-item]
    new = store(sessions, Measured({**OPEN, "axes": axes}, paths))
    compared = all_of(admin, old, new)["compared"]
    gate = compared["contenders"][0]["gate"]
    assert gate["verdict"] == "confounded"
    assert {one["field"] for one in gate["differences"]} == {
        "parameters.datagram_bytes",
        "parameters.port",
        "parameters.tcp_bits_per_second",
        "parameters.udp_bits_per_second",
        "repetition.seconds",
    }


def test_runs_of_two_versions_of_a_kind_are_confounded(
    admin: TestClient, sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = store(sessions, Measured(throughput(), paths))
    raised = type("Raised", (type(KINDS["throughput"]),), {"version": VERSION + 1})()
    monkeypatch.setitem(KINDS, "throughput", raised)
    new = store(sessions, Measured(throughput(), paths))
    gate = all_of(admin, old, new)["compared"]["contenders"][0]["gate"]
    assert gate["verdict"] == "confounded"
    assert [(d["field"], d["baseline"], d["contender"]) for d in gate["differences"]] == [
        ("kind_version", VERSION, VERSION + 1)
    ]


@pytest.mark.parametrize("step", ["retry", "resume"])
@pytest.mark.parametrize("change", [new_parameter, new_axis, new_version])
def test_a_run_that_would_be_measured_otherwise_is_not_taken_up_again(
    admin: TestClient,
    sessions: Sessions,
    organization: str,
    monkeypatch: pytest.MonkeyPatch,
    change: Change,
    step: str,
) -> None:
    run = queue_run(admin, sessions)
    worker = PlayedWorker(sessions, organization, run["id"])
    worker.move(RunState.PREFLIGHT)
    outcome = Outcome.FAILED if step == "retry" else Outcome.INTERRUPTED
    worker.finish(outcome, "the connection broke")
    with monkeypatch.context() as patch:
        change(patch)
        refused = admin.post(f"{RUNS}/{run['id']}/{step}")
        assert refused.status_code == 409
        assert "start a new run" in refused.json()["detail"]
        assert got(admin, "GET", f"{RUNS}/{run['id']}")["attempt"] == 1
    defaults(monkeypatch)
    assert admin.post(f"{RUNS}/{run['id']}/{step}").status_code == 202
