"""The objects of a scripted cluster, their watch events, and conflicts between changes."""

from __future__ import annotations

import asyncio
import uuid
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import takewhile
from typing import Any

from bench.scripted.kinds import KINDS, Kind

Object = dict[str, Any]

#: Versions from which a watch may continue; older ones get 410 Gone.
_REMEMBERED = 20_000
#: What of an object's metadata no client decides.
_OWN = ("uid", "generation", "creationTimestamp")


class RefusedError(Exception):
    """The API server's no: an HTTP status, a reason in Kubernetes' words, and a sentence."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.status, self.reason, self.message = status, reason, message


@dataclass(frozen=True)
class Key:
    """An object: API version and plural of its resource, namespace ('' where it has none), name."""

    version: str
    plural: str
    namespace: str
    name: str

    @property
    def path(self) -> str:
        """Where an API server has it."""
        root = "apis" if "/" in self.version else "api"
        within = f"namespaces/{self.namespace}/" if self.namespace else ""
        return f"/{root}/{self.version}/{within}{self.plural}/{self.name}"


@dataclass(frozen=True)
class Change:
    """One change: ADDED, MODIFIED or DELETED, the object before (None) and after it."""

    version: int
    type: str
    key: Key
    before: Object | None
    after: Object


@dataclass
class Store:
    """Objects are never changed in place: a change is another object under the same key.

    `kinds` are those that its server serves, `release` is that server's. Without `kubelets` nothing
    ends the pods of nodes, so that a deleted pod is gone at once.
    """

    objects: dict[Key, Object] = field(default_factory=dict)
    kinds: dict[tuple[str, str], Kind] = field(default_factory=lambda: dict(KINDS))
    release: str = "v1.34.4"
    kubelets: bool = True
    changes: deque[Change] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))
    version: int = 1000
    _waiting: set[asyncio.Event] = field(default_factory=set)

    def kind(self, version: str, plural: str) -> Kind:
        """Raises RefusedError 404 for a resource that is not served."""
        kind = self.kinds.get((version, plural))
        if kind is None:
            raise RefusedError(404, "NotFound", "the server could not find the requested resource")
        return kind

    def get(self, key: Key) -> Object:
        """Raises RefusedError 404."""
        found = self.objects.get(key)
        if found is None:
            message = f'{key.plural} "{key.name}" not found'
            raise RefusedError(404, "NotFound", message)
        return found

    def all_of(self, version: str, plural: str, namespace: str | None = None) -> Iterator[Object]:
        """The objects of a resource, of one namespace or of all, by name."""
        keys = (
            key
            for key in self.objects
            if (key.version, key.plural) == (version, plural) and namespace in (None, key.namespace)
        )
        for key in sorted(keys, key=lambda key: (key.namespace, key.name)):
            yield self.objects[key]

    def create(self, key: Key, body: Object, *, dry: bool = False) -> Object:
        """Raises RefusedError 409 AlreadyExists."""
        if key in self.objects:
            message = f'{key.plural} "{key.name}" already exists'
            raise RefusedError(409, "AlreadyExists", message)
        return self._write(key, _given(body), dry=dry)

    def replace(self, key: Key, body: Object, *, dry: bool = False) -> Object:
        """Replace an object; a resourceVersion or UID in it must be the present one (409)."""
        before = self.get(key)
        check_present(key, before, body.get("metadata") or {})
        if "status" in before:
            body = {"status": before["status"], **body}
        return self._write(key, _given(body), dry=dry)

    def put(self, key: Key, body: Object) -> Object:
        """Write an object whatever is there. It may have a UID, which clients never decide."""
        return self._write(key, body)

    def status(self, key: Key, status: Mapping[str, Any]) -> Object:
        """Change an object's status, as kubelets and controllers do."""
        before = self.get(key)
        return self.replace(key, {**before, "status": {**before.get("status", {}), **status}})

    def remove(self, key: Key) -> Object:
        """Take an object away at once."""
        before = self.get(key)
        del self.objects[key]
        return self._keep("DELETED", key, before, before)

    def since(self, version: int) -> list[Change]:
        """The changes after a version, in their order."""
        later = list(takewhile(lambda one: one.version > version, reversed(self.changes)))
        return later[::-1]

    def remembers(self, version: int) -> bool:
        """Whether every change after a version is known still."""
        return not self.changes or version >= self.changes[0].version - 1

    async def changed(self, seconds: float) -> None:
        """Wait until anything changes, at most so long."""
        event = asyncio.Event()
        self._waiting.add(event)
        try:
            async with asyncio.timeout(seconds):
                await event.wait()
        except TimeoutError:
            return
        finally:
            self._waiting.discard(event)

    def _write(self, key: Key, body: Object, *, dry: bool = False) -> Object:
        kind, before = self.kind(key.version, key.plural), self.objects.get(key)
        fixed: Object = {"name": key.name} | ({"namespace": key.namespace} if key.namespace else {})
        own: Object
        if before is None:
            own = {"uid": str(uuid.uuid4()), "generation": 1, "creationTimestamp": timestamp()}
        else:
            own = {name: before["metadata"][name] for name in _OWN}
            own["generation"] += body.get("spec") != before.get("spec")
            fixed["resourceVersion"] = before["metadata"]["resourceVersion"]
        metadata = {**own, **(body.get("metadata") or {}), **fixed}
        after = {**body, "apiVersion": key.version, "kind": kind.name, "metadata": metadata}
        if dry or after == before:  # what changes nothing makes no new version
            return after
        return self._keep("ADDED" if before is None else "MODIFIED", key, before, after)

    def _keep(self, type_: str, key: Key, before: Object | None, after: Object) -> Object:
        self.version += 1
        metadata = {**after["metadata"], "resourceVersion": str(self.version)}
        after = {**after, "metadata": metadata}
        if type_ != "DELETED":
            self.objects[key] = after
        self.changes.append(Change(self.version, type_, key, before, after))
        for event in self._waiting:
            event.set()
        return after


def _given(body: Object) -> Object:
    """What a client decides of an object."""
    metadata = body.get("metadata") or {}
    return {**body, "metadata": {name: metadata[name] for name in metadata if name not in _OWN}}


def check_present(key: Key, present: Object, asked: Mapping[str, Any]) -> None:
    """Raises RefusedError 409 where a resourceVersion or UID is asked for that is not there."""
    for name in ("resourceVersion", "uid"):
        if asked.get(name) and asked[name] != present["metadata"][name]:
            message = (
                f'Operation cannot be fulfilled on {key.plural} "{key.name}": '
                "the object has been modified; please apply your changes to the latest version"
            )
            raise RefusedError(409, "Conflict", message)


def timestamp() -> str:
    """Now, as Kubernetes writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
