"""A guard: what Podmeter's own requests are held to in a cluster, beyond its rights.

Rights say which verbs, a guard what shape: that a pod is one of Podmeter's, that a patch changes
nothing but the mode. A cluster's owner applies both in one manifest.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.labels import UNRESTORED_SWITCH

if TYPE_CHECKING:
    from collections.abc import Collection


@dataclass(frozen=True, slots=True)
class Check:
    """What must be true of a request, in CEL, and what the API server says where it is not."""

    expression: str
    message: str


def unchanged_but(key: str, owner: str) -> Check:
    """That of a ConfigMap nothing changes but one key."""
    return Check(
        f"dyn(object.data).all(one, one == '{key}' || "
        "dyn(object.data)[?one] == dyn(oldObject.data)[?one]) && "
        "dyn(oldObject.data).all(one, one in object.data)",
        f"of {owner}'s configuration it changes {key} alone",
    )


def unlike_in(new: str, old: str, names: Collection[str]) -> str:
    """CEL: whether two maps differ in these keys at most."""
    may = f"one in {json.dumps(list(names))}"
    return (
        f"dyn({new}).all(one, {may} || dyn({new})[?one] == dyn({old})[?one]) && "
        f"dyn({old}).all(one, {may} || one in {new})"
    )


def own_annotation_alone(what: str, *counted: str) -> Check:
    """That of an object's metadata nothing changes but the note of what stood before.

    `counted` are annotations that the API server writes by itself.
    """
    kept = ("labels", "finalizers", "ownerReferences")
    same = " && ".join(f"object.metadata.?{one} == oldObject.metadata.?{one}" for one in kept)
    new, old = (f"{one}.metadata.?annotations.orValue({{}})" for one in ("object", "oldObject"))
    return Check(
        f"{same} && {unlike_in(new, old, (UNRESTORED_SWITCH, *counted))}",
        f"of {what}'s metadata it changes its own annotation alone",
    )


@dataclass(frozen=True, slots=True)
class Yardstick:
    """An object of the cluster that a guard's checks compare with, as `params`."""

    version: str
    kind: str
    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class Guard:
    """Checks of the requests that Podmeter makes for resources of a group.

    `variables` are CEL expressions that the checks know as `variables.<name>`. `object_name` limits
    it to objects of that name. A guard of pods may be for those alone whose first container has the
    name `container`; the others are then left to the guard without one. `only_for` is CEL of the
    requests that it is for.
    """

    name: str
    group: str
    resources: tuple[str, ...]
    operations: tuple[str, ...]
    checks: tuple[Check, ...]
    variables: tuple[tuple[str, str], ...] = ()
    yardstick: Yardstick | None = None
    object_name: str | None = None
    container: str | None = None
    only_for: str | None = None
