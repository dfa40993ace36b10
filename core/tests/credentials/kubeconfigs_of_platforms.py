"""Kubeconfigs as platforms and their tools write them, with the answer that each gets.

Adapted from files that people published; keys and certificates are made here. An answer is what
authenticates ("certificate", "token"), or the (pointer, code) of all faults and texts that the
remedies have.
"""

import base64
import json
from dataclasses import dataclass, field
from datetime import timedelta

from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.x509 import CertificateBuilder

from .kubeconfig_maker import NOW, certificate, good, jwt, keys, packed, pem, written

CA = "certificate-authority-data"
_CLUSTER, _USER = "/clusters/0/cluster", "/users/0/user"
_TOKEN = {"token": "kubeconfig-user-abcde:0123456789abcdefghijklmnop"}


@dataclass(frozen=True)
class Platform:
    """A document, the context that is picked, and what the sanitizer answers."""

    raw: bytes
    uses: str | None = None
    faults: tuple[tuple[str, str], ...] = ()
    remedies: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    dropped: frozenset[str] = field(default_factory=frozenset)
    context: str | None = None
    authority: bool = True


def document(user, cluster=None, **root):
    """A kubeconfig with this user; fields of the cluster that are None are left out."""
    made = good()
    made["users"][0]["user"] = user
    made["clusters"][0]["cluster"].update(cluster or {})
    fields = made["clusters"][0]["cluster"]
    made["clusters"][0]["cluster"] = {k: v for k, v in fields.items() if v is not None}
    return {**made, **root}


def accepted(uses, made, *, dropped=(), authority=True, context=None):
    raw = made if isinstance(made, bytes) else written(made)
    return Platform(
        raw, uses=uses, dropped=frozenset(dropped), authority=authority, context=context
    )


def refused(pointer, code, made, *remedies, never=()):
    raw = made if isinstance(made, bytes) else written(made)
    return Platform(raw, faults=((pointer, code),), remedies=remedies, never=never)


def program(command, *arguments, **more):
    version = "client.authentication.k8s.io/v1beta1"
    return {"exec": {"apiVersion": version, "command": command, "args": list(arguments), **more}}


def pair(start=-1, days=30):
    own = keys()[0]
    client = certificate(own, start=start, days=days)
    return {
        "client-certificate-data": packed(pem(client)),
        "client-key-data": packed(pem(own)),
    }


def ed25519_pair():
    own = ed25519.Ed25519PrivateKey.generate()
    made = certificate(keys()[0])
    signed = (
        CertificateBuilder()
        .subject_name(made.subject)
        .issuer_name(made.issuer)
        .public_key(own.public_key())
        .serial_number(3)
        .not_valid_before(NOW - timedelta(days=1))
        .not_valid_after(NOW + timedelta(days=1))
        .sign(own, None)
    )
    return {"client-certificate-data": packed(pem(signed)), "client-key-data": packed(pem(own))}


def two_clusters():
    made = document(_TOKEN)
    made["clusters"].append({"name": "node", "cluster": dict(made["clusters"][0]["cluster"])})
    made["contexts"].append({"name": "node", "context": {"cluster": "node", "user": "admin"}})
    return made


def with_stale_contexts():
    made = document(_TOKEN)
    files = {"server": "https://192.168.99.100:8443", "certificate-authority": "/home/a/ca.crt"}
    made["clusters"].append({"name": "minikube", "cluster": files})
    made["users"].append({"name": "minikube", "user": {"client-key": "/home/a/client.key"}})
    for name in ("minikube", "gone"):
        made["contexts"].append({"name": name, "context": {"cluster": name, "user": name}})
    return made


_AUTHORITY = pem(keys()[3])
_CREATE = "kubectl create token"
_RAW = "--flatten --raw"
_INSECURE = {"insecure-skip-tls-verify": True, CA: None}
_WHOLE = written(document(_TOKEN))

