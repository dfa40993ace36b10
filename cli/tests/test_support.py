"""The archive of `podmeter support`: what it has, and that nothing planted is in it."""

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest
from backend.tests.builders import SPEC, PlayedWorker, queue_run, two_nodes
from fastapi.testclient import TestClient

from podmeter.db.models import Cluster
from podmeter.db.session import Sessions
from podmeter.domain.cluster_report import ClusterReport
from podmeter.domain.messages import say
from podmeter.domain.run import Outcome, RunState
from podmeter_cli.exits import ExitCode
from podmeter_cli.redaction import REMOVED, Redaction

from .conftest import Podmeter

JWT = "eyJhbGciOiJSUzI1NiIsImtpZCI6IngifQ.eyJzdWIiOiJzeXN0ZW06c2VydmljZWFjY291bnQifQ.c2lnbmF0dXJl"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----"
#: Text with a secret, and the secret.
SECRETS = [
    (f"kubectl --token {JWT} failed", JWT),
    (f"Authorization: Bearer {JWT}", JWT),
    ("Authorization: Basic dXNlcjpodW50ZXIyaHVudGVy", "dXNlcjpodW50ZXIyaHVudGVy"),
    (f"key: {PEM} end", "MIIEowIBAAKCAQEA"),
    ("-----BEGIN CERTIFICATE-----\nMIIBcut", "MIIBcut"),
    ("podmeter_abcdEFGH1234567890", "podmeter_abcdEFGH1234567890"),
    ("ghp_0123456789abcdefABCDEF", "ghp_0123456789abcdefABCDEF"),
    ("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
    ("https://me:hunter2@registry.example/x", "hunter2"),
    ("password=hunter2 next", "hunter2"),
    ('{"client_secret": "hunter two"}', "hunter two"),
    ("DB_PASSWORD: 'hunter2'", "hunter2"),
    ("https://x.example/?access_token=hunter2&b=1", "hunter2"),
    ("a" * 60 + "B1" * 40, "a" * 60 + "B1" * 40),
]


@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_a_secret_in_a_text_is_removed(text: str, secret: str) -> None:
    redacted = Redaction().text(text)
    assert secret not in redacted
    assert REMOVED in redacted


@pytest.mark.parametrize(
    "name", ["token", "clientSecret", "kubeconfig", "client-key-data-certificate", "api_key"]
)
def test_a_field_that_holds_a_secret_is_removed_whatever_is_in_it(name: str) -> None:
    assert Redaction().document({"a": [{name: "x"}]}) == {"a": [{name: REMOVED}]}


def test_names_and_addresses_have_one_stand_in_each() -> None:
    redaction = Redaction()
    redaction.know("node", ["worker-1", "worker-10", "w"])
    said = redaction.document(
        {
            "worker-1": "worker-10 at 192.0.2.7 and 2001:db8::7, worker-1 at 192.0.2.7",
            "url": "https://api.prod.example:6443/x",
            "who": "ann@corp.example",
            "mac": "02:42:AC:11:00:02",
            "kept": "v1.34.4, 127.0.0.1, 12:30:45, iperf3 3.16, w-x, localhost, 10 Gbit/s",
        }
    )
    assert said == {
        "node-1": "node-2 at address-1 and address-2, node-1 at address-1",
        "url": "https://host-1:6443/x",
        "who": "person-1",
        "mac": "mac-1",
        "kept": "v1.34.4, 127.0.0.1, 12:30:45, iperf3 3.16, w-x, localhost, 10 Gbit/s",
    }


@pytest.mark.services
@pytest.mark.usefixtures("logged_in")
def test_the_archive_has_what_helps_and_nothing_that_was_planted(
    podmeter: Podmeter, admin: TestClient, sessions: Sessions, tmp_path: Path
) -> None:
    run = queue_run(admin, sessions, "uid-1")
    (cluster,) = admin.get("/api/v1/clusters").json()["items"]
    planted = {secret for _, secret in SECRETS}
    nodes = [one.model_copy(update={"name": f"rack-{one.name}.corp"}) for one in two_nodes()]
    with sessions.begin() as session:
        report = ClusterReport(kubernetes_version="v1.34.4", nodes=nodes, rights={})
        session.query(Cluster).one().capabilities = report.model_dump(mode="json")
    described = {"description": f"{SECRETS[1][0]} of ann@corp.example"}
    path = f"/api/v1/clusters/{cluster['id']}"
    assert admin.patch(path, json=described, headers={"If-Match": "*"}).status_code == 200
    organization = admin.get("/api/v1/me").json()["organization_id"]
    worker = PlayedWorker(sessions, organization, run["id"])
    worker.move(RunState.PREFLIGHT)
    worker.move(RunState.RUNNING)
    for text, _ in SECRETS:
        worker.log(say("not_valid", language="YAML", said=f"{text} on {cluster['name']}"))
    worker.trial(1)
    worker.trial(2, failed=True)
    worker.finish(Outcome.PARTIAL, say("not_valid", language="YAML", said=SECRETS[0][0]))
    file = tmp_path / "support.tar.gz"
    made = podmeter("support", "latest", "--to", str(file))
    assert (made.code, made.out) == (0, f"{file}\n"), made.err

    documents: dict[str, Any] = {}
    with tarfile.open(file) as archive:
        whole = ""
        for member in archive:
            content = archive.extractfile(member) or io.BytesIO()
            text = content.read().decode()
            whole += text
            if member.name.endswith(".json"):
                documents[Path(member.name).stem] = json.loads(text)
    with sessions() as session:
        server = session.query(Cluster).one().server
    host = server.split("//")[1].split(":")[0]
    names = {cluster["name"], host, "ann@corp.example"}
    names |= {text for node in nodes for text in (node.name, node.address) if text}
    assert [one for one in planted | names if one in whole or json.dumps(one)[1:-1] in whole] == []
    assert documents["run"]["spec"]["kind"] == SPEC["kind"]
    assert documents["plan"]["blocks"]
    assert len(documents["log"]) >= len(SECRETS)
    assert documents["events"][-1]["state"] == "finished"
    assert documents["errors"][0]["failure"]["code"] == "lab"
    seen = documents["clusters"][0]["capabilities"]["nodes"]
    assert {one["name"] for one in seen} == {"node-1", "node-2"}
    assert documents["versions"]["server"] == documents["versions"]["podmeter-cli"]


@pytest.mark.services
@pytest.mark.usefixtures("logged_in")
def test_a_run_that_goes_on_has_an_archive_too(
    podmeter: Podmeter, admin: TestClient, sessions: Sessions, tmp_path: Path
) -> None:
    queue_run(admin, sessions, "uid-1")
    assert podmeter("support", "latest", "-O", str(tmp_path / "a.tar.gz")).code == 0
    refused = podmeter("support", "latest", "-O", str(tmp_path / "missing" / "a.tar.gz"))
    assert (refused.code, "cannot be written" in refused.err) == (ExitCode.FAILED, True)
