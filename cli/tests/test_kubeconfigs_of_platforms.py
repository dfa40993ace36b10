"""`clusters add` with kubeconfigs as platforms write them, of a scripted cluster."""

from __future__ import annotations

import base64
import os
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from bench.scripted.cluster import ScriptedCluster
from core.tests.credentials.kubeconfig_maker import keys, pem
from core.tests.credentials.kubeconfigs_of_platforms import PLATFORMS
from core.tests.sampling import sampled
from fastapi.testclient import TestClient

from podmeter_cli.exits import ExitCode

from .conftest import Podmeter
from .test_clusters import SECRET, plug_in

pytestmark = [pytest.mark.services, pytest.mark.usefixtures("logged_in", "worker", "kubectl")]

_CONFIG_VIEW = "`kubectl config view` must work"
_NO_FILE = "Make the kubeconfig here"
_LOG_IN = "Log in again"
_ROOT_CA = "kubectl get configmap kube-root-ca.crt"
_NO_PEM = "`kubectl config view` shows it with --raw alone"
_SERVER = "--server https://HOST:PORT"
_CONTEXT = "kubectl config get-contexts"
#: What helps, of kubeconfigs that are not registered. Of all others only the cluster is taken: the
#: user's own credentials, whatever they are, only log kubectl in.
HELP = {
    "GKE's old provider": "Make the kubeconfig again",
    "OIDC": _LOG_IN,
    "base64": _CONFIG_VIEW,
    "base64 in lines": _CONFIG_VIEW,
    "base64 of JSON with a byte order mark": _CONFIG_VIEW,
    "base64 of base64": _CONFIG_VIEW,
    "base64 of no text": _CONFIG_VIEW,
    "an authority encoded twice": _NO_PEM,
    "OpenShift, insecure": _ROOT_CA,
    "Docker Desktop": _ROOT_CA,
    "minikube": _NO_FILE,
    "a pod's own files": _NO_FILE,
    "a token's file alone": _NO_FILE,
    "a view without --raw": _NO_PEM,
    "a view of a token without --raw": _NO_PEM,
    "an empty view": _CONTEXT,
    "a proxy": _SERVER,
    "no scheme": _SERVER,
    "http": _SERVER,
    "an authority as plain PEM": _CONFIG_VIEW,
    "tabs": _CONFIG_VIEW,
}
PLUG_INS = ("aws", "gke-gcloud-auth-plugin", "kubelogin", "tsh")


@pytest.fixture
def cluster_uid(scripted: ScriptedCluster) -> str:
    return scripted.uid


@pytest.fixture
def machine(tmp_path: Path, scripted: ScriptedCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Has the plug-ins, and trusts the cluster's certificate as one of a public authority."""
    commands = tmp_path / "commands"
    commands.mkdir()
    plug_in(tmp_path, "v1beta1")
    for name in PLUG_INS:
        (commands / name).symlink_to(tmp_path / "get-token")
    monkeypatch.setenv("PATH", f"{commands}:{os.environ['PATH']}")
    (tmp_path / "public.crt").write_bytes(scripted.server.certificate)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "public.crt"))


def placed(raw: bytes, server: str, authority: bytes) -> bytes:
    """The document with the cluster's server, and with its authority for the right one."""

    def trusting(found: re.Match[bytes]) -> bytes:
        decoded = base64.b64decode(found[0] + b"=" * (-len(found[0]) % 4))
        if pem(keys()[3]) not in decoded:
            return found[0]
        return base64.b64encode(decoded.replace(pem(keys()[3]), authority))

    # The cluster's certificate is for an address, not for the name that a proxy has in front of it.
    unnamed = re.sub(rb"\n\s+tls-server-name: \S+", b"", raw)
    served = re.sub(rb"https://[^\s\"',}]+", server.encode(), unnamed)
    return re.sub(rb"[A-Za-z0-9+/]{200,}={0,2}", trusting, served)


def secrets_of(raw: bytes) -> list[bytes]:
    """What a kubeconfig's users log in with, as far as the document can be read."""
    try:
        document: Any = yaml.safe_load(raw)
    except yaml.YAMLError:
        return []
    users = (document.get("users") or []) if isinstance(document, dict) else []
    names = ("token", "client-key-data", "client-certificate-data", "password")
    found = [one["user"].get(name) for one in users for name in names]
    return [value.encode() for value in found if value] + [SECRET.encode()]


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("name", sampled(PLATFORMS, 6))
def test_it_is_registered_or_refused_with_what_helps(
    podmeter: Podmeter,
    kubeconfig: Path,
    scripted: ScriptedCluster,
    admin: TestClient,
    sent: list[httpx.Request],
    name: str,
) -> None:
    raw = PLATFORMS[name].raw
    (cluster,) = yaml.safe_load(kubeconfig.read_text())["clusters"]
    kubeconfig.write_bytes(placed(raw, cluster["cluster"]["server"], scripted.server.certificate))
    added = podmeter("clusters", "add", "prod", "--yes")
    registered = [one["name"] for one in admin.get("/api/v1/clusters").json()["items"]]
    if name in HELP:
        assert added.code in (ExitCode.FAILED, ExitCode.USAGE)
        assert HELP[name] in added.err
        assert registered == []
    else:
        assert added.code == 0, added.err
        assert registered == ["prod"]
        assert b"scripted-token-of-podmeter" in b"".join(one.content for one in sent)
    bodies = b"".join(request.content for request in sent)
    assert [one for one in secrets_of(raw) if one in bodies] == []
    assert SECRET not in added.out + added.err


def test_each_refusal_is_of_a_platform() -> None:
    assert HELP.keys() <= PLATFORMS.keys()
