"""The data files against their sources: counted, read, recomputed by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from podmeter.domain.axes import axis_problems
from podmeter.domain.measurement import Unit
from podmeter.kinds.registry import KINDS, metrics_of
from podmeter.references.cells import InvalidReferenceError
from podmeter.references.library import read, references
from podmeter.references.quotes import UnreadableQuoteError, read_quote

if TYPE_CHECKING:
    from podmeter.references.cells import Cell

#: Figures in each table of each source, counted in the source by hand. Of iperf3's output each
#: interval's line has four, the sender's three, the receiver's two; of qperf's each line has one,
#: the port among them; tables of words alone and curl's progress meter are left out.
COUNTED = {
    "calico-modes-2024": {
        "node-service": 10 * 3,
        "pod-service": 10 * 3,
        "outside": 10 * 3,
        "means": 3,
        "node-node": 2 * 4 + 5,
        "routed-pod-pod": 2 * 4 + 5,
        "routed-pod-node": 2 * 4 + 5,
        "vxlan-pod-pod": 3 * 4 + 5,
        "vxlan-pod-node": 3 * 4 + 5,
        "ipip-pod-pod": 4 * 4 + 5,
        "ipip-pod-node": 5 * 4 + 5,
        "bandwidth": 7,
    },
    "iptables-ipvs-ladder": {
        "iptables": 10 * 7,
        "ipvs": 6 * 7,
        "elsewhere": 3 * 2,
        "nodes": 4 * 3,
        "ab": 2,
        "time": 7 * 3,
    },
    "flannel-qperf": {
        "node-node": 6 + 4 + 7 + 4,
        "pod-pod": 7 + 5 + 8 + 5,
        "pod-service-pod": 7 + 5 + 8 + 5,
    },
    "cilium-native-routing-2023": {
        "node-node": 10 * 4 + 5,
        "vxlan": 10 * 4 + 5,
        "native": 10 * 4 + 5,
    },
    "network-policies-2016": {"milliseconds": 5 * 5, "percent": 5 * 5},
    "kep-3866-nftables": {"round-trip": 4 * 4},
    "tke-guide-service-scale": {"requests": 5 * 3},
    "kube-proxy-control-plane": {"partial-sync": 4, "full-sync": 1, "iptables-add": 3},
    "infrabuilder-2024": {"gbits": 3 + 7 * 4},
    "infrabuilder-2020": {"mbits": 7 * 3},
}

#: What cells print, in the base unit, worked out by hand.
BY_HAND = [
    ("cilium-native-routing-2023", "node-node.receiver.bitrate", "1138 MBytes/sec", 9.546e9),
    ("cilium-native-routing-2023", "vxlan.receiver.bitrate", "493 MBytes/sec", 4.136e9),
    ("cilium-native-routing-2023", "native.receiver.bitrate", "1266 MBytes/sec", 10.620e9),
    ("calico-modes-2024", "vxlan-pod-pod.receiver.bitrate", "977 Mbits/sec", 0.977e9),
    ("calico-modes-2024", "vxlan-pod-pod.sender.transfer", "6.83 GBytes", 7.3337e9),
    ("calico-modes-2024", "means.pod-service.total", "3.914 ms", 3.914e-3),
    ("calico-modes-2024", "node-service.r1.connect", "0.000362", 362e-6),
    ("calico-modes-2024", "bandwidth.ipip-pod-pod.gbits", "1.23", 1.23e9),
    ("iptables-ipvs-ladder", "iptables.new-rules.10", "1*7", 7),
    ("iptables-ipvs-ladder", "iptables.cpu.30k", "45.7%", 0.457),
    ("iptables-ipvs-ladder", "iptables.delete.30k", "15.510", 15.51),
    ("iptables-ipvs-ladder", "ipvs.qps-last.20k", "5435", 5435),
    ("iptables-ipvs-ladder", "elsewhere.iptables-add.theirs", "5h", 18000),
    ("iptables-ipvs-ladder", "elsewhere.ipvs-add.theirs", "70us", 70e-6),
    ("iptables-ipvs-ladder", "time.iptables-add.real", "0m0.042s", 0.042),
    ("flannel-qperf", "node-node.tcp-bw-bw.value", "331 MB/sec", 2.648e9),
    ("flannel-qperf", "node-node.tcp-bw-recv-cost.value", "2.05 sec/GB", 2.05e-9),
    ("flannel-qperf", "pod-pod.tcp-bw-port.value", "4,001", 4001),
    ("flannel-qperf", "pod-service-pod.udp-bw-msg-rate.value", "239 /sec", 239),
    ("flannel-qperf", "pod-service-pod.udp-bw-recv-bw.value", "7.83 MB/sec", 62.64e6),
    ("network-policies-2016", "milliseconds.200.1M", "10.677", 10.677e-3),
    ("network-policies-2016", "percent.200.500", "-7.0%", -0.07),
    ("kube-proxy-control-plane", "full-sync.all.sync", "13 min 15 s", 795),
    ("kube-proxy-control-plane", "partial-sync.add-one.after", "141 ms", 0.141),
    ("infrabuilder-2024", "gbits.kube-router.udp-1", "9.7", 9.7e9),
    ("infrabuilder-2020", "mbits.weave.tcp", "4880", 4.88e9),
    ("infrabuilder-2020", "mbits.weave.mtu", "1376", 1376),
    ("kep-3866-nftables", "round-trip.iptables-30k.p99", "716", 716e-6),
    ("tke-guide-service-scale", "requests.30k.iptables", "9057", 9057),
]

#: What the sources' own figures say of their claims, as worked out by hand: the verdict, and the
#: first and the last result where something is computed.
CLAIMS: dict[str, dict[str, tuple[Any, ...]]] = {
    "calico-modes-2024": {
        "means": ("holds", 2.5411e-3, 31.8393e-3),
        "routed-loss": ("fails", 0.0351, 0.0351),
        "encapsulation-loss": ("holds", 0.657, 0.568),
        "ipip-above-vxlan": ("holds", 1.255, 1.255),
        "pod-node-loss": ("holds", 0.0246, 0.0281),
        "cross-subnet": ("holds", 0.0351, 0.0351),
        "when-to-use": ("not_recomputable",),
    },
    "iptables-ipvs-ladder": {
        "seven-rules": ("holds", 7, 7),
        "node-ports": ("fails",),
        "twenty-times": ("partly", 0.910, 16.97),
        "four-milliseconds": ("holds", 4.0e-3, 4.0e-3),
        "last-below-first": ("partly", 1.000, 0.742),
        "first-falls": ("partly", 0.590, 0.440),
        "ipvs-memory": ("partly", 0.738, 1.082),
        "ipvs-cpu": ("partly", 1.0, 1.980),
        "five-entries": ("holds",),
        "alike-below-1k": ("holds", 0.910, 0.919),
        "match-above-ipvs": ("holds", 1.167, 1.727),
        "three-hours": ("not_recomputable",),
        "cpu-fifty": ("holds", 0.507, 0.507),
        "ipvs-falls-little": ("fails", -0.435, -0.435),
        "ten-thousand": ("not_recomputable",),
    },
    "flannel-qperf": {
        "halved": ("partly", 0.486, 0.941),
        "microseconds": ("holds", 29e-6, 27e-6),
        "no-proxy": ("not_recomputable",),
        "even-split": ("not_recomputable",),
    },
    "cilium-native-routing-2023": {
        "half": ("fails", 0.567, 0.567),
        "about-equal": ("fails", 0.112, 0.112),
        "header-explains": ("fails",),
    },
    "network-policies-2016": {
        "percentages": ("holds", 0.0, -0.0181),
        "seven-percent": ("holds", 0.0164, 0.0697),
        "one-percent": ("fails", 0.0474, 0.0181),
        "smaller-share": ("partly", 0.3125, 0.383),
        "two-tenths": ("holds", 12e-6, 190e-6),
        "persistent": ("not_recomputable",),
    },
}


#: Metrics of references that no kind measures.
UNMEASURED: set[str] = set()


def _cell(reference: str, place: str) -> Cell:
    (found,) = references()[reference].cells.select([place])
    return found


def test_every_figure_of_every_table_is_there() -> None:
    counted = {
        id_: {
            table.id: sum(cell.table == table.id for cell in one.cells)
            for table in one.reference.tables
        }
        for id_, one in references().items()
    }
    assert counted == COUNTED


@pytest.mark.parametrize(("reference", "place", "quote", "value"), BY_HAND)
def test_a_cell_is_what_it_prints(reference: str, place: str, quote: str, value: float) -> None:
    cell = _cell(reference, place)
    assert cell.quote == quote
    assert cell.figure.value == pytest.approx(value, rel=2e-4)


def test_claims_are_held_against_their_own_figures() -> None:
    found = {id_: one.claims for id_, one in references().items() if one.claims}
    assert {id_: [one.claim.id for one in judged] for id_, judged in found.items()} == {
        id_: list(claims) for id_, claims in CLAIMS.items()
    }
    for id_, judged in found.items():
        for one in judged:
            verdict, *ends = CLAIMS[id_][one.claim.id]
            assert one.verdict.value == verdict, (id_, one.claim.id)
            got = [one.results[0].value, one.results[-1].value] if one.results else []
            assert got == pytest.approx(ends, rel=2e-2, abs=1e-9), (id_, one.claim.id)


def test_a_metric_of_a_cell_is_the_kinds_own() -> None:
    """Where a kind that a reference names is offered, its cells' metrics and points are its own."""
    checked = 0
    for one in references().values():
        known = [KINDS[name] for name in one.reference.kinds if name in KINDS]
        if len(known) != len(one.reference.kinds):
            continue
        metrics = {m.name: m for kind in known for m in kind.metrics}
        for cell in one.cells:
            if cell.metric is None or cell.metric in UNMEASURED:
                continue
            checked += 1
            assert cell.figure.unit is metrics[cell.metric].unit, cell.place
            having = [k for k in known if cell.metric in {m.name for m in k.metrics}]
            for point in cell.points:
                on = {axis: [value] for axis, value in point.items() if axis != "cni"}
                assert any(not axis_problems(on, kind.axes) for kind in having), cell.place
    assert checked > 100


