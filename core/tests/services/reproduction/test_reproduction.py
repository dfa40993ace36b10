"""Runs beside articles: our figures at their places, claims never more than the comparison says."""

from collections.abc import Callable
from typing import Any

import pytest

from podmeter.references.library import references
from podmeter.services.comparisons.build import compare_sides
from podmeter.services.comparisons.pairing import choose_cases
from podmeter.services.comparisons.request import Side
from podmeter.services.reproduction.document import OurClaim, OurVerdict, Reproduction, WhyNot
from podmeter.services.reproduction.read import reproduce
from podmeter.services.run_results.effect_rows import Effect, effects_of
from podmeter.services.run_results.runs import MeasuredRun

from ..run_results.measured_runs import Values, around, measured_run

Measure = Callable[[dict[str, Any]], Values]
CALICO, CILIUM = "calico-modes-2024", "cilium-native-routing-2023"


def throughput(measure: Measure, encapsulation: list[str], number: int = 1) -> MeasuredRun:
    spec = {
        "name": "paths",
        "kind": "throughput",
        "axes": {
            "encapsulation": encapsulation,
            "path": ["node-node", "pod-pod", "pod-node"],
            "protocol": ["tcp"],
            "streams": [1],
        },
    }
    return measured_run(spec, measure, number)


def paths(**share: float) -> Measure:
    """9 Gbit/s between nodes, and so much of it between pods by encapsulation."""

    def measure(point: dict[str, Any]) -> Values:
        of_nodes = share[point["encapsulation"].replace("-", "_")]
        part = (
            of_nodes if point["path"] == "pod-pod" else 0.97 if point["path"] != "node-node" else 1
        )
        # Another centre for each encapsulation, or all of them would vary alike.
        values = around((9e9 + len(point["encapsulation"])) * part)
        return {("throughput", ""): values, ("throughput_sent", ""): values}

    return measure


def articles(reference: str, *runs: MeasuredRun) -> Reproduction:
    return reproduce(references()[reference], runs, lambda _: {})


def claims(found: Reproduction) -> dict[str, OurClaim]:
    return {one.id: one for one in found.claims}


def test_our_figures_stand_beside_the_published_ones():
    run = throughput(paths(host_gw=0.98, vxlan=0.4), ["host-gw", "vxlan"])
    found = articles(CALICO, run)
    tables = {one.id: one for one in found.tables}
    receiver = tables["vxlan-pod-pod"].rows[-1]
    columns = [one.id for one in tables["vxlan-pod-pod"].columns]
    bitrate = receiver.cells[columns.index("bitrate")]
    assert bitrate.quote == "977 Mbits/sec"
    assert bitrate.ours is not None
    assert bitrate.ours.key.point["encapsulation"] == "vxlan"
    assert bitrate.ours.value == pytest.approx(3.6e9, rel=0.02)
    assert bitrate.ours.n == 12
    # IP-in-IP was not measured, curl's phases by nobody, and rounded tables say nothing new.
    assert tables["ipip-pod-pod"].why_not is WhyNot.NOT_MEASURED
    assert tables["node-service"].why_not is WhyNot.NO_METRIC
    assert "bandwidth" not in tables


def test_a_mode_that_the_cluster_has_not_is_stood_in_for_and_said():
    run = throughput(paths(host_gw=0.98, vxlan=0.4), ["host-gw", "vxlan"])
    found = articles(CALICO, run)
    (one,) = found.stand_ins
    assert (one.axis, one.published, one.measured) == (
        *("encapsulation", "vxlan-cross-subnet"),
        "host-gw",
    )
    routed = next(one for one in found.tables if one.id == "routed-pod-pod")
    assert routed.rows[-1].cells[1].ours.key.point["encapsulation"] == "host-gw"
    # Where it was measured itself nothing stands in for it.
    measured = paths(host_gw=0.98, vxlan=0.4, native=0.9)
    own = articles(CILIUM, throughput(measured, ["host-gw", "vxlan", "native"]))
    assert own.stand_ins == []


def test_what_one_run_measured_itself_another_does_not_stand_in_for():
    plain = throughput(paths(host_gw=0.98, vxlan=0.4), ["host-gw", "vxlan"], number=1)
    own = throughput(paths(vxlan_cross_subnet=0.7, vxlan=0.4), ["vxlan-cross-subnet", "vxlan"], 2)
    for runs in ((plain, own), (own, plain)):
        found = articles(CALICO, *runs)
        assert found.stand_ins == []
        routed = next(one for one in found.tables if one.id == "routed-pod-pod")
        assert routed.rows[-1].cells[1].ours.text("run_id") == str(own.run.id)


