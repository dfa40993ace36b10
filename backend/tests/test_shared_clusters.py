"""Names of clusters in what is shared: nowhere, unless they are kept."""

import re
from typing import Any

import pytest
from fastapi.testclient import TestClient

from podmeter.db.session import Sessions
from podmeter.services.exports.formats import Format

from .conftest import Browser
from .measured import Measured, ladder, paths, service_scale, store, throughput
from .test_snapshots import SNAPSHOTS, share

pytestmark = pytest.mark.services


@pytest.mark.parametrize("subject", ["run", "comparison"])
@pytest.mark.parametrize("kept", [False, True])
def test_the_cluster_s_name_is_in_nothing_that_is_shared_unless_it_is_kept(
    admin: TestClient, browser: Browser, sessions: Sessions, subject: str, kept: bool
) -> None:
    name = "Lab Frankfurt"
    spec = {**service_scale(), "name": f"Costs on {name}"}
    run_id = str(store(sessions, Measured(spec, ladder, cluster=name)))
    body: dict[str, Any] = {"run_id": run_id}
    if subject == "comparison":
        sides = [
            {"run_id": run_id, "where": {"kube_proxy_mode": mode}}
            for mode in ("iptables", "nftables")
        ]
        asked = {"baseline": sides[0], "contenders": sides[1:]}
        body = {"comparison_id": admin.post("/api/v1/comparisons", json=asked).json()["id"]}
    keep = ["cluster"] if kept else []
    preview = admin.post(f"{SNAPSHOTS}/preview", json={**body, "title": "t", "keep": keep}).json()
    replaced = {one["original"]: one["pseudonym"] for one in preview["replacements"]}
    assert replaced.get(name.lower()) == (None if kept else "cluster-A")
    token = share(admin, **body, keep=keep)["token"]
    public = f"/api/v1/public/snapshots/{token}"
    shown = [f"/s/{token}", public, *(f"{public}/export?format={one}" for one in Format)]
    texts = {path: browser().get(path).text for path in shown}
    named = {path for path, text in texts.items() if name.lower() in text.lower()}
    # A table of figures need not say where they are from.
    telling = {path for path in shown if not path.endswith("csv") and path.startswith("/api")}
    assert named >= telling if kept else named == set()
    if not kept:
        assert all("cluster-A" in texts[path] for path in telling)


@pytest.mark.parametrize("compared", [True, False])
def test_sentences_on_two_clusters_name_neither(
    admin: TestClient, browser: Browser, sessions: Sessions, compared: bool
) -> None:
    """Of two runs, and of a run that measures both."""
    clusters = ("lab-1", "lab-2")

    def slower_on_one(point: Any) -> Any:
        factor = 0.5 if point.get("cluster", "lab-2") == "lab-1" else 1.0
        return {key: factor * value for key, value in paths(point).items()}

    spec = throughput()
    if compared:
        runs = [
            str(store(sessions, Measured(spec, slower_on_one, uid=name, cluster=name)))
            for name in clusters
        ]
        asked = {"baseline": {"run_id": runs[0]}, "contenders": [{"run_id": runs[1]}]}
        body = {"comparison_id": admin.post("/api/v1/comparisons", json=asked).json()["id"]}
    else:
        spec["axes"] = {**spec["axes"], "encapsulation": ["vxlan"], "cluster": list(clusters)}
        body = {"run_id": str(store(sessions, Measured(spec, slower_on_one, cluster="lab-1")))}
    token = share(admin, **body)["token"]
    public = f"/api/v1/public/snapshots/{token}"
    shown = [f"/s/{token}", public, *(f"{public}/export?format={one}" for one in Format)]
    for path in shown:
        text = browser().get(path).text
        assert not [name for name in clusters if name in text], path
    content = browser().get(public).json()["content"]
    headline = content[next(iter(body)).removesuffix("_id")]["headline"]
    said = " ".join(one["text"] for one in headline["sentences"])
    # The clusters of the organization, which are known as well, have other pseudonyms.
    assert len(set(re.findall("cluster-[A-Z]+", said))) == len(clusters), said


@pytest.mark.parametrize("name", ["compared", "gw", "method", "Throughput"])
def test_a_cluster_may_be_called_what_fields_and_modes_are_called(
    admin: TestClient, browser: Browser, sessions: Sessions, name: str
) -> None:
    run_id = str(store(sessions, Measured(throughput(), paths, cluster=name)))
    token = share(admin, run_id=run_id)["token"]
    answer = browser().get(f"/api/v1/public/snapshots/{token}")
    assert answer.status_code == 200, answer.text
    content = answer.json()["content"]
    assert content["run"]["run"]["clusters"] == ["cluster-A"]
    points = [one["key"]["point"] for one in content["run"]["summaries"]]
    assert {one["encapsulation"] for one in points} == {"host-gw", "vxlan"}
