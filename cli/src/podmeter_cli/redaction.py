"""Removal of secrets, and of the sender's names and addresses, from files that leave a machine.

Secrets are removed. Names and addresses become `node-1`, `address-2`: the same one everywhere, so
that what belongs together is still seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import ip_address
from typing import Any

REMOVED = "[removed]"
#: Fields that hold a secret, whatever its form.
_SECRET_FIELD = re.compile(
    r"token|secret(?!_name)|passw|credential(?!s?_(expires|renewed))|kubeconfig|private_?key"
    r"|authorization|cookie|certificate|api_?key",
    re.IGNORECASE,
)
_SECRETS = (
    # PEM, whole or cut off.
    re.compile(r"-----BEGIN [A-Z0-9 ]+-----.*?(?:-----END [A-Z0-9 ]+-----|\Z)", re.DOTALL),
    re.compile(r"\bpodmeter_[A-Za-z0-9_-]{8,}"),
    # A JWT, as ServiceAccounts and CIs have them.
    re.compile(r"\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,2}"),
    re.compile(r"\b(?:gh[oprsu]_|github_pat_|glpat-|xox[abp]-|AKIA|ASIA)[A-Za-z0-9_-]{8,}"),
    re.compile(r"(?i)(?<=bearer )\S+|(?<=basic )[A-Za-z0-9+/=]{8,}"),
    # name=value and "name": "value" inside texts.
    re.compile(
        r"(?i)(?<![a-z])(?:[a-z_.-]*(?:token|secret|password|passwd|api[_-]?key))[\"']?\s*[=:]\s*"
        r"(?:\"[^\"]*\"|'[^']*'|[^\s\"',;&]+)"
    ),
    re.compile(r"(?<=://)[^/@\s]+(?=@)"),
    # Long text without blanks in base64: certificates and keys, in kubeconfigs and elsewhere.
    re.compile(r"\b(?=[A-Za-z0-9+/]*[A-Z])(?=[A-Za-z0-9+/]*\d)[A-Za-z0-9+/]{100,}={0,2}"),
)
_EMAIL = re.compile(r"[^\s@\[\]\"'<>:/,;()]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
_URL_HOST = re.compile(r"(?<=://)[^/\s:\"'?#\[\]]+")
_IPV4 = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\w)")
_IPV6 = re.compile(r"(?<![\w:.])(?=[0-9a-fA-F:]*::|(?:[0-9a-fA-F]{1,4}:){7})[0-9a-fA-F:.]{2,45}")
_MAC = re.compile(r"(?i)(?<![\w:])[0-9a-f]{2}(?::[0-9a-f]{2}){5}(?![\w:])")


class Redaction:
    """Redacts documents that belong together; a name has the same stand-in in all of them."""

    def __init__(self) -> None:
        self._stand_ins: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._names: re.Pattern[str] | None = None

    def know(self, kind: str, names: Iterable[str | None]) -> None:
        """Replace these names, wherever they are."""
        for name in names:
            if name:
                self._stand_in(kind, name)
        # The longest first: one name may begin with another.
        known = sorted(self._stand_ins, key=len, reverse=True)
        parts = "|".join(map(re.escape, known))
        self._names = re.compile(rf"(?<![\w-])(?:{parts})(?![\w-])") if known else None

    def document(self, node: Any) -> Any:
        """A document without secrets, names and addresses."""
        if isinstance(node, dict):
            return {
                self.text(name): REMOVED
                if isinstance(value, str) and value and _SECRET_FIELD.search(name)
                else self.document(value)
                for name, value in node.items()
            }
        if isinstance(node, list):
            return [self.document(value) for value in node]
        return self.text(node) if isinstance(node, str) else node

    def text(self, text: str) -> str:
        """A text without them."""
        for secret in _SECRETS:
            text = secret.sub(REMOVED, text)
        if self._names is not None:
            text = self._names.sub(lambda found: self._stand_ins[found[0]], text)
        text = _EMAIL.sub(lambda found: self._stand_in("person", found[0]), text)
        for addresses in (_IPV4, _IPV6):
            text = addresses.sub(self._address, text)
        text = _MAC.sub(lambda found: self._stand_in("mac", found[0].lower()), text)
        return _URL_HOST.sub(self._host, text)

    def _address(self, found: re.Match[str]) -> str:
        try:
            address = ip_address(found[0])
        except ValueError:
            return found[0]
        if address.is_loopback or address.is_unspecified:
            return found[0]
        return self._stand_in("address", str(address))

    def _host(self, found: re.Match[str]) -> str:
        host = found[0]
        kept = host in ("localhost", REMOVED) or re.fullmatch(r"[a-z]+-\d+|127\.[\d.]+", host)
        return host if kept else self._stand_in("host", host)

    def _stand_in(self, kind: str, name: str) -> str:
        if name not in self._stand_ins:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._stand_ins[name] = f"{kind}-{self._counts[kind]}"
        return self._stand_ins[name]
