"""GET /runs/{id}/rows and /comparisons/{id}/rows: the results table for notebooks."""

import csv
import io
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from podmeter.db.models import Trial
from podmeter.db.session import Sessions
from podmeter.domain.trial import TrialStatus
from podmeter.services.exports import results_table

from .measured import Measured, paths, store, throughput
from .result_rows import summaries_of

pytestmark = pytest.mark.services

Read = Callable[[TestClient, str], list[dict[str, Any]]]


def _csv(client: TestClient, path: str) -> list[dict[str, str]]:
    answer = client.get(f"{path}?format=csv")
    assert answer.status_code == 200, answer.text
    return list(csv.DictReader(io.StringIO(answer.text)))


def _parquet(client: TestClient, path: str) -> list[dict[str, Any]]:
    answer = client.get(f"{path}?format=parquet")
    assert answer.headers["content-type"] == "application/vnd.apache.parquet"
    return list(pq.read_table(io.BytesIO(answer.content)).to_pylist())


def _fail_one(sessions: Sessions) -> None:
    with sessions.begin() as session:
        trial = session.scalars(select(Trial).order_by(Trial.id).limit(1)).one()
        trial.status, trial.failure_code = TrialStatus.FAILED, "tool_failed"


def test_the_rows_of_a_run(admin: TestClient, sessions: Sessions) -> None:
    run_id = store(sessions, Measured(throughput(), paths))
    _fail_one(sessions)
    path = f"/api/v1/runs/{run_id}"
    found = _csv(admin, f"{path}/rows")
    failed = [one for one in found if one["state"] == "failed"]
    assert [(one["metric"], one["reason"], one["value"]) for one in failed] == [
        ("", "tool_failed", "")
    ]
    # Each counted measurement that the report is of. Its failed trials are the rows without a
    # value, and the overhead is no measurement.
    report = admin.get(f"{path}/summaries").json()
    keys = {one["case_id"]: one["key"] for one in report["cases"]}
    shown = {
        (keys[one["case_id"]], one["metric"], one["subject"], trial): (value, one["unit"])
        for one in summaries_of(report)
        if one["metric"] not in ("overhead", "failed_trials")
        for trials, values in zip(one["trials"], one["values"], strict=True)
        for trial, value in zip(trials, values, strict=True)
    }
    counted = {
        (one["case"], one["metric"], one["subject"], int(one["trial"])): (
            float(one["value"]),
            one["unit"],
        )
        for one in found
        if one["state"] == "counted"
    }
    assert counted == shown
    assert {one["encapsulation"] for one in found} == {"host-gw", "vxlan"}


def test_parquet_has_the_same_rows_with_types(admin: TestClient, sessions: Sessions) -> None:
    path = f"/api/v1/runs/{store(sessions, Measured(throughput(), paths))}/rows"
    found = _parquet(admin, path)
    assert all(isinstance(one["value"], float) for one in found)
    assert all(isinstance(one["streams"], int) for one in found)
    written = [
        {name: "" if value is None else str(value) for name, value in one.items()} for one in found
    ]
    assert written == _csv(admin, path)


def test_a_comparison_has_the_rows_of_its_sides(admin: TestClient, sessions: Sessions) -> None:
    run_id = store(sessions, Measured(throughput(), paths))
    sides = [{"run_id": str(run_id), "where": {"encapsulation": one}} for one in ("vxlan", "vxlan")]
    body = {"baseline": sides[0], "contenders": sides[1:]}
    made = admin.post("/api/v1/comparisons", json=body)
    path = f"{made.headers['location']}/rows"
    found = _csv(admin, path)
    assert {one["encapsulation"] for one in found} == {"vxlan"}
    of_run = _csv(admin, f"/api/v1/runs/{run_id}/rows")
    assert found == [one for one in of_run if one["encapsulation"] == "vxlan"]
    assert admin.delete(f"/api/v1/runs/{run_id}").status_code == 204
    assert admin.get(path).status_code == 404


@pytest.mark.parametrize("read", [_csv, _parquet])
def test_labels_are_columns(admin: TestClient, sessions: Sessions, read: Read) -> None:
    """Of a run, and of a comparison of runs that have different ones."""
    runs = [
        str(store(sessions, Measured(throughput(), paths, labels=labels)))
        for labels in (["branch=main", "commit=1a2b"], ["branch=topic"])
    ]
    main, topic = (read(admin, f"/api/v1/runs/{run}/rows") for run in runs)
    assert {(one["label_branch"], one["label_commit"]) for one in main} == {("main", "1a2b")}
    assert {one["label_branch"] for one in topic} == {"topic"}
    assert "label_commit" not in topic[0]
    body = {"baseline": {"run_id": runs[0]}, "contenders": [{"run_id": runs[1]}]}
    made = admin.post("/api/v1/comparisons", json=body)
    compared = read(admin, f"{made.headers['location']}/rows")
    assert {(one["run"], one["label_branch"], one["label_commit"] or "") for one in compared} == {
        (runs[0], "main", "1a2b"),
        (runs[1], "topic", ""),
    }


def test_the_page_that_explains_them_names_them(admin: TestClient, sessions: Sessions) -> None:
    """Every column that docs/how-to/analyse-in-a-notebook.md names is there, and no other."""
    run_id = store(sessions, Measured(throughput(), paths, labels=["commit=1a2b"]))
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "analyse-in-a-notebook.md").read_text()
    columns = page.partition("## Columns")[2]
    named = {line.split("`")[1] for line in columns.splitlines() if line.startswith("| `")}
    named = {name.replace("KEY", "commit") for name in named}
    axes = {"path", "encapsulation", "protocol", "streams"}
    assert {*_csv(admin, f"/api/v1/runs/{run_id}/rows")[0]} - axes == named


def test_no_page_waits_for_tables_and_tables_of_one_caller_are_bounded(
    admin: TestClient, sessions: Sessions, served: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = store(sessions, Measured(throughput(), paths))
    begun, go = threading.Event(), threading.Event()
    of_run = results_table.of_run

    def held(*given: Any) -> Any:
        begun.set()
        assert go.wait(60)
        return of_run(*given)

    monkeypatch.setattr(results_table, "of_run", held)
    cookies = dict(admin.cookies)
    get = partial(httpx.get, cookies=cookies, timeout=60)
    # From now on the credential is known: before, a request counts for its address.
    assert get(f"{served}/api/v1/overview").status_code == 200
    with ThreadPoolExecutor(5) as pool:
        tables = [pool.submit(get, f"{served}/api/v1/runs/{run_id}/rows") for _ in range(5)]
        assert begun.wait(60)
        assert get(f"{served}/api/v1/overview").status_code == 200
        # One is written and three wait.
        refused = next(as_completed(tables, 60)).result()
        assert refused.status_code == 429
        go.set()
        told = sorted(one.result().status_code for one in tables)
    assert told == [200] * 4 + [429]
