"""Every finding says the same in every language, of real evidence."""

import random
import re
import uuid
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from pydantic import TypeAdapter

from podmeter.services.headlines.headline import NOISE
from podmeter.services.run_results.runs import MeasuredRun
from podmeter.services.summaries.document import Finding
from podmeter.services.summaries.findings import findings
from podmeter.services.summaries.losses import losses
from podmeter.texts import ENGLISH, documents_in, group

from .measured_runs import Values, around, measured_run

#: Only documents of an older version have it.
OLDER = {"loss_uncertain"}
HAN = re.compile(r"[\u4e00-\u9fff]")
NUMBER = re.compile(r"\d(?:[\d,.]*\d)?")


def scattered(centre: float) -> tuple[tuple[float, ...], ...]:
    """Six rounds that say little: each up to half off the centre."""
    draw = random.Random(centre)
    return tuple((centre * draw.uniform(0.5, 1.5),) * 2 for _ in range(6))


def paths() -> MeasuredRun:
    """Modes that are better, worse, the same and undecided, and losses of each kind."""
    rates = {
        ("host-gw", "node-node"): 9e9,
        ("host-gw", "pod-pod"): 9.9e9,
        ("host-gw", "node-pod"): 9.001e9,
        ("vxlan", "node-node"): 9.002e9,
        ("vxlan", "pod-pod"): 7e9,
        ("vxlan", "node-pod"): 9.8e9,
    }

    def measure(point: dict[str, Any]) -> Values:
        rate = rates.get((point["encapsulation"], point["path"]))
        return {("throughput", ""): around(rate) if rate else scattered(9.003e9)}

    modes, on_node = ["host-gw", "vxlan"], "pod-pod-same-node"
    axes = {"encapsulation": modes, "path": ["node-node", "pod-pod", "node-pod", on_node]}
    measured = measured_run(
        {
            "name": "paths",
            "kind": "throughput",
            "axes": {**axes, "protocol": ["tcp"], "streams": [1]},
        },
        measure,
    )
    nics = {("vxlan", "node-node"): "eth0", ("vxlan", "node-pod"): "eth1"}
    cases = tuple(
        replace(
            case,
            placement={
                **(case.placement or {}),
                "nic": nics.get((str(case.point["encapsulation"]), str(case.point["path"]))),
            },
        )
        for case in measured.cases
    )
    return replace(measured, cases=cases)


def of_paths() -> list[Finding]:
    return findings(paths(), losses(paths(), NOISE), lambda _: {})


def environment(kernel: str, pod_mtu: int = 1500) -> dict[str, Any]:
    """What a fingerprint has of two nodes."""
    machine = {"kernel": kernel, "os": "Debian", "architecture": "amd64", "cpu_count": 4}
    machine |= {"memory_bytes": 2**33, "mtus": {"eth0": 1500}}
    return {
        "cluster_uid": "uid-1",
        "kubernetes_version": "1.34.1",
        "nodes": [{"name": name, **machine} for name in ("node-1", "node-2")],
        "shared_host": False,
        "cni": {"name": "flannel", "pod_mtu": pod_mtu},
        "kube_proxy": {},
    }


def refused() -> list[Finding]:
    """Modes that were measured on different kernels."""
    ids = {"host-gw": uuid.UUID(int=1), "vxlan": uuid.UUID(int=2)}
    measured = paths()
    cases = tuple(
        replace(case, fingerprints=frozenset({ids[str(case.point["encapsulation"])]}))
        for case in measured.cases
    )
    contents = {
        id_: environment(kernel) for id_, kernel in zip(ids.values(), ("6.1", "6.8"), strict=True)
    }
    return findings(replace(measured, cases=cases), [], lambda _: contents)


#: Requests per second at 10, 1,000 and 2,000 Services: of iptables, then of nftables.
LADDERS = (
    ((9000, 6000, 4000), (7000, 7001, 7002)),
    ((9000, 6000, 4000), (9001, 9002, 9003)),
    ((4000, 6000, 9000), (9000, 8100, 8990)),
    ((4000, 4001, 4002), (None, None, None)),
)


