"""Experiments and clusters behind links: frozen, and redacted by the rules of runs."""

import uuid
from html import escape
from typing import Any

import pytest
from fastapi.testclient import TestClient

from podmeter.db.models import Cluster, Run
from podmeter.db.session import Sessions
from podmeter.domain.cluster_report import AxisReport, ClusterReport, NodeReport
from podmeter.domain.messages import say
from podmeter.services.experiments.document import parse_yaml

from .builders import TOKEN, reach, register
from .conftest import Browser
from .everything import ANY
from .measured import NODES, Measure, Measured, Point, paths, store, throughput

pytestmark = pytest.mark.services
PRIVATE = (*NODES, "acme", "uid-1", "203.0.113.7", TOKEN)
#: A word that is a mode, too: only the name of the cluster may be replaced.
NAMED_AS_A_MODE = "vxlan"


def make_cluster(client: TestClient, sessions: Sessions, name: str = "acme-frankfurt") -> str:
    """A cluster that a preflight has looked at."""
    made = str(register(client, name=name, description="where acme sells")["id"])
    reach(sessions, made)
    node = dict.fromkeys(("architecture", "kernel", "os", "cpus"), "4")
    report = ClusterReport(
        kubernetes_version="v1.34.4",
        nodes=[NodeReport(name=name, address="10.0.0.2", why_unfit=None, **node) for name in NODES],
        rights={},
        shared_host=True,
        modes={
            "encapsulation": AxisReport(
                component="flannel",
                values={"vxlan": None, "host-gw": None, "udp": say("snapshot_gone")},
                observed="vxlan",
            ),
            "kube_proxy_mode": AxisReport(unclear=say("plan_needs_outside")),
        },
    )
    with sessions.begin() as session:
        row = session.get_one(Cluster, uuid.UUID(made))
        row.capabilities = report.model_dump(mode="json")
        row.allow_mode_switch = True
    return made


def make_experiment(
    client: TestClient, sessions: Sessions, cluster: str, name: str, measure: Measure = paths
) -> str:
    """An experiment that names a cluster, with a finished run of it there."""
    spec = throughput()
    named = {**spec, "description": "for the board", "axes": {**spec["axes"], "cluster": [name]}}
    answer = client.post("/api/v1/experiments", json=named)
    assert answer.status_code == 201, answer.text
    made = str(answer.json()["id"])
    run = store(
        sessions, Measured(throughput(), measure, cluster=name, cluster_id=uuid.UUID(cluster))
    )
    with sessions.begin() as session:
        session.get_one(Run, run).experiment_id = uuid.UUID(made)
    for thing, id_ in (("experiments", made), ("clusters", cluster)):
        body = {"tags": ["acme-tag"], "notes": "only among ourselves"}
        address = f"/api/v1/{thing}/{id_}/marks"
        assert client.patch(address, json=body, headers=ANY).status_code == 200
    return made


def share(client: TestClient, **body: Any) -> str:
    answer = client.post("/api/v1/snapshots", json={"title": "What we do", **body})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["token"])


def shown(browser: Browser, token: str) -> tuple[dict[str, Any], list[str]]:
    """The content behind a link, and every text that it can be read as."""
    api = f"/api/v1/public/snapshots/{token}"
    answers = [browser().get(api), browser().get(f"/s/{token}")]
    formats = ("json", "csv", "markdown")
    answers += [browser().get(f"{api}/export", params={"format": one}) for one in formats]
    assert {one.status_code for one in answers} == {200}
    return answers[0].json()["content"], [one.text for one in answers]


