"""Registering clusters with the user's own kubectl, against a scripted cluster."""

from __future__ import annotations

import base64
import json
import stat
import uuid
from pathlib import Path
from typing import Any

import httpx
import pytest
from backend.tests.builders import reach, register
from backend.tests.everything import ANY
from bench.scripted.cluster import ScriptedCluster
from fastapi.testclient import TestClient

from podmeter.db.models import Cluster
from podmeter.db.session import Sessions
from podmeter.domain.cluster_report import CapabilityReport, ClusterReport
from podmeter.rbac.capabilities import Capability
from podmeter.rbac.manifest import manifest
from podmeter_cli.client import Client, Query
from podmeter_cli.exits import ExitCode, UsageError
from podmeter_cli.registering import Registered

from .conftest import Podmeter

pytestmark = [pytest.mark.services, pytest.mark.usefixtures("logged_in", "worker", "kubectl")]
SECRET = "canary-of-the-plug-in"


@pytest.fixture
def cluster_uid(scripted: ScriptedCluster) -> str:
    return scripted.uid


def changed(file: Path, cluster: dict[str, Any] | None = None, user: Any = None) -> None:
    """Change the kubeconfig's cluster, a None removing the field, and replace its user."""
    document = json.loads(file.read_text())
    there = document["clusters"][0]["cluster"] | (cluster or {})
    document["clusters"][0]["cluster"] = {k: v for k, v in there.items() if v is not None}
    if user is not None:
        document["users"][0]["user"] = user
    file.write_text(json.dumps(document))


def plug_in(folder: Path, version: str = "v1") -> dict[str, Any]:
    """A credential plug-in, as a user of a kubeconfig has it; it notes that it ran."""
    script = folder / "get-token"
    credential = {
        "apiVersion": f"client.authentication.k8s.io/{version}",
        "kind": "ExecCredential",
        "status": {"token": SECRET},
    }
    answer = f"cat <<'END'\n{json.dumps(credential)}\nEND\n"
    script.write_text(f"#!/bin/sh\necho ran >> {folder}/ran\n{answer}")
    script.chmod(script.stat().st_mode | stat.S_IEXEC)
    return run_by(str(script))


def run_by(command: str) -> dict[str, Any]:
    """A kubeconfig's user who logs in with a plug-in."""
    api = "client.authentication.k8s.io/v1"
    return {"exec": {"apiVersion": api, "command": command, "interactiveMode": "Never"}}


def test_a_plug_ins_credentials_stay_with_kubectl(
    podmeter: Podmeter,
    kubeconfig: Path,
    tmp_path: Path,
    admin: TestClient,
    sent: list[httpx.Request],
) -> None:
    changed(kubeconfig, user=plug_in(tmp_path))
    added = podmeter("clusters", "add", "prod", "--allow", "switch_modes", "--yes")
    assert added.code == 0, added.err
    assert (tmp_path / "ran").exists()
    assert "nothing of that login is sent to Podmeter" in added.err
    assert "clusterrole.rbac.authorization.k8s.io/podmeter-switch-modes" in added.err
    assert "prod at https://127.0.0.1:" in added.out
    (cluster,) = admin.get("/api/v1/clusters").json()["items"]
    assert (cluster["name"], cluster["allow_mode_switch"]) == ("prod", True)
    bodies = b"".join(request.content for request in sent)
    assert b"scripted-token-of-podmeter" in bodies
    assert SECRET.encode() not in bodies
    assert SECRET not in added.out + added.err


def test_adding_again_renews_the_token(
    podmeter: Podmeter, kubeconfig: Path, admin: TestClient
) -> None:
    for _ in range(2):
        assert podmeter("clusters", "add", "--yes").code == 0
    (cluster,) = admin.get("/api/v1/clusters").json()["items"]
    assert (cluster["name"], cluster["version"] > 1) == ("scripted", True)
    assert podmeter("clusters", "list").out.count("scripted") == 1
    assert podmeter("clusters", "show", "scripted").code == 0
    assert podmeter("clusters", "preflight", "scripted").code == 0
    assert podmeter("clusters", "remove", "scripted", "--yes").code == 0
    assert podmeter("clusters", "show", "scripted").code == ExitCode.USAGE