def ladder(*rates: tuple[float | None, ...]) -> list[Finding]:
    rungs = [10, 1000, 2000]
    by_mode = dict(zip(("iptables", "nftables"), rates, strict=True))

    def measure(point: dict[str, Any]) -> Values:
        rate = by_mode[point["kube_proxy_mode"]][rungs.index(point["services"])]
        centre = 5000.0 + point["services"]
        return {("requests_per_second", ""): around(rate) if rate else scattered(centre)}

    axes = {"kube_proxy_mode": list(by_mode), "services": rungs}
    spec = {
        "name": "ladder",
        "kind": "service_scale",
        "axes": {**axes, "target": ["last"], "probe": ["qps"]},
        "repetition": {"trials": 2, "rounds": 6},
    }
    return findings(measured_run(spec, measure), [], lambda _: {})


def links(*slow: str) -> list[Finding]:
    nodes = [f"node-{number}" for number in range(1, 5)]
    pairs = [f"{one}~{other}" for one in nodes for other in nodes if one != other]
    rates = {pair: (3e9 if pair in slow else 9e9) + place for place, pair in enumerate(pairs)}
    axes = {"path": ["pod-pod"], "protocol": ["tcp"], "streams": [1], "node_pair": pairs}
    measured = measured_run(
        {"name": "links", "kind": "throughput", "axes": axes},
        lambda point: {("throughput", ""): around(rates[point["node_pair"]])},
    )
    return findings(measured, [], lambda _: {})


def mtus(pod_mtu: int, wrapped_mtu: int) -> list[Finding]:
    """A run whose pods have an MTU, and other packets leave the node where they are wrapped."""
    axes = {"encapsulation": ["host-gw", "vxlan"], "path": ["pod-pod"], "streams": [1]}
    measured = measured_run(
        {"name": "mtus", "kind": "throughput", "axes": axes},
        lambda point: {("throughput", ""): around(9e9 + len(point["encapsulation"]))},
    )
    content = environment("6.12", pod_mtu)
    ways = {
        case.id: {
            (
                f"by eth0 (veth), MTU {pod_mtu if wrapped is None else wrapped}",
                "by eth0, MTU 1500"
                if wrapped is None
                else f"by flannel.1 (vxlan), MTU {wrapped}, NIC eth0",
            )
        }
        for case in measured.cases
        for wrapped in [wrapped_mtu if case.point["encapsulation"] == "vxlan" else None]
    }
    return findings(measured, [], lambda ids: dict.fromkeys(ids, content), ways)


@cache
def every_finding() -> tuple[Finding, ...]:
    def made() -> Iterator[list[Finding]]:
        yield of_paths()
        yield refused()
        yield from (ladder(*rates) for rates in LADDERS)
        yield links()
        yield links("node-2~node-3")
        yield links("node-2~node-3", "node-3~node-2")
        yield mtus(1500, 1450)
        yield mtus(1450, 1450)
        yield mtus(1500, 1500)

    return tuple(one for several in made() for one in several)


def test_the_findings_below_are_of_every_code() -> None:
    assert {one.code for one in every_finding()} == group(ENGLISH, "finding").keys() - OLDER


@pytest.mark.parametrize("code", sorted(group(ENGLISH, "finding").keys() - OLDER))
def test_a_finding_says_the_same_in_both_languages(code: str) -> None:
    for one in every_finding():
        if one.code != code:
            continue
        english, chinese = one.text_in("en"), one.text_in("zh")
        assert HAN.search(chinese)
        assert not HAN.search(english)
        for said in (english, chinese):
            assert not re.search(r"[{}_]|None|\b(?:host-gw~|vxlan|pod-pod|node-node)\b", said), said
            assert said == said.strip()
            assert "  " not in said
        assert sorted(NUMBER.findall(english)) == sorted(NUMBER.findall(chinese))


def test_what_the_api_gives_is_in_the_language_of_the_request() -> None:
    adapter = TypeAdapter(Finding)
    one = next(one for one in every_finding() if one.code == "mode_worse")
    assert adapter.dump_python(one)["text"] == ""
    for language in ("en", "zh"):
        with documents_in(language):
            assert adapter.dump_python(one)["text"] == one.text_in(language)
    assert str(one) == one.text_in("en")
