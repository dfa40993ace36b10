"""Which specifications stand for the articles' experiments on a cluster, by what it can do."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from podmeter.demo.api import Api, DemoError
from podmeter.demo.modes import as_it_stands, fitted

_Document = dict[str, Any]


@dataclass(frozen=True)
class Experiment:
    """One run, and the articles that it is set beside. `narrowed` is what it leaves out of them.

    `seconds` are what its plan expects.
    """

    template: str
    references: tuple[str, ...]
    spec: _Document
    narrowed: str
    trials: int
    seconds: float


@dataclass(frozen=True)
class _RequestedTemplates:
    """What an article asks, by templates: the first that the cluster can have stands for it.

    `stood` are the modes that the article's cluster stood in, where the templates switch nothing.
    """

    reference: str
    templates: tuple[str, ...]
    stood: Mapping[str, str] = field(default_factory=dict)


#: Of a cluster that has neither Calico nor Cilium; the first where its kernels have IP-in-IP.
_FLANNEL = ("flannel_modes", "vxlan_vs_host_gw")
_REQUESTED = (
    _RequestedTemplates("calico-modes-2024", ("calico_latency", "latency_by_path")),
    _RequestedTemplates("calico-modes-2024", ("calico_modes", *_FLANNEL)),
    _RequestedTemplates("cilium-native-routing-2023", ("cilium_native_vs_vxlan", *_FLANNEL)),
    _RequestedTemplates("flannel-qperf", ("three_paths_by_qperf",), {"encapsulation": "vxlan"}),
    _RequestedTemplates("network-policies-2016", ("policies_and_sizes",)),
    _RequestedTemplates("iptables-ipvs-ladder", ("iptables_vs_ipvs", "iptables_vs_nftables")),
)
#: The articles, in the order of the report.
ARTICLES = (
    "calico-modes-2024",
    "iptables-ipvs-ladder",
    "flannel-qperf",
    "cilium-native-routing-2023",
    "network-policies-2016",
)
_AS_IT_STANDS = "its modes cannot be switched here; the current modes are measured"


def chosen_articles(only: str | None) -> tuple[str, ...]:
    """The ids in `only`, separated by commas, or all; DemoError where one is none of ARTICLES."""
    ids = tuple(filter(None, (one.strip() for one in (only or "").split(","))))
    for one in ids:
        if one not in ARTICLES:
            raise DemoError(f"ONLY={only}: {one} is no article; name some of {', '.join(ARTICLES)}")
    return ids or ARTICLES


def experiments(
    api: Api, cluster: _Document, articles: Container[str] = ARTICLES
) -> list[Experiment]:
    """The runs to do for `articles`, in their order: those that answer soonest first, each once.

    One that answers an article that was not asked for besides is set beside that, too.
    """
    templates = {one["id"]: one for one in api.get("/templates")["items"]}
    found: dict[str, Experiment] = {}
    for wanted in _REQUESTED:
        one = _first(api, cluster, wanted, templates)
        known = found.get(one.template)
        if known is not None:
            one = replace(one, references=(*known.references, wanted.reference))
        found[one.template] = one
    return [one for one in found.values() if any(id_ in articles for id_ in one.references)]


def _first(
    api: Api, cluster: _Document, wanted: _RequestedTemplates, templates: Mapping[str, _Document]
) -> Experiment:
    """The first template that the cluster can have whole; else in part; else as it is."""

    def planned(spec: _Document) -> _Document:
        found: _Document = api.post(f"/experiments/plan?cluster_id={cluster['id']}", spec)
        return found

    def made(name: str, spec: _Document, plan: _Document, *besides: str) -> Experiment:
        narrowed = " ".join((templates[name]["narrowed"], *besides))
        taken = plan["trials"], plan["expected_seconds"]
        return Experiment(name, (wanted.reference,), spec, narrowed, *taken)

    plans: dict[str, tuple[_Document, _Document]] = {}
    for name in wanted.templates:
        spec = templates[name]["quick"]
        stood = {axis: [mode] for axis, mode in wanted.stood.items()}
        as_there = {**spec, "axes": {**spec["axes"], **stood}}
        if stood and (plan := planned(as_there))["fitted"] is None:
            modes = " and ".join(wanted.stood.values())
            to = f"The cluster is switched to {modes}, which the article's stood in."
            return made(name, as_there, plan, to)
        plan = planned(spec)
        last = name == wanted.templates[-1]
        if plan["fitted"] is None and (plan["outside_missing"] is None or last):
            return made(name, spec, plan)
        plans[name] = spec, plan
    for name, (spec, plan) in plans.items():
        found = fitted(plan, spec)
        # What another pod network knows says nothing of this one.
        if found.left_out and found.compares and not found.foreign:
            left_out = f"Left out here: {'; '.join(found.left_out)}."
            return made(name, found.spec, planned(found.spec), left_out)
    spec = as_it_stands(spec)
    return made(name, spec, planned(spec), _AS_IT_STANDS)
