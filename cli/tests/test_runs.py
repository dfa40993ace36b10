"""Planning, running and steering, on an API whose worker does at once what it is asked for."""

import json
from pathlib import Path
from xml.etree import ElementTree

import httpx
import pytest
import yaml
from backend.tests.builders import SPEC, reach, register
from fastapi.testclient import TestClient

from podmeter.db.session import Sessions
from podmeter_cli.exits import ExitCode

from .conftest import Podmeter

pytestmark = [pytest.mark.services, pytest.mark.usefixtures("logged_in")]


@pytest.fixture
def spec(tmp_path: Path) -> str:
    """A specification's file."""
    file = tmp_path / "paths.yaml"
    file.write_text(yaml.safe_dump(SPEC))
    return str(file)


@pytest.fixture
def prod(admin: TestClient, sessions: Sessions) -> str:
    """The name of a cluster that was reached."""
    cluster = register(admin, allow_mode_switch=True)
    reach(sessions, cluster["id"])
    return str(cluster["name"])


def test_a_plan_says_what_it_would_do(podmeter: Podmeter, spec: str, prod: str) -> None:
    planned = podmeter("plan", spec, "--cluster", prod, "--until-decided", "5%", "--max", "20m")
    assert planned.code == 0, planned.err
    assert "two paths (throughput): 2 cases, at most" in planned.out
    assert "differs by less than 5%" in planned.out
    document = podmeter("plan", spec, "-o", "json").document
    assert len(document["cases"]) == 2


@pytest.mark.usefixtures("worker")
def test_a_run_is_followed_to_its_results(podmeter: Podmeter, spec: str, prod: str) -> None:
    ran = podmeter("run", spec, "--cluster", prod, "--wait")
    assert ran.code == 0, ran.err
    assert "two paths: finished" in ran.err
    assert "9.50 Gbit/s" in ran.out
    assert "Measured. http://" in ran.out
    (run,) = podmeter("runs", "list", "-o", "json").document
    parts = f"{run['id']}:path=node-node {run['id']}:path=pod-pod"
    assert f"Compare parts of it: podmeter compare {parts}" in ran.out
    assert podmeter("runs", "show", "latest", "-o", "json").document["link"].endswith(run["id"])
    shown = podmeter("runs", "show", run["id"], "-o", "markdown")
    assert shown.code == 0
    assert "| case | metric | median" in shown.out


@pytest.mark.usefixtures("worker")
def test_a_file_says_one_experiment_however_often_it_runs(
    podmeter: Podmeter, spec: str, prod: str, admin: TestClient
) -> None:
    for trials in (1, 2):
        Path(spec).write_text(yaml.safe_dump({**SPEC, "repetition": {"trials": trials}}))
        started = podmeter("run", spec, "--cluster", prod)
        assert started.code == 0, started.err
        assert len(started.out.strip()) == 36
    (kept,) = admin.get("/api/v1/experiments").json()["items"]
    assert kept["spec"]["repetition"]["trials"] == 2
    runs = admin.get("/api/v1/runs").json()["items"]
    assert {one["experiment_id"] for one in runs} == {kept["id"]}


def test_a_run_that_is_refused_says_what_helps(
    podmeter: Podmeter, spec: str, admin: TestClient
) -> None:
    register(admin, name="unseen")
    refused = podmeter("run", spec, "--cluster", "unseen")
    assert refused.code == ExitCode.FAILED
    assert "The run would be refused" in refused.err
    assert "preflight" in refused.err
    assert admin.get("/api/v1/experiments").json()["items"] == []
    assert podmeter("plan", spec, "--cluster", "unseen").code == ExitCode.FAILED


def test_a_run_that_compares_nothing_says_so_and_is_not_decided(
    podmeter: Podmeter, spec: str, prod: str
) -> None:
    axes = {**SPEC["axes"], "path": ["pod-pod"], "streams": [1, 8]}
    Path(spec).write_text(yaml.safe_dump({**SPEC, "axes": axes}))
    planned = podmeter("plan", spec, "--cluster", prod)
    assert planned.code == 0
    assert "compares no modes or clusters" in planned.out
    assert "podmeter compare latest:streams=1 latest:streams=8" in planned.out
    assert "Ends as soon as" not in planned.out
    for words in (("--until-decided", "10%"), ("--max", "20m")):
        refused = podmeter("run", spec, "--cluster", prod, *words)
        assert refused.code == ExitCode.USAGE
        assert "would compare nothing" in refused.err


def test_wrong_specifications_name_the_place(podmeter: Podmeter, tmp_path: Path, prod: str) -> None:
    (tmp_path / "wrong.yaml").write_text(yaml.safe_dump({**SPEC, "kind": "speed"}))
    refused = podmeter("run", str(tmp_path / "wrong.yaml"), "--cluster", prod)
    assert refused.code == ExitCode.USAGE
    assert "/kind" in refused.err


@pytest.mark.parametrize(
    "words", [("--cluster", "nowhere"), ("--until-decided", "much"), ("--max", "long")]
)
def test_wrong_options_are_wrong_use(
    podmeter: Podmeter, spec: str, prod: str, words: tuple[str, str]
) -> None:
    assert podmeter("run", spec, *words).code == ExitCode.USAGE


