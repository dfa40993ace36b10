"""What a scripted API server answers to one request: paths, verbs, selectors, patches."""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bench.scripted import discovery
from bench.scripted.store import Change, Key, Object, RefusedError, Store, check_present, timestamp


@dataclass(frozen=True)
class Target:
    """What a path means: a resource, perhaps one namespace, one object and its subresource.

    Of a path that is no resource's the plural is empty.
    """

    version: str
    plural: str
    namespace: str | None
    name: str | None
    sub: str | None

    @classmethod
    def of(cls, path: str) -> Target:
        """The target of a path, which need not be served."""
        root, *parts = path.strip("/").split("/")
        version, parts = (
            (parts[0], parts[1:]) if root == "api" else ("/".join(parts[:2]), parts[2:])
        )
        namespace = None
        if parts[:1] == ["namespaces"] and len(parts) > 2:
            namespace, parts = parts[1], parts[2:]
        plural, name, sub = (*parts, None, None, None)[:3]
        return cls(version, plural or "", namespace, name, sub)

    def key(self, name: str | None = None) -> Key:
        """The object's key; `name` where the path has none."""
        return Key(self.version, self.plural, self.namespace or "", self.name or name or "")


def answer(
    store: Store, method: str, path: str, query: Mapping[str, str], kind: str, body: Any
) -> tuple[int, Object]:
    """Status and document for anything but a watch and an exec; `kind` is the content's type."""
    try:
        return _answer(store, method, path, query, kind, body)
    except RefusedError as error:
        return error.status, status_of(error)


def served(store: Store, path: str) -> Target:
    """What a path means here. Raises RefusedError 404 where its kind is unknown."""
    target = Target.of(path)
    store.kind(target.version, target.plural)
    return target


def _answer(
    store: Store, method: str, path: str, query: Mapping[str, str], kind: str, body: Any
) -> tuple[int, Object]:
    if path == "/version":
        return 200, discovery.version(store.release)
    if (found := discovery.document(store.kinds, path)) is not None:
        return 200, found
    target = served(store, path)
    if (target.plural, target.sub) == ("serviceaccounts", "token"):
        return 201, _token(store, target)
    if target.sub == "scale":
        return 200, _scale(store, target.key(), method, body)
    if method == "GET":
        return 200, store.get(target.key()) if target.name else _list(store, target, query)
    if target.plural == "selfsubjectaccessreviews":
        return 201, {**body, "status": {"allowed": True}}
    if method == "POST":
        return 201, _create(store, target, body, dry="dryRun" in query)
    if method == "PUT":
        return 200, store.replace(target.key(), body)
    if method == "PATCH":
        return 200, _patch(store, target, kind, body, dry="dryRun" in query)
    if method == "DELETE" and target.name is not None:
        return 200, _delete(store, target.key(), body or {})
    if method == "DELETE":
        for found in list(chosen(store, target, query)):
            _delete(store, target.key(found["metadata"]["name"]), {})
        return 200, {"kind": "Status", "apiVersion": "v1", "status": "Success"}
    raise RefusedError(405, "MethodNotAllowed", f"{method} is not allowed")


def chosen(store: Store, target: Target, query: Mapping[str, str]) -> Iterable[Object]:
    """The objects of a collection that the query's selectors want."""
    return (
        found
        for found in store.all_of(target.version, target.plural, target.namespace)
        if selected(found, query)
    )


def selected(found: Object, query: Mapping[str, str]) -> bool:
    """Whether an object fits labelSelector and fieldSelector, of =, != and bare names."""
    labels = found["metadata"].get("labels") or {}
    for term in filter(None, query.get("labelSelector", "").split(",")):
        name, sign, value = _term(term)
        if sign == "" and name not in labels:
            return False
        if (sign == "!=" and labels.get(name) == value) or (
            sign == "=" and labels.get(name) != value
        ):
            return False
    for term in filter(None, query.get("fieldSelector", "").split(",")):
        name, sign, value = _term(term)
        part: Any = found
        for step in name.split("."):
            part = (part or {}).get(step)
        if (str(part or "") == value) != (sign == "="):
            return False
    return True


def told(target: Target, change: Change, query: Mapping[str, str]) -> Object | None:
    """The event that a watcher of a collection gets of a change, if any."""
    key = change.key
    if (key.version, key.plural) != (target.version, target.plural):
        return None
    if target.namespace not in (None, key.namespace):
        return None
    was = change.before is not None and selected(change.before, query)
    now = change.type != "DELETED" and selected(change.after, query)
    if not was and not now:
        return None
    type_ = "ADDED" if not was else "MODIFIED" if now else "DELETED"
    return {"type": type_, "object": change.after}


def status_of(error: RefusedError) -> Object:
    """The document that goes with a no."""
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "message": error.message,
        "reason": error.reason,
        "code": error.status,
    }


def _term(term: str) -> tuple[str, str, str]:
    for sign in ("!=", "==", "="):
        name, found, value = term.partition(sign)
        if found:
            return name, "!=" if sign == "!=" else "=", value
    return term, "", ""


def _token(store: Store, target: Target) -> Object:
    """A token of an account that there is."""
    store.get(target.key())
    token = f"scripted-token-of-{target.name}-{_letters(10)}"
    status = {"token": token, "expirationTimestamp": "2099-01-01T00:00:00Z"}
    return {"kind": "TokenRequest", "apiVersion": "authentication.k8s.io/v1", "status": status}


