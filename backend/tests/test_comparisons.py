import copy
import uuid
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from podmeter.db.models import ComparisonRecord, Role
from podmeter.db.session import Sessions
from podmeter.statistics import METHOD_VERSION
from podmeter_api.security import COOKIE

from .conftest import LogIn
from .measured import Measured, ladder, paths, service_scale, store, throughput
from .result_rows import effects_of, every_effect, groups

pytestmark = pytest.mark.services
COMPARISONS = "/api/v1/comparisons"


def modes(run_id: uuid.UUID, axis: str, first: str, other: str) -> dict[str, Any]:
    return {
        "baseline": {"run_id": str(run_id), "where": {axis: first}},
        "contenders": [{"run_id": str(run_id), "where": {axis: other}}],
        "metrics": "all",
    }


def effects(contender: dict[str, Any], metric: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    return {
        tuple(value for _, value in sorted(pair["shared"].items())): effect
        for pair in contender["pairs"]
        for effect in effects_of(pair["effects"])
        if effect["metric"] == metric
    }


def test_modes_inside_one_run(admin: TestClient, sessions: Sessions) -> None:
    run_id = store(sessions, Measured(throughput(), paths))
    answer = admin.post(COMPARISONS, json=modes(run_id, "encapsulation", "host-gw", "vxlan"))
    assert answer.status_code == 201, answer.text
    contender = answer.json()["contenders"][0]
    assert contender["compared_axes"] == ["encapsulation"]
    assert contender["gate"]["verdict"] == "comparable"
    assert [one["field"] for one in contender["gate"]["differences"]] == ["cni.encapsulation"]
    found = effects(contender, "throughput")
    slow = found["pod-pod", "tcp", 1]
    assert slow["verdict"] == "worse"
    assert slow["ratio"]["value"] == pytest.approx(0.8, abs=0.02)
    assert slow["ratio"]["low"] < slow["ratio"]["value"] < slow["ratio"]["high"] < 1
    assert slow["correlation"] is not None
    assert slow["p"] < 0.05
    assert slow["median baseline"]["n"] == 12
    assert [len(one) for one in slow["median baseline"]["parameters"]["values"]] == [2] * 6
    # Node to node is the control of what lies beside it.
    assert (slow["level"], slow["method"], slow["rounds"]) == ("block", "covariate_t", 6)
    assert slow["looked_at"] == 2
    assert slow["p"] < slow["adjusted_p"] < 0.04
    assert found["node-node", "tcp", 1]["verdict"] in ("same", "undecided")
    assert contender["tally"]["worse"] == 1
    read = admin.get(answer.headers["location"])
    assert read.json() == {**answer.json(), "outdated": False}


def test_sentences_are_said_in_the_language_that_is_asked_for_and_not_stored(
    admin: TestClient, sessions: Sessions
) -> None:
    run_id = store(sessions, Measured(throughput(), paths))
    sides = modes(run_id, "encapsulation", "host-gw", "vxlan")
    made = admin.post(COMPARISONS, json=sides, headers={"Accept-Language": "zh-CN"})
    path = made.headers["location"]
    read = {
        language: admin.get(path, headers={"Accept-Language": language}).json()
        for language in ("zh", "en", "fr")
    }
    found = {language: one["headline"]["sentences"][0] for language, one in read.items()}
    assert made.json()["headline"]["sentences"][0] == found["zh"]
    assert found["en"]["text"].startswith("VXLAN costs 2")
    assert found["zh"]["text"].startswith("VXLAN 的 Pod→Pod 吞吐量比 host-gw 低")
    assert found["fr"] == found["en"]
    assert found["zh"]["parameters"] == found["en"]["parameters"]
    with sessions.begin() as session:
        (stored,) = session.scalars(select(ComparisonRecord.content))
    assert {one["text"] for one in stored["headline"]["sentences"]} == {""}


def test_curves_over_services(admin: TestClient, sessions: Sessions) -> None:
    run_id = store(sessions, Measured(service_scale(), ladder))
    answer = admin.post(COMPARISONS, json=modes(run_id, "kube_proxy_mode", "iptables", "nftables"))
    (contender,) = answer.json()["contenders"]
    baseline, _, other, _, difference, crossing = contender["curves"]
    assert {one["parameters"]["axis"] for one in contender["curves"]} == {"services"}
    assert baseline["key"]["point"]["kube_proxy_mode"] == "iptables"
    assert baseline["parameters"]["shape"] == "falls"
    assert other["parameters"]["shape"] in ("flat", "nearly_flat")
    assert (baseline["n"], other["n"]) == (36, 36)
    assert difference["parameters"]["xs"] == [10, 1000, 2000]
    assert difference["parameters"]["degrades_more"] == "baseline"
    assert crossing["parameters"]["contender_leads_after"] is True
    assert crossing["low"] == 10
    path = f"{answer.headers['location']}/export?format=markdown"
    assert "overtakes between 10 and 1000 services" in admin.get(path).text


def test_another_environment_is_refused_by_name(admin: TestClient, sessions: Sessions) -> None:
    one = store(sessions, Measured(throughput(), paths))
    two = store(sessions, Measured(throughput(), paths, environment={"kernel": "6.1.0"}))
    body = {"baseline": {"run_id": str(one)}, "contenders": [{"run_id": str(two)}]}
    (contender,) = admin.post(COMPARISONS, json=body).json()["contenders"]
    assert contender["gate"]["verdict"] == "refused"
    fields = {one["field"]: one for one in contender["gate"]["differences"]}
    assert set(fields) == {"nodes.acme-worker-1.kernel", "nodes.acme-worker-2.kernel"}
    assert fields["nodes.acme-worker-1.kernel"]["contender"] == "6.1.0"
    assert all(not pair["effects"] for pair in contender["pairs"])
    assert contender["curves"] == []


def test_two_clusters_are_confounded(admin: TestClient, sessions: Sessions) -> None:
    one = store(sessions, Measured(throughput(), paths))
    two = store(sessions, Measured(throughput(), paths, uid="uid-2", environment={"kernel": "6.1"}))
    body = {"baseline": {"run_id": str(one)}, "contenders": [{"run_id": str(two)}]}
    (contender,) = admin.post(COMPARISONS, json=body | {"metrics": "all"}).json()["contenders"]
    assert contender["compared_axes"] == ["cluster"]
    assert contender["gate"]["verdict"] == "confounded"
    against = [one["field"] for one in contender["gate"]["differences"] if one["axis"] is None]
    assert against == ["nodes.acme-worker-1.kernel", "nodes.acme-worker-2.kernel"]
    assert contender["tally_all"]["undecided"] + contender["tally_all"]["same"] == 8


def test_other_parameters_confound(admin: TestClient, sessions: Sessions) -> None:
    one = store(sessions, Measured(service_scale(), ladder))
    changed = service_scale(parameters={"concurrency": 50})
    two = store(sessions, Measured(changed, ladder))
    body = {"baseline": {"run_id": str(one)}, "contenders": [{"run_id": str(two)}]}
    (contender,) = admin.post(COMPARISONS, json=body).json()["contenders"]
    assert contender["gate"] == {
        "verdict": "confounded",
        "differences": [
            {"field": "parameters.concurrency", "baseline": 100, "contender": 50, "axis": None}
        ],
    }


def test_services_with_other_numbers_of_ports_confound(
    admin: TestClient, sessions: Sessions
) -> None:
    """The rungs are as high, and made in another way: the first sentences say so."""
    one = store(sessions, Measured(service_scale(), ladder))
    hundred = service_scale(parameters={"ports_per_service": 100})
    two = store(sessions, Measured(hundred, ladder))
    body = {"baseline": {"run_id": str(one)}, "contenders": [{"run_id": str(two)}]}
    document = admin.post(COMPARISONS, json=body).json()
    (contender,) = document["contenders"]
    assert contender["gate"]["verdict"] == "confounded"
    (difference,) = contender["gate"]["differences"]
    expected = {"field": "parameters.ports_per_service", "baseline": 1, "contender": 100}
    assert difference == {**expected, "axis": None}
    assert "parameters.ports_per_service differ as well" in str(document["headline"])
    again = store(sessions, Measured(hundred, ladder))
    body = {"baseline": {"run_id": str(two)}, "contenders": [{"run_id": str(again)}]}
    alike = admin.post(COMPARISONS, json=body).json()
    assert alike["contenders"][0]["gate"] == {"verdict": "comparable", "differences": []}


def test_a_run_says_how_many_ports_its_services_have(admin: TestClient, sessions: Sessions) -> None:
    spec = service_scale(parameters={"ports_per_service": 100})
    run = store(sessions, Measured(spec, ladder))
    report = admin.get(f"/api/v1/runs/{run}/summaries").json()
    assert report["parameters"]["ports_per_service"] == 100
    exported = admin.get(f"/api/v1/runs/{run}/export?format=markdown").text
    assert "ports\\_per\\_service 100" in exported


def test_an_unrecorded_environment_is_refused(admin: TestClient, sessions: Sessions) -> None:
    run_id = store(sessions, Measured(throughput(), paths, recorded=False))
    answer = admin.post(COMPARISONS, json=modes(run_id, "encapsulation", "host-gw", "vxlan"))
    (contender,) = answer.json()["contenders"]
    assert contender["gate"]["verdict"] == "refused"
    assert contender["gate"]["differences"][0]["field"] == "fingerprint"


def test_failed_cases_have_their_failures_alone(admin: TestClient, sessions: Sessions) -> None:
    def broken(point: Any) -> Any:
        return None if point["encapsulation"] == "vxlan" else paths(point)

    run_id = store(sessions, Measured(throughput(), broken))
    answer = admin.post(COMPARISONS, json=modes(run_id, "encapsulation", "host-gw", "vxlan"))
    (contender,) = answer.json()["contenders"]
    for pair in contender["pairs"]:
        (failed,) = effects_of(pair["effects"])
        assert (failed["metric"], failed["main"]) == ("failed_trials", False)
        assert failed["median contender"]["value"] == 1
        assert pair["contender"]["status"] == "failed"
        assert pair["contender"]["reason"]["text"] == "every trial failed"


def test_two_cases(admin: TestClient, sessions: Sessions) -> None:
    run_id = store(sessions, Measured(throughput(), paths))
    cases = {
        (one["point"]["encapsulation"], one["point"]["path"]): one["id"]
        for one in admin.get(f"/api/v1/runs/{run_id}/cases").json()["items"]
    }
    body = {
        "baseline": {"run_id": str(run_id), "case_id": cases["vxlan", "node-node"]},
        "contenders": [
            {"run_id": str(run_id), "case_id": cases["vxlan", "pod-pod"]},
            {"run_id": str(run_id), "case_id": cases["host-gw", "pod-pod"]},
        ],
    }
    first, second = admin.post(COMPARISONS, json=body).json()["contenders"]
    assert first["compared_axes"] == ["path"]
    assert effects(first, "throughput")["vxlan", "tcp", 1]["verdict"] == "worse"
    assert second["compared_axes"] == ["encapsulation", "path"]


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"where": {"encapsulation": "ipip"}}, "/contenders/0/where"),
        ({"case_id": 2**62}, "/contenders/0/case_id"),
        ({"where": {}}, "/contenders/0"),
    ],
)
def test_what_cannot_be_paired(
    admin: TestClient, sessions: Sessions, change: dict[str, Any], pointer: str
) -> None:
    run_id = store(sessions, Measured(throughput(), paths))
    body = modes(run_id, "encapsulation", "host-gw", "vxlan")
    body["contenders"][0] |= change
    answer = admin.post(COMPARISONS, json=body)
    assert answer.status_code == 422
    assert answer.json()["code"] == "invalid_comparison"
    assert answer.json()["errors"][0]["pointer"] == pointer


