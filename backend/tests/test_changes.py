"""What changed from run to run: verdicts that turned, of the same cases, and the environment."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from podmeter.db.base import now
from podmeter.db.models import Block, FingerprintRecord, Run
from podmeter.db.repositories import runs
from podmeter.db.session import Sessions

from .builders import reach, register
from .measured import Measured, Point, end_early, fingerprint, paths, store, throughput

pytestmark = pytest.mark.services


def fast_pods(point: Point) -> dict[tuple[str, str], float]:
    """VXLAN costs nothing any more, and what pods lose with it is nothing either."""
    return {("throughput", ""): 1e10, ("node_cpu", "client"): 0.5}


class Lab:
    """One experiment on one registered cluster, and its runs."""

    def __init__(self, client: TestClient, sessions: Sessions) -> None:
        self.client, self.sessions = client, sessions
        self.cluster = register(client)["id"]
        reach(sessions, self.cluster)
        answer = client.post("/api/v1/experiments", json=throughput())
        self.experiment = uuid.UUID(answer.json()["id"])

    def run(self, days_ago: float, measure: Any = paths, **changes: Any) -> str:
        wanted = Measured(
            **{"spec": throughput(), "noise": 0.003, **changes},
            measure=measure,
            cluster_id=uuid.UUID(self.cluster),
            ago=timedelta(days=days_ago),
        )
        run = store(self.sessions, wanted)
        with self.sessions.begin() as session:
            mine = update(Run).where(Run.id == run).values(experiment_id=self.experiment)
            session.execute(mine)
        return str(run)

    def changes(self, run: str, **asked: Any) -> dict[str, Any]:
        answer = self.client.get(f"/api/v1/runs/{run}/changes", params=asked)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def latest(self) -> list[dict[str, Any]]:
        return list(self.client.get("/api/v1/overview/changes").json()["clusters"])


@pytest.fixture
def lab(admin: TestClient, sessions: Sessions) -> Lab:
    return Lab(admin, sessions)


def told(turns: dict[str, Any]) -> set[tuple[str, str, str, str]]:
    return {
        (
            one["code"],
            one["key"]["point"]["encapsulation"],
            one["parameters"]["before"],
            one["verdict"],
        )
        for one in turns["turned"]
    }


def test_the_verdicts_that_both_runs_decided_otherwise_are_told(lab: Lab) -> None:
    first, second = lab.run(2), lab.run(1, fast_pods)
    found = lab.changes(second)
    assert (found["run"]["run_id"], found["since"]["run_id"]) == (second, first)
    # What the mode does to pods, and what pods lose in that mode; node to node turned nothing.
    assert told(found["turns"]) == {
        ("effect", "vxlan", "worse", "same"),
        ("loss", "vxlan", "worse", "same"),
    }
    effect = next(one for one in found["turns"]["turned"] if one["code"] == "effect")
    key = effect["key"]
    assert key["point"] == {**key["against"], "encapsulation": "vxlan"}
    assert key["against"]["encapsulation"] == "host-gw"
    assert key["point"]["path"] == "pod-pod"
    assert found["environment"] == []
    # A turned verdict says nothing of the two runs: without a noise floor nothing is decided.
    assert found["moved"]["figures"] == []
    assert found["moved"]["tally"]["undecided"] == 4
    assert found["moved"]["gate"] == "comparable"


def after_round_two(block: Block) -> bool:
    return block.round > 2


def test_a_run_is_set_beside_the_last_one_with_enough_rounds(lab: Lab) -> None:
    whole, early = lab.run(3), lab.run(2)
    end_early(lab.sessions, uuid.UUID(early), after_round_two)
    assert lab.changes(lab.run(1))["since"]["run_id"] == whole


def test_a_run_is_set_beside_the_last_one_that_compares_its_modes(lab: Lab) -> None:
    whole, early = lab.run(3), lab.run(2)
    end_early(lab.sessions, uuid.UUID(early), lambda block: block.modes["encapsulation"] == "vxlan")
    found = lab.changes(lab.run(1, fast_pods))
    assert found["since"]["run_id"] == whole
    assert ("effect", "vxlan", "worse", "same") in told(found["turns"])


def test_a_run_is_set_beside_one_that_ended_early_where_there_is_no_other(lab: Lab) -> None:
    early = lab.run(2)
    end_early(lab.sessions, uuid.UUID(early), after_round_two)
    assert lab.changes(lab.run(1))["since"]["run_id"] == early


def test_a_run_is_set_beside_one_of_the_last_few(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "_MOST_LOOKED_AT", 1)
    _, early = lab.run(3), lab.run(2)
    end_early(lab.sessions, uuid.UUID(early), after_round_two)
    assert lab.changes(lab.run(1))["since"]["run_id"] == early


def test_a_verdict_that_is_not_decided_turned_nothing(lab: Lab) -> None:
    lab.run(2)
    found = lab.changes(lab.run(1, fast_pods, noise=0.4))
    assert found["turns"]["turned"] == []
    assert found["turns"]["undecided"] > 0
    assert found["turns"]["both"] >= found["turns"]["undecided"]


def test_runs_of_the_same_turn_nothing(lab: Lab) -> None:
    lab.run(2)
    found = lab.changes(lab.run(1, seed=2))
    assert found["turns"]["turned"] == []
    assert found["turns"]["both"] > 0


def test_the_environment_that_differs_is_told_beside_what_turned(lab: Lab) -> None:
    lab.run(2)
    found = lab.changes(lab.run(1, fast_pods, environment={"kernel": "6.18.0"}))
    assert ("effect", "vxlan", "worse", "same") in told(found["turns"])
    assert {one["field"].rpartition(".")[2] for one in found["environment"]} == {"kernel"}
    assert {(one["baseline"], one["contender"]) for one in found["environment"]} == {
        ("6.12.0", "6.18.0")
    }
    # What two environments measured is not compared, as nowhere else.
    assert found["moved"]["gate"] == "refused"
    assert found["moved"]["figures"] == []


def test_cases_measured_by_other_parameters_are_not_the_same(lab: Lab) -> None:
    lab.run(2)
    spec = throughput(parameters={"datagram_bytes": 1000})
    found = lab.changes(lab.run(1, fast_pods, spec=spec))
    assert found["turns"] == {"turned": [], "both": 0, "undecided": 0}
    assert [one["field"] for one in found["environment"]] == ["parameters.datagram_bytes"]


def test_what_was_measured_on_another_cluster_is_no_earlier_run(
    lab: Lab, sessions: Sessions
) -> None:
    other = lab.run(2, uid="uid-2")
    found = lab.changes(lab.run(1))
    assert found["since"] is None
    assert found["turns"] == {"turned": [], "both": 0, "undecided": 0}
    assert found["moved"] is None
    # Asked for, no case of it is a case of this one.
    found = lab.changes(found["run"]["run_id"], since_run_id=other)
    assert found["turns"]["both"] == 0


def test_any_two_runs_of_an_experiment_can_be_asked_for_and_no_others(
    admin: TestClient, lab: Lab, sessions: Sessions
) -> None:
    first, _, third = lab.run(3, fast_pods), lab.run(2, fast_pods), lab.run(1)
    found = lab.changes(third, since_run_id=first)
    assert found["since"]["run_id"] == first
    stranger = store(sessions, Measured(throughput(), paths))
    asked = {"since_run_id": str(stranger)}
    answer = admin.get(f"/api/v1/runs/{third}/changes", params=asked)
    assert answer.status_code == 409
    assert answer.json()["message"]["code"] == "runs_of_two_experiments"


def test_the_overview_tells_of_each_cluster_what_its_latest_runs_changed(
    lab: Lab, sessions: Sessions
) -> None:
    assert lab.latest() == []
    first = lab.run(2)
    assert lab.latest() == []
    second = lab.run(1, fast_pods, environment={"kernel": "6.18.0"})
    (cluster,) = lab.latest()
    assert cluster["cluster_id"] == lab.cluster
    (kind,) = cluster["kinds"]
    assert (kind["run"]["run_id"], kind["since"]["run_id"]) == (second, first)
    assert ("loss", "vxlan", "worse", "same") in told(kind["turns"])
    assert {one["contender"] for one in kind["environment"]} == {"6.18.0"}
    assert cluster["since_measured"] == []


def test_the_overview_tells_what_a_cluster_became_since_it_was_measured(
    lab: Lab, sessions: Sessions
) -> None:
    run = lab.run(1)

    def seen(minutes: float, **changes: Any) -> None:
        moment = now() + timedelta(minutes=minutes)
        with sessions.begin() as session:
            session.add(
                FingerprintRecord(
                    organization_id=session.get_one(Run, uuid.UUID(run)).organization_id,
                    cluster_id=uuid.UUID(lab.cluster),
                    digest=str(minutes).encode(),
                    content=fingerprint(**changes),
                    observed_at=moment,
                    last_observed_at=moment,
                )
            )

    # Another mode that stands there is no change of the cluster.
    seen(1, encapsulation="ipip", kube_proxy_mode="ipvs")
    assert lab.latest() == []
    seen(2, kernel="6.18.0")
    (cluster,) = lab.latest()
    assert cluster["latest"]["run_id"] == run
    assert {one["contender"] for one in cluster["since_measured"]} == {"6.18.0"}
    assert cluster["seen_at"] is not None
    seen(2.5, nics=["virtio_net, 10 Gbit/s"])
    (cluster,) = lab.latest()
    found = {(str(one["baseline"]), str(one["contender"])) for one in cluster["since_measured"]}
    assert found == {("[]", "['virtio_net, 10 Gbit/s']")}
    seen(3)
    assert lab.latest() == []