def test_no_figure_stands_twice_at_a_point() -> None:
    """What is drawn or compared has one figure for each metric and point."""
    for id_, one in references().items():
        seen: dict[object, str] = {}
        for cell in one.cells:
            if cell.metric is None or cell.restates:
                continue
            for point in cell.points:
                key = cell.metric, frozenset(point.items())
                assert key not in seen, (id_, cell.place, seen[key])
                seen[key] = cell.place


@pytest.mark.parametrize(
    ("text", "unit", "value", "base"),
    [
        ("16%", None, 0.16, Unit.RATIO),
        ("1,138", "MBytes/sec", 1138 * 2**20 * 8, Unit.BITS_PER_SECOND),
        ("1138 MB/sec", None, 1138e6 * 8, Unit.BITS_PER_SECOND),
        ("5 h", None, 18000, Unit.SECONDS),
    ],
)
def test_quotes(text: str, unit: str | None, value: float, base: Unit) -> None:
    found = read_quote(text, unit)
    assert (found.value, found.unit) == (pytest.approx(value), base)


@pytest.mark.parametrize("text", ["", "不涉及", "12 parsecs", "1.2.3", "~5", "5 h nothing"])
def test_what_is_no_figure_is_refused(text: str) -> None:
    with pytest.raises(UnreadableQuoteError):
        read_quote(text, None)


