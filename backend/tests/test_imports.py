"""Imports: what is recognised, what is kept of it, and what comparisons say of it."""

import re
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from podmeter.db.models import Role, Run, RunCluster
from podmeter.db.session import Sessions

from .builders import reach, register
from .conftest import LogIn
from .measured import Measured, paths, store, throughput
from .result_rows import every_effect, summaries_of

pytestmark = pytest.mark.services
IMPORTS = "/api/v1/imports"
COMPARISONS = "/api/v1/comparisons"
PASTED = Path(__file__).parents[2] / "core" / "tests" / "fixtures" / "pasted"
VXLAN, NATIVE, NODES = (
    (PASTED / "articles" / f"003-{name}.txt").read_text() for name in ("vxlan", "native", "nodes")
)
MEBI = 8 * 2.0**20


def runs(pasted: str, count: int) -> str:
    """A text as of so many runs: each has a connection of its own, else it is one told again."""
    local, port = re.findall(r"( local \S+ port )([0-9]+)", pasted)[0]
    return "\n".join(
        pasted.replace(f"{local}{port}", f"{local}{int(port) + n}") for n in range(count)
    )


def kept(client: TestClient, **body: Any) -> dict[str, Any]:
    """An import; the three outputs of one article unless it says otherwise."""
    given = {
        "name": "Cilium, 2023",
        "text": f"{NODES}\n{VXLAN}\n{NATIVE}",
        "environment": {"cluster": "cilium-62", "cni": "Cilium", "cni_version": "1.13.4"},
        "outputs": [
            {"output": 1, "at": {"path": "node-node"}},
            {"output": 2, "at": {"path": "pod-pod", "encapsulation": "vxlan"}},
            {"output": 3, "at": {"path": "pod-pod", "encapsulation": "native"}},
        ],
    }
    answer = client.post(IMPORTS, json={**given, **body})
    assert answer.status_code == 201, answer.text
    assert answer.headers["location"] == f"/api/v1/runs/{answer.json()['id']}"
    return dict(answer.json())


