"""flannel's net-conf.json: its backend, and why Podmeter could not restore what it says.

flannel takes names in any case, and the types of backends too. A name in another spelling is
refused: what Podmeter writes would stand beside it, and either could be in effect.
"""

from __future__ import annotations

import json
from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Any

from podmeter.domain.components.flannel import FLANNEL, PRE_SHARED_KEY
from podmeter.domain.messages import say
from podmeter.domain.modes import Encapsulation

if TYPE_CHECKING:
    from podmeter.domain.messages import Message

KEY = "net-conf.json"
_BACKEND, _TYPE, _NETWORK = "Backend", "Type", "Network"


def why_not(text: str, config_map: str) -> Message | None:
    """Why this configuration could not be switched from, and restored, or None."""
    backend = read_backend(text)
    if backend is None:
        return say("config_map_no_backend", name=config_map, key=KEY)
    if has_secret(text):
        return say("flannel_pre_shared_key", name=config_map)
    if backend not in FLANNEL.values:
        return say("flannel_backend_unknown", name=config_map, backend=backend)
    if pod_network(text) is None:
        return say("flannel_no_network", name=config_map, key=KEY)
    return None


def read_backend(text: str) -> str | None:
    """The backend's type in lower case; flannel's default is udp. None where it cannot be read."""
    document = _read(text)
    return None if document is None else _type_in(document)


def pod_network(text: str) -> IPv4Network | None:
    """The range of all pods' addresses, or None."""
    try:
        return IPv4Network((_read(text) or {})[_NETWORK], strict=False)
    except (KeyError, ValueError):
        return None


def has_secret(text: str) -> bool:
    """Whether a configuration whose backend can be read holds a pre-shared key."""
    return any(name.lower() == PRE_SHARED_KEY for name in (_read(text) or {}).get(_BACKEND, {}))


def with_backend(text: str, value: str) -> str:
    """The configuration with this backend; unchanged where it is that one already.

    Settings of the old backend are left out: they mean nothing to another one.
    """
    if read_backend(text) == value:
        return text
    document = json.loads(text)
    document[_BACKEND] = {_TYPE: value}
    return json.dumps(document, indent=2) + "\n"


def _read(text: str) -> dict[str, Any] | None:
    """The document, with a backend in it; None for anything else, and for other spellings."""
    try:
        document = json.loads(text)
    except ValueError:
        return None
    if not isinstance(document, dict):
        return None
    backend = document.setdefault(_BACKEND, {})
    if not isinstance(backend, dict):
        return None
    if _misspells(document, _BACKEND, _NETWORK) or _misspells(backend, _TYPE):
        return None
    return document


def _type_in(document: dict[str, Any]) -> str:
    return str(document[_BACKEND].get(_TYPE) or Encapsulation.UDP).lower()


def _misspells(document: dict[str, Any], *names: str) -> bool:
    known = {name.lower() for name in names}
    return any(name.lower() in known and name not in names for name in document)
