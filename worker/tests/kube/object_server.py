"""A fake API server that keeps objects, with versions that a change may demand."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

from .api_server import Answer, Asked, fake_api_server

_PLURALS = {"nodes", "pods", "events", "services", "endpointslices", "servicecidrs", "daemonsets"}
_PLURALS |= {"networkpolicies", "ingresses", "ippools", "felixconfigurations"}
_PLURALS |= {"bgpconfigurations", "bgppeers"}


@dataclass
class Objects:
    """Objects by their path. `ahead` is how far the server's clock is before this machine's."""

    kept: dict[str, str]
    at: dict[str, dict[str, Any]] = field(default_factory=dict)
    ahead: timedelta = timedelta()
    version: str = "v1.34.4"
    changes: int = 0
    dry_runs: list[dict[str, Any]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def put(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Keep an object as it is now."""
        self.changes += 1
        namespace, name = path.split("/")[-3], path.split("/")[-1]
        given = {"uid": f"uid-{self.changes}", "namespace": namespace, "name": name}
        metadata = {**given, **body.get("metadata", {}), "resourceVersion": str(self.changes)}
        self.at[path] = {**body, "metadata": metadata}
        return self.at[path]

    def answer(self, asked: Asked) -> Answer:
        """What an API server would say."""
        with self.lock:
            answer = self._answer(asked)
        now = datetime.now(UTC) + self.ahead
        answer.headers["Date"] = format_datetime(now, usegmt=True)
        return answer

    def _answer(self, asked: Asked) -> Answer:
        path, _, query = asked.path.partition("?")
        body = json.loads(asked.body or b"{}")
        if path == "/version":
            return Answer(document={"gitVersion": self.version})
        if path.endswith("/selfsubjectaccessreviews"):
            return Answer(201, {"status": {"allowed": True}})
        if asked.method == "POST" and "dryRun=All" in query:
            self.dry_runs.append(body)
            return Answer(201, body)
        if asked.method == "GET" and path not in self.at and path.rpartition("/")[2] in _PLURALS:
            return Answer(document=self._listed(path))
        if asked.method == "POST":
            path = f"{path}/{body['metadata']['name']}"
            if path in self.at:
                return _refused(409, "AlreadyExists")
            return Answer(201, self.put(path, body))
        found = self.at.get(path)
        if found is None:
            return _refused(404, "NotFound")
        if asked.method == "GET":
            return Answer(document=found)
        wanted = body.get("preconditions") or body.get("metadata", {})
        for name in ("uid", "resourceVersion"):
            if wanted.get(name, found["metadata"][name]) != found["metadata"][name]:
                return _refused(409, "Conflict")
        if asked.method == "DELETE":
            del self.at[path]
            return Answer(document={"kind": "Status"})
        if asked.method == "PUT":
            body["metadata"]["uid"] = found["metadata"]["uid"]
            return Answer(document=self.put(path, body))
        return Answer(document=self.put(path, merged(found, body)))

    def _listed(self, path: str) -> dict[str, Any]:
        """All of a resource, or those of a namespace."""
        *rest, plural = path.split("/")
        prefix = "/".join(rest)
        items = [
            found
            for at, found in self.at.items()
            if at.startswith(f"{prefix}/") and at.split("/")[-2] == plural
        ]
        return {"metadata": {"resourceVersion": str(self.changes)}, "items": items}


@contextmanager
def object_server(folder: Path, hosts: tuple[str, ...] = ("127.0.0.1",)) -> Iterator[Objects]:
    """Serve an empty one; its certificate is for `hosts`."""
    with fake_api_server(folder, hosts) as fake:
        objects = Objects(fake.kept)
        fake.answer = objects.answer
        yield objects


def merged(old: Any, patch: Any) -> Any:
    """RFC 7386."""
    if not isinstance(patch, dict):
        return patch
    made = dict(old) if isinstance(old, dict) else {}
    for name, value in patch.items():
        if value is None:
            made.pop(name, None)
        else:
            made[name] = merged(made.get(name), value)
    return made


def _refused(status: int, reason: str) -> Answer:
    return Answer(status, {"kind": "Status", "reason": reason, "message": reason})