def compared(client: TestClient, baseline: dict[str, Any], contender: dict[str, Any]) -> Any:
    body = {"baseline": baseline, "contenders": [contender], "metrics": "all"}
    answer = client.post(COMPARISONS, json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()


def effects_of(comparison: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for contender in comparison["contenders"] for one in every_effect(contender)]


def test_a_preview_shows_what_was_recognised_and_keeps_nothing(
    admin: TestClient, sessions: Sessions
) -> None:
    answer = admin.post(f"{IMPORTS}/preview", json={"text": f"{NODES}\n{VXLAN}"})
    assert answer.status_code == 200, answer.text
    found = answer.json()
    first, second = found["outputs"]
    assert (first["tool"], first["told"]) == ("iperf3", {"protocol": "tcp", "streams": 1})
    received = first["figures"][0]
    assert received["metric"] == "throughput"
    # iperf3 counts bytes in 1024s and bits in 1000s: 1138 MBytes/sec are 9.546 Gbit/s.
    assert received["value"] == pytest.approx(9.546e9, rel=1e-4)
    assert (received["printed"], received["unit"]) == ("1138 MBytes/sec", "bit/s")
    assert second["first_line"] > first["last_line"]
    axes = {axis["name"]: axis for axis in found["axes"]}
    assert "pod-service-pod" in axes["path"]["choices"]
    assert "cluster" not in axes
    with sessions() as session:
        assert session.scalars(select(Run)).all() == []


def test_an_import_is_a_finished_run_that_is_read_like_any_other(
    admin: TestClient, sessions: Sessions
) -> None:
    run = kept(admin)
    assert (run["kind"], run["state"], run["outcome"]) == ("import", "finished", "succeeded")
    assert run["clusters"] == []
    path = f"/api/v1/runs/{run['id']}"
    detail = admin.get(path).json()
    assert detail["spec"]["parameters"]["cni"] == "Cilium"
    assert [one["code"] for one in detail["warnings"]] == ["import_given"]
    report = admin.get(f"{path}/summaries").json()
    keys = {one["case_id"]: one["key"] for one in report["cases"]}
    centres = {
        keys[one["case_id"]]: one["median"]["value"]
        for one in summaries_of(report)
        if one["metric"] == "throughput"
    }
    assert centres == {
        "path=node-node,protocol=tcp,streams=1": pytest.approx(1138 * MEBI),
        "encapsulation=vxlan,path=pod-pod,protocol=tcp,streams=1": pytest.approx(493 * MEBI),
        "encapsulation=native,path=pod-pod,protocol=tcp,streams=1": pytest.approx(1266 * MEBI),
    }
    assert all(one["n"] == 1 for one in report["summaries"])
    trial = admin.get(f"{path}/trials").json()["items"][1]
    whole = admin.get(f"{path}/trials/{trial['id']}").json()
    (invocation,) = whole["invocations"]
    assert "493 MBytes/sec" in invocation["stdout"]
    assert "1138" not in invocation["stdout"]
    assert whole["facts"]["lines"].startswith("23-")
    listed = admin.get("/api/v1/runs", params={"kind": "import"}).json()["items"]
    assert [one["id"] for one in listed] == [run["id"]]
    assert admin.get("/api/v1/runs", params={"kind": "throughput"}).json()["items"] == []
    with sessions() as session:
        # It is on no cluster, so no noise floor and no overview counts it.
        assert session.scalars(select(RunCluster)).all() == []
    assert admin.delete(path).status_code == 204


def test_what_a_pasted_text_does_not_tell_is_null(admin: TestClient) -> None:
    """It was 0 s, from the moment of the import on, with exit code 0."""
    curl = (PASTED / "curl-8.14.1" / "named.txt").read_text()
    for text, seconds in ((VXLAN, pytest.approx(10)), (curl, None)):
        run = kept(admin, text=text, outputs=[], at={"path": "pod-pod"})
        path = f"/api/v1/runs/{run['id']}"
        listed = admin.get(f"{path}/trials").json()["items"][0]
        trial = admin.get(f"{path}/trials/{listed['id']}").json()
        (invocation,) = trial["invocations"]
        for times in (listed["seconds"], trial["tool_seconds"], invocation["seconds"]):
            assert times == seconds
        assert trial["started_at"] is invocation["exit_code"] is None
        (block,) = admin.get(path).json()["blocks"]
        assert block["started_at"] is block["ended_at"] is None


def test_outputs_at_one_point_are_trials_of_one_case(admin: TestClient) -> None:
    run = kept(admin, text=f"{VXLAN}\n{NATIVE}", outputs=[], at={"path": "pod-pod"})
    report = admin.get(f"/api/v1/runs/{run['id']}/summaries").json()
    (summary,) = [one for one in summaries_of(report) if one["metric"] == "throughput"]
    assert summary["values"] == [[pytest.approx(493 * MEBI), pytest.approx(1266 * MEBI)]]
    assert report["cases"][0]["point"] == {"path": "pod-pod", "protocol": "tcp", "streams": 1}


def test_what_cannot_be_read_is_refused_with_its_line(admin: TestClient) -> None:
    text = VXLAN.replace("493 MBytes/sec", "493 MBotes/sec")
    answer = admin.post(IMPORTS, json={"name": "odd", "text": text})
    assert answer.status_code == 422, answer.text
    (fault,) = answer.json()["errors"]
    assert fault["pointer"] == "/text"
    assert fault["message"]["code"] == "paste_line"
    assert fault["message"]["params"]["line"] == 18
    assert "493 MBotes/sec" in fault["message"]["params"]["text"]
    assert admin.get("/api/v1/runs").json()["items"] == []


def test_a_preview_shows_what_each_line_is(admin: TestClient) -> None:
    text = f"# nodes\n$ iperf3 -c 10.0.0.2\n{NODES}\n$ kubectl get pod\nNAME READY\n{VXLAN}"
    found = admin.post(f"{IMPORTS}/preview", json={"text": text}).json()
    assert found["refused"] is None
    kinds = [(one["kind"], one["outputs"]) for one in found["lines"]]
    assert kinds[:2] == [("around", []), ("command", [])]
    assert ("output", [1]) in kinds
    assert kinds.index(("other", [])) > kinds.index(("output", [1]))
    assert ("output", [2]) in kinds
    ends = [(one["first_line"], one["last_line"]) for one in found["lines"]]
    assert ends[0][0] == 1
    assert all(after[0] == before[1] + 1 for before, after in pairwise(ends))
    assert found["lines"][0]["text"] == "# nodes"
    (connection,) = found["outputs"][0]["connections"]
    assert re.fullmatch(r"\S+:[0-9]+", connection["local"])


def test_a_preview_shows_what_is_above_a_line_that_cannot_be_read(admin: TestClient) -> None:
    text = f"{NODES}\n" + VXLAN.replace("493 MBytes/sec", "493 MBotes/sec")
    answer = admin.post(f"{IMPORTS}/preview", json={"text": text})
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert len(found["outputs"]) == 1
    line = 1 + text[: text.index("MBotes")].count("\n")
    assert found["refused"]["line"] == line
    assert found["refused"]["why"]["code"] == "paste_unknown"
    kinds = {one["kind"]: one for one in found["lines"]}
    assert (kinds["refused"]["first_line"], kinds["refused"]["last_line"]) == (line, line)
    assert kinds["unread"]["last_line"] >= line
    assert admin.get("/api/v1/runs").json()["items"] == []


def test_answers_that_are_not_2xx_are_never_a_rate(admin: TestClient) -> None:
    text = (PASTED / "wrk-4.0.0" / "not-2xx.txt").read_text()
    found = admin.post(f"{IMPORTS}/preview", json={"text": text}).json()
    assert found["outputs"] == []
    assert (found["refused"]["line"], found["refused"]["why"]["code"]) == (7, "ab_not_2xx")


@pytest.mark.parametrize(
    ("outputs", "pointer", "code"),
    [
        ([{"output": 4, "at": {}}], "/outputs/0/output", "import_no_output"),
        ([{"output": 1, "at": {}}] * 2, "/outputs/1/output", "import_twice"),
        ([{"output": 1, "at": {"nic": "x"}}], "/outputs/0/at/nic", "import_axis"),
        ([{"output": 1, "at": {"tool": "wrk"}}], "/outputs/0/at/tool", "import_axis"),
        ([{"output": 1, "at": {"path": "here"}}], "/outputs/0/at/path", "axis_not_choice"),
        ([{"output": 1, "at": {"services": "many"}}], "/outputs/0/at/services", "axis_not_whole"),
        ([{"output": 1, "at": {"variant": "a\nb"}}], "/outputs/0/at/variant", "import_variant"),
        (
            [{"output": 1, "at": {"protocol": "udp"}}],
            "/outputs/0/at/protocol",
            "import_told_otherwise",
        ),
    ],
)
def test_what_does_not_fit_the_text_is_refused(
    admin: TestClient, outputs: Any, pointer: str, code: str
) -> None:
    answer = admin.post(IMPORTS, json={"name": "odd", "text": VXLAN, "outputs": outputs})
    assert answer.status_code == 422, answer.text
    faults = {one["pointer"]: one["message"]["code"] for one in answer.json()["errors"]}
    assert faults == {pointer: code}


def test_it_takes_an_operator(log_in: LogIn) -> None:
    viewer = log_in(Role.VIEWER)
    for path in (IMPORTS, f"{IMPORTS}/preview"):
        body = {"text": VXLAN} | ({"name": "x"} if path == IMPORTS else {})
        assert viewer.post(path, json=body).status_code == 403


def test_modes_of_one_import_are_shown_beside_each_other_and_never_judged(
    admin: TestClient,
) -> None:
    run = kept(admin)
    found = compared(
        admin,
        {"run_id": run["id"], "where": {"encapsulation": "vxlan"}},
        {"run_id": run["id"], "where": {"encapsulation": "native"}},
    )
    (contender,) = found["contenders"]
    assert contender["gate"]["verdict"] == "confounded"
    assert contender["gate"]["differences"] == [
        {"field": "fingerprint", "baseline": "given", "contender": "given", "axis": None}
    ]
    assert contender["next_run"] is None
    effects = effects_of(found)
    assert {one["verdict"] for one in effects} == {"undecided"}
    assert {one["reason"] for one in effects} == {"one_block"}
    main = next(one for one in effects if one["metric"] == "throughput")
    assert main["ratio"]["value"] == pytest.approx(1266 / 493)
    assert main["ratio"]["low"] is None
    assert main.keys().isdisjoint({"p", "advice"})
    assert (found["baseline"]["name"], found["baseline"]["imported"]) == ("Cilium, 2023", True)
    (noted, *_) = admin.get("/api/v1/audit").json()["items"]
    assert (noted["object_id"], noted["details"]) == (found["id"], {"imported": ["Cilium, 2023"]})
    exported = f"/api/v1/comparisons/{found['id']}/export"
    for form in ("markdown", "csv"):
        text = admin.get(exported, params={"format": form}).text
        assert text.count("Cilium, 2023: encapsulation native (imported)") > 0, form
    report = admin.get(f"/api/v1/runs/{run['id']}/summaries").json()
    assert report["next_run"] is None
    told = {one["code"] for one in report["headline"]["sentences"]}
    assert not {"gives", "costs", "raises", "lowers", "same"} & told


def test_many_outputs_of_one_paste_decide_nothing_either(admin: TestClient) -> None:
    outputs = [
        {"output": n, "at": {"path": "pod-pod", "encapsulation": "vxlan" if n < 9 else "native"}}
        for n in range(1, 17)
    ]
    run = kept(admin, text=f"{runs(VXLAN, 8)}\n{runs(NATIVE, 8)}", outputs=outputs)
    found = compared(
        admin,
        {"run_id": run["id"], "where": {"encapsulation": "vxlan"}},
        {"run_id": run["id"], "where": {"encapsulation": "native"}},
    )
    assert {one["verdict"] for one in effects_of(found)} == {"undecided"}
    assert all("p" not in one for one in effects_of(found))


def test_losses_within_an_import_are_shown_and_not_judged(admin: TestClient) -> None:
    text = f"{runs(NODES, 8)}\n{runs(VXLAN, 8)}"
    outputs = [
        {"output": n, "at": {"path": "node-node" if n < 9 else "pod-pod"}} for n in range(1, 17)
    ]
    run = kept(admin, text=text, outputs=outputs)
    report = admin.get(f"/api/v1/runs/{run['id']}/summaries").json()
    (loss, _) = [one for one in report["losses"] if one["key"]["metric"] == "throughput_loss"]
    # What the article calls half: 56.7 %.
    assert loss["value"] == pytest.approx(1 - 493 / 1138)
    assert (loss["verdict"], loss["parameters"]["reason"]) == ("undecided", "one_block")


def test_an_import_stands_beside_what_was_measured(admin: TestClient, sessions: Sessions) -> None:
    imported = kept(admin)
    measured = store(sessions, Measured(throughput(), paths))
    where = {"path": "pod-pod", "encapsulation": "vxlan"}
    found = compared(
        admin,
        {"run_id": imported["id"], "where": where},
        {"run_id": str(measured), "where": {**where, "protocol": "tcp", "streams": 1}},
    )
    assert found["kind"] == "throughput"
    (contender,) = found["contenders"]
    assert contender["gate"]["verdict"] == "confounded"
    fields = {one["field"]: one for one in contender["gate"]["differences"]}
    assert fields["fingerprint"]["baseline"] == "given"
    assert fields["fingerprint"]["contender"] == "recorded"
    assert fields["kind"]["baseline"] == "import"
    (effect,) = [one for one in effects_of(found) if one["metric"] == "throughput"]
    assert effect["median baseline"]["parameters"]["values"] == [[pytest.approx(493 * MEBI)]]
    assert effect["verdict"] == "undecided"
    assert "p" not in effect
    # And the other way round.
    found = compared(
        admin,
        {"run_id": str(measured), "where": {**where, "protocol": "tcp", "streams": 1}},
        {"run_id": imported["id"], "where": where},
    )
    assert {one["verdict"] for one in effects_of(found)} == {"undecided"}


def test_two_imports_name_what_was_said_differently(admin: TestClient) -> None:
    one = kept(admin)
    other = kept(admin, environment={"cluster": "cilium-62", "cni": "Calico"})
    where = {"path": "node-node"}
    found = compared(
        admin, {"run_id": one["id"], "where": where}, {"run_id": other["id"], "where": where}
    )
    fields = {each["field"] for each in found["contenders"][0]["gate"]["differences"]}
    assert fields == {"fingerprint", "parameters.cni", "parameters.cni_version"}
    assert {each["verdict"] for each in effects_of(found)} == {"undecided"}


def test_a_reference_may_be_its_baseline(admin: TestClient) -> None:
    run = kept(admin)
    body = {
        "baseline": {
            "reference_id": "cilium-native-routing-2023",
            "where": {"encapsulation": "vxlan"},
        },
        "contenders": [{"run_id": run["id"], "where": {"encapsulation": "vxlan"}}],
    }
    answer = admin.post(COMPARISONS, json=body)
    assert answer.status_code == 201, answer.text
    effect = next(one for one in effects_of(answer.json()) if one["metric"] == "throughput")
    assert effect["ratio"]["value"] == pytest.approx(1.0)
    assert effect["verdict"] == "undecided"


def test_other_kinds_are_as_unlike_as_before(admin: TestClient, sessions: Sessions) -> None:
    pasted = kept(admin, text=(PASTED / "articles" / "001-qps-first.txt").read_text(), outputs=[])
    measured = store(sessions, Measured(throughput(), paths))
    body = {
        "baseline": {"run_id": pasted["id"]},
        "contenders": [
            {
                "run_id": str(measured),
                "where": {
                    "path": "pod-pod",
                    "protocol": "tcp",
                    "streams": 1,
                    "encapsulation": "vxlan",
                },
            }
        ],
    }
    # They may be put beside each other, but share no metric.
    answer = admin.post(COMPARISONS, json=body)
    assert answer.status_code in (201, 422), answer.text
    assert effects_of(answer.json()) == [] if answer.status_code == 201 else True


def test_it_is_no_part_of_a_noise_floor_or_an_overview(
    admin: TestClient, sessions: Sessions
) -> None:
    cluster = register(admin)["id"]
    reach(sessions, cluster)
    for day in range(6):
        store(sessions, Measured(throughput(), paths, ago=timedelta(days=day), seed=day))
    before = admin.get(f"/api/v1/clusters/{cluster}/noise-floor").json()
    overview = admin.get("/api/v1/overview").json()
    kept(admin, environment={"cluster": "prod"})
    assert admin.get(f"/api/v1/clusters/{cluster}/noise-floor").json() == before
    assert admin.get("/api/v1/overview").json() == overview


def test_it_is_marked_in_files_and_on_the_public_page(admin: TestClient) -> None:
    run = kept(admin)
    path = f"/api/v1/runs/{run['id']}"
    assert "kind import" in (
        text := admin.get(f"{path}/export", params={"format": "markdown"}).text
    )
    assert "Imported: the values were pasted" in text
    # Nobody knows how it was planned, and none of our clusters or overheads is in it.
    for unknown in ("in each of", "warm-up", "overhead", "clusters:"):
        assert unknown not in text
    body = {"title": "theirs", "run_id": run["id"]}
    shared = admin.post("/api/v1/snapshots", json=body).json()
    content = admin.get(f"/api/v1/public/snapshots/{shared['token']}").json()["content"]
    assert content["run"]["run"]["kind"] == "import"
    assert [one["code"] for one in content["run"]["warnings"]] == ["import_given"]
    # What a user called the cluster is withheld like any other name.
    assert "cilium-62" not in str(content)
    page = admin.get(f"/s/{shared['token']}").text
    assert "Displayed by Podmeter, which did not measure it." in page


def test_it_is_never_run(admin: TestClient) -> None:
    run = kept(admin)
    path = f"/api/v1/runs/{run['id']}"
    refused = admin.post(f"{path}/repeat", json={"rounds": 7})
    assert refused.status_code in (409, 422), refused.text
    assert admin.post(f"{path}/retry").status_code == 409
    assert admin.get(f"{path}/plan").status_code == 409
    spec = {"name": "x", "kind": "import"}
    assert admin.post("/api/v1/experiments", json=spec).status_code == 422


def test_a_paste_may_be_only_so_long(admin: TestClient) -> None:
    answer = admin.post(f"{IMPORTS}/preview", json={"text": "x" * 1_000_001})
    assert answer.status_code == 422
    lines = admin.post(f"{IMPORTS}/preview", json={"text": "\n" * 20_001})
    assert lines.json()["refused"]["why"]["code"] == "paste_too_long"
    refused = admin.post(IMPORTS, json={"name": "long", "text": "\n" * 20_001})
    assert refused.json()["errors"][0]["message"]["params"]["why"]["code"] == "paste_too_long"