def test_kinds_do_not_mix(admin: TestClient, sessions: Sessions) -> None:
    one = store(sessions, Measured(throughput(), paths))
    two = store(sessions, Measured(service_scale(), ladder))
    body = {"baseline": {"run_id": str(one)}, "contenders": [{"run_id": str(two)}]}
    answer = admin.post(COMPARISONS, json=body)
    assert answer.json()["errors"][0]["pointer"] == "/contenders/0/run_id"


def test_between_runs_nothing_is_called_different(admin: TestClient, sessions: Sessions) -> None:
    """Nothing changed but the day, or all of it: one run an arm does not tell."""

    def half(point: Any) -> Any:
        return {key: value / 2 for key, value in paths(point).items()}

    one, two = (store(sessions, Measured(throughput(), what)) for what in (paths, half))
    body = {"baseline": {"run_id": str(one)}, "contenders": [{"run_id": str(two)}]}
    (contender,) = admin.post(COMPARISONS, json=body).json()["contenders"]
    found = effects(contender, "throughput").values()
    assert {one["reason"] for one in found} == {"noise_floor_unknown"}
    assert {one["level"] for one in found} == {"run"}
    assert all(one["ratio"]["low"] < 0.5 < one["ratio"]["high"] for one in found)
    assert contender["tally"] == {"better": 0, "worse": 0, "same": 0, "undecided": 4}


