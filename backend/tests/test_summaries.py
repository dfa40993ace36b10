import uuid
from typing import Any

import pytest
from fastapi.testclient import TestClient

from podmeter.db.session import Sessions

from .conftest import LogIn
from .measured import Measured, ladder, paths, service_scale, store, throughput
from .result_rows import effects_of, summaries_of

pytestmark = pytest.mark.services


def report(client: TestClient, run_id: uuid.UUID, metrics: str | None = None) -> dict[str, Any]:
    answer = client.get(
        f"/api/v1/runs/{run_id}/summaries", params={"metrics": metrics} if metrics else None
    )
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_every_counted_trial_is_there(admin: TestClient, sessions: Sessions) -> None:
    spec = throughput(repetition={"trials": 3, "rounds": 2})
    found = report(admin, store(sessions, Measured(spec, paths)))
    # Two metrics that were measured in each of four cases, and the overhead.
    summaries = summaries_of(found)
    assert len(summaries) == 12
    one = next(row for row in summaries if row["metric"] == "throughput")
    median = one["median"]
    assert (median["n"], one["rounds"], one["unit"], one["main"]) == (6, 2, "bit/s", True)
    assert [len(values) for values in one["values"]] == [3, 3]
    assert median["low"] < median["value"] < median["high"]
    assert one["minimum"] == min(value for values in one["values"] for value in values)
    cpu = next(row for row in summaries if row["metric"] == "node_cpu")
    assert (cpu["subject"], cpu["main"]) == ("client", False)
    overhead = next(row for row in summaries if row["metric"] == "overhead")
    assert (overhead["mean"]["n"], overhead["unit"], overhead["main"]) == (6, "s", False)
    assert overhead["trials"] == one["trials"]
    (facts, *_) = found["cases"]
    assert (facts["counted"], facts["warmup"], facts["failed"]) == (6, 2, 0)


DEARER = throughput(repetition={"trials": 2, "rounds": 6})


def dearer(point: Any) -> Any:
    """The same throughput in both modes, with twice the CPU."""
    vxlan = point.get("encapsulation") == "vxlan"
    return {("throughput", ""): 1e10, ("node_cpu", "client"): 1.0 if vxlan else 0.5}


@pytest.mark.parametrize(
    ("spec", "made"),
    [(throughput(), paths), (service_scale(), ladder), (DEARER, dearer)],
)
def test_main_metrics_alone_find_the_same(
    admin: TestClient, sessions: Sessions, spec: dict[str, Any], made: Any
) -> None:
    run = store(sessions, Measured(spec, made))
    every, main = report(admin, run, "all"), report(admin, run, "main")
    assert every == report(admin, run)
    wanted = [one for one in summaries_of(every) if one["main"]]
    assert summaries_of(main) == wanted != summaries_of(every)
    told = [one["text"] for one in every["findings"]]
    assert any("worse" in text and "node CPU" in text for text in told) is (made is dearer)
    for part in every.keys() - {"summaries"}:
        assert main[part] == every[part], part


def test_losses_are_against_the_same_run_and_mode(admin: TestClient, sessions: Sessions) -> None:
    found = report(admin, store(sessions, Measured(throughput(), paths)))
    shares = [one for one in found["losses"] if one["code"] == "loss"]
    losses = {one["key"]["point"]["encapsulation"]: one for one in shares}
    assert set(losses) == {"host-gw", "vxlan"}
    assert losses["vxlan"]["low"] < 0.2 < losses["vxlan"]["high"]
    assert losses["host-gw"]["low"] < 0 < losses["host-gw"]["high"]
    assert losses["vxlan"]["key"]["against"]["path"] == "node-node"
    assert losses["vxlan"]["key"]["against"]["encapsulation"] == "vxlan"
    texts = [one["text"] for one in found["findings"]]
    assert any(text.startswith("pod→pod (VXLAN, TCP, 1 stream) loses ") for text in texts)
    assert any(text.startswith("pod→pod (host-gw, TCP, 1 stream) is the same") for text in texts)


