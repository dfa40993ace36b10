"""GET /rbac: the manifest, by capability."""

import uuid
from dataclasses import replace

import pytest
import yaml
from fastapi.testclient import TestClient

from podmeter.rbac.capabilities import Capability
from podmeter.rbac.manifest import manifest
from podmeter_api.app import create_app
from podmeter_api.security import get_principal
from podmeter_api.state import AppState

from .builders import register
from .conftest import ORIGIN
from .everything import ANY


@pytest.mark.services
@pytest.mark.parametrize("capability", list(Capability))
def test_the_manifest_is_the_same_everywhere(admin: TestClient, capability: Capability) -> None:
    answer = admin.get("/api/v1/rbac", params={"capability": capability})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/yaml"
    assert answer.text == manifest(capability, None)
    kinds = {document["kind"] for document in yaml.safe_load_all(answer.text)}
    assert {"Namespace", "ServiceAccount", "Role", "RoleBinding"} <= kinds


@pytest.mark.services
def test_nothing_but_measuring_is_allowed_by_default(admin: TestClient) -> None:
    assert admin.get("/api/v1/rbac").text == manifest(Capability.MEASURE, None)


@pytest.mark.services
def test_pods_are_held_to_the_image_that_runs_measure_with(state: AppState) -> None:
    settings = state.settings.model_copy(update={"bench_image": "bench:7"})
    app = create_app(state=replace(state, settings=settings))
    app.dependency_overrides[get_principal] = lambda: None
    with TestClient(app, base_url=ORIGIN) as client:
        answer = client.get("/api/v1/rbac", params={"capability": "host_access"})
        assert answer.text == manifest(Capability.HOST_ACCESS, "bench:7")
        old = client.get("/api/v1/rbac", params={"admission_policy": "false"})
        assert "ValidatingAdmissionPolicy" not in old.text


@pytest.mark.services
def test_the_manifest_of_a_cluster_follows_its_image(admin: TestClient) -> None:
    image, secret = "registry.example/team/bench:2", "registry"
    expected = manifest(Capability.HOST_ACCESS, image, secret)
    own = {"bench_image": image, "image_pull_secret": secret}
    asked = {"capability": "host_access"}
    assert admin.get("/api/v1/rbac", params={**asked, **own}).text == expected
    cluster = register(admin, **own)
    answer = admin.get("/api/v1/rbac", params={**asked, "cluster_id": cluster["id"]})
    assert answer.text == expected
    other = {"bench_image": "registry.example/team/bench:3"}
    answer = admin.get("/api/v1/rbac", params={**asked, **other, "cluster_id": cluster["id"]})
    assert answer.text == manifest(Capability.HOST_ACCESS, other["bench_image"], secret)
    admin.patch(f"/api/v1/clusters/{cluster['id']}", json={"image_pull_secret": None}, headers=ANY)
    answer = admin.get("/api/v1/rbac", params={**asked, "cluster_id": cluster["id"]})
    assert answer.text == manifest(Capability.HOST_ACCESS, image)
    nowhere = admin.get("/api/v1/rbac", params={"cluster_id": str(uuid.uuid4())})
    assert nowhere.status_code == 404


@pytest.mark.services
def test_an_unknown_capability_is_named(admin: TestClient) -> None:
    answer = admin.get("/api/v1/rbac", params={"capability": "everything"})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["detail"]