def test_one_block_of_each_mode_decides_nothing(admin: TestClient, sessions: Sessions) -> None:
    spec = throughput(repetition={"trials": 30, "rounds": 1})
    run_id = store(sessions, Measured(spec, paths))
    answer = admin.post(COMPARISONS, json=modes(run_id, "encapsulation", "host-gw", "vxlan"))
    (contender,) = answer.json()["contenders"]
    assert {one["reason"] for one in effects(contender, "throughput").values()} == {"one_block"}
    # Nor does one round of two paths, whatever its trials: each path is set up once in it.
    sides = [{"encapsulation": "vxlan", "path": path} for path in ("node-node", "pod-pod")]
    inside = {
        "baseline": {"run_id": str(run_id), "where": sides[0]},
        "contenders": [{"run_id": str(run_id), "where": sides[1]}],
    }
    (contender,) = admin.post(COMPARISONS, json=inside).json()["contenders"]
    (effect,) = every_effect(contender)
    assert (effect["verdict"], effect["reason"]) == ("undecided", "one_block")


def test_two_rungs_of_a_ladder_are_compared_by_the_rounds(
    admin: TestClient, sessions: Sessions
) -> None:
    # Each round sets a rung up again; ten trials on one of them are not ten pieces of evidence.
    for rounds, trials, told in (
        (6, 1, ("worse", "block", 6)),
        (1, 10, ("undecided", "block", 1)),
    ):
        spec = service_scale(repetition={"trials": trials, "rounds": rounds})
        run_id = store(sessions, Measured(spec, ladder))
        sides = [{"kube_proxy_mode": "iptables", "services": rung} for rung in (10, 2000)]
        body = {
            "baseline": {"run_id": str(run_id), "where": sides[0]},
            "contenders": [{"run_id": str(run_id), "where": sides[1]}],
        }
        (contender,) = admin.post(COMPARISONS, json=body).json()["contenders"]
        (effect,) = every_effect(contender)
        assert (effect["verdict"], effect["level"], effect["rounds"]) == told


