"""A cluster's noise floor: measured by A/A runs, computed from stored ones, and judged by."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from podmeter.db.base import now
from podmeter.db.models import Cluster, Role
from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.db.session import Sessions
from podmeter.domain.cluster_report import AxisReport, ClusterReport
from podmeter.kinds.registry import KINDS
from podmeter.statistics import RUNS_NEEDED

from .builders import reach, register, two_nodes
from .conftest import LogIn
from .measured import Measured, Point, fingerprint, ladder, service_scale, store, throughput
from .result_rows import effects_of, every_effect

pytestmark = pytest.mark.services

TOGETHER = ("pod-pod", "tcp", 1)


def a_and_a(**axes: list[Any]) -> dict[str, Any]:
    paths = {"path": ["node-node", "pod-pod"], "protocol": ["tcp"], "streams": [1]}
    return throughput(name="the same", axes={"arm": ["a", "b"], **paths, **axes})


def one_mode(mode: str = "vxlan") -> dict[str, Any]:
    axes = {"encapsulation": [mode], "path": ["pod-pod"], "protocol": ["tcp"], "streams": [1]}
    return throughput(name=mode, axes=axes)


def rate(bits: float) -> Callable[[Point], dict[tuple[str, str], float]]:
    return lambda point: {("throughput", ""): bits}


def registered(client: TestClient, sessions: Sessions, **report: Any) -> str:
    """A cluster that was reached, its id; the runs of these tests are on it."""
    made = register(client, allow_mode_switch=bool(report))["id"]
    reach(sessions, made)
    if report:
        with sessions.begin() as session:
            found = ClusterReport(
                kubernetes_version="v1.34.4", nodes=two_nodes(), rights={}, **report
            )
            row = session.get_one(Cluster, uuid.UUID(made))
            row.capabilities = found.model_dump(mode="json")
    return str(made)


def repeated(
    sessions: Sessions, *gigabits: float, days: float = 1, **changes: Any
) -> list[uuid.UUID]:
    """Runs of one thing, a day after the other, the last of them today."""
    return [
        store(
            sessions,
            Measured(
                one_mode(),
                rate(one * 1e9),
                seed=number,
                noise=0.001,
                ago=timedelta(days=days * (len(gigabits) - 1 - number)),
                **changes,
            ),
        )
        for number, one in enumerate(gigabits)
    ]


def compared(client: TestClient, one: uuid.UUID, two: uuid.UUID) -> dict[str, Any]:
    body = {"baseline": {"run_id": str(one)}, "contenders": [{"run_id": str(two)}]}
    answer = client.post("/api/v1/comparisons", json=body)
    assert answer.status_code == 201, answer.text
    (contender,) = answer.json()["contenders"]
    return dict(contender)


def only_effect(contender: dict[str, Any]) -> dict[str, Any]:
    (effect,) = every_effect(contender)
    return effect


def test_an_a_a_run_tells_how_far_trials_and_blocks_differ(
    admin: TestClient, sessions: Sessions
) -> None:
    cluster = registered(admin, sessions)
    run = store(sessions, Measured(a_and_a(), rate(1e10), noise=0.02))
    found = admin.get(f"/api/v1/clusters/{cluster}/noise-floor").json()
    assert found["runs_needed"] == RUNS_NEEDED
    (floor,) = found["measured"]
    assert (floor["kind"], floor["run_ids"], floor["days"]) == ("throughput", [str(run)], 1)
    assert floor["outdated"] == []
    # Twelve blocks of two trials; each round tells once how far two blocks differ.
    told = [(one["key"]["point"]["path"], one["code"], one["n"]) for one in floor["figures"]]
    levels = (("within", 24), ("blocks", 12))
    assert told == [(path, *level) for path in ("node-node", "pod-pod") for level in levels]
    expected = {"within": (0.01, 0.035), "blocks": (0.005, 0.03)}
    for one in floor["figures"]:
        key = one["key"]
        assert key["point"] == {"path": key["point"]["path"], "protocol": "tcp", "streams": 1}
        assert (key["metric"], key["unit"]) == ("throughput", "ratio")
        low, high = expected[one["code"]]
        assert low < one["value"] < high
        assert one["low"] < one["value"] < one["high"]


def test_arms_are_compared_as_modes_are(admin: TestClient, sessions: Sessions) -> None:
    run = store(sessions, Measured(a_and_a(), rate(1e10)))
    body = {
        "baseline": {"run_id": str(run), "where": {"arm": "a"}},
        "contenders": [{"run_id": str(run), "where": {"arm": "b"}}],
    }
    (contender,) = admin.post("/api/v1/comparisons", json=body).json()["contenders"]
    assert contender["compared_axes"] == ["arm"]
    for pair in contender["pairs"]:
        (effect,) = effects_of(pair["effects"])
        assert (effect["level"], effect["rounds"]) == ("block", 6)
        assert effect["verdict"] in ("same", "undecided")


def test_an_ordinary_run_alone_is_no_noise_floor_and_two_alike_are(
    admin: TestClient, sessions: Sessions
) -> None:
    cluster = registered(admin, sessions)
    repeated(sessions, 8)
    assert admin.get(f"/api/v1/clusters/{cluster}/noise-floor").json()["measured"] == []
    repeated(sessions, 9, 10)
    (floor,) = admin.get(f"/api/v1/clusters/{cluster}/noise-floor").json()["measured"]
    assert (len(floor["run_ids"]), floor["days"]) == (3, 2)
    (figure,) = (one for one in floor["figures"] if one["code"] == "runs")
    assert figure["n"] == 3
    assert 0.08 < figure["value"] < 0.16


def test_trials_by_count_have_no_length(admin: TestClient, sessions: Sessions) -> None:
    """They lasted 0 s."""
    cluster = registered(admin, sessions)
    for seed in (1, 2):
        store(sessions, Measured(service_scale(), ladder, seed=seed))
    (floor,) = admin.get(f"/api/v1/clusters/{cluster}/noise-floor").json()["measured"]
    assert (floor["kind"], floor["seconds"]) == ("service_scale", None)


def test_a_floor_of_another_environment_names_what_changed(
    admin: TestClient, sessions: Sessions
) -> None:
    cluster = registered(admin, sessions)
    repeated(sessions, 8, 9, environment={"kernel": "6.1.0"})
    with sessions.begin() as session:
        # What a preflight sees today.
        row = session.get_one(Cluster, uuid.UUID(cluster))
        ClusterRepository(session, row.organization_id).record_fingerprint(
            row.id, b"d" * 32, fingerprint(kube_proxy_mode="nftables"), now()
        )
    (floor,) = admin.get(f"/api/v1/clusters/{cluster}/noise-floor").json()["measured"]
    # The mode of kube-proxy is what is compared; the kernel is not.
    assert {one["field"] for one in floor["outdated"]} == {
        "nodes.acme-worker-1.kernel",
        "nodes.acme-worker-2.kernel",
    }
    assert floor["outdated"][0]["baseline"] == "6.1.0"
    assert floor["outdated"][0]["contender"] == "6.12.0"


QUIET = (8.0, 8.08, 7.96, 8.04, 7.92, 8.02)


def test_two_runs_differ_by_more_than_the_cluster_does(
    admin: TestClient, sessions: Sessions
) -> None:
    repeated(sessions, *QUIET)
    one, two = repeated(sessions, 8, 6)
    contender = compared(admin, one, two)
    effect = only_effect(contender)
    assert (effect["verdict"], effect["reason"]) == ("worse", "clear_effect")
    assert (effect["level"], effect["method"]) == ("run", "noise_floor_t")
    assert effect["noise_floor"]["n"] == len(QUIET)
    assert 0.004 < effect["noise_floor"]["value"] < 0.02
    used = contender["noise_floor"]
    assert (used["runs"], used["thin"], used["outdated"]) == (len(QUIET), False, [])
    assert used["first_at"] < used["last_at"]


def test_two_runs_that_differ_as_the_cluster_does_are_undecided(
    admin: TestClient, sessions: Sessions
) -> None:
    repeated(sessions, 8, 6, 10, 7, 9, 8.5)
    one, two = repeated(sessions, 8, 6)
    effect = only_effect(compared(admin, one, two))
    assert (effect["verdict"], effect["reason"]) == ("undecided", "within_noise_floor")
    assert effect["ratio"]["low"] < 1 < effect["ratio"]["high"]


def test_without_a_floor_or_with_a_thin_one_nothing_is_said(
    admin: TestClient, sessions: Sessions
) -> None:
    one, two = repeated(sessions, 8, 4)
    contender = compared(admin, one, two)
    assert contender["noise_floor"] is None
    assert only_effect(contender)["reason"] == "noise_floor_unknown"
    repeated(sessions, *QUIET[: RUNS_NEEDED - 1])
    contender = compared(admin, one, two)
    assert contender["noise_floor"]["thin"] is True
    assert only_effect(contender)["reason"] == "noise_floor_thin"


def test_runs_of_one_hour_say_nothing_of_days(admin: TestClient, sessions: Sessions) -> None:
    repeated(sessions, *QUIET, days=0.005)
    together = repeated(sessions, 8, 4, days=0.01)
    assert only_effect(compared(admin, *together))["verdict"] == "worse"
    a_day_apart = repeated(sessions, 8, 4)
    assert only_effect(compared(admin, *a_day_apart))["reason"] == "noise_floor_thin"


def test_a_floor_that_is_older_than_the_environment_says_so(
    admin: TestClient, sessions: Sessions
) -> None:
    repeated(sessions, *QUIET, environment={"kernel": "6.1.0"})
    one, two = repeated(sessions, 8, 6)
    used = compared(admin, one, two)["noise_floor"]
    assert {one["field"] for one in used["outdated"]} == {
        "nodes.acme-worker-1.kernel",
        "nodes.acme-worker-2.kernel",
    }


def test_other_peoples_other_clusters_and_other_things_are_no_floor(
    admin: TestClient, sessions: Sessions
) -> None:
    repeated(sessions, *QUIET, uid="uid-2")
    for number, bits in enumerate(QUIET):
        spec = {**one_mode(), "parameters": {"port": 5300}}
        store(sessions, Measured(spec, rate(bits * 1e9), seed=number))
    one, two = repeated(sessions, 8, 6)
    assert compared(admin, one, two)["noise_floor"] is None


def test_longer_trials_say_nothing_of_shorter_ones(admin: TestClient, sessions: Sessions) -> None:
    for number, bits in enumerate(QUIET):
        spec = one_mode()
        spec["repetition"] = {**spec["repetition"], "seconds": 20}
        store(sessions, Measured(spec, rate(bits * 1e9), seed=number))
    one, two = repeated(sessions, 8, 6)
    assert compared(admin, one, two)["noise_floor"] is None


def test_a_plan_sees_what_the_cluster_lets_it_see(admin: TestClient, sessions: Sessions) -> None:
    cluster = registered(admin, sessions)

    def sight() -> dict[str, Any]:
        answer = admin.post(f"/api/v1/experiments/plan?cluster_id={cluster}", json=throughput())
        assert answer.status_code == 200, answer.text
        return dict(answer.json()["sight"])

    assumed = sight()
    assert (assumed["noise_floor"], assumed["block_deviation"]) == (None, 0.05)
    assert assumed == admin.post("/api/v1/experiments/plan", json=throughput()).json()["sight"]
    run = store(sessions, Measured(a_and_a(), rate(1e10), noise=0.01))
    known = sight()
    assert known["noise_floor"]["runs"] == 1
    assert (known["noise_floor"]["cases"], known["noise_floor"]["of_cases"]) == (2, 2)
    assert 0.002 < known["block_deviation"] < 0.02
    assert known["effect"] < assumed["effect"]
    figures = admin.get(f"/api/v1/clusters/{cluster}/noise-floor").json()["measured"][0]["figures"]
    assert known["block_deviation"] == max(
        one["value"] for one in figures if one["code"] == "blocks"
    )
    assert admin.delete(f"/api/v1/runs/{run}").status_code == 204
    assert sight() == assumed


SWITCHABLE = AxisReport(
    component="kube-flannel", values={"vxlan": None, "host-gw": None}, observed="vxlan"
)


def test_it_is_measured_by_one_request(admin: TestClient, sessions: Sessions) -> None:
    cluster = registered(admin, sessions, modes={"encapsulation": SWITCHABLE})
    path = f"/api/v1/clusters/{cluster}/noise-floor"
    offered = {one["kind"]: one for one in admin.get(path).json()["to_measure"]}
    assert set(offered) == set(KINDS)
    throughput_run = offered["throughput"]
    assert (throughput_run["axis"], throughput_run["mode"]) == ("encapsulation", "vxlan")
    assert throughput_run["expected_seconds"] < 20 * 60
    # Of kube-proxy nothing is known, so nothing of it is rolled.
    assert (offered["service_scale"]["axis"], offered["service_scale"]["mode"]) == (None, None)
    answer = admin.post(path, json={"kind": "throughput"})
    assert answer.status_code == 202, answer.text
    run = admin.get(answer.headers["location"]).json()
    plan = admin.get(f"{answer.headers['location']}/plan").json()
    arms = [block["modes"]["arm"] for block in plan["blocks"]]
    assert len(arms) == 12
    assert all(sorted(arms[n : n + 2]) == ["a", "b"] for n in range(0, 12, 2))
    # Each block sets up the current mode again, as for a switch.
    assert [one["value"] for one in plan["switches"]] == ["vxlan"] * 12
    again = admin.post(path, json={"kind": "throughput"}).json()
    assert again["experiment_id"] == run["experiment_id"]
    assert again["id"] != run["id"]


def test_it_is_called_as_who_asks_says(admin: TestClient, sessions: Sessions) -> None:
    cluster = registered(admin, sessions, modes={"encapsulation": SWITCHABLE})
    path = f"/api/v1/clusters/{cluster}/noise-floor"
    (offered,) = (
        one for one in admin.get(path).json()["to_measure"] if one["kind"] == "throughput"
    )
    said = {"name": "噪声基底：吞吐量，VXLAN", "description": "两臂相同。"}
    run = admin.post(path, json={"kind": "throughput", **said}).json()
    kept = admin.get(f"/api/v1/experiments/{run['experiment_id']}").json()["spec"]
    assert {key: kept[key] for key in said} == said
    assert kept["axes"] == offered["document"]["axes"]
    again = admin.post(path, json={"kind": "throughput", **said}).json()
    assert again["experiment_id"] == run["experiment_id"]
    plain = admin.post(path, json={"kind": "throughput"}).json()
    assert plain["name"] == "Noise floor: throughput, vxlan"
    assert admin.post(path, json={"kind": "throughput", "name": ""}).status_code == 422


def test_where_modes_may_not_be_switched_pods_alone_are_made_anew(
    admin: TestClient, sessions: Sessions
) -> None:
    cluster = registered(admin, sessions)
    answer = admin.post(f"/api/v1/clusters/{cluster}/noise-floor", json={"kind": "service_scale"})
    plan = admin.get(f"{answer.headers['location']}/plan").json()
    assert plan["switches"] == []
    assert {tuple(block["modes"]) for block in plan["blocks"]} == {("arm", "services")}


def test_who_may_measure_it(admin: TestClient, sessions: Sessions, log_in: LogIn) -> None:
    cluster = register(admin)["id"]
    path = f"/api/v1/clusters/{cluster}/noise-floor"
    never_reached = admin.post(path, json={"kind": "throughput"})
    assert never_reached.status_code == 409
    assert admin.get(path).json()["measured"] == []
    assert admin.post(path, json={"kind": "unheard_of"}).status_code in (409, 422)
    reach(sessions, cluster)
    viewer = log_in(Role.VIEWER)
    assert viewer.get(path).status_code == 200
    assert viewer.post(path, json={"kind": "throughput"}).status_code == 403