def test_runs_are_cancelled_and_taken_up_again(podmeter: Podmeter, spec: str, prod: str) -> None:
    run = podmeter("run", spec, "--cluster", prod).out.strip()
    waiting = podmeter("runs", "show", run)
    assert (waiting.code, "queued (1)" in waiting.out) == (ExitCode.UNDECIDED, True)
    assert podmeter("runs", "cancel", "latest").code == 0
    assert podmeter("runs", "list").out.count("cancelled") == 1
    resumed = podmeter("runs", "resume", run)
    assert (resumed.code, resumed.out.strip()) == (0, run)
    again = podmeter("runs", "resume", run)
    assert again.code == ExitCode.FAILED
    podmeter("runs", "cancel", run)
    assert podmeter("runs", "delete", run, "--yes").code == 0
    assert podmeter("runs", "show", run).code == ExitCode.USAGE


@pytest.mark.usefixtures("worker")
def test_results_are_exported_shared_and_opened(
    podmeter: Podmeter, spec: str, prod: str, tmp_path: Path
) -> None:
    podmeter("run", spec, "--cluster", prod)
    file = tmp_path / "rows.csv"
    assert podmeter("export", "latest", "--format", "rows-csv", "--to", str(file)).code == 0
    assert file.read_text().startswith("run")
    assert podmeter("export", "latest", "-f", "json", "--to", str(tmp_path / "a.json")).code == 0
    assert json.loads((tmp_path / "a.json").read_text())["content"]["summaries"]
    shared = podmeter("share", "latest", "--title", "two paths", "-o", "json").document
    page = httpx.get(
        f"{podmeter('open', '--print').out.strip()}/api/v1/public/snapshots/{shared['token']}",
        timeout=30,
    )
    assert page.json()["content"]["run"]["summaries"]
    assert podmeter("open", "latest", "--print").out.strip().rpartition("/")[0].endswith("/runs")


def test_pasted_outputs_are_imported(podmeter: Podmeter, tmp_path: Path) -> None:
    fixtures = Path(__file__).parents[2] / "core/tests/fixtures/pasted"
    output = fixtures / "ab-2.3-debian12/whole.txt"
    seen = podmeter("import", str(output), "--dry-run")
    assert seen.code == 0, seen.err
    assert podmeter("runs", "list", "-o", "json").document == []
    kept = podmeter("import", str(output), "--name", "before", "--environment", "cluster=prod")
    assert kept.code == 0, kept.err
    (run,) = podmeter("runs", "list", "-o", "json").document
    assert run["name"] == "before"
    (tmp_path / "noise.txt").write_text("iperf3: error - unable to connect to server\n")
    assert podmeter("import", str(tmp_path / "noise.txt")).code == ExitCode.USAGE


def test_any_operation_is_called(podmeter: Podmeter, spec: str, prod: str) -> None:
    made = podmeter("api", "POST", "/experiments", "--input", spec).document
    assert made["name"] == SPEC["name"]
    path = f"/experiments/{made['id']}"
    assert podmeter("api", "get", path).document["id"] == made["id"]
    assert podmeter("api", "DELETE", path, "-H", "If-Match=*").code == 0
    assert podmeter("api", "GET", path).code == ExitCode.USAGE
    listed = podmeter("api", "GET", "/runs", "-q", "state=queued", "-q", "state=running").document
    assert listed["items"] == []


def test_junit_of_a_run_that_failed_is_an_error(podmeter: Podmeter, spec: str, prod: str) -> None:
    podmeter("run", spec, "--cluster", prod)
    podmeter("runs", "cancel", "latest")
    shown = podmeter("runs", "show", "latest", "-o", "junit")
    assert shown.code == ExitCode.FAILED
    root = ElementTree.fromstring(shown.out)
    assert root.find("testsuite/testcase/error") is not None
    assert root.findall("testsuite")[0].get("errors") == "1"


@pytest.mark.usefixtures("worker")
def test_a_run_is_compared_with_the_last_one_of_a_label(
    podmeter: Podmeter, spec: str, prod: str, admin: TestClient
) -> None:
    words = ("run", spec, "--cluster", prod, "--wait")
    main = ("--label", "branch=main")
    first = podmeter(*words, *main, "--label", "commit=1", "--against", "branch=main")
    assert first.code == 0, first.err
    assert "No earlier run of this experiment has the label branch=main" in first.err
    podmeter(*words, *main, "--label", "commit=2")
    third = podmeter(*words, "--label", "branch=topic", "--against", "branch=main", "-o", "json")
    # One round decides nothing.
    assert third.code == ExitCode.UNDECIDED, third.err
    (comparison,) = third.document["documents"]
    found = podmeter("runs", "list", *main, "-o", "json").document
    assert [one["labels"]["commit"] for one in found] == ["2", "1"]
    assert comparison["baseline"]["run_id"] == found[0]["id"]
    # Both are called the same: what tells them apart is in their names.
    assert comparison["baseline"]["name"] == "two paths (branch=main, commit=2)"
    assert comparison["contenders"][0]["side"]["name"] == "two paths (branch=topic)"


@pytest.mark.parametrize(
    "words", [("--label", "main"), ("--against", "branch=main"), ("--wait", "--against", "main")]
)
def test_wrong_labels_are_wrong_use(
    podmeter: Podmeter, spec: str, prod: str, words: tuple[str, ...]
) -> None:
    assert podmeter("run", spec, "--cluster", prod, *words).code == ExitCode.USAGE
