"""The fields of a kubeconfig that are refused by name, each with how to convert it.

Each would make a client run a program, open a file of its own machine, send the credentials by
another way, or trust anyone; none of that may be at the word of an uploaded document.
"""

from dataclasses import dataclass

from podmeter.domain.messages import Message, say

INSTEAD = say("remedy_make_token")


@dataclass(frozen=True)
class RefusedField:
    """A field's name as kubectl writes it, why it is refused, and how to do without.

    Fields that are refused for one reason are one fault: `reason` is the code of a sentence that
    names them all.
    """

    name: str
    reason: str
    remedy: Message


#: The one file that `kubectl config view --flatten` does not embed.
NOT_EMBEDDED = "tokenFile"
_FILES = ("certificate-authority", NOT_EMBEDDED, "client-certificate", "client-key")
_BASIC = ("username", "password")
_OTHERS = ("as", "as-uid", "as-groups", "as-user-extra")


_CLUSTER = (
    RefusedField(_FILES[0], "fields_name_files", say("remedy_flatten")),
    RefusedField("proxy-url", "field_proxy", say("remedy_no_proxy")),
    RefusedField("insecure-skip-tls-verify", "field_insecure", say("remedy_authority")),
)
_USER = (
    RefusedField("exec", "field_exec", INSTEAD),
    RefusedField("auth-provider", "field_auth_provider", INSTEAD),
    *(RefusedField(name, "fields_name_files", say("remedy_flatten")) for name in _FILES[1:]),
    *(RefusedField(name, "field_basic", INSTEAD) for name in _BASIC),
    *(RefusedField(name, "fields_impersonate", say("remedy_own_identity")) for name in _OTHERS),
)


def normalized(name: str) -> str:
    """Fold case, dashes and underscores: some readers of kubeconfigs do, so tricks would work."""
    return name.replace("-", "").replace("_", "").lower()


REFUSED_IN_CLUSTER = {normalized(one.name): one for one in _CLUSTER}
REFUSED_IN_USER = {normalized(one.name): one for one in _USER}
KEPT_IN_CLUSTER = ("server", "certificate-authority-data", "tls-server-name")
KEPT_IN_USER = ("token", "client-certificate-data", "client-key-data")