def _judged_by_an_older_method(sessions: Sessions) -> None:
    with sessions.begin() as session:
        for row in session.scalars(select(ComparisonRecord)):
            content = copy.deepcopy(row.content)
            content["method_version"] = 1
            for pair in content["contenders"][0]["pairs"]:
                for effect in groups(pair["effects"]):
                    told = effect["ratio"]["parameters"]
                    effect["ratio"]["verdict"] = "better"
                    told["reason"] = "clear_effect"
                    for late in ("level", "agreement_p", "adjusted_p", "looked_at"):
                        told.pop(late, None)
            row.content = content


def test_what_an_older_method_judged_stays_and_says_so(
    admin: TestClient, sessions: Sessions
) -> None:
    run_id = store(sessions, Measured(throughput(), paths))
    body = modes(run_id, "encapsulation", "host-gw", "vxlan")
    made = admin.post(COMPARISONS, json=body)
    assert admin.get(made.headers["location"]).json() == {**made.json(), "outdated": False}
    _judged_by_an_older_method(sessions)
    with sessions() as session:
        stored = session.scalars(select(ComparisonRecord)).one().content
    said = admin.get(made.headers["location"]).json()
    with sessions() as session:
        assert session.scalars(select(ComparisonRecord)).one().content == stored
    assert (said["method_version"], said["outdated"]) == (1, True)
    again = admin.post(COMPARISONS, json=body).json()
    assert again["id"] != said["id"]
    assert again["method_version"] == METHOD_VERSION
    found = effects(said["contenders"][0], "throughput").values()
    assert {(one["verdict"], one.get("level"), one.get("looked_at")) for one in found} == {
        ("better", None, None)
    }