@pytest.mark.parametrize("name", ["acme-frankfurt", NAMED_AS_A_MODE])
def test_a_shared_experiment_is_redacted_wherever_it_is_read(
    admin: TestClient, browser: Browser, sessions: Sessions, name: str
) -> None:
    cluster = make_cluster(admin, sessions, name)
    experiment = make_experiment(admin, sessions, cluster, name)
    content, texts = shown(browser, share(admin, experiment_id=experiment))
    for text in texts:
        for private in (*PRIVATE, "for the board", "only among ourselves", "acme-tag"):
            assert private not in text
    found = content["experiment"]
    assert content["subject"] == "experiment"
    assert found["spec"]["axes"]["cluster"] == ["cluster-A"]
    assert found["spec"]["axes"]["encapsulation"] == ["host-gw", "vxlan"]
    assert parse_yaml(found["yaml"].encode()) == found["spec"]
    assert {point["cluster"] for point in found["plan"]["cases"]} == {"cluster-A"}
    plan = admin.post("/api/v1/experiments/plan", json={**found["spec"], "name": "again"}).json()
    assert len(found["plan"]["cases"]) == len(plan["cases"])
    assert found["plan"]["trials"] == plan["trials"]
    assert found["plan"]["blocks"] == len(plan["blocks"])
    assert found["plan"]["expected_seconds"] == plan["expected_seconds"]
    (run,) = found["runs"]
    assert (run["outcome"], run["clusters"]) == ("succeeded", ["cluster-A"])
    assert found["complete"] is True
    first = run["headline"]["sentences"][0]["text"]
    assert escape(first) in texts[1]
    assert content["method"]["runs"][0]["commands"]


def costly(point: Point) -> dict[tuple[str, str], float]:
    """VXLAN is better in throughput, and takes more of the nodes' CPU for it."""
    vxlan = point["encapsulation"] == "vxlan" and point["path"] == "pod-pod"
    return {
        ("throughput", ""): 1e10 if vxlan else 8e9,
        ("node_cpu", "client"): 0.8 if vxlan else 0.4,
    }


