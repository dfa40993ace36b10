"""The user's kubectl, with the user's own context: exec plug-ins, proxies and all.

kubectl runs a context's credential plug-in itself. The user's credentials are never read here:
`kubectl config view` redacts them, and of a context only its cluster's authority is asked for raw.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

from podmeter_cli.exits import CommandError, UsageError

_SECONDS = 180
ACCOUNT = NAMESPACE = "podmeter"
_ROOT_CA = (
    "kubectl get configmap kube-root-ca.crt --namespace default "
    r"--output 'jsonpath={.data.ca\.crt}'"
)


@dataclass(frozen=True)
class Context:
    """A context, as far as others may know it."""

    name: str
    cluster: str
    server: str
    tls_server_name: str | None
    insecure: bool
    proxy: str | None
    plugin: str | None


class Kubectl:
    """Runs kubectl; KUBECTL names another command, which may have several words."""

    def __init__(self, kubeconfig: str | None = None, context: str | None = None) -> None:
        self._words = shlex.split(os.environ.get("KUBECTL") or "kubectl")
        self._words += ["--kubeconfig", kubeconfig] if kubeconfig else []
        self._words += ["--context", context] if context else []

    @property
    def _missing(self) -> str:
        return f"{self._words[0]} is not installed. Install it, or set KUBECTL."

    def run(self, *words: str, stdin: str | None = None) -> str:
        """Standard output. Raises CommandError with what kubectl printed."""
        try:
            ended = subprocess.run(
                [*self._words, *words],
                input=stdin or "",
                capture_output=True,
                text=True,
                timeout=_SECONDS,
                check=False,
            )
        except FileNotFoundError:
            raise CommandError(self._missing) from None
        except subprocess.TimeoutExpired:
            raise CommandError(f"kubectl {words[0]} did not end within {_SECONDS} s.") from None
        if ended.returncode != 0:
            said = ended.stderr.strip() or ended.stdout.strip()
            raise CommandError(f"kubectl {words[0]} failed:\n{said}{_help(said)}")
        return ended.stdout

    def log_in(self) -> None:
        """Have a credential plug-in log in, with the terminal where there is one.

        It may show a code or ask for a password. Raises CommandError where the cluster is not
        reached.
        """
        if not sys.stderr.isatty():
            self.run("get", "--raw", "/version")
            return
        try:
            words = [*self._words, "get", "--raw", "/version"]
            ended = subprocess.run(words, stdout=subprocess.DEVNULL, check=False)
        except FileNotFoundError:
            raise CommandError(self._missing) from None
        if ended.returncode != 0:
            raise CommandError(_NOT_REACHED)

    def cluster_uid(self) -> str:
        """What tells the cluster from any other: the UID of its kube-system namespace."""
        place = "jsonpath={.metadata.uid}"
        return self.run("get", "namespace", "kube-system", "--output", place).strip()

    def context(self) -> Context:
        """The context that is used. Raises UsageError where the kubeconfig has none."""
        try:
            view = json.loads(self.run("config", "view", "--minify", "--output", "json"))
        except CommandError as error:
            if "context" not in str(error):
                raise
            raise UsageError(
                f"{error}\nChoose a context: kubectl config get-contexts, then --context NAME."
            ) from None
        clusters, users = view.get("clusters") or [], view.get("users") or []
        if not clusters:
            raise UsageError(
                "The kubeconfig's context names no cluster. Choose another one: "
                "kubectl config get-contexts, then --context NAME."
            )
        cluster = clusters[0]["cluster"]
        user = (users[0].get("user") or {}) if users else {}
        return Context(
            name=view.get("current-context", ""),
            cluster=clusters[0]["name"],
            server=cluster.get("server", ""),
            tls_server_name=cluster.get("tls-server-name"),
            insecure=bool(cluster.get("insecure-skip-tls-verify")),
            proxy=cluster.get("proxy-url"),
            plugin=(user.get("exec") or {}).get("command"),
        )

    def authority(self, context: Context) -> str | None:
        """What the server is verified by, as a kubeconfig has it; None for the system's.

        kubectl itself refuses what is no certificate, before anything is applied.
        """
        place = "jsonpath={.clusters[0].cluster.certificate-authority-data}"
        words = ("config", "view", "--minify", "--flatten", "--raw", "--output", place)
        data = self.run(*words).strip()
        if data:
            return data
        if context.insecure:
            raise UsageError(
                f"The context {context.name} does not verify its server "
                "(insecure-skip-tls-verify), and Podmeter connects to no server that it cannot "
                "verify. "
                f"Save the cluster's authority, and name it:\n  {_ROOT_CA} > ca.crt\n"
                "  podmeter clusters add --certificate-authority ca.crt"
            )
        return None

    def knows_admission_policies(self) -> bool:
        """Whether the cluster has ValidatingAdmissionPolicies: Kubernetes 1.30 or newer."""
        found = json.loads(self.run("get", "--raw", "/apis/admissionregistration.k8s.io/v1"))
        return any(one["name"] == "validatingadmissionpolicies" for one in found["resources"])

    def default_priority(self) -> int:
        """The value of the default PriorityClass; 0 where there is none."""
        found = json.loads(self.run("get", "priorityclasses", "--output", "json"))
        values: list[int] = [one["value"] for one in found["items"] if one.get("globalDefault")]
        return max([0, *values])

    def apply(self, manifest: str) -> str:
        """Apply a manifest; what kubectl says of each object."""
        return self.run("apply", "--filename", "-", stdin=manifest)

    def token(self, duration: str) -> str:
        """A token of Podmeter's ServiceAccount, for as long as the API server allows."""
        words = ("create", "token", ACCOUNT, "--namespace", NAMESPACE, "--duration", duration)
        return self.run(*words).strip()