def _list(store: Store, target: Target, query: Mapping[str, str]) -> Object:
    found = list(chosen(store, target, query))
    begin = int(base64.b64decode(query["continue"])) if query.get("continue") else 0
    limit = int(query.get("limit") or 0) or len(found)
    page, left = found[begin : begin + limit], len(found) - begin - limit
    metadata: Object = {"resourceVersion": str(store.version)}
    if left > 0:
        metadata["continue"] = base64.b64encode(str(begin + limit).encode()).decode()
        metadata["remainingItemCount"] = left
    return {
        "kind": f"{store.kind(target.version, target.plural).name}List",
        "apiVersion": target.version,
        "metadata": metadata,
        # As a real server lists them, without their types.
        "items": [
            {name: part for name, part in one.items() if name not in ("apiVersion", "kind")}
            for one in page
        ],
    }


def _scale(store: Store, key: Key, method: str, body: Any) -> Object:
    """How many pods a controller should have; a PUT or a merge patch changes it."""
    found = store.get(key)
    if method != "GET":
        replicas = body["spec"]["replicas"]
        found = store.replace(key, {**found, "spec": {**found["spec"], "replicas": replicas}})
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {"name": key.name, "namespace": key.namespace},
        "spec": {"replicas": found["spec"].get("replicas", 1)},
    }


def _create(store: Store, target: Target, body: Object, *, dry: bool) -> Object:
    metadata = dict(body.get("metadata") or {})
    if metadata.get("generateName") and not metadata.get("name"):
        metadata["name"] = f"{metadata['generateName']}{_letters(5)}"
    key = target.key(metadata["name"])
    if key.namespace and Key("v1", "namespaces", "", key.namespace) not in store.objects:
        message = f'namespaces "{key.namespace}" not found'
        raise RefusedError(404, "NotFound", message)
    body = {**body, "metadata": metadata}
    if target.plural == "pods":
        body["status"] = {"phase": "Pending"}
    if target.plural == "services":
        body["spec"] = _addressed(store, body["spec"])
    return store.create(key, body, dry=dry)


def _addressed(store: Store, spec: Object) -> Object:
    """A Service's spec with the address, and the ports of the nodes, that it gets."""
    taken = {one["spec"].get("clusterIP") for one in store.all_of("v1", "services")}
    numbers = (f"10.96.{number // 250}.{number % 250 + 1}" for number in range(1, 60_000))
    spec = {"type": "ClusterIP", **spec, "clusterIP": next(n for n in numbers if n not in taken)}
    if spec["type"] == "NodePort":
        spec["ports"] = [
            {**port, "nodePort": 30000 + secrets.randbelow(2768)} for port in spec["ports"]
        ]
    return {**spec, "clusterIPs": [spec["clusterIP"]]}


def _patch(store: Store, target: Target, kind: str, body: Any, *, dry: bool) -> Object:
    key = target.key()
    if kind.startswith("application/apply-patch") and key not in store.objects:
        return _create(store, target, body, dry=dry)
    present = store.get(key)
    if kind.startswith("application/json-patch"):
        changed = json_patched(present, body)
    else:
        check_present(key, present, (body or {}).get("metadata") or {})
        changed = merged(present, body)
    return store.replace(key, changed, dry=dry)


def merged(present: Any, patch: Any) -> Any:
    """RFC 7396: None removes a field."""
    if not isinstance(patch, dict):
        return patch
    result = dict(present) if isinstance(present, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result


def json_patched(present: Object, operations: list[Object]) -> Object:
    """RFC 6902, of add, replace, remove and test. Raises RefusedError 422 where a test fails."""
    result: Object = json.loads(json.dumps(present))
    for one in operations:
        *way, last = [
            step.replace("~1", "/").replace("~0", "~") for step in one["path"].split("/")[1:]
        ]
        place: Any = result
        for step in way:
            place = place[int(step)] if isinstance(place, list) else place.get(step)
            if place is None:
                raise RefusedError(422, "Invalid", f"{one['path']} is not there")
        where: Any = int(last) if isinstance(place, list) and last != "-" else last
        if one["op"] == "test":
            there = place[where] if isinstance(place, list) else place.get(where)
            if there != one.get("value"):
                raise RefusedError(
                    422, "Invalid", f"the server rejected our request: {one['path']}"
                )
        elif one["op"] == "remove":
            del place[where]
        elif where == "-":
            place.append(one["value"])
        else:
            place[where] = one["value"]
    return result


def _delete(store: Store, key: Key, options: Object) -> Object:
    present = store.get(key)
    check_present(key, present, options.get("preconditions") or {})
    if store.kubelets and key.plural == "pods" and present["spec"].get("nodeName"):
        if "deletionTimestamp" not in present["metadata"]:
            # Its kubelet takes it away.
            metadata = {**present["metadata"], "deletionTimestamp": timestamp()}
            return store.replace(key, {**present, "metadata": metadata})
        return present
    store.remove(key)
    return {"kind": "Status", "apiVersion": "v1", "status": "Success"}


def _letters(count: int) -> str:
    return "".join(secrets.choice("bcdfghjklmnpqrstvwxz2456789") for _ in range(count))