def test_shared_runs_recommend_with_the_costs_that_their_pages_name(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    cluster = make_cluster(admin, sessions)
    experiment = make_experiment(admin, sessions, cluster, "acme-frankfurt", costly)
    (listed,) = admin.get("/api/v1/runs").json()["items"]
    page = admin.get(f"/api/v1/runs/{listed['id']}/summaries").json()
    codes = [one["code"] for one in page["headline"]["recommendation"]]
    assert codes[0] == "prefer"
    assert "side_worse" in codes
    for subject, id_ in (("experiment", experiment), ("cluster", cluster)):
        content, _ = shown(browser, share(admin, **{f"{subject}_id": id_}))
        (run,) = content[subject]["runs"]
        assert run["headline"] == page["headline"]
    # The overview reads main metrics alone.
    (of_cluster,) = admin.get("/api/v1/overview").json()["clusters"]
    (found,) = of_cluster["runs"]
    assert found["headline"] == {**page["headline"], "recommendation": []}


def test_a_shared_experiment_stays_as_it_was(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    experiment = make_experiment(admin, sessions, make_cluster(admin, sessions), "acme-frankfurt")
    token = share(admin, experiment_id=experiment)
    before, _ = shown(browser, token)
    address = f"/api/v1/experiments/{experiment}"
    changed = {**throughput(), "name": "another"}
    assert admin.put(address, json=changed, headers=ANY).status_code == 200
    assert shown(browser, token)[0] == before
    assert admin.delete(address, headers=ANY).status_code == 204
    assert shown(browser, token)[0] == before


def test_what_authors_wrote_is_left_in_on_purpose_alone(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    cluster = make_cluster(admin, sessions)
    experiment = make_experiment(admin, sessions, cluster, "acme-frankfurt")
    content, _ = shown(browser, share(admin, experiment_id=experiment, keep=["notes"]))
    assert content["kept"] == ["notes"]
    assert content["experiment"]["notes"] == "only among ourselves"
    assert content["experiment"]["spec"]["description"] == "for the board"
    content, texts = shown(browser, share(admin, cluster_id=cluster, keep=["notes", "cluster"]))
    assert content["kept"] == ["cluster", "notes"]
    assert content["cluster"]["cluster"] == "acme-frankfurt"
    assert content["cluster"]["notes"] == "where acme sells\n\nonly among ourselves"
    assert not [text for text in texts if NODES[0] in text]


@pytest.mark.parametrize("name", ["acme-frankfurt", NAMED_AS_A_MODE])
def test_a_shared_cluster_tells_what_its_network_is_and_not_whose(
    admin: TestClient, browser: Browser, sessions: Sessions, name: str
) -> None:
    cluster = make_cluster(admin, sessions, name)
    for seed in range(2):
        where: dict[str, Any] = {"cluster": name, "cluster_id": uuid.UUID(cluster)}
        store(sessions, Measured(throughput(), paths, seed=seed, **where))
    content, texts = shown(browser, share(admin, cluster_id=cluster))
    for text in texts:
        for private in (*PRIVATE, "10.0.0.2", "sells"):
            assert private not in text
    found = content["cluster"]
    assert (found["cluster"], found["nodes"], found["notes"]) == ("cluster-A", 2, "")
    modes = {one["axis"]: one for one in found["modes"]}
    assert modes["encapsulation"]["observed"] == "vxlan"
    assert modes["encapsulation"]["switchable"] == ["vxlan", "host-gw"]
    assert modes["kube_proxy_mode"]["observed"] is None
    assert modes["kube_proxy_mode"]["unclear"]["code"] == "plan_needs_outside"
    fingerprint = found["fingerprint"]
    assert "cluster_uid" not in fingerprint
    assert [one["name"] for one in fingerprint["nodes"]] == ["node-A", "node-B"]
    (floor,) = found["noise_floor"]
    assert (len(floor["run_ids"]), len(floor["figures"]) > 0) == (2, True)
    # The latest of its kind, not every run.
    (run,) = found["runs"]
    assert run["headline"]["sentences"]
    assert found["shared_host"] is True


def test_what_nothing_is_known_of_is_shared_as_such(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    cluster = register(admin, name="new")["id"]
    content, _ = shown(browser, share(admin, cluster_id=cluster))
    assert (content["cluster"]["fingerprint"], content["cluster"]["modes"]) == (None, [])
    experiment = admin.post("/api/v1/experiments", json=throughput()).json()["id"]
    content, _ = shown(browser, share(admin, experiment_id=experiment))
    assert content["experiment"]["runs"] == []


def test_only_the_latest_runs_are_shared_and_that_is_told(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    experiment = admin.post("/api/v1/experiments", json=throughput()).json()["id"]
    runs = [store(sessions, Measured(throughput(), lambda _: None)) for _ in range(11)]
    with sessions.begin() as session:
        for run in runs:
            session.get_one(Run, run).experiment_id = uuid.UUID(experiment)
    content, _ = shown(browser, share(admin, experiment_id=experiment))
    shared = [one["run_id"] for one in content["experiment"]["runs"]]
    assert shared == [str(one) for one in reversed(runs[1:])]
    assert content["experiment"]["complete"] is False


def test_the_preview_of_each_is_what_will_be_shown(admin: TestClient, sessions: Sessions) -> None:
    cluster = make_cluster(admin, sessions)
    experiment = make_experiment(admin, sessions, cluster, "acme-frankfurt")
    for body in ({"experiment_id": experiment}, {"cluster_id": cluster}):
        answer = admin.post("/api/v1/snapshots/preview", json={"title": "t", **body})
        assert answer.status_code == 200, answer.text
        replaced = {one["original"]: one["pseudonym"] for one in answer.json()["replacements"]}
        assert replaced["acme-frankfurt"] == "cluster-A"
    listed = admin.get("/api/v1/snapshots").json()["items"]
    assert listed == []
    share(admin, cluster_id=cluster)
    (listed,) = admin.get("/api/v1/snapshots", params={"subject": "cluster"}).json()["items"]
    assert (listed["cluster_id"], listed["run_id"]) == (cluster, None)
