"""The kubeconfig sanitizer: of an untrusted document, the few fields that are kept.

Nothing here loads a kubeconfig the way a Kubernetes client does: no program is run, no file or
connection opened. What is kept is the server, its authority's certificates, and a token or a
client certificate with its key; everything else is dropped (and said) or refused (by name).
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.credentials.errors import ContextChoice, KubeconfigRefusedError
from podmeter.credentials.kubeconfig_cluster import ClusterPart, read_cluster
from podmeter.credentials.kubeconfig_reader import Faults, Record, choose_context, named, records
from podmeter.credentials.kubeconfig_user import UserPart, read_user
from podmeter.credentials.strict_yaml import Document, UnreadableError, read_document
from podmeter.domain.messages import Message, say


@dataclass(frozen=True)
class Dropped:
    """A field or entry that was left out, by JSON pointer, and why."""

    pointer: str
    reason: Message


@dataclass(frozen=True)
class SanitizedKubeconfig:
    """What is kept of a kubeconfig; its repr shows no secret.

    server
        https URL, checked in form but not resolved.
    certificate_authority
        PEM text; None where the system's authorities are to verify the server.
    client_certificate, client_key
        PEM text; None where there is a token, and the other way round.
    expires_at, expires_what
        When the credentials expire and which: "client_certificate", "token" (unverified) or
        None where they do not say.
    """

    context: str
    contexts: tuple[ContextChoice, ...]
    server: str
    certificate_authority: str | None = field(repr=False)
    tls_server_name: str | None
    token: str | None = field(repr=False)
    client_certificate: str | None = field(repr=False)
    client_key: str | None = field(repr=False)
    expires_at: datetime | None
    expires_what: str | None
    dropped: tuple[Dropped, ...]

    def kept_fields(self) -> dict[str, str]:
        """The fields to encrypt and store, as a flat mapping of text."""
        kept = {
            "server": self.server,
            "certificate_authority": self.certificate_authority,
            "tls_server_name": self.tls_server_name,
            "token": self.token,
            "client_certificate": self.client_certificate,
            "client_key": self.client_key,
        }
        return {name: value for name, value in kept.items() if value is not None}


def sanitize(
    raw: bytes,
    *,
    now: datetime,
    policy: AddressPolicy,
    context: str | None = None,
) -> SanitizedKubeconfig:
    """Sanitize a kubeconfig given as bytes of YAML or JSON.

    ``context`` picks one where there are several; one alone needs no picking. ``now`` (with a
    time zone) is what expiry is judged by. Raises KubeconfigRefusedError with every problem
    found and the contexts to pick from.
    """
    faults = Faults()
    root, decoded = _root(raw, faults)
    if root is None:
        raise KubeconfigRefusedError(faults.found)
    entries = records(root, "contexts", "context", faults)
    current = root.get("current-context")
    choices = tuple(
        ContextChoice(one.name, one.name == current) for one in entries if one.name is not None
    )
    chosen = choose_context(entries, context, faults)
    if chosen is None:
        raise KubeconfigRefusedError(faults.found, choices)
    clusters = records(root, "clusters", "cluster", faults)
    users = records(root, "users", "user", faults)
    cluster_entry = named(clusters, chosen, "cluster", faults)
    user_entry = named(users, chosen, "user", faults)
    cluster = None if cluster_entry is None else read_cluster(cluster_entry, now, policy, faults)
    user = None if user_entry is None else read_user(user_entry, now, faults)
    if faults.found or cluster is None or user is None:
        raise KubeconfigRefusedError(faults.found, choices)
    left_out = [Dropped("", say("dropped_base64"))] if decoded else []
    left_out += _dropped(root, (entries, clusters, users), chosen, (cluster_entry, user_entry))
    return _result(chosen, choices, cluster, user, (*left_out, *_unused(cluster, user)))


def _root(raw: bytes, faults: Faults) -> tuple[dict[str, object] | None, bool]:
    """Read the document, and say whether the whole file was in base64."""
    document = _read(raw, faults)
    decoded = _from_base64(document) if isinstance(document, str) else None
    if decoded is not None:
        document = _read(decoded, faults)
    if faults.found:
        return None, False
    if not isinstance(document, dict):
        faults.add(
            "",
            "not_a_kubeconfig",
            say("document_no_mapping"),
            say("remedy_give_v1"),
        )
        return None, False
    if document.get("kind", "Config") != "Config":
        faults.add(
            "/kind",
            "not_a_kubeconfig",
            say("document_other_kind"),
            say("remedy_give_config"),
        )
    if document.get("apiVersion", "v1") != "v1":
        faults.add(
            "/apiVersion",
            "not_a_kubeconfig",
            say("document_other_version"),
            say("remedy_export_v1"),
        )
    return dict(document), decoded is not None


def _read(raw: bytes, faults: Faults) -> Document:
    try:
        return read_document(raw)
    except UnreadableError as error:
        unreadable = error.code, error.message, error.remedy
    faults.add("", *unreadable)
    return None


def _from_base64(text: str) -> bytes | None:
    """The file in a text of base64, as CI systems keep a kubeconfig; None for other text."""
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except ValueError:
        return None


def _result(
    chosen: Record,
    choices: Sequence[ContextChoice],
    cluster: ClusterPart,
    user: UserPart,
    dropped: Sequence[Dropped],
) -> SanitizedKubeconfig:
    return SanitizedKubeconfig(
        context=chosen.name or "",
        contexts=tuple(choices),
        server=cluster.server,
        certificate_authority=cluster.certificate_authority,
        tls_server_name=cluster.tls_server_name,
        token=user.token,
        client_certificate=user.client_certificate,
        client_key=user.client_key,
        expires_at=user.expires_at,
        expires_what=user.expires_what,
        dropped=tuple(dropped),
    )


def _dropped(
    root: dict[str, object],
    lists: Sequence[Sequence[Record]],
    chosen: Record,
    used: Sequence[Record | None],
) -> list[Dropped]:
    found = [
        Dropped(entry.pointer, say("dropped_other_context"))
        for entries in lists
        for entry in entries
        if entry is not chosen and entry not in used
    ]
    if "namespace" in chosen.fields:
        found.append(Dropped(f"{chosen.pointer}/context/namespace", say("dropped_not_needed")))
    found.extend(
        Dropped(f"/{name}", say("dropped_not_needed"))
        for name in ("preferences", "extensions")
        if root.get(name)
    )
    known = {"apiVersion", "kind", "contexts", "clusters", "users", "current-context"}
    others = len(set(root) - known - {"preferences", "extensions"})
    if others:
        found.append(Dropped("", say("dropped_unknown", count=others)))
    return found


def _unused(cluster: ClusterPart, user: UserPart) -> list[Dropped]:
    return [Dropped(pointer, reason) for pointer, reason in (*cluster.dropped, *user.dropped)]