OWN = {"bench_image": "registry.example/team/bench:1", "image_pull_secret": "registry"}
KEPT = ("allow_mode_switch", "allow_host_names", "renew_credential", *OWN)


def manifests(sent: list[httpx.Request]) -> list[dict[str, str]]:
    """What was asked for in each manifest that was applied."""
    return [dict(one.url.params) for one in sent if one.url.path == "/api/v1/rbac"]


def test_adding_again_keeps_what_was_allowed_unless_an_option_changes_it(
    podmeter: Podmeter, kubeconfig: Path, admin: TestClient, sent: list[httpx.Request]
) -> None:
    images = ("--image", OWN["bench_image"], "--pull-secret", OWN["image_pull_secret"])
    added = podmeter("clusters", "add", "--yes", "--allow", "switch_modes", "--renew", *images)
    assert added.code == 0, added.err
    (cluster,) = admin.get("/api/v1/clusters").json()["items"]
    path = f"/api/v1/clusters/{cluster['id']}"
    assert admin.patch(path, json={"allow_host_names": True}, headers=ANY).status_code == 200

    again = podmeter("clusters", "add", "--yes")
    assert again.code == 0, again.err
    assert "it gets a new token and the manifest switch_modes." in again.err
    after = admin.get(path).json()
    assert {name: after[name] for name in KEPT} == {**dict.fromkeys(KEPT[:3], True), **OWN}
    query = manifests(sent)[-1]
    assert admin.get("/api/v1/rbac", params=query).text == manifest(
        Capability.SWITCH_MODES,
        OWN["bench_image"],
        OWN["image_pull_secret"],
        admission_policy=query["admission_policy"] == "true",
        host_names=True,
        renew=True,
    )

    less = podmeter("clusters", "add", "--yes", "--allow", "host_access", "--no-renew")
    assert less.code == 0, less.err
    assert "Runs may no longer switch its modes." in less.err
    after = admin.get(path).json()
    assert (after["allow_mode_switch"], after["renew_credential"]) == (False, False)
    assert (manifests(sent)[-1]["capability"], manifests(sent)[-1]["renew"]) == (
        "host_access",
        "false",
    )

    other = podmeter("clusters", "add", "--yes", "--image", "registry.example/team/bench:2")
    assert other.code == 0, other.err
    after = admin.get(path).json()
    assert after["bench_image"] == "registry.example/team/bench:2"
    assert after["image_pull_secret"] == OWN["image_pull_secret"]
    held_to = admin.get("/api/v1/rbac", params=manifests(sent)[-1]).text
    assert "registry.example/team/bench:2" in held_to
    assert OWN["bench_image"] not in held_to


@pytest.mark.parametrize(
    "words",
    [("--image", "registry.example/team/bench:2"), ("--pull-secret", "other")],
    ids=["image", "pull secret"],
)
def test_a_manifest_for_the_image_before_is_not_applied(
    podmeter: Podmeter,
    kubeconfig: Path,
    admin: TestClient,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, str],
) -> None:
    """A server that ignores the wanted image where it knows the cluster."""
    images = ("--image", "registry.example/team/bench:20", "--pull-secret", "others")
    assert podmeter("clusters", "add", "--yes", *images).code == 0
    (before,) = admin.get("/api/v1/clusters").json()["items"]
    text = Client.text

    def older(self: Client, path: str, query: Query | None = None) -> str:
        ignored = ("bench_image", "image_pull_secret")
        return text(self, path, {k: v for k, v in (query or {}).items() if k not in ignored})

    monkeypatch.setattr(Client, "text", older)
    refused = podmeter("clusters", "add", "--yes", *words)
    assert refused.code == ExitCode.FAILED
    assert "is older than this command" in refused.err
    assert "unchanged" not in refused.err
    (after,) = admin.get("/api/v1/clusters").json()["items"]
    assert after["version"] == before["version"]


MISSING: dict[str, Any] = {"allowed": False, "missing": [{"resource": "pods"}]}
PARTLY: dict[str, Any] = MISSING | {"partly": True}
THERE: dict[str, Any] = {"allowed": True, "missing": []}


