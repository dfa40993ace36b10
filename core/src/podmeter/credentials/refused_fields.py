"""The fields of a kubeconfig that are refused by name, each with how to convert it.

Each would make a client run a program, open a file of its own machine, send the credentials by
another way, or trust anyone; none of that may be at the word of an uploaded document.
"""

from dataclasses import dataclass

_FLATTEN = "Embed files: kubectl config view --minify --flatten --raw."
INSTEAD = (
    "Make a ServiceAccount token instead: apply the manifest of podmeter rbac, then kubectl "
    "create token podmeter --namespace podmeter --duration 720h."
)


@dataclass(frozen=True)
class RefusedField:
    """A field's name as kubectl writes it, what it would do, and how to do without."""

    name: str
    message: str
    remedy: str


_CLUSTER = (
    RefusedField(
        "certificate-authority",
        "certificate-authority names a file, and files are not read.",
        _FLATTEN,
    ),
    RefusedField(
        "proxy-url",
        "proxy-url would send the credentials through another server.",
        "Remove proxy-url and give an address that Podmeter can reach directly.",
    ),
    RefusedField(
        "insecure-skip-tls-verify",
        "insecure-skip-tls-verify would hand the credentials to anyone in between.",
        "Remove it and put the cluster's authority into certificate-authority-data.",
    ),
)
_USER = (
    RefusedField("exec", "exec would run a program on Podmeter's machine.", INSTEAD),
    RefusedField(
        "auth-provider",
        "auth-provider may run a program or call other servers.",
        INSTEAD,
    ),
    RefusedField("tokenFile", "tokenFile names a file, and files are not read.", _FLATTEN),
    RefusedField(
        "client-certificate", "client-certificate names a file, and files are not read.", _FLATTEN
    ),
    RefusedField("client-key", "client-key names a file, and files are not read.", _FLATTEN),
    RefusedField("username", "Basic authentication is not supported by Kubernetes.", INSTEAD),
    RefusedField("password", "Basic authentication is not supported by Kubernetes.", INSTEAD),
    *(
        RefusedField(
            name,
            f"{name} would act as somebody else.",
            "Remove it and use credentials of the identity itself.",
        )
        for name in ("as", "as-uid", "as-groups", "as-user-extra")
    ),
)


def normalized(name: str) -> str:
    """Fold case, dashes and underscores: some readers of kubeconfigs do, so tricks would work."""
    return name.replace("-", "").replace("_", "").lower()


REFUSED_IN_CLUSTER = {normalized(one.name): one for one in _CLUSTER}
REFUSED_IN_USER = {normalized(one.name): one for one in _USER}
KEPT_IN_CLUSTER = ("server", "certificate-authority-data", "tls-server-name")
KEPT_IN_USER = ("token", "client-certificate-data", "client-key-data")
