"""GET /templates: what is offered is taken by POST /experiments and POST /experiments/plan."""

import pytest
from core.tests.sampling import sampled
from fastapi.testclient import TestClient

from podmeter.templates.library import templates

pytestmark = pytest.mark.services

TEMPLATES = "/api/v1/templates"


def test_every_template_is_ready_to_use(subtests: pytest.Subtests, admin: TestClient) -> None:
    listed = admin.get(TEMPLATES).json()["items"]
    assert [one["id"] for one in listed] == list(templates())
    for one in sampled(listed, 5):
        for spec in (one["quick"], one["published"]):
            with subtests.test(one["id"], published=spec is one["published"]):
                if spec is not None:
                    assert admin.post("/api/v1/experiments/plan", json=spec).status_code == 200
                    assert admin.post("/api/v1/experiments", json=spec).status_code == 201


def test_they_are_listed_by_kind_and_name_their_article(admin: TestClient) -> None:
    listed = admin.get(TEMPLATES, params={"kind": "network_policy"}).json()["items"]
    assert {one["kind"] for one in listed} == {"network_policy"}
    one = listed[0]
    assert one["id"] == "policies_and_sizes"
    assert admin.get(f"/api/v1/references/{one['reference_id']}").status_code == 200
    assert one["title"] == "What NetworkPolicies cost"
    asked = {"params": {"kind": "network_policy"}, "headers": {"Accept-Language": "zh"}}
    assert admin.get(TEMPLATES, **asked).json()["items"][0]["title"] == "NetworkPolicy 的开销"
    assert one["published"]["axes"]["policies"] == [0, 10, 50, 100, 200]
    assert one["quick"]["axes"]["policies"] == [0, 50, 200]
