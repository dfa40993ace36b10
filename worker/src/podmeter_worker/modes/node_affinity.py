"""Which nodes a DaemonSet's pods may run on, by the required node affinity of their template.

What Podmeter adds is marked, so that it is found again whatever the owner has changed beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from podmeter.domain.labels import KEEPS_OFF

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podmeter_worker.kube.resources import Object

HOST_NAME = "kubernetes.io/hostname"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def keeping_off(affinity: Object | None, hosts: Iterable[str]) -> Object:
    """The affinity by which pods stay off these hosts; everything else in it stays."""
    values = [*sorted(hosts), KEEPS_OFF]
    return _with_expression(letting_on(affinity), "NotIn", values)


def letting_on(affinity: Object | None) -> Object:
    """The affinity without what `keeping_off` has put there."""
    terms = []
    for term in _terms(affinity):
        kept = [one for one in term.get("matchExpressions") or [] if not _keeps_off(one)]
        rest = {name: value for name, value in term.items() if name != "matchExpressions"}
        # A term that holds nothing more was made for it: an empty one would match no node.
        if kept or rest.get("matchFields"):
            terms.append({**rest, **({"matchExpressions": kept} if kept else {})})
    return _with_terms(affinity, terms)


def is_marked(affinity: Object | None) -> bool:
    """Whether `keeping_off` made it, be it of no hosts."""
    return any(
        _keeps_off(one) for term in _terms(affinity) for one in term.get("matchExpressions") or []
    )


def hosts_kept_off(affinity: Object | None) -> frozenset[str]:
    """The hosts that Podmeter keeps pods off; none where it does not."""
    return frozenset(
        host
        for term in _terms(affinity)
        for one in term.get("matchExpressions") or []
        if _keeps_off(one)
        for host in one["values"]
        if host != KEEPS_OFF
    )


def only_on(affinity: Object | None, hosts: Iterable[str]) -> Object:
    """The affinity by which pods run on these hosts alone, where it let them run so far."""
    return _with_expression(letting_on(affinity), "In", sorted(hosts))


def hosts_let_on(affinity: Object | None) -> frozenset[str]:
    """The hosts that `only_on` named."""
    for term in _terms(affinity):
        *_, last = term.get("matchExpressions") or [{}]
        if last.get("key") == HOST_NAME and last.get("operator") == "In":
            return frozenset(last["values"])
    return frozenset()


def patch_between(old: Any, new: Any) -> Any:
    """The merge patch (RFC 7386) that makes `new` of `old`: what it lacks is removed by None."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    gone = dict.fromkeys(name for name in old if name not in new)
    return gone | {name: patch_between(old.get(name), value) for name, value in new.items()}


def _keeps_off(expression: Object) -> bool:
    return (
        expression.get("key") == HOST_NAME
        and expression.get("operator") == "NotIn"
        and KEEPS_OFF in (expression.get("values") or [])
    )


def _with_expression(affinity: Object, operator: str, values: list[str]) -> Object:
    """One more expression in each term, since a node has to match one of them."""
    added = {"key": HOST_NAME, "operator": operator, "values": values}
    terms = [
        {**term, "matchExpressions": [*(term.get("matchExpressions") or []), added]}
        for term in _terms(affinity) or [{}]
    ]
    return _with_terms(affinity, terms)


def _terms(affinity: Object | None) -> list[Object]:
    required = ((affinity or {}).get("nodeAffinity") or {}).get(_REQUIRED) or {}
    return list(required.get("nodeSelectorTerms") or [])


def _with_terms(affinity: Object | None, terms: list[Object]) -> Object:
    found = dict(affinity or {})
    of_nodes = dict(found.pop("nodeAffinity", None) or {})
    of_nodes.pop(_REQUIRED, None)
    if terms:
        of_nodes[_REQUIRED] = {"nodeSelectorTerms": terms}
    return {**found, **({"nodeAffinity": of_nodes} if of_nodes else {})}
