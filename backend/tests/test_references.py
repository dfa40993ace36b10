"""GET /references: what was published, as it was printed, beside what its own figures give."""

import pytest
from fastapi.testclient import TestClient

pytestmark = pytest.mark.services

REFERENCES = "/api/v1/references"


def test_references_are_listed_and_read(admin: TestClient) -> None:
    listed = admin.get(REFERENCES).json()["items"]
    assert len(listed) == 10
    ladder = next(one for one in listed if one["id"] == "iptables-ipvs-ladder")
    assert ladder["figures"] == 153
    assert ladder["claims"] == {"holds": 6, "partly": 5, "fails": 2, "not_recomputable": 2}
    of_kind = admin.get(REFERENCES, params={"kind": "throughput"}).json()["items"]
    assert {one["id"] for one in of_kind} == {
        *("calico-modes-2024", "cilium-native-routing-2023"),
        *("infrabuilder-2020", "infrabuilder-2024"),
    }


def test_a_reference_is_read_as_printed(admin: TestClient) -> None:
    found = admin.get(f"{REFERENCES}/cilium-native-routing-2023").json()
    node_node = found["tables"][0]
    receiver = node_node["rows"][-1]
    assert receiver["printed"] == "0.00-10.00 sec receiver"
    bitrate = receiver["cells"][1]
    assert bitrate["quote"] == "1138 MBytes/sec"
    assert (bitrate["metric"], bitrate["unit"]) == ("throughput", "bit/s")
    assert bitrate["value"] == pytest.approx(9.546e9, rel=1e-4)
    assert bitrate["points"] == [{"path": "node-node", "protocol": "tcp", "streams": 1}]
    about_equal = next(one for one in found["claims"] if one["id"] == "about-equal")
    assert about_equal["verdict"] == "fails"
    assert about_equal["results"][0]["value"] == pytest.approx(0.1125, abs=1e-3)
    vxlan = found["tables"][1]["rows"][0]["cells"][0]
    assert "MTU of 1280" in found["doubts"][vxlan["doubts"][0]]


def test_there_is_no_such_reference(admin: TestClient) -> None:
    assert admin.get(f"{REFERENCES}/nothing").status_code == 404
