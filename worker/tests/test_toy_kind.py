"""One folder and one line in the registry are a whole kind: nothing else knows `toy_echo`."""

import itertools
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from bench.scripted.commands import Argv
from bench.scripted.outputs import printed
from fastapi.testclient import TestClient
from pydantic import SecretStr

from podmeter.credentials.key_ring import generate_key
from podmeter.db.base import now
from podmeter.db.models import LoginSession, Role
from podmeter.domain.ports import CommandOutput
from podmeter.kinds.registry import KINDS, names, tools
from podmeter.services.accounts import tokens
from podmeter.services.work import work_with
from podmeter.settings import Settings
from podmeter.texts import ENGLISH, Language, loader
from podmeter_api.app import create_app
from podmeter_api.state import make_state

from .bench import Bench
from .fake_lab import FakeLab
from .fake_link import FakeLink
from .toy_kind import toyecho
from .toy_kind.kind import ToyEcho

pytestmark = pytest.mark.services

TRIALS = 6
SPEC: dict[str, Any] = {
    "name": "echoes",
    "kind": "toy_echo",
    "axes": {"path": ["node-node", "pod-pod", "pod-service-pod"], "language": ["en"]},
    "repetition": {"trials": 1, "seconds": 1, "rounds": TRIALS, "warmup": 0},
}
PATHS, SIZES = 3, 3
CASES = PATHS * SIZES


class EchoingLab(FakeLab):
    """A lab whose pods have toyecho. Small echoes are faster, and the node's network is."""

    spread = itertools.cycle((-2, 1, 0, 2, -1, 3))

    def answer(self, argv: Argv) -> CommandOutput:
        if argv[0] != "toyecho":
            return super().answer(argv)
        if argv[1] == "version":
            return printed("toyecho 2.1\n")
        size = int(argv[argv.index("--size") + 1])
        rate = (1000 if self.place.name.endswith("-host") else 800) / (1 + size / 10_000)
        rate *= 1 + next(self.spread) / 1000
        return printed(f"{rate:.6f} echoes/s, 4.5e-10 s/byte\n")


@dataclass(frozen=True)
class Api:
    """The API beside the worker, on the same database, asked by an administrator's token."""

    client: TestClient

    def get(self, path: str, **parameters: Any) -> Any:
        answer = self.client.get(f"/api/v1{path}", params=parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: Any, status: int) -> Any:
        answer = self.client.post(f"/api/v1{path}", json=body)
        assert answer.status_code == status, answer.text
        return answer.json()


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one line, and a catalog that has the texts of the folder."""
    monkeypatch.setitem(KINDS, ToyEcho.name, ToyEcho())
    known = loader.compiled
    own = known(Path(toyecho.__file__).parent, ENGLISH)

    @cache
    def compiled(root: Path, language: Language) -> Mapping[str, str]:
        return {**known(root, language), **own}

    monkeypatch.setattr(loader, "compiled", compiled)


@pytest.fixture
def api(
    bench: Bench, database_url: str, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Api]:
    monkeypatch.setattr(FakeLink, "lab", lambda link, write: EchoingLab(link, write))
    settings = Settings(_env_file=None).model_copy(
        update={
            "database_url": SecretStr(database_url),
            "redis_url": SecretStr(redis_url),
            "encryption_keys": SecretStr(generate_key()),
            "frontend_dir": None,
        }
    )
    state = replace(make_state(settings, bench.queue), sessions=bench.sessions)
    with work_with(bench.sessions, bench.queue) as work:
        session = LoginSession(
            organization_id=bench.owner.organization_id,
            user_id=bench.owner.user_id,
            token_hash="none",
            expires_at=now() + timedelta(days=1),
        )
        work.session.add(session)
        work.session.flush()
        owner = replace(bench.owner, session_id=session.id)
        _, secret = tokens.mint(work, owner, "toy", Role.ADMIN, 1)
    headers = {"Authorization": f"Bearer {secret}"}
    with TestClient(
        create_app(state=state), base_url=settings.public_url, headers=headers
    ) as client:
        yield Api(client)
    state.redis.flushdb()
    state.close()


def measured(bench: Bench, api: Api) -> str:
    """The id of a run that the worker's own runner has brought to its end."""
    cluster_id = bench.add_cluster()
    experiment = api.post("/experiments", SPEC, 201)
    path = f"/experiments/{experiment['id']}/runs"
    run = api.post(path, {"cluster_id": str(cluster_id)}, 202)
    assert bench.lead(uuid.UUID(run["id"]))
    found = api.get(f"/runs/{run['id']}")
    assert (found["state"], found["outcome"], found["reason"]) == ("finished", "succeeded", None)
    assert found["progress"]["succeeded"] == CASES
    assert bench.cluster.is_clean
    return str(run["id"])


def test_a_kind_that_is_not_registered_is_nowhere(api: Api) -> None:
    assert ToyEcho.name not in [kind["name"] for kind in api.get("/kinds")["items"]]
    document = api.client.get("/api/v1/openapi.json").json()
    assert ToyEcho.name not in document["components"]["schemas"]["KindName"]["enum"]
    problem = api.post("/experiments/plan", SPEC, 422)
    assert [one["pointer"] for one in problem["errors"]] == ["/kind"]
    assert api.client.get("/api/v1/runs", params={"kind": ToyEcho.name}).status_code == 422


