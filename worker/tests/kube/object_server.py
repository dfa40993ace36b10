"""The objects of the scripted API servers, on the fake one whose answers tests decide."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qsl, unquote

from bench.scripted import api
from bench.scripted.kinds import Kind
from bench.scripted.store import Key, Object, Store

from podmeter.domain.ports import HOST_NAMESPACE, POD_NAMESPACE

from .api_server import Answer, Asked, fake_api_server


class ByPath(MutableMapping[str, Object]):
    """The objects of a store by their paths, to read and to write whole.

    The kind of what is written is served from then on.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getitem__(self, path: str) -> Object:
        return self._store.objects[_key(path)]

    def __setitem__(self, path: str, body: Object) -> None:
        key = _key(path)
        kind = Kind(key.plural, namespaced=bool(key.namespace))
        self._store.kinds.setdefault((key.version, key.plural), kind)
        self._store.put(key, body)

    def __delitem__(self, path: str) -> None:
        self._store.remove(_key(path))

    def __iter__(self) -> Iterator[str]:
        return (key.path for key in self._store.objects)

    def __len__(self) -> int:
        return len(self._store.objects)


@dataclass
class Objects:
    """An API server's objects. `ahead` is how far its clock is before this machine's.

    It begins with the namespaces that Podmeter writes to, and no kubelets run.
    """

    kept: dict[str, str]
    ahead: timedelta = timedelta()
    store: Store = field(default_factory=lambda: Store(kubelets=False))
    dry_runs: list[Object] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        for name in ("kube-system", POD_NAMESPACE, HOST_NAMESPACE):
            self.store.create(Key("v1", "namespaces", "", name), {})

    @property
    def at(self) -> ByPath:
        """The objects by their paths."""
        return ByPath(self.store)

    def put(self, path: str, body: Object) -> Object:
        """Write an object as it is given."""
        self.at[path] = body
        return self.at[path]

    def edit(self, path: str, change: Callable[[Object], Any]) -> Object:
        """Have a function change a copy of an object in place, which then replaces it."""
        found = json.loads(json.dumps(self.at[path]))
        change(found)
        return self.store.replace(_key(path), found)

    def state(self, path: str, **status: Any) -> Object:
        """Change fields of an object's status, as its controller does."""
        return self.store.status(_key(path), status)

    def serve(self, version: str, *plurals: str) -> None:
        """Serve custom resources of the cluster, of which there are no objects yet."""
        kinds = {(version, plural): Kind(plural, namespaced=False) for plural in plurals}
        self.store.kinds.update(kinds)

    def withdraw(self, version: str) -> None:
        """Serve no resource of an API version any more; its objects go."""
        for resource in [one for one in self.store.kinds if one[0] == version]:
            del self.store.kinds[resource]
        for key in [one for one in self.store.objects if one.version == version]:
            self.store.remove(key)

    def answer(self, asked: Asked) -> Answer:
        """What an API server would say."""
        with self.lock:
            answer = self._answer(asked)
        now = datetime.now(UTC) + self.ahead
        answer.headers["Date"] = format_datetime(now, usegmt=True)
        return answer

    def _answer(self, asked: Asked) -> Answer:
        path, _, words = asked.path.partition("?")
        query = dict(parse_qsl(words))
        body: Any = json.loads(asked.body) if asked.body else None
        if asked.method == "POST" and "dryRun" in query:
            self.dry_runs.append(body)
        content = asked.headers.get("Content-Type", "")
        return Answer(*api.answer(self.store, asked.method, unquote(path), query, content, body))


Server = TypeVar("Server", bound=Objects)


@contextmanager
def served(
    sort: Callable[..., Server],
    folder: Path,
    hosts: tuple[str, ...] = ("127.0.0.1",),
    **fields: Any,
) -> Iterator[Server]:
    """Serve an empty one of a sort, with these of its fields; its certificate is for `hosts`."""
    with fake_api_server(folder, hosts) as fake:
        objects = sort(fake.kept, **fields)
        fake.answer = objects.answer
        yield objects


def _key(path: str) -> Key:
    return api.Target.of(path).key()
