"""Finding things again: search, and what lists are narrowed to and ordered by."""

from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from podmeter.db.session import Sessions
from podmeter.services.search.synonyms import stored_words
from podmeter.texts import ENGLISH, languages, word

from .builders import SPEC, reach, register
from .everything import ANY
from .measured import Measured, paths, service_scale, store, throughput

pytestmark = pytest.mark.services


def experiment(client: TestClient, name: str, **axes: Any) -> str:
    spec = {**SPEC, "name": name, "axes": {**SPEC["axes"], **axes}}
    answer = client.post("/api/v1/experiments", json=spec)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def found(client: TestClient, words: str, **more: Any) -> list[str]:
    answer = client.get("/api/v1/search", params={"q": words, **more})
    assert answer.status_code == 200, answer.text
    return [one["name"] for one in answer.json()["items"]]


def names(client: TestClient, resource: str = "experiments", **asked: Any) -> list[str]:
    answer = client.get(f"/api/v1/{resource}", params=asked)
    assert answer.status_code == 200, answer.text
    return [one["name"] for one in answer.json()["items"]]


def test_words_are_found_in_names_tags_modes_notes_and_outcomes(
    admin: TestClient, sessions: Sessions
) -> None:
    cluster = register(admin, name="Frankfurt")["id"]
    reach(sessions, cluster)
    one = experiment(admin, "Encapsulation loss", encapsulation=["vxlan", "host-gw"])
    run = store(sessions, Measured({**throughput(), "name": "nightly"}, paths))
    store(sessions, Measured({**service_scale(), "name": "ladder"}, lambda _: None))
    admin.patch(
        f"/api/v1/experiments/{one}/marks",
        json={"tags": ["eu-west"], "notes": "Since the upgrade, (again)."},
        headers=ANY,
    )
    # In a name, whatever its case, as a part of a word; a tag; a mode; a note by how it begins.
    assert found(admin, "frankFURT") == ["Frankfurt"]
    assert found(admin, "apsulat") == ["Encapsulation loss"]
    assert found(admin, "eu-w") == ["Encapsulation loss"]
    assert "Encapsulation loss" in found(admin, "host-gw")
    assert found(admin, "upgr again") == ["Encapsulation loss"]
    assert found(admin, "pgrade") == []
    # How it ended, what kind it is; all words have to be there.
    assert found(admin, "throughput succeeded") == ["nightly"]
    assert found(admin, "throughput failed") == []
    assert found(admin, "service_scale") == ["ladder"]
    assert found(admin, "scale nightly") == []
    item = admin.get("/api/v1/search", params={"q": "nightly"}).json()["items"][0]
    assert item["thing"] == "run"
    assert item["id"] == str(run)
    assert (item["kind"], item["state"], item["outcome"]) == ("throughput", "finished", "succeeded")
    # No words are no question.
    assert found(admin, "  ") == []