@pytest.mark.parametrize(
    ("switches", "rights", "capability"),
    [
        (False, None, "measure"),
        (True, None, "switch_modes"),
        (False, {"measure": THERE, "host_access": MISSING, "switch_modes": MISSING}, "measure"),
        (False, {"measure": THERE, "host_access": THERE, "switch_modes": MISSING}, "host_access"),
        # A newer version needs more to measure: that withdraws nothing of what is above.
        (False, {"measure": MISSING, "host_access": THERE, "switch_modes": MISSING}, "host_access"),
    ],
)
def test_what_is_allowed_is_what_the_preflight_or_the_owner_says(
    switches: bool, rights: dict[str, Any] | None, capability: str
) -> None:
    report = None if rights is None else {"rights": rights}
    known = Registered("prod", {"allow_mode_switch": switches, "capabilities": report})
    assert known.capability() == capability


@pytest.mark.parametrize(
    ("rights", "said"),
    [
        # An administrator's kubeconfig, whose owner was never asked about switches.
        ({"measure": THERE, "host_access": THERE, "switch_modes": THERE}, "switching modes is not"),
        # An older version's manifest of host_access, of which a newer one needs more.
        ({"measure": THERE, "host_access": PARTLY, "switch_modes": MISSING}, "lacks others"),
        ({"measure": THERE, "host_access": PARTLY, "switch_modes": THERE}, "lacks others"),
    ],
)
def test_what_is_allowed_has_to_be_said_where_the_rights_do_not_show_it(
    rights: dict[str, Any], said: str
) -> None:
    known = Registered("prod", {"allow_mode_switch": False, "capabilities": {"rights": rights}})
    with pytest.raises(UsageError, match=said) as refused:
        known.capability()
    assert "--allow host_access" in str(refused.value)


def test_rights_that_nobody_allowed_are_not_applied(
    podmeter: Podmeter,
    kubeconfig: Path,
    admin: TestClient,
    sessions: Sessions,
    cluster_uid: str,
    sent: list[httpx.Request],
) -> None:
    """A cluster that was registered elsewhere with an administrator's kubeconfig."""
    registered = register(admin, name="scripted")
    reach(sessions, registered["id"], cluster_uid)
    all_rights = {one.value: CapabilityReport(allowed=True, missing=[]) for one in Capability}
    report = ClusterReport(kubernetes_version="v1.34.4", nodes=[], rights=all_rights)
    with sessions.begin() as session:
        cluster = session.get_one(Cluster, uuid.UUID(registered["id"]))
        cluster.capabilities = report.model_dump(mode="json")
    refused = podmeter("clusters", "add", "--yes")
    assert refused.code == ExitCode.USAGE
    assert "--allow measure" in refused.err
    assert manifests(sent) == []
    added = podmeter("clusters", "add", "--yes", "--allow", "measure")
    assert added.code == 0, added.err
    assert [one["capability"] for one in manifests(sent)] == ["measure"]


def test_another_cluster_does_not_take_a_name(
    podmeter: Podmeter, kubeconfig: Path, admin: TestClient, sessions: Sessions
) -> None:
    other = register(admin, name="scripted")
    reach(sessions, other["id"], "the uid of another one")
    refused = podmeter("clusters", "add", "--yes")
    assert refused.code == ExitCode.USAGE
    assert "Give this one another name: podmeter clusters add NAME" in refused.err
    (cluster,) = admin.get("/api/v1/clusters").json()["items"]
    assert cluster["version"] == other["version"]


def test_an_authority_in_a_file_is_sent_along(
    podmeter: Podmeter, kubeconfig: Path, scripted: ScriptedCluster, tmp_path: Path
) -> None:
    (tmp_path / "ca.crt").write_bytes(scripted.server.certificate)
    inline = {"certificate-authority-data": None, "certificate-authority": str(tmp_path / "ca.crt")}
    changed(kubeconfig, inline)
    assert podmeter("clusters", "add", "--yes").code == 0


