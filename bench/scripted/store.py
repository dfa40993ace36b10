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

Object = dict[str, Any]

#: Versions from which a watch may continue; older ones get 410 Gone.
_REMEMBERED = 20_000


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
    """Objects are never changed in place: a change is another object under the same key."""

    objects: dict[Key, Object] = field(default_factory=dict)
    changes: deque[Change] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))
    version: int = 1000
    _waiting: set[asyncio.Event] = field(default_factory=set)

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

    def create(self, key: Key, body: Object) -> Object:
        """Raises RefusedError 409 AlreadyExists."""
        if key in self.objects:
            message = f'{key.plural} "{key.name}" already exists'
            raise RefusedError(409, "AlreadyExists", message)
        metadata = {
            **body.get("metadata", {}),
            "name": key.name,
            "uid": str(uuid.uuid4()),
            "generation": 1,
            "creationTimestamp": timestamp(),
        }
        if key.namespace:
            metadata["namespace"] = key.namespace
        return self._keep("ADDED", key, None, {**body, "metadata": metadata})

    def replace(self, key: Key, body: Object) -> Object:
        """Replace an object; a resourceVersion or UID in it must be the present one (409)."""
        before = self.get(key)
        given = body.get("metadata", {})
        check_present(key, before, given)
        fixed = ("name", "namespace", "uid", "creationTimestamp", "generation")
        kept = {name: before["metadata"][name] for name in fixed if name in before["metadata"]}
        after = {**body, "metadata": {**given, **kept}}
        after.setdefault("status", before.get("status", {}))
        if after.get("spec") != before.get("spec"):
            after["metadata"]["generation"] = before["metadata"]["generation"] + 1
        without = {**after["metadata"], "resourceVersion": before["metadata"]["resourceVersion"]}
        if {**after, "metadata": without} == before:
            return before  # nothing changed, so no new version
        return self._keep("MODIFIED", key, before, after)

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
