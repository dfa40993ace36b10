"""A kubeconfig that Podmeter may keep, made with the rights of the user's own."""

from __future__ import annotations

import json
import shlex
import subprocess

from podmeter.demo.api import DemoError

#: How long the demo's token is valid; the demo is through in a quarter of an hour.
TOKEN_LIFETIME = "24h"  # noqa: S105 (no secret)
ACCOUNT, NAMESPACE = "podmeter", "podmeter"


class Kubectl:
    """The user's kubectl, with the user's kubeconfig; `command` may have several words."""

    def __init__(self, command: str) -> None:
        self._words = shlex.split(command)

    def run(self, *words: str, stdin: str | None = None) -> str:
        """Standard output. Raises DemoError with what kubectl said."""
        try:
            ended = subprocess.run(
                [*self._words, *words],
                input=stdin,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
        except FileNotFoundError:
            raise DemoError(f"{self._words[0]} is not installed; KUBECTL names another") from None
        except subprocess.TimeoutExpired:
            raise DemoError(f"kubectl {' '.join(words)} did not end within 120 s") from None
        if ended.returncode != 0:
            said = ended.stderr.strip() or ended.stdout.strip()
            raise DemoError(f"kubectl {' '.join(words)} failed: {said}")
        return ended.stdout


def knows_admission_policies(kubectl: Kubectl) -> bool:
    """Whether the cluster has ValidatingAdmissionPolicies: Kubernetes 1.30 or newer."""
    found = json.loads(kubectl.run("get", "--raw", "/apis/admissionregistration.k8s.io/v1"))
    return any(one["name"] == "validatingadmissionpolicies" for one in found["resources"])


def cluster_uid(kubectl: Kubectl) -> str:
    """What tells the cluster from any other: the UID of its kube-system namespace."""
    words = ("get", "namespace", "kube-system", "--output", "json")
    return str(json.loads(kubectl.run(*words))["metadata"]["uid"])


def has_rights(kubectl: Kubectl) -> bool:
    """Whether the RBAC manifest was applied before."""
    words = ("get", "namespace", NAMESPACE, "--ignore-not-found", "--output", "name")
    return bool(kubectl.run(*words).strip())


def service_account_kubeconfig(kubectl: Kubectl, manifest: str) -> tuple[str, str]:
    """Apply the RBAC manifest, make a token; (the cluster's name, a kubeconfig in JSON).

    The user's own credentials are never sent to Podmeter, which could not keep many of them.
    """
    view = ("config", "view", "--minify", "--flatten", "--raw", "--output", "json")
    own = json.loads(kubectl.run(*view))
    if not own.get("clusters"):
        raise DemoError("the kubeconfig names no cluster; KUBECONFIG says which file is used")
    cluster = own["clusters"][0]
    kept = ("server", "certificate-authority-data", "tls-server-name")
    kubectl.run("apply", "--filename", "-", stdin=manifest)
    token = kubectl.run(
        *("create", "token", ACCOUNT, "--namespace", NAMESPACE, "--duration", TOKEN_LIFETIME)
    )
    name = "podmeter"
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name,
        "clusters": [
            {"name": name, "cluster": {k: v for k, v in cluster["cluster"].items() if k in kept}}
        ],
        "users": [{"name": name, "user": {"token": token.strip()}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
    }
    return cluster["name"], json.dumps(document)