PLATFORMS = {
    # A program, or a provider, that fetches credentials.
    "EKS": refused(
        f"{_USER}/exec",
        "refused_field",
        document(program("aws", "--region", "us-west-2", "eks", "get-token")),
        _CREATE,
    ),
    "GKE's plugin": refused(
        f"{_USER}/exec",
        "refused_field",
        document(program("gke-gcloud-auth-plugin", provideClusterInfo=True)),
        _CREATE,
    ),
    "GKE's plugin at the DNS endpoint": refused(
        f"{_USER}/exec",
        "refused_field",
        document(program("gke-gcloud-auth-plugin"), {CA: None}),
        _CREATE,
    ),
    "GKE's old provider": refused(
        f"{_USER}/auth-provider",
        "refused_field",
        document({"auth-provider": {"name": "gcp", "config": {"cmd-path": "/usr/bin/gcloud"}}}),
        _CREATE,
    ),
    "AKS with kubelogin": refused(
        f"{_USER}/exec", "refused_field", document(program("kubelogin", env=None)), _CREATE
    ),
    "Teleport": refused(
        f"{_USER}/exec",
        "refused_field",
        document(program("tsh", "kube"), {"tls-server-name": "kube.tp.example.test"}),
        _CREATE,
    ),
    "OIDC": refused(
        f"{_USER}/auth-provider",
        "refused_field",
        document({"auth-provider": {"name": "oidc", "config": {"client-id": "kubernetes"}}}),
        _CREATE,
    ),
    # A certificate and a token.
    "AKS": accepted("certificate", document(pair() | _TOKEN), dropped={f"{_USER}/token"}),
    "AKS once its certificate has expired": accepted(
        "token",
        document(pair(start=-40) | _TOKEN),
        dropped={f"{_USER}/client-certificate-data", f"{_USER}/client-key-data"},
    ),
    # A public authority signed the server's certificate.
    "Rancher with a blank authority": accepted(
        "token",
        document(_TOKEN, {CA: "", "api-version": "v1"}),
        dropped={_CLUSTER, f"{_CLUSTER}/{CA}"},
        authority=False,
    ),
    "OpenShift without an authority": accepted(
        "token",
        document({"token": "sha256~AbCdEfGhIjKlMnOpQrStUvWxYz"}, {CA: None}),
        dropped={f"{_CLUSTER}/{CA}"},
        authority=False,
    ),
    "GKE's DNS endpoint with a token": accepted(
        "token",
        document(_TOKEN, {CA: None, "server": "https://gke-0a1b.europe-west1.gke.goog"}),
        dropped={f"{_CLUSTER}/{CA}"},
        authority=False,
    ),
    "a public authority and a certificate": accepted(
        "certificate", document(pair(), {CA: None}), dropped={f"{_CLUSTER}/{CA}"}, authority=False
    ),
    # Whole files in base64.
    "base64": accepted("token", base64.b64encode(_WHOLE), dropped={""}),
    "base64 in lines": accepted("token", base64.encodebytes(_WHOLE), dropped={""}),
    "base64 of JSON with a byte order mark": accepted(
        "token",
        base64.b64encode(b"\xef\xbb\xbf" + json.dumps(document(_TOKEN)).encode()),
        dropped={""},
    ),
    "base64 of base64": refused(
        "", "not_a_kubeconfig", base64.b64encode(base64.b64encode(_WHOLE)), "apiVersion: v1"
    ),
    "base64 of no text": refused("", "not_utf8", base64.b64encode(b"\x80\x81\x82" * 30), "UTF-8"),
    # Other forms that are taken.
    "k3s": accepted("certificate", document(pair())),
    "Rancher": accepted(
        "token", two_clusters(), dropped={"/contexts/1", "/clusters/1"}, context="lab"
    ),
    "Windows' line ends and byte order mark": accepted(
        "token", b"\xef\xbb\xbf" + _WHOLE.replace(b"\n", b"\r\n")
    ),
    "Talos": accepted("certificate", document(ed25519_pair())),
    "kubectl's JSON": accepted("token", json.dumps(document(_TOKEN), indent=4).encode()),
    "two authorities": accepted(
        "token", document(_TOKEN, {CA: packed(pem(certificate(keys()[1])) + _AUTHORITY)})
    ),
    "stale contexts beside": accepted(
        "token",
        with_stale_contexts(),
        dropped={"/contexts/1", "/contexts/2", "/clusters/1", "/users/1"},
        context="lab",
    ),
    "IPv6": accepted("token", document(_TOKEN, {"server": "https://[2001:db8::20]:6443"})),
    "vcluster": accepted("certificate", document(pair(), {"server": "https://localhost:8443"})),
    # One fault, said once, with its remedy.
    "several contexts": refused("/contexts", "pick_context", two_clusters()),
    "an authority encoded twice": refused(
        f"{_CLUSTER}/{CA}",
        "not_pem",
        document(_TOKEN, {CA: packed(packed(_AUTHORITY).encode())}),
        _RAW,
    ),
    "OpenShift, insecure": refused(
        f"{_CLUSTER}/insecure-skip-tls-verify",
        "refused_field",
        document(_TOKEN, _INSECURE),
        "kube-root-ca.crt",
    ),
    "Docker Desktop": refused(
        f"{_CLUSTER}/insecure-skip-tls-verify",
        "refused_field",
        document(pair(), _INSECURE),
        "kube-root-ca.crt",
    ),
    "minikube": refused(
        f"{_CLUSTER}/certificate-authority",
        "refused_field",
        document(
            {"client-certificate": "/home/a/client.crt", "client-key": "/home/a/client.key"},
            {CA: None, "certificate-authority": "/home/a/ca.crt"},
        ),
        _RAW,
        never=(_CREATE,),
    ),
    "a pod's own files": refused(
        f"{_CLUSTER}/certificate-authority",
        "refused_field",
        document({"tokenFile": "/var/run/token"}, {CA: None, "certificate-authority": "/ca.crt"}),
        _CREATE,
        never=("--flatten",),
    ),
    "a token's file alone": refused(
        f"{_USER}/tokenFile",
        "refused_field",
        document({"tokenFile": "/var/run/token"}),
        _CREATE,
        never=("--flatten",),
    ),
    "a view without --raw": refused(
        f"{_CLUSTER}/{CA}",
        "redacted",
        document(
            {"client-certificate-data": "DATA+OMITTED", "client-key-data": "DATA+OMITTED"},
            {CA: "DATA+OMITTED"},
        ),
        _RAW,
    ),
    "a view of a token without --raw": refused(
        f"{_CLUSTER}/{CA}", "redacted", document({"token": "REDACTED"}, {CA: "DATA+OMITTED"}), _RAW
    ),
    "a view of a token at a public authority without --raw": refused(
        f"{_USER}/token", "redacted", document({"token": "REDACTED"}, {CA: None}), _RAW
    ),
    "an empty view": refused(
        "/contexts",
        "missing",
        document(_TOKEN, clusters=None, contexts=None, users=None),
        _RAW,
    ),
    "a proxy": refused(
        f"{_CLUSTER}/proxy-url",
        "refused_field",
        document(_TOKEN, {"proxy-url": "http://proxy.example.test:3128"}),
        "reach directly",
    ),
    "impersonation": refused(
        f"{_USER}/as",
        "refused_field",
        document(_TOKEN | {"as": "system:admin", "as-groups": ["system:masters"]}),
        "credentials of that identity itself",
    ),
    "an expired certificate": refused(
        f"{_USER}/client-certificate-data", "expired", document(pair(start=-40)), "kubeadm certs"
    ),
    "an expired token": refused(
        f"{_USER}/token", "expired", document({"token": jwt({"exp": NOW.timestamp()})}), _CREATE
    ),
    "no scheme": refused(
        f"{_CLUSTER}/server",
        "server_malformed",
        document(_TOKEN, {"server": "198.51.100.20:6443"}),
        "https://host:port",
    ),
    "http": refused(
        f"{_CLUSTER}/server",
        "server_scheme",
        document(_TOKEN, {"server": "http://localhost:8080", CA: None}),
        "TLS port",
    ),
    "a Secret's token": refused(
        f"{_USER}/token",
        "encoded_token",
        document({"token": packed(jwt({"sub": "podmeter"}).encode())}),
        "base64 -d",
    ),
    "an authority as plain PEM": refused(
        f"{_CLUSTER}/{CA}", "not_base64", document(_TOKEN, {CA: _AUTHORITY.decode()}), "base64 -w0"
    ),
    "basic authentication": refused(
        f"{_USER}/username",
        "refused_field",
        document({"username": "admin", "password": "secret"}),
        _CREATE,
    ),
    "tabs": refused("", "not_yaml", _WHOLE + b"x:\n\ty: z\n", _RAW),
    "a key twice": refused("", "duplicate_key", _WHOLE + b"kind: Config\n", "Remove one"),
}
