"""What runs answer that succeeded in part: their cases are named, and the exit code is not 0."""

import os
import uuid
from collections.abc import Iterator
from xml.etree import ElementTree

import httpx
import pytest
from backend.tests.measured import Measured, Point, paths, store, throughput
from fastapi.testclient import TestClient
from sqlalchemy import select

from podmeter.db.models import CaseRecord, Run
from podmeter.db.session import Sessions
from podmeter.domain.messages import Message, say
from podmeter.domain.run import CaseStatus, Outcome
from podmeter_cli.client import Client
from podmeter_cli.commands.run import watched
from podmeter_cli.exits import ExitCode
from podmeter_cli.following import Interruption
from podmeter_cli.login_file import Login
from podmeter_cli.output import Format

from .conftest import Podmeter

pytestmark = pytest.mark.services

SHORT = say("cases_short", short=1, total=2, first="every trial failed")


def alike(_: Point) -> dict[tuple[str, str], float]:
    return {("throughput", ""): 1e10}


def ended_in_part(sessions: Sessions, run_id: str, reason: Message, missing: int) -> None:
    """Make a run partial, as many of whose cases were not measured."""
    with sessions.begin() as session:
        run = session.get_one(Run, uuid.UUID(run_id))
        run.outcome, run.reason = Outcome.PARTIAL, reason
        query = select(CaseRecord).where(CaseRecord.run_id == run.id).order_by(CaseRecord.position)
        cases = session.scalars(query).all()
        for case in cases[len(cases) - missing :]:
            case.status = CaseStatus.SKIPPED


@pytest.fixture
def runs(admin: TestClient, logged_in: str, sessions: Sessions) -> dict[str, str]:
    """Finished runs that compare two modes, by what came of them."""
    return {
        "worse": str(store(sessions, Measured(throughput(), paths))),
        "same": str(store(sessions, Measured(throughput(), alike, noise=0.0005))),
    }


@pytest.fixture
def client(logged_in: str) -> Iterator[Client]:
    with Client(Login(logged_in, os.environ["PODMETER_TOKEN"])) as made:
        yield made


def one_mode() -> dict[str, object]:
    """A spec of two paths in one mode, which compares nothing by itself."""
    spec = throughput()
    del spec["axes"]["encapsulation"]
    return spec


@pytest.mark.parametrize(
    ("name", "code"), [("same", ExitCode.UNDECIDED), ("worse", ExitCode.WORSE)]
)
def test_a_run_whose_cases_are_incomplete_does_not_pass(
    runs: dict[str, str], podmeter: Podmeter, sessions: Sessions, name: str, code: ExitCode
) -> None:
    ended_in_part(sessions, runs[name], say("internal_error", type="KeyError"), 2)
    why = "succeeded in part: internal error: KeyError; see the log. Incomplete cases (2 of "
    for command in (("runs", "show"), ("compare",)):
        shown = podmeter(*command, runs[name])
        assert shown.code == code, shown.out
        assert why in shown.out
        assert "encapsulation vxlan" in shown.out
        assert "Failed." not in shown.out
    document = podmeter("runs", "show", runs[name], "-o", "json").document
    assert (document["failed"], document["exit_code"]) == (None, code)
    assert document["missing"].startswith("Incomplete cases")
    junit = ElementTree.fromstring(podmeter("runs", "show", runs[name], "-o", "junit").out)
    skipped = junit.findall("testsuite/testcase[@name='run']/skipped")
    assert why in skipped[0].get("message", "")


def test_a_run_in_part_without_a_verdict_names_its_cases_too(
    admin: TestClient, logged_in: str, sessions: Sessions, podmeter: Podmeter
) -> None:
    run_id = str(store(sessions, Measured(one_mode(), alike)))
    ended_in_part(sessions, run_id, SHORT, 1)
    shown = podmeter("runs", "show", run_id)
    assert shown.code == ExitCode.FAILED, shown.out
    # The reason counts the cases, so nothing else does.
    assert "The first: every trial failed. Incomplete cases: path " in shown.out
    junit = ElementTree.fromstring(podmeter("runs", "show", run_id, "-o", "junit").out)
    error = junit.find("testsuite/testcase/error")
    assert error is not None
    assert "Incomplete cases: path " in error.get("message", "")