def test_a_mode_that_was_not_switched_is_the_one_that_was_seen():
    spec = {"path": ["node-node", "pod-pod"], "protocol": ["tcp"], "streams": [1]}
    run = measured_run({"name": "as it stands", "kind": "throughput", "axes": spec}, standing)

    def told(**seen: Any) -> Reproduction:
        return reproduce(references()[CILIUM], [run], lambda ids: dict.fromkeys(ids, seen))

    def measured(found: Reproduction) -> set[str]:
        return {table.id for table in found.tables if table.measured}

    assert measured(told(cni={"encapsulation": "vxlan"})) == {"node-node", "vxlan"}
    assert claims(told(cni={"encapsulation": "vxlan"}))["half"].verdict is OurVerdict.HOLDS
    # Flannel's host-gw is no VXLAN: of it nothing is said, and it stands for native routing.
    routed = told(cni={"encapsulation": "host-gw"})
    assert measured(routed) == {"node-node", "native"}
    assert claims(routed)["half"].why_not is WhyNot.NOT_MEASURED
    assert [one.measured for one in routed.stand_ins] == ["host-gw"]
    # Where it was not seen, no figure is any mode's.
    assert measured(told()) == {"node-node"}


def standing(point: dict[str, Any]) -> Values:
    return {("throughput", ""): around(9e9 if point["path"] == "node-node" else 4.5e9)}


def test_claims_are_computed_of_our_figures():
    run = throughput(paths(host_gw=0.99, vxlan=0.4), ["host-gw", "vxlan"])
    found = claims(articles(CILIUM, run))
    assert found["half"].verdict is OurVerdict.DOES_NOT_HOLD  # it loses 60 %
    assert found["half"].results[0].value == pytest.approx(0.6, abs=0.02)
    assert found["half"].results[0].verdict == "worse"
    assert found["about-equal"].verdict is OurVerdict.HOLDS
    assert found["header-explains"].why_not is WhyNot.NO_FIGURES
    halved = throughput(paths(host_gw=0.99, vxlan=0.5), ["host-gw", "vxlan"])
    assert claims(articles(CILIUM, halved))["half"].verdict is OurVerdict.HOLDS


def test_a_claim_about_sources_own_arithmetic_or_other_points_cannot_be_told():
    run = throughput(paths(host_gw=0.99, vxlan=0.4), ["host-gw", "vxlan"])
    found = claims(articles(CALICO, run))
    assert found["means"].why_not is WhyNot.OWN_ARITHMETIC
    assert found["ipip-above-vxlan"].why_not is WhyNot.NOT_MEASURED
    assert {one.verdict for one in (found["means"], found["ipip-above-vxlan"])} == {
        OurVerdict.CANNOT_BE_TOLD
    }
    # Of the two encapsulations that it is about one was measured.
    nothing = claims(articles(CALICO))
    assert {one.verdict for one in nothing.values()} == {OurVerdict.CANNOT_BE_TOLD}


def test_an_interval_that_reaches_across_a_limit_tells_nothing():
    run = throughput(paths(host_gw=0.99, vxlan=0.5501), ["host-gw", "vxlan"])
    half = claims(articles(CILIUM, run))["half"]
    assert half.results[0].low < 0.45 < half.results[0].high
    assert (half.verdict, half.why_not) == (OurVerdict.CANNOT_BE_TOLD, WhyNot.ACROSS)


def noisy(point: dict[str, Any]) -> Values:
    """So far apart from round to round that nothing can be seen."""
    centre, turn = 9e9, sum(map(ord, str(point)))
    wild = tuple((centre * 4 ** (one * turn % 7 - 3),) * 2 for one in range(6))
    return {("throughput", ""): wild}


def few(point: dict[str, Any]) -> Values:
    return {("throughput", ""): around(9e9 if point["path"] == "node-node" else 4.5e9)[:1]}


@pytest.mark.parametrize("measure", [noisy, few])
def test_what_the_comparison_leaves_open_no_claim_decides(measure: Measure):
    run = throughput(measure, ["host-gw", "vxlan"])
    for reference in (CALICO, CILIUM):
        for one in claims(articles(reference, run)).values():
            assert one.verdict is OurVerdict.CANNOT_BE_TOLD


def effects(run: MeasuredRun) -> dict[tuple[str, ...], Effect]:
    """What the comparisons of two paths say, by encapsulation and path."""
    found: dict[tuple[str, ...], Effect] = {}
    for path in ("pod-pod", "pod-node"):
        sides = (Side(run.run.id, where={"path": at}) for at in ("node-node", path))
        baseline, contender = (choose_cases(side, run, []) for side in sides)
        compared = compare_sides(baseline, contender, lambda _: {}, noise=0.03, alpha=0.05)
        for pair in compared.pairs:
            for effect in effects_of(pair.effects):
                if effect.main:
                    found[str(pair.shared["encapsulation"]), path] = effect
    return found


