"""The cluster half of a kubeconfig: server, authority, name for TLS."""

from dataclasses import dataclass
from datetime import datetime
from ipaddress import ip_address

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.credentials.errors import ServerRefusedError
from podmeter.credentials.kubeconfig_reader import Faults, Record, refuse_by_name, text_field
from podmeter.credentials.pem import (
    PemFault,
    decode_pem_field,
    read_authorities,
)
from podmeter.credentials.refused_fields import KEPT_IN_CLUSTER, REFUSED_IN_CLUSTER
from podmeter.credentials.server_url import check_literal, is_host_name, parse_server_url
from podmeter.domain.messages import Message, say

_AUTHORITY = "certificate-authority-data"


@dataclass(frozen=True)
class ClusterPart:
    """What is kept of a cluster entry, and the (pointer, reason) of what is not.

    Without an authority of its own, the server is verified by the system's authorities.
    """

    server: str
    certificate_authority: str | None
    tls_server_name: str | None
    dropped: tuple[tuple[str, Message], ...]


def read_cluster(
    record: Record, now: datetime, policy: AddressPolicy, faults: Faults
) -> ClusterPart | None:
    """Check a cluster entry; None where a fault was found."""
    before = faults.noted
    dropped = refuse_by_name(record, REFUSED_IN_CLUSTER, KEPT_IN_CLUSTER, faults)
    server = _server(record, policy, faults)
    authority = _authority(record, now, faults)
    tls_name = _tls_server_name(record, faults)
    if faults.noted > before or server is None:
        return None
    if authority is None:
        dropped.append((record.at(_AUTHORITY), say("dropped_no_authority")))
    return ClusterPart(server, authority, tls_name, tuple(dropped))


def _server(record: Record, policy: AddressPolicy, faults: Faults) -> str | None:
    text = text_field(record, "server", faults)
    if text is None:
        if not isinstance(record.fields.get("server"), (bool, list, dict)):
            missing, remedy = say("server_missing"), say("remedy_server")
            faults.add(record.at("server"), "missing", missing, remedy)
        return None
    try:
        url = parse_server_url(text)
        check_literal(url, policy)
    except ServerRefusedError as error:
        faults.add(record.at("server"), f"server_{error.reason}", error.message, error.remedy)
        return None
    return str(url)


def _authority(record: Record, now: datetime, faults: Faults) -> str | None:
    text = text_field(record, _AUTHORITY, faults)
    if text is None:
        return None
    raw = decode_pem_field(text)
    found = raw if isinstance(raw, PemFault) else read_authorities(raw, now)
    if isinstance(found, PemFault):
        faults.add(record.at(_AUTHORITY), found.code, found.message, found.remedy)
        return None
    return found.pem


def _tls_server_name(record: Record, faults: Faults) -> str | None:
    name = text_field(record, "tls-server-name", faults)
    if name is None or is_host_name(name) or _is_address(name):
        return name
    message, remedy = say("tls_name_invalid"), say("remedy_host_name")
    faults.add(record.at("tls-server-name"), "tls_server_name", message, remedy)
    return None


def _is_address(text: str) -> bool:
    try:
        return not getattr(ip_address(text), "scope_id", None)
    except ValueError:
        return False
