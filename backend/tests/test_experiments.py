from typing import Any

import pytest
import yaml
from fastapi.testclient import TestClient

from podmeter.db.models import Role

from .builders import SPEC
from .conftest import LogIn
from .everything import ANY

pytestmark = pytest.mark.services
EXPERIMENTS = "/api/v1/experiments"
YAML = {"Content-Type": "application/yaml"}


def test_yaml_and_json_are_the_same_experiment(admin: TestClient) -> None:
    as_json = admin.post(EXPERIMENTS, json=SPEC)
    as_yaml = admin.post(EXPERIMENTS, content=yaml.safe_dump(SPEC), headers=YAML)
    assert as_json.status_code == as_yaml.status_code == 201
    assert as_json.json()["spec"] == as_yaml.json()["spec"]
    assert as_json.headers["location"] == f"{EXPERIMENTS}/{as_json.json()['id']}"
    got = admin.get(as_json.headers["location"])
    assert got.json() == as_json.json()
    assert got.headers["etag"] == '"1"'


def test_an_experiment_is_replaced_and_forgotten(admin: TestClient) -> None:
    path = admin.post(EXPERIMENTS, json=SPEC).headers["location"]
    changed = {**SPEC, "name": "renamed"}
    first = admin.put(path, json=changed, headers={"If-Match": '"1"'})
    assert first.status_code == 200
    assert first.headers["etag"] == '"2"'
    assert admin.put(path, json=SPEC, headers={"If-Match": '"1"'}).status_code == 412
    assert [item["name"] for item in admin.get(EXPERIMENTS).json()["items"]] == ["renamed"]
    assert admin.delete(path, headers={"If-Match": '"2"'}).status_code == 204
    assert admin.get(path).status_code == 404
    assert admin.put(path, json=SPEC, headers=ANY).status_code == 404


def test_a_slug_names_an_experiment_as_its_id_does(admin: TestClient) -> None:
    first, second = (admin.post(EXPERIMENTS, json=SPEC).json() for _ in range(2))
    assert (first["slug"], second["slug"]) == ("two-paths", "two-paths-2")
    path = f"{EXPERIMENTS}/two-paths"
    assert admin.get(path).json() == first
    assert admin.get(f"{path}/marks").json() == first["marks"]
    renamed = admin.put(path, json={**SPEC, "name": "renamed"}, headers={"If-Match": '"1"'})
    assert (renamed.json()["id"], renamed.json()["slug"]) == (first["id"], "two-paths")
    assert admin.delete(f"{EXPERIMENTS}/two-paths-2", headers=ANY).status_code == 204
    assert admin.get(f"{EXPERIMENTS}/two-paths-2").status_code == 404
    assert admin.get(f"{EXPERIMENTS}/{second['id']}").status_code == 404


def test_an_experiment_is_created_under_a_slug_once(admin: TestClient) -> None:
    new = {"If-None-Match": "*"}
    path = f"{EXPERIMENTS}/plan"
    made = admin.put(path, json=SPEC, headers=new)
    assert (made.status_code, made.json()["slug"], made.headers["etag"]) == (201, "plan", '"1"')
    assert made.headers["location"] == f"{EXPERIMENTS}/{made.json()['id']}"
    again = admin.put(path, json=SPEC, headers=new)
    assert (again.status_code, again.json()["code"]) == (412, "already_there")
    assert "version 1" in again.json()["detail"]
    same = admin.put(path, json=SPEC, headers={"If-Match": '"1"'})
    assert (same.status_code, same.headers["etag"]) == (200, '"1"')
    assert admin.put(f"{EXPERIMENTS}/none", json=SPEC, headers=ANY).status_code == 404


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 428),
        ({"If-None-Match": '"1"'}, 412),
        ({"If-None-Match": "*", "If-Match": '"1"'}, 412),
        ({"If-Match": "1"}, 412),
    ],
)
def test_a_put_says_whether_it_creates_or_updates(
    admin: TestClient, headers: dict[str, str], status: int
) -> None:
    assert admin.put(f"{EXPERIMENTS}/new", json=SPEC, headers=headers).status_code == status
    assert admin.get(EXPERIMENTS).json()["items"] == []