def test_a_server_that_is_not_verified_needs_its_authority(
    podmeter: Podmeter, kubeconfig: Path, scripted: ScriptedCluster, tmp_path: Path
) -> None:
    changed(kubeconfig, {"certificate-authority-data": None, "insecure-skip-tls-verify": True})
    refused = podmeter("clusters", "add", "--yes")
    assert refused.code == ExitCode.USAGE
    assert "kubectl get configmap kube-root-ca.crt" in refused.err
    (tmp_path / "ca.crt").write_bytes(scripted.server.certificate)
    words = ("--certificate-authority", str(tmp_path / "ca.crt"))
    assert podmeter("clusters", "add", "--yes", *words).code == 0


@pytest.mark.parametrize(
    ("cluster", "user", "said"),
    [
        ({}, run_by("no-such-plug-in"), "Install the credential plug-in"),
        ({}, run_by("false"), "Log in with it again"),
        (
            {"certificate-authority-data": base64.b64encode(b"\xc0 no certificate").decode()},
            None,
            "is not a certificate in PEM",
        ),
        ({}, {"auth-provider": {"name": "gcp"}}, "Make the kubeconfig again"),
        ({"proxy-url": "http://proxy.example:3128"}, None, "--server https://HOST:PORT"),
        ({"server": "http://127.0.0.1:8080"}, None, "--server https://HOST:PORT"),
        ({"server": "https://127.0.0.1:1"}, None, "`kubectl get nodes` must work first"),
    ],
)
def test_what_cannot_be_registered_is_refused_with_what_helps(
    podmeter: Podmeter,
    kubeconfig: Path,
    admin: TestClient,
    cluster: dict[str, Any],
    user: Any,
    said: str,
) -> None:
    changed(kubeconfig, cluster, user)
    refused = podmeter("clusters", "add", "--yes")
    assert refused.code in (ExitCode.FAILED, ExitCode.USAGE)
    assert said in refused.err
    assert admin.get("/api/v1/clusters").json()["items"] == []


def test_nothing_is_applied_without_a_yes(
    podmeter: Podmeter, kubeconfig: Path, admin: TestClient
) -> None:
    refused = podmeter("clusters", "add")
    assert refused.code == ExitCode.USAGE
    assert "--yes" in refused.err
    assert admin.get("/api/v1/clusters").json()["items"] == []


def test_a_kubeconfig_without_a_context_says_how_to_choose_one(
    podmeter: Podmeter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    refused = podmeter("clusters", "add", "--yes")
    assert refused.code == ExitCode.USAGE
    assert "kubectl config get-contexts" in refused.err


def test_a_machine_without_kubectl_says_so(
    podmeter: Podmeter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECTL", "/no/such/kubectl")
    assert "/no/such/kubectl is not installed" in podmeter("clusters", "add", "--yes").err


def test_the_manifest_is_what_the_server_gives(podmeter: Podmeter) -> None:
    printed = podmeter("clusters", "manifest", "host_access", "--renew", "--image", "x.example/b:1")
    assert printed.code == 0, printed.err
    assert "kind: ClusterRole" in printed.out
    assert "x.example/b:1" in printed.out


def test_limits_of_a_cluster_are_set_and_taken_away(
    podmeter: Podmeter, kubeconfig: Path, admin: TestClient
) -> None:
    assert podmeter("clusters", "add", "--yes").code == 0
    assert "Runs may send at most: unlimited" in podmeter("clusters", "show", "scripted").out
    limited = podmeter("clusters", "limit", "scripted", "--bandwidth", "1.5G", "--requests", "2k")
    assert limited.code == 0, limited.err
    assert "Runs may send at most: 2,000 requests/s, 1.50 Gbit/s" in limited.out
    (cluster,) = admin.get("/api/v1/clusters").json()["items"]
    assert cluster["max_bandwidth_bits_per_second"] == 1_500_000_000
    freed = podmeter("clusters", "limit", "scripted", "--requests", "none")
    assert "Runs may send at most: 1.50 Gbit/s" in freed.out
    for wrong in ("0", "fast"):
        refused = podmeter("clusters", "limit", "scripted", "--bandwidth", wrong)
        assert refused.code == ExitCode.USAGE
        assert "is not a limit" in refused.err
    assert podmeter("clusters", "limit", "scripted").code == ExitCode.USAGE
