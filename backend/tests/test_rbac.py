"""GET /rbac: the manifest, by capability."""

import pytest
import yaml
from fastapi.testclient import TestClient

from podmeter.rbac.capabilities import Capability
from podmeter.rbac.manifest import manifest


@pytest.mark.services
@pytest.mark.parametrize("capability", list(Capability))
def test_the_manifest_is_the_same_everywhere(admin: TestClient, capability: Capability) -> None:
    answer = admin.get("/api/v1/rbac", params={"capability": capability})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/yaml"
    assert answer.text == manifest(capability)
    kinds = {document["kind"] for document in yaml.safe_load_all(answer.text)}
    assert {"Namespace", "ServiceAccount", "Role", "RoleBinding"} <= kinds


@pytest.mark.services
def test_an_unknown_capability_is_named(admin: TestClient) -> None:
    answer = admin.get("/api/v1/rbac", params={"capability": "everything"})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["detail"]