@pytest.mark.parametrize("slug", ["Two-Paths", "two--paths", "a b", "-a", "x" * 64])
def test_what_is_no_slug_creates_nothing(admin: TestClient, slug: str) -> None:
    answer = admin.put(f"{EXPERIMENTS}/{slug}", json=SPEC, headers={"If-None-Match": "*"})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_spec")


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"name": ""}, "/name"),
        ({"kind": "speed"}, "/kind"),
        ({"parameters": {"port": 1}}, "/parameters/port"),
        ({"parameters": {"canary": 1}}, "/parameters/canary"),
        ({"axes": {"path": ["pod-pod", "moon"]}}, "/axes/path/1"),
        ({"axes": {"colour": ["red"]}}, "/axes/colour"),
        ({"repetition": {"trials": 0}}, "/repetition/trials"),
        ({"name": "a\x00b"}, "/name"),
        ({"extra": 1}, "/extra"),
    ],
)
@pytest.mark.parametrize("path", [EXPERIMENTS, f"{EXPERIMENTS}/plan"])
def test_faults_are_named_by_pointer(
    admin: TestClient, path: str, change: dict[str, Any], pointer: str
) -> None:
    answer = admin.post(path, json={**SPEC, **change})
    assert answer.status_code == 422
    assert answer.json()["code"] == "invalid_spec"
    assert pointer in {fault["pointer"] for fault in answer.json()["errors"]}


@pytest.mark.parametrize("body", ["", "[", "a: &x 1\nb: *x", "- 1", "null"])
def test_yaml_that_is_no_experiment_is_refused(admin: TestClient, body: str) -> None:
    answer = admin.post(EXPERIMENTS, content=body, headers=YAML)
    assert answer.status_code == 422


def test_another_media_type_is_refused(admin: TestClient) -> None:
    for headers in ({"Content-Type": "text/plain"}, {}):
        answer = admin.post(EXPERIMENTS, content=b"x", headers=headers)
        assert answer.status_code == 415


def test_a_plan_tells_what_would_happen(admin: TestClient) -> None:
    axes = {**SPEC["axes"], "encapsulation": ["host-gw", "vxlan"]}
    repetition = {**SPEC.get("repetition", {}), "rounds": 6}
    spec = {**SPEC, "axes": axes, "repetition": repetition}
    answer = admin.post(f"{EXPERIMENTS}/plan", json=spec)
    assert answer.status_code == 200
    plan = answer.json()
    assert len(plan["cases"]) == 4
    modes = [block["modes"]["encapsulation"] for block in plan["blocks"]]
    assert [sorted(modes[at : at + 2]) for at in range(0, 12, 2)] == [["host-gw", "vxlan"]] * 6
    assert [switch["block"] for switch in plan["switches"]] == list(range(12))
    assert plan["sight"]["rounds"] == plan["sight"]["rounds_needed"] == 6
    assert 0.1 < plan["sight"]["effect"] < 0.2
    assert plan["trials"] == sum(block["trials"] for block in plan["blocks"])
    parts = ("around_seconds", "measuring_seconds", "switching_seconds")
    assert plan["expected_seconds"] == sum(plan[part] for part in parts)
    assert plan["access"]
    assert admin.get(EXPERIMENTS).json()["items"] == []


def test_a_plan_has_the_written_order_and_no_seed_of_its_own(admin: TestClient) -> None:
    modes = ["nftables", "iptables", "ipvs"]
    spec = {**SPEC, "axes": {"kube_proxy_mode": modes, "path": ["pod-pod", "node-node"]}}
    plan = admin.post(f"{EXPERIMENTS}/plan", json=spec).json()
    shown = [one["point"]["kube_proxy_mode"] for one in plan["cases"]]
    assert list(dict.fromkeys(shown)) == modes
    assert plan["repetition"]["seed"] is None
    spec["repetition"] = {"seed": 7}
    assert admin.post(f"{EXPERIMENTS}/plan", json=spec).json()["repetition"]["seed"] == 7


def test_several_faults_are_counted_and_one_is_said(admin: TestClient) -> None:
    several = admin.post(EXPERIMENTS, json={**SPEC, "name": "", "parameters": {"port": 1}}).json()
    assert several["detail"] == "2 problems"
    assert [one["pointer"] for one in several["errors"]] == ["/name", "/parameters/port"]
    (one,) = (wrong := admin.post(EXPERIMENTS, json={**SPEC, "name": ""}).json())["errors"]
    assert wrong["detail"] == f"/name: {one['detail']}"


def test_a_viewer_plans_but_keeps_nothing(log_in: LogIn) -> None:
    viewer = log_in(Role.VIEWER)
    assert viewer.post(f"{EXPERIMENTS}/plan", json=SPEC).status_code == 200
    assert viewer.post(EXPERIMENTS, json=SPEC).status_code == 403


def test_kinds_publish_metrics_axes_and_parameters(admin: TestClient) -> None:
    kinds = {kind["name"]: kind for kind in admin.get("/api/v1/kinds").json()["items"]}
    assert {"throughput", "transport", "request_latency", "service_scale"} <= set(kinds)
    for kind in kinds.values():
        assert all(metric["unit"] and metric["direction"] for metric in kind["metrics"])
        assert kind["parameters"]["type"] == "object"
        assert kind["axes"]