def compare(client: TestClient, run: object, *modes: str) -> str:
    sides = [{"run_id": str(run), "where": {"encapsulation": mode}} for mode in modes]
    body = {"baseline": sides[0], "contenders": sides[1:]}
    answer = client.post("/api/v1/comparisons", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def share(client: TestClient, title: str, **of: str) -> dict[str, Any]:
    answer = client.post("/api/v1/snapshots", json={"title": title, **of})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def test_comparisons_and_snapshots_are_found_too(admin: TestClient, sessions: Sessions) -> None:
    run = store(sessions, Measured({**throughput(), "name": "nightly"}, paths))
    compared = compare(admin, run, "host-gw", "vxlan")
    share(admin, "For the wiki", comparison_id=compared)
    name = "nightly: encapsulation host-gw / nightly: encapsulation vxlan"
    assert found(admin, "nightly vxlan host-gw") == ["nightly", name]
    assert found(admin, "comparable throughput") == [name]
    assert found(admin, "可对比") == [name]
    assert found(admin, "WIKI") == ["For the wiki"]
    (item,) = admin.get("/api/v1/search", params={"q": "comparable"}).json()["items"]
    assert item == item | {
        "thing": "comparison",
        "id": compared,
        "kind": "throughput",
        "tags": [],
        "state": None,
        "outcome": None,
        "favourite": False,
    }
    (item,) = admin.get("/api/v1/search", params={"q": "wiki"}).json()["items"]
    assert (item["thing"], item["kind"]) == ("snapshot", None)


def test_lists_of_comparisons_are_narrowed_and_ordered(
    admin: TestClient, sessions: Sessions
) -> None:
    bravo, alpha = (
        store(sessions, Measured({**spec, "name": name}, of))
        for spec, name, of in ((throughput(), "bravo", paths), (throughput(), "alpha", paths))
    )
    first = compare(admin, bravo, "host-gw", "vxlan")
    second = compare(admin, alpha, "vxlan", "host-gw")

    def listed(**asked: Any) -> list[str]:
        answer = admin.get("/api/v1/comparisons", params=asked)
        assert answer.status_code == 200, answer.text
        return [one["id"] for one in answer.json()["items"]]

    assert listed() == [second, first]
    assert listed(sort="oldest") == listed(sort="name_reversed") == [first, second]
    assert listed(sort="name") == [second, first]
    assert listed(q="ravo") == listed(run_id=str(bravo)) == [first]
    assert listed(q="ravo", kind="transport") == []
    assert listed(kind="throughput", limit=1) == [second]
    page = admin.get("/api/v1/comparisons", params={"sort": "name", "limit": 1}).json()
    assert listed(sort="name", cursor=page["next_cursor"]) == [first]


def test_lists_of_snapshots_are_narrowed_and_ordered(admin: TestClient, sessions: Sessions) -> None:
    run = store(sessions, Measured(throughput(), paths))
    of_run = {"run_id": str(run)}
    share(admin, "bravo", **of_run)
    share(admin, "alpha", comparison_id=compare(admin, run, "host-gw", "vxlan"))
    gone = share(admin, "charlie", **of_run)
    assert admin.delete(f"/api/v1/snapshots/{gone['id']}").status_code == 204

    def listed(**asked: Any) -> list[str]:
        answer = admin.get("/api/v1/snapshots", params=asked)
        assert answer.status_code == 200, answer.text
        return [one["title"] for one in answer.json()["items"]]

    assert listed() == ["charlie", "alpha", "bravo"]
    assert listed(sort="name") == ["alpha", "bravo", "charlie"]
    assert listed(live="true") == ["alpha", "bravo"]
    assert listed(live="false") == ["charlie"]
    assert listed(subject="run") == ["charlie", "bravo"]
    assert listed(subject="comparison", q="lph") == ["alpha"]
    assert listed(subject="comparison", q="ravo") == []
    page = admin.get("/api/v1/snapshots", params={"sort": "name", "limit": 2}).json()
    assert listed(sort="name", cursor=page["next_cursor"]) == ["charlie"]


def test_a_cluster_is_found_by_its_new_name_and_not_by_the_old(admin: TestClient) -> None:
    cluster = register(admin, name="before")["id"]
    admin.patch(f"/api/v1/clusters/{cluster}", json={"name": "after"}, headers=ANY)
    assert (found(admin, "before"), found(admin, "after")) == ([], ["after"])


def test_no_character_means_anything_but_itself(admin: TestClient) -> None:
    for name in ("100% load", "100x load", "a_b", "axb", "it's", 'back\\slash "q"', "a&b|c:*!(d)"):
        experiment(admin, name)
    assert found(admin, "%") == ["100% load"]
    assert found(admin, "0% l") == ["100% load"]
    assert found(admin, "a_b") == ["a_b"]
    assert found(admin, "'") == ["it's"]
    assert found(admin, "\\") == ['back\\slash "q"']
    assert found(admin, '"q"') == ['back\\slash "q"']
    for operators in ("&b|c:*!(d)", ":*", "!(d", "|"):
        assert found(admin, operators) == ["a&b|c:*!(d)"], operators
    assert found(admin, "x" * 200) == []
    assert found(admin, " ".join("a_b" for _ in range(50))) == ["a_b"]
    assert admin.get("/api/v1/search", params={"q": "\x00"}).status_code == 422
    assert admin.get("/api/v1/search", params={"q": "x" * 201}).status_code == 422


def test_chinese_is_found_in_names_and_by_what_the_web_ui_calls_things(
    admin: TestClient, sessions: Sessions
) -> None:
    store(sessions, Measured({**throughput(), "name": "生产环境 每夜基准"}, paths))
    experiment(admin, "法兰克福")
    assert found(admin, "环境") == ["生产环境 每夜基准"]
    assert found(admin, "夜基　生产") == ["生产环境 每夜基准"]
    assert found(admin, "克福") == ["法兰克福"]
    assert found(admin, "成功 吞吐量 每夜") == ["生产环境 每夜基准"]
    assert found(admin, "失败 每夜") == []


def test_what_is_stored_is_found_by_the_words_of_every_language() -> None:
    known = stored_words()
    for group, term in (("outcome", "failed"), ("run_state", "queued"), ("kind", "transport")):
        for language in languages():
            said = word(language, group, term)
            assert said
            assert language == ENGLISH or term in known[said.split()[-1]]
    assert known["规模"] == ("service_scale",)
    assert known["无封装"] == ("none",)


def test_there_is_more_than_is_shown(admin: TestClient) -> None:
    for number in range(4):
        experiment(admin, f"many {number}")
    answer = admin.get("/api/v1/search", params={"q": "many", "limit": 3}).json()
    assert [one["name"] for one in answer["items"]] == ["many 3", "many 2", "many 1"]
    assert answer["more"] == ["experiment"]


@pytest.mark.parametrize("resource", ["runs", "experiments", "clusters"])
def test_lists_are_narrowed_and_ordered_page_by_page(
    admin: TestClient, sessions: Sessions, resource: str
) -> None:
    makers: dict[str, Callable[[str], object]] = {
        "runs": lambda name: store(sessions, Measured({**throughput(), "name": name}, paths)),
        "experiments": lambda name: experiment(admin, name),
        "clusters": lambda name: register(admin, name=name)["id"],
    }
    ids = {name: str(makers[resource](name)) for name in ("bravo", "alpha", "delta", "charlie")}
    for name, tags in {"alpha": ["x"], "bravo": ["x", "y"], "charlie": ["y"]}.items():
        address = f"/api/v1/{resource}/{ids[name]}/marks"
        assert admin.patch(address, json={"tags": tags}, headers=ANY).status_code == 200

    orders = {
        "newest": ["charlie", "delta", "alpha", "bravo"],
        "oldest": ["bravo", "alpha", "delta", "charlie"],
        "name": ["alpha", "bravo", "charlie", "delta"],
        "name_reversed": ["delta", "charlie", "bravo", "alpha"],
    }
    for order, expected in orders.items():
        seen: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            query = {"sort": order, "limit": 3, **cursor}
            page = admin.get(f"/api/v1/{resource}", params=query).json()
            seen += [one["name"] for one in page["items"]]
            if page["next_cursor"] is None:
                break
            cursor = {"cursor": page["next_cursor"]}
        assert seen == expected, order
    assert names(admin, resource, tag="X", sort="name") == ["alpha", "bravo"]
    assert names(admin, resource, tag=["x", "y"]) == ["bravo"]
    assert names(admin, resource, tag="no such") == []
    assert names(admin, resource, q="lph") == ["alpha"]
    assert names(admin, resource, q="ravo", tag="y") == ["bravo"]
    first = admin.get(f"/api/v1/{resource}", params={"sort": "name", "limit": 3}).json()
    mixed = admin.get(f"/api/v1/{resource}", params={"cursor": first["next_cursor"]})
    assert mixed.status_code == 422


def test_lists_are_narrowed_to_what_each_has_besides(admin: TestClient, sessions: Sessions) -> None:
    reach(sessions, register(admin, name="reached")["id"])
    register(admin, name="never")
    assert names(admin, "clusters", state="succeeded") == ["reached"]
    assert names(admin, "clusters", state=["never", "queued"]) == ["never"]
    experiment(admin, "paths")
    assert names(admin, kind="throughput") == ["paths"]
    assert names(admin, kind="transport") == []
