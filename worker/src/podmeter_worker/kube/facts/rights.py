"""Which rights are missing, verb by verb, as the API server itself sees it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.messages import Message, say
from podmeter.rbac.capabilities import Capability, rights_of
from podmeter_worker.kube.resources import ACCESS_REVIEWS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from podmeter.domain.rights import Feature, Right
    from podmeter_worker.kube.client import KubeClient

_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class MissingRight:
    """A verb that the credentials may not use, and what it would be for."""

    verb: str
    resource: str
    group: str
    namespace: str | None
    name: str | None
    why: Message

    @property
    def said(self) -> Message:
        """That it is missing."""
        what = f"{self.resource}.{self.group}" if self.group else self.resource
        what += f" {self.name}" if self.name else ""
        if self.namespace is None:
            return say("right_missing", verb=self.verb, resource=what, why=self.why)
        return say(
            "right_missing_in",
            verb=self.verb,
            resource=what,
            namespace=self.namespace,
            why=self.why,
        )


def missing_rights(
    client: KubeClient, capability: Capability, features: Collection[Feature] = ()
) -> tuple[MissingRight, ...]:
    """What is missing that one capability takes with features, those it rests upon left out."""
    return _missing(client, _needed(capability, features))


def is_partly_allowed(capability: Capability, missing: Collection[MissingRight]) -> bool:
    """Whether a capability lacks some of the rights that it alone takes, and has others."""
    return 0 < len(missing) < len(_verbs(_needed(capability)))


def missing_for(client: KubeClient, feature: Feature) -> tuple[MissingRight, ...]:
    """What is missing that a feature alone takes."""
    every = [right for capability in Capability for right in rights_of(capability)]
    return _missing(client, [one for one in every if one.feature == feature])


def _needed(capability: Capability, features: Collection[Feature] = ()) -> list[Right]:
    return [one for one in rights_of(capability) if not one.optional or one.feature in features]


def _verbs(rights: Iterable[Right]) -> list[MissingRight]:
    """Each verb on each object: what the API server is asked about."""
    return [
        MissingRight(verb, right.resource, right.group, right.namespace, name, right.why)
        for right in rights
        for name in (right.names or (None,))
        for verb in right.verbs
    ]


def _missing(client: KubeClient, rights: Iterable[Right]) -> tuple[MissingRight, ...]:
    asked = _verbs(rights)
    if not asked:
        return ()
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        allowed = list(pool.map(lambda one: _allowed(client, one), asked))
    return tuple(one for one, ok in zip(asked, allowed, strict=True) if not ok)


def _allowed(client: KubeClient, one: MissingRight) -> bool:
    resource, _, sub = one.resource.partition("/")
    attributes = {
        "verb": one.verb,
        "group": one.group,
        "resource": resource,
        "subresource": sub,
        "namespace": one.namespace or "",
        "name": one.name or "",
    }
    body = {
        "apiVersion": ACCESS_REVIEWS.version,
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes},
    }
    answer = client.create(ACCESS_REVIEWS.path(), body)
    return bool(answer["status"].get("allowed"))