_FILE = """
id: some
title: Some
author: x
published: ""
language: en
kinds: [throughput]
repetitions: 1
tables:
  - id: one
    where: there
    columns: [{id: a}, {id: b}]
    rows: [{id: r, cells: ["1", "2"]}]
"""


def test_a_file_that_does_not_fit_together_is_refused() -> None:
    assert len(read(_FILE).cells) == 2
    with pytest.raises(ValidationError, match="1 cells"):
        read(_FILE.replace('["1", "2"]', '["1"]'))
    with pytest.raises(UnreadableQuoteError):
        read(_FILE.replace('"2"', "many"))
    with pytest.raises(ValidationError):
        read(_FILE + "colour: red\n")
    claim = "claims: [{id: c, where: x, quote: q, recomputed: %s}]\n"
    ratio = "{how: ratio, of: [one.r.a], against: [one.r.%s], least: 0.4, most: 0.6}"
    assert read(_FILE + claim % (ratio % "b")).claims[0].verdict.value == "holds"
    with pytest.raises(InvalidReferenceError):
        read(_FILE + claim % (ratio % "z"))
    with pytest.raises(ValidationError, match="nothing says"):
        read(_FILE + claim % "{how: mean, of: [one.r.a]}")


def test_metrics_that_references_name_are_known_somewhere() -> None:
    """A metric that no kind has is one that Podmeter does not measure, and is listed here."""
    known = {name for kind in KINDS for name in metrics_of(kind)}
    named = {cell.metric for one in references().values() for cell in one.cells if cell.metric}
    assert named - known <= UNMEASURED