def test_a_comparison_with_a_run_whose_cases_are_incomplete_does_not_pass(
    runs: dict[str, str],
    podmeter: Podmeter,
    sessions: Sessions,
    sent: list[httpx.Request],
) -> None:
    first, second = (f"{runs['same']}:encapsulation={mode}" for mode in ("host-gw", "vxlan"))
    assert podmeter("compare", first, second).code == ExitCode.FINE
    ended_in_part(sessions, runs["same"], say("internal_error", type="KeyError"), 1)
    sent.clear()
    shown = podmeter("compare", first, second)
    assert shown.code == ExitCode.UNDECIDED, shown.out
    assert "Incomplete cases of vxlan (1 of 2): path " in shown.out
    assert "Incomplete cases of host-gw" not in shown.out
    # The comparison has the states of its cases: no list is read for them.
    assert [one.url.path for one in sent if one.url.path.endswith("/cases")] == []


def test_a_run_in_part_is_compared_with_the_last_one_of_a_label(
    admin: TestClient,
    podmeter: Podmeter,
    client: Client,
    sessions: Sessions,
    capsys: pytest.CaptureFixture[str],
) -> None:
    made = admin.post("/api/v1/experiments", json=one_mode()).json()
    earlier, later = (
        store(sessions, Measured(one_mode(), alike, labels=[label], seed=seed))
        for seed, label in enumerate(("branch=main", "branch=topic"))
    )
    with sessions.begin() as session:
        for one in (earlier, later):
            session.get_one(Run, one).experiment_id = uuid.UUID(made["id"])
    ended_in_part(sessions, str(later), SHORT, 1)
    compared = podmeter("compare", str(earlier), str(later))
    finished = client.get(f"/runs/{later}")
    code = watched(client, finished, Interruption.CONTINUE, Format.TABLE, "branch=main")
    assert code == compared.code == ExitCode.UNDECIDED
    out = capsys.readouterr().out
    assert "The run succeeded in part: 1 of 2 cases did not succeed." in out
    assert "Incomplete cases of paths (branch=topic): path " in out
    # Without an earlier run it answers by itself, and says that none is compared.
    code = watched(client, finished, Interruption.CONTINUE, Format.TABLE, "branch=other")
    assert code == ExitCode.FAILED
    assert "No earlier run of this experiment has the label" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("reason", "missing"),
    [(SHORT, 2), (say("not_cleaned_up", run="r", cluster="c", error="the API server is away"), 0)],
)
def test_a_run_in_part_of_which_nothing_can_be_compared_has_failed(
    admin: TestClient,
    client: Client,
    sessions: Sessions,
    capsys: pytest.CaptureFixture[str],
    reason: Message,
    missing: int,
) -> None:
    made = admin.post("/api/v1/experiments", json=one_mode()).json()
    earlier = store(sessions, Measured(one_mode(), lambda point: None, labels=["branch=main"]))
    later = store(sessions, Measured(one_mode(), alike))
    with sessions.begin() as session:
        for one in (earlier, later):
            session.get_one(Run, one).experiment_id = uuid.UUID(made["id"])
        for case in session.scalars(select(CaseRecord).where(CaseRecord.run_id == earlier)):
            case.status = CaseStatus.SUCCEEDED
    ended_in_part(sessions, str(later), reason, missing)
    finished = client.get(f"/runs/{later}")
    code = watched(client, finished, Interruption.CONTINUE, Format.TABLE, "branch=main")
    shown = capsys.readouterr()
    assert code == ExitCode.FAILED, shown.out
    assert "none is compared" not in shown.err
    assert "The run succeeded in part: " in shown.out
    assert "Failed." in shown.out


@pytest.mark.parametrize("missing", [0, 1])
def test_a_run_whose_comparison_is_refused_is_undecided(
    logged_in: str, sessions: Sessions, podmeter: Podmeter, missing: int
) -> None:
    run_id = str(store(sessions, Measured(throughput(), alike, recorded=False)))
    if missing:
        ended_in_part(sessions, run_id, SHORT, missing)
    shown = podmeter("runs", "show", run_id)
    assert shown.code == ExitCode.UNDECIDED, shown.out
    assert "cannot be compared" in shown.out


def test_a_run_that_measured_all_and_was_not_cleaned_up_exits_by_its_verdicts(
    runs: dict[str, str], podmeter: Podmeter, sessions: Sessions
) -> None:
    why = say("not_cleaned_up", run="r", cluster="c", error="the API server is away")
    ended_in_part(sessions, runs["same"], why, 0)
    shown = podmeter("runs", "show", runs["same"])
    assert shown.code == ExitCode.FINE, shown.out
    assert "The run succeeded in part: " in shown.out
    assert "Incomplete cases" not in shown.out