def test_a_loss_without_its_baseline_says_so(admin: TestClient, sessions: Sessions) -> None:
    def broken(point: Any) -> Any:
        return None if point["path"] == "node-node" else paths(point)

    found = report(admin, store(sessions, Measured(throughput(), broken)))
    assert [one["value"] for one in found["losses"]] == [None] * 4
    assert found["losses"][0]["parameters"]["warnings"][0]["code"] == "no_baseline_case"


def test_what_the_modes_change(admin: TestClient, sessions: Sessions) -> None:
    found = report(admin, store(sessions, Measured(throughput(), paths)))
    (worse,) = [one for one in found["findings"] if one["code"] == "mode_worse"]
    assert worse["point"]["path"] == "pod-pod"
    assert worse["text"].startswith("VXLAN is worse than host-gw in pod→pod throughput (TCP, ")
    (effect,) = effects_of(worse["evidence"]["rows"])
    assert effect["p"] < 0.05
    key = effect["ratio"]["key"]
    assert key["against"]["encapsulation"] == "host-gw"
    assert key["point"]["encapsulation"] == "vxlan"
    assert effect["median baseline"]["n"] == effect["median contender"]["n"]


def test_shapes_and_crossovers(admin: TestClient, sessions: Sessions) -> None:
    found = report(admin, store(sessions, Measured(service_scale(), ladder)))
    codes = {one["code"]: one for one in found["findings"]}
    assert codes["curve_falls"]["point"]["kube_proxy_mode"] == "iptables"
    assert " falls by " in codes["curve_falls"]["text"]
    assert " from 10 to 2,000 Service ports; p " in codes["curve_falls"]["text"]
    flat = codes.get("curve_flat") or codes["curve_nearly_flat"]
    assert flat["point"]["kube_proxy_mode"] == "nftables"
    assert codes["crossover"]["text"] == (
        "nftables takes the lead over iptables in requests per second (ClusterIP, "
        "client on another node, last Service, no keep-alive) between 10 and 1,000 Service ports"
    )


def test_overhead_is_told(admin: TestClient, sessions: Sessions) -> None:
    found = report(admin, store(sessions, Measured(throughput(), paths)))["overhead"]
    median, *of_blocks = found
    assert (median["code"], median["n"], median["value"]) == ("median", 48, 0.25)
    assert {one["code"]: one["value"] for one in of_blocks}["preparing"] == 24.0
    assert "switching" not in {one["code"] for one in of_blocks}


def test_a_failure_is_no_number(admin: TestClient, sessions: Sessions) -> None:
    def broken(point: Any) -> Any:
        return None if point["encapsulation"] == "vxlan" else paths(point)

    found = report(admin, store(sessions, Measured(throughput(), broken)))
    failed = [one for one in found["cases"] if one["status"] == "failed"]
    assert len(failed) == 2
    assert failed[0]["counted"] == 0
    assert failed[0]["failures"][0]["code"] == "tool_failed"
    measured = {
        one["point"]["encapsulation"]
        for one in summaries_of(found)
        if one["metric"] != "failed_trials"
    }
    assert measured == {"host-gw"}


def test_a_metric_nobody_knows_is_named(admin: TestClient, sessions: Sessions) -> None:
    run_id = store(sessions, Measured(throughput(), lambda _: {("formerly", ""): 1.0}))
    found = report(admin, run_id)
    assert {one["key"]["metric"] for one in found["summaries"]} == {"overhead"}
    (warning,) = found["warnings"]
    assert (warning["code"], warning["params"]) == ("metrics_unknown", {"metrics": ["formerly"]})


def test_other_organizations_see_nothing(log_in: LogIn, sessions: Sessions) -> None:
    log_in()
    theirs = log_in(organization="theirs")
    run_id = store(sessions, Measured(throughput(), paths))
    missing = theirs.get(f"/api/v1/runs/{uuid.uuid4()}/summaries")
    for path in ("summaries", "export", "export?format=csv"):
        answer = theirs.get(f"/api/v1/runs/{run_id}/{path}")
        assert (answer.status_code, answer.json()) == (404, missing.json())