@pytest.mark.usefixtures("registered")
def test_the_api_offers_it_with_all_it_declares(api: Api) -> None:
    (kind,) = (one for one in api.get("/kinds")["items"] if one["name"] == ToyEcho.name)
    roles = {axis["name"]: axis["role"] for axis in kind["axes"]}
    assert (roles["path"], roles["size"], roles["language"]) == ("series", "curve", "apart")
    assert [metric["name"] for metric in kind["metrics"] if metric["main"]] == [
        "echo_rate",
        # What setting a block up takes is offered by every kind.
        "switch_convergence",
        "switch_seconds",
        "roll_seconds",
    ]
    assert kind["parameters"]["properties"]["echoes"]["default"] == 1000
    # What clusters are asked for, so that another version of it is a difference.
    assert toyecho.TOOL in tools()


@pytest.mark.usefixtures("registered")
def test_openapi_lists_it_with_its_parameters(api: Api) -> None:
    schemas = api.client.get("/api/v1/openapi.json").json()["components"]["schemas"]
    assert schemas["KindName"]["enum"] == sorted(names())
    spec = schemas["ToyEchoSpec"]["properties"]
    assert spec["kind"]["const"] == ToyEcho.name
    assert schemas["ToyEchoParameters"]["properties"]["port"]["maximum"] == 65535


@pytest.mark.usefixtures("registered")
def test_it_is_planned(api: Api) -> None:
    plan = api.post("/experiments/plan", SPEC, 200)
    assert len(plan["cases"]) == CASES
    assert plan["trials"] == CASES * TRIALS
    assert plan["access"] == ["host", "pod"]
    wrong = SPEC | {"parameters": {"echoes": 0}, "axes": {"size": [0]}}
    problem = api.post("/experiments/plan", wrong, 422)
    assert {one["pointer"] for one in problem["errors"]} == {"/parameters/echoes", "/axes/size/0"}


@pytest.mark.usefixtures("registered")
def test_a_run_keeps_its_trials_with_the_tool_and_its_version(bench: Bench, api: Api) -> None:
    run_id = measured(bench, api)
    assert [run["id"] for run in api.get("/runs", kind=ToyEcho.name)["items"]] == [run_id]
    trials = api.get(f"/runs/{run_id}/trials", limit=200)["items"]
    assert len(trials) == CASES * TRIALS
    trial = api.get(f"/runs/{run_id}/trials/{trials[0]['id']}")
    (invocation,) = trial["invocations"]
    assert (invocation["tool"], invocation["version"]) == ("toyecho", "2.1")
    assert invocation["argv"][:2] == ["toyecho", "ask"]
    assert {one["metric"] for one in trial["measurements"]} >= {"echo_rate", "echo_cost"}


@pytest.mark.usefixtures("registered")
def test_the_report_has_what_charts_are_drawn_from(bench: Bench, api: Api) -> None:
    run_id = measured(bench, api)
    report = api.get(f"/runs/{run_id}/summaries")
    facts = {axis["name"]: (axis["scope"], axis["role"]) for axis in report["axis_facts"]}
    assert facts["size"] == ("case", "curve")
    assert facts["language"] == ("case", "apart")
    assert list(facts) == ["path", "size", "language"]
    assert [one["name"] for one in report["metrics"] if one["main"]] == ["echo_rate"]
    of_main = [one for one in report["summaries"] if one["parameters"].get("main")]
    assert {one["key"]["metric"] for one in of_main} == {"echo_rate"}
    assert {one["key"]["unit"] for one in report["summaries"]} >= {"1/s", "s/byte"}
    losses = {
        one["key"]["point"]["path"]: one["value"]
        for one in report["losses"]
        if one["code"] == "loss"
    }
    assert losses == {
        "pod-pod": pytest.approx(0.2, abs=0.02),
        "pod-service-pod": pytest.approx(0.2, abs=0.02),
    }
    curves = [one for one in report["findings"] if one["code"] == "curve_falls"]
    assert len(curves) == PATHS
    assert "from 1 to 10,000 size; p < " in curves[0]["text"]


@pytest.mark.usefixtures("registered")
def test_its_paths_are_compared_and_exported(bench: Bench, api: Api) -> None:
    run_id = measured(bench, api)
    sides = {
        "baseline": {"run_id": run_id, "where": {"path": "node-node"}},
        "contenders": [{"run_id": run_id, "where": {"path": "pod-pod"}}],
    }
    comparison = api.post("/comparisons", sides, 201)
    (contender,) = comparison["contenders"]
    # The nodes' environments are one, and the path says itself where its ends sit.
    assert contender["gate"]["verdict"] == "comparable"
    assert contender["tally"] == {"better": 0, "worse": SIZES, "same": 0, "undecided": 0}
    assert {one["role"] for one in comparison["axis_facts"]} == {"series", "curve", "apart"}
    assert {one["parameters"]["axis"] for one in contender["curves"]} == {"size"}
    for subject in (f"runs/{run_id}", f"comparisons/{comparison['id']}"):
        text = api.client.get(f"/api/v1/{subject}/export", params={"format": "csv"}).text
        assert "echo_rate" in text
        assert "1/s" in text
