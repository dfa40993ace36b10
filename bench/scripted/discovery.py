"""What a scripted API server says of itself, as much of it as kubectl asks before it applies."""

from __future__ import annotations

from typing import Any

from bench.scripted.kinds import Kinds

_VERBS = ["create", "delete", "get", "list", "patch", "update", "watch"]
#: With this parameter kubectl leaves it to the server to check what is applied.
_CHECKED = [{"name": "fieldValidation", "in": "query", "schema": {"type": "string"}}]


def version(release: str) -> dict[str, Any]:
    """The document at /version."""
    major, minor, _ = release.removeprefix("v").split(".", 2)
    return {"major": major, "minor": minor, "gitVersion": release, "platform": "linux/amd64"}


def document(kinds: Kinds, path: str) -> dict[str, Any] | None:
    """The discovery document at a path; None where there is none."""
    versions = sorted({version for version, _ in kinds})
    groups = [one for one in versions if "/" in one]
    if path == "/api":
        return {"kind": "APIVersions", "versions": ["v1"]}
    if path == "/apis":
        return {
            "kind": "APIGroupList",
            "apiVersion": "v1",
            "groups": [_group(one) for one in groups],
        }
    if path == "/openapi/v3":
        paths = {_path(one): {"serverRelativeURL": f"/openapi/v3/{_path(one)}"} for one in versions}
        return {"paths": paths}
    for version in versions:
        if path == f"/{_path(version)}":
            return _resources(kinds, version)
        if path == f"/openapi/v3/{_path(version)}":
            return _openapi(kinds, version)
    return None


def _path(version: str) -> str:
    return f"apis/{version}" if "/" in version else f"api/{version}"


def _group(version: str) -> dict[str, Any]:
    name, _, short = version.partition("/")
    told = {"groupVersion": version, "version": short}
    return {"name": name, "versions": [told], "preferredVersion": told}


def _resources(kinds: Kinds, version: str) -> dict[str, Any]:
    found = [
        {
            "name": plural,
            "singularName": kind.name.lower(),
            "namespaced": kind.namespaced,
            "kind": kind.name,
            "verbs": _VERBS,
        }
        for (of_version, plural), kind in kinds.items()
        if of_version == version
    ]
    if version == "v1":
        name = "serviceaccounts/token"
        token = {"group": "authentication.k8s.io", "version": "v1", "kind": "TokenRequest"}
        found.append(
            {"name": name, "singularName": "", "namespaced": True, "verbs": ["create"], **token}
        )
    return {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": version,
        "resources": found,
    }


def _openapi(kinds: Kinds, version: str) -> dict[str, Any]:
    group, _, short = version.rpartition("/")
    of_group = {"group": group, "version": short}
    paths: dict[str, Any] = {
        f"/{_path(version)}/{plural}/{{name}}": {
            "patch": {
                "parameters": _CHECKED,
                "responses": {},
                "x-kubernetes-group-version-kind": {**of_group, "kind": kind.name},
            }
        }
        for (of_version, plural), kind in kinds.items()
        if of_version == version
    }
    return {
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": "v1.34.4"},
        "paths": paths,
    }
