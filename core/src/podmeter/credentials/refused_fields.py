"""The fields of a kubeconfig that are refused by name, each with how to convert it.

Each would make a client run a program, open a file of its own machine, send the credentials by
another way, or trust anyone; none of that may be at the word of an uploaded document.
"""

from dataclasses import dataclass

from podmeter.domain.messages import Message, say

_FLATTEN = say("remedy_flatten")
INSTEAD = say("remedy_make_token")


@dataclass(frozen=True)
class RefusedField:
    """A field's name as kubectl writes it, what it would do, and how to do without."""

    name: str
    message: Message
    remedy: Message


_FILES_OF_USER = ("tokenFile", "client-certificate", "client-key")
_BASIC = ("username", "password")
_OTHERS = ("as", "as-uid", "as-groups", "as-user-extra")


def _file(name: str) -> RefusedField:
    return RefusedField(name, say("field_names_file", field=name), _FLATTEN)


_CLUSTER = (
    _file("certificate-authority"),
    RefusedField("proxy-url", say("field_proxy"), say("remedy_no_proxy")),
    RefusedField("insecure-skip-tls-verify", say("field_insecure"), say("remedy_authority")),
)
_USER = (
    RefusedField("exec", say("field_exec"), INSTEAD),
    RefusedField("auth-provider", say("field_auth_provider"), INSTEAD),
    *map(_file, _FILES_OF_USER),
    *(RefusedField(name, say("field_basic"), INSTEAD) for name in _BASIC),
    *(
        RefusedField(name, say("field_impersonates", field=name), say("remedy_own_identity"))
        for name in _OTHERS
    ),
)


def normalized(name: str) -> str:
    """Fold case, dashes and underscores: some readers of kubeconfigs do, so tricks would work."""
    return name.replace("-", "").replace("_", "").lower()


REFUSED_IN_CLUSTER = {normalized(one.name): one for one in _CLUSTER}
REFUSED_IN_USER = {normalized(one.name): one for one in _USER}
KEPT_IN_CLUSTER = ("server", "certificate-authority-data", "tls-server-name")
KEPT_IN_USER = ("token", "client-certificate-data", "client-key-data")