@pytest.mark.parametrize("vxlan", [0.3, 0.5, 0.56, 0.93, 0.985, 1.0, 1.2])
def test_a_claims_verdict_is_never_stronger_than_the_comparisons(vxlan: float):
    run = throughput(paths(host_gw=0.99, vxlan=vxlan), ["host-gw", "vxlan"])
    compared = effects(run)
    for reference in (CALICO, CILIUM):
        for one in claims(articles(reference, run)).values():
            for result in one.results:
                of = result.text("of")
                path = "pod-node" if "pod-node" in of else "pod-pod"
                mode = "vxlan" if "vxlan" in of else "host-gw"
                if "node-node" not in result.text("against"):
                    continue
                effect = compared[mode, path]
                if "sender" not in of:
                    assert result.verdict == effect.verdict
                if result.code != OurVerdict.CANNOT_BE_TOLD:
                    assert effect.verdict != "undecided"
            told = {OurVerdict(result.code) for result in one.results}
            if one.verdict is OurVerdict.HOLDS:
                assert told == {OurVerdict.HOLDS}
            if one.verdict is OurVerdict.DOES_NOT_HOLD:
                assert OurVerdict.DOES_NOT_HOLD in told


def test_a_difference_below_the_noise_makes_no_claim_of_one_true():
    """Surely lower by 1 %, and the same within 3 %: it is not said to be below the first."""
    spec = {
        "name": "ladder",
        "kind": "service_scale",
        "axes": {
            "kube_proxy_mode": ["iptables"],
            "service_type": ["NodePort"],
            "services": [10, 1000],
            "target": ["first", "last"],
            "probe": ["qps"],
        },
    }

    def measure(point: dict[str, Any]) -> Values:
        last = point.get("target") == "last"
        if point.get("probe") != "qps":
            return {}
        values = tuple((9000.0 + n, 9001.0 + n) for n in range(6))
        lower = tuple(tuple(one * 0.99 for one in of_round) for of_round in values)
        return {("requests_per_second", ""): lower if last else values}

    told = articles("iptables-ipvs-ladder", measured_run(spec, measure))
    found = claims(told)
    below = found["last-below-first"]
    assert {one.verdict for one in below.results} == {"same"}
    assert ("outside", "other-node") in {(one.published, one.measured) for one in told.stand_ins}
    assert below.verdict is OurVerdict.CANNOT_BE_TOLD
    # Seven rungs it is about, two were measured, and a slope of others says nothing.
    assert (below.asked, len(below.results)) == (7, 2)
    assert found["four-milliseconds"].why_not is WhyNot.NOT_MEASURED


def test_a_figure_of_a_node_stands_beside_that_of_the_node_which_is_asked():
    spec = {
        "name": "ladder",
        "kind": "service_scale",
        "axes": {
            "kube_proxy_mode": ["iptables", "ipvs"],
            "service_type": ["NodePort"],
            "services": [10, 1000],
            "target": ["last"],
            "probe": ["climb", "qps"],
        },
    }

    def measure(point: dict[str, Any]) -> Values:
        if point.get("probe") == "climb":
            return {
                ("iptables_rules", "least"): around(140),
                ("iptables_rules", "most"): around(142),
            }
        share = 0.2 if point["kube_proxy_mode"] == "iptables" else 0.3
        return {
            ("node_memory_share", "client"): around(share),
            ("node_memory_share", "server"): around(0.9),
        }

    told = articles("iptables-ipvs-ladder", measured_run(spec, measure))
    rows = {row.id: row for row in told.tables[0].rows}
    memory = rows["memory"].cells[0]
    assert (memory.quote, memory.ours is not None) == ("16%", True)
    assert memory.ours.value == pytest.approx(0.2, rel=0.05)
    assert rows["rules"].cells[0].ours.value == pytest.approx(142, rel=0.05)
    # CPU is the provider's, of whatever the node did at that time.
    assert rows["cpu"].cells[0].ours is None
    more = claims(told)["ipvs-memory"]
    assert [one.verdict for one in more.results] == ["worse", "worse"]
    assert more.verdict is OurVerdict.HOLDS


def test_two_sides_of_two_runs_are_not_told_apart():
    one = throughput(paths(host_gw=0.99), ["host-gw"])
    other = throughput(paths(vxlan=0.4), ["vxlan"], number=2)
    found = claims(articles(CALICO, one, other))
    # node→node was measured in each run: each is set against its own.
    assert found["encapsulation-loss"].results == [] or all(
        result.text("why_not") != WhyNot.TWO_RUNS for result in found["encapsulation-loss"].results
    )


def test_runs_of_another_kind_say_nothing():
    run = throughput(paths(host_gw=0.99, vxlan=0.4), ["host-gw", "vxlan"])
    found = articles("flannel-qperf", run)
    assert [one.run_id for one in found.runs] == [run.run.id]
    assert all(table.measured == 0 for table in found.tables)
    assert {one.verdict for one in found.claims} == {OurVerdict.CANNOT_BE_TOLD}