def account_kubeconfig(context: Context, server: str, authority: str | None, token: str) -> str:
    """A kubeconfig of Podmeter's ServiceAccount, in JSON: nothing in it is the user's."""
    cluster: dict[str, Any] = {"server": server}
    if authority is not None:
        cluster["certificate-authority-data"] = authority
    if context.tls_server_name:
        cluster["tls-server-name"] = context.tls_server_name
    name = ACCOUNT
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": name,
            "clusters": [{"name": name, "cluster": cluster}],
            "users": [{"name": name, "user": {"token": token}}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        }
    )


def _help(said: str) -> str:
    """What helps against a failure that people meet; "" where kubectl's own words do."""
    for sign, remedy in _REMEDIES:
        if sign in said:
            return f"\n{remedy}"
    return ""


_FIRST = "`kubectl get nodes` must work first."
_LOGIN = f"The kubeconfig's login is not accepted. Log in again; {_FIRST}"
_NOT_REACHED = f"kubectl does not reach the cluster; {_FIRST}"
_NO_ADMIN = "Applying the manifest takes a cluster-admin: it makes a namespace, roles and policies."
_OLD_LOGIN = (
    "kubectl does not have this login any more. Make the kubeconfig again: gcloud container "
    "clusters get-credentials, az aks get-credentials, or your provider's command."
)
_PLUG_IN_LOGIN = (
    "The credential plug-in that the kubeconfig names gives no login. Log in with it again, as by "
    f"aws sso login, gcloud auth login or az login; {_FIRST}"
)
_REMEDIES = (
    ("failed with exit code", _PLUG_IN_LOGIN),
    ("executable", f"Install the credential plug-in that the kubeconfig names; {_FIRST}"),
    ("getting credentials", _PLUG_IN_LOGIN),
    ("error loading config file", "The kubeconfig is invalid; `kubectl config view` must work."),
    (
        "no such file or directory",
        "The kubeconfig names a file that is not on this machine. Make the kubeconfig here; "
        + _FIRST,
    ),
    ("no Auth Provider found", _OLD_LOGIN),
    ("auth plugin has been removed", _OLD_LOGIN),
    ("ID Token", _LOGIN),
    ("idp-issuer-url", _LOGIN),
    ("Unauthorized", _LOGIN),
    ("must be logged in", _LOGIN),
    (
        "root certificates",
        "certificate-authority-data is not a certificate in PEM. `kubectl config view` shows it "
        "with --raw alone; " + _FIRST,
    ),
    ("x509", f"kubectl does not trust the server's certificate; {_FIRST}"),
    ("is forbidden", _NO_ADMIN),
    ("Forbidden", _NO_ADMIN),
    ("connection refused", _NOT_REACHED),
    ("was refused", _NOT_REACHED),
    ("no such host", _NOT_REACHED),
    ("i/o timeout", _NOT_REACHED),
)