def test_a_comparison_is_frozen(admin: TestClient, sessions: Sessions) -> None:
    run_id = store(sessions, Measured(throughput(), paths))
    made = admin.post(COMPARISONS, json=modes(run_id, "encapsulation", "host-gw", "vxlan"))
    assert admin.delete(f"/api/v1/runs/{run_id}").status_code == 204
    assert admin.get(made.headers["location"]).json() == {**made.json(), "outdated": False}


def test_a_repeated_request_makes_one_comparison(admin: TestClient, sessions: Sessions) -> None:
    run_id = store(sessions, Measured(throughput(), paths))
    body = modes(run_id, "encapsulation", "host-gw", "vxlan")
    key = {"Idempotency-Key": "once"}
    first, again = (admin.post(COMPARISONS, json=body, headers=key) for _ in range(2))
    assert first.json() == again.json()
    assert again.headers["location"] == first.headers["location"]


def test_organizations_do_not_see_each_other(log_in: LogIn, sessions: Sessions) -> None:
    ours, theirs = log_in(), log_in(organization="theirs")
    run_id = store(sessions, Measured(throughput(), paths))
    mine = store(sessions, Measured(throughput(), paths, organization="theirs"))
    body = modes(run_id, "encapsulation", "host-gw", "vxlan")
    made = ours.post(COMPARISONS, json=body)
    location = made.headers["location"]
    missing = theirs.get(f"{COMPARISONS}/{uuid.uuid4()}")
    assert missing.status_code == 404
    for url in (location, f"{location}/export"):
        answer = theirs.get(url)
        assert (answer.status_code, answer.json()) == (404, missing.json())
    assert theirs.post(COMPARISONS, json=body).status_code == 404
    mixed = {"baseline": {"run_id": str(mine)}, "contenders": [{"run_id": str(run_id)}]}
    assert theirs.post(COMPARISONS, json=mixed).status_code == 404
    ours.cookies.delete(COOKIE)
    assert ours.post(COMPARISONS, json=body).status_code == 401


def test_comparisons_are_listed_by_run_and_deleted(
    admin: TestClient, log_in: LogIn, sessions: Sessions
) -> None:
    one, two, three = (store(sessions, Measured(throughput(), paths)) for _ in range(3))
    pairs = [(one, two), (two, three), (one, three)]
    made = [
        admin.post(
            COMPARISONS,
            json={"baseline": {"run_id": str(a)}, "contenders": [{"run_id": str(b)}]},
        ).json()
        for a, b in pairs
    ]

    def listed(**query: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        while True:
            page = admin.get(COMPARISONS, params={"limit": 1, **query}).json()
            found += page["items"]
            if page["next_cursor"] is None:
                return found
            query["cursor"] = page["next_cursor"]

    everything = listed()
    assert [item["id"] for item in everything] == [each["id"] for each in reversed(made)]
    latest = made[-1]
    assert everything[0] == {
        "id": latest["id"],
        "name": "paths / paths",
        "created_at": latest["created_at"],
        "kind": "throughput",
        "baseline": latest["baseline"],
        "contenders": [contender["side"] for contender in latest["contenders"]],
        "gates": ["comparable"],
    }
    assert [item["id"] for item in listed(run_id=str(two))] == [made[1]["id"], made[0]["id"]]
    assert listed(run_id=str(uuid.uuid4())) == []

    body = {"title": "kept", "comparison_id": latest["id"]}
    shared = admin.post("/api/v1/snapshots", json=body).json()
    where = f"{COMPARISONS}/{latest['id']}"
    viewer = log_in(Role.VIEWER)
    assert viewer.delete(where).status_code == 403
    assert admin.delete(where).status_code == 204
    assert admin.get(where).status_code == admin.delete(where).status_code == 404
    assert len(listed()) == 2
    assert admin.get(f"/api/v1/public/snapshots/{shared['token']}").status_code == 200
    own = viewer.post(COMPARISONS, json=modes(one, "encapsulation", "host-gw", "vxlan"))
    assert viewer.delete(own.headers["location"]).status_code == 204
