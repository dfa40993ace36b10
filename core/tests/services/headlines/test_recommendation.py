"""Recommendations against the documents that they are of: never stronger than the verdicts."""

import copy
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from podmeter.kinds.controls import control_values
from podmeter.services.comparisons.counted import SET_UP, not_counted
from podmeter.services.comparisons.document import Comparison, Gate, Point
from podmeter.services.exports.markdown import headline as in_markdown
from podmeter.services.headlines import headline, terms
from podmeter.services.headlines.document import Advised, Headline
from podmeter.services.headlines.recommendation import MOST_SENTENCES
from podmeter.services.run_results.effect_rows import Effect, effects_of
from podmeter.services.run_results.runs import MeasuredRun

from .test_every_headline import runs
from .test_headlines import LADDER, THROUGHPUT, comparison_of, report_of, run_of

Centre = Callable[[dict[str, Any]], float]


def both(found: MeasuredRun) -> list[Headline]:
    """Of the run, and of the comparison of its modes, what runs lose apart."""
    compared = replace(comparison_of(found), losses=[])
    made = [report_of(found).headline, headline.of_comparison(compared)]
    return [one for one in made if one is not None]


def said(found: Headline, code: str) -> Advised:
    return next(one for one in found.recommendation if one.code == code)


def codes(found: Headline) -> list[str]:
    return [one.code for one in found.recommendation]


def vxlan(factor: float, path: str | None = None) -> Centre:
    def centre(point: dict[str, Any]) -> float:
        # Between nodes' own addresses no mode takes part.
        slow = point["encapsulation"] == "vxlan" and point["path"] != "node-node"
        slow = slow and path in (None, point["path"])
        return 1e10 * (factor if slow else 1)

    return centre


def test_a_mode_that_is_worse_in_some_and_better_in_none_is_not_preferred() -> None:
    for made in both(run_of(THROUGHPUT, vxlan(0.7), 0.01, 6)):
        one = said(made, "prefer")
        assert str(one) == (
            "Prefer host-gw to VXLAN: it is clearly better in 1 of 1 cases "
            "and clearly worse in none"
        )
        assert one.text_in("zh").startswith("建议选 host-gw 而非 VXLAN")
        assert sorted(str(case["path"]) for case in one.cases) == ["pod-pod"]
        # The first sentence tells of the largest difference already.
        assert re.search(r"costs (29|3\d)(\.\d)? % \[", str(made.sentences[0]))
        assert "largest" not in codes(made)


def test_the_largest_difference_is_named_where_the_first_sentence_is_of_another() -> None:
    paths = ["pod-pod", "pod-service-pod"]
    spec = {**THROUGHPUT, "axes": {**THROUGHPUT["axes"], "path": paths}}
    for made in both(run_of(spec, vxlan(0.7, "pod-service-pod"), 0.005, 6)):
        amounts = [
            one.parameters.get("amount") for one in [made.sentences[0], *made.recommendation]
        ]
        assert amounts.count(amounts[0]) == 1


def test_a_mode_that_is_better_is_preferred() -> None:
    for made in both(run_of(THROUGHPUT, vxlan(1.4), 0.01, 6)):
        assert str(said(made, "prefer")).startswith("Prefer VXLAN to host-gw")


def test_where_each_is_better_somewhere_it_depends() -> None:
    def centre(point: dict[str, Any]) -> float:
        if point["encapsulation"] == "host-gw":
            return 1e10
        return 7e9 if point["path"] == "pod-pod" else 1.4e10

    paths = ["pod-pod", "pod-service-pod"]
    spec = {**THROUGHPUT, "axes": {**THROUGHPUT["axes"], "path": paths}}
    for made in both(run_of(spec, centre, 0.005, 6)):
        one = said(made, "depends")
        assert "Clearly better with VXLAN: pod→Service→pod throughput." in str(one)
        assert "Clearly better with host-gw: pod→pod throughput" in str(one)
        assert len(one.cases) == 2
        assert "prefer" not in codes(made)


def twice_as_fast_by_nftables(point: dict[str, Any]) -> float:
    return 2.0 if point["kube_proxy_mode"] == "nftables" else 1.0


@pytest.mark.parametrize(
    ("service_type", "probes"),
    # What comes from outside to a node's port meets kube-proxy's rules there, too.
    [("ClusterIP", {"climb"}), ("NodePort", {"climb", "qps"})],
)
def test_no_mode_is_recommended_by_what_cilium_answered(
    service_type: str, probes: set[str]
) -> None:
    spec: dict[str, Any] = copy.deepcopy(LADDER)
    spec["axes"]["service_type"] = [service_type]
    found = run_of(spec, twice_as_fast_by_nftables, 0.01, 6)

    def cited(by_cni: bool) -> list[set[object]]:
        report = replace(report_of(found), services_by_cni=by_cni)
        compared = replace(comparison_of(found), losses=[], services_by_cni=by_cni)
        made = headline.of_report(report), headline.of_comparison(compared)
        return [
            {case["probe"] for said in one.recommendation for case in said.cases} for one in made
        ]

    assert cited(by_cni=False) == [{"climb", "qps"}] * 2
    assert cited(by_cni=True) == [probes] * 2


@pytest.mark.parametrize("factor", [0.6, 1.6])
def test_the_counts_of_a_page_close_on_one_total(factor: float) -> None:
    """The preference and the cases besides, whichever side is preferred."""

    def centre(point: dict[str, Any]) -> float:
        slow = point["kube_proxy_mode"] == "nftables" and point["services"] == 500
        return 9000.0 * (factor if slow and point["probe"] == "qps" else 1.0)

    spec: dict[str, Any] = copy.deepcopy(LADDER)
    for made in both(run_of(spec, centre, 0.03, 6)):
        prefer, rest = said(made, "prefer_from").parameters, said(made, "rest").parameters
        counted: Any = rest["counts"]
        verdicts: dict[str, int] = {
            name: counted[name] for name in ("better", "worse", "same", "undecided")
        }
        told: Any = prefer["count"]
        assert sum(verdicts.values()) == rest["count"]
        assert told + sum(verdicts.values()) == prefer["total"]
        assert (verdicts["better"], verdicts["worse"]) == (0, 0)
        assert verdicts["undecided"] == len(said(made, "rest").cases) > 0


@pytest.mark.parametrize(
    ("rung", "code", "text"),
    [
        (500, "prefer_from", "From 500 Service ports on, prefer iptables to nftables: it is"),
        (10, "prefer_up_to", "Up to 10 Service ports, prefer iptables to nftables: it is"),
    ],
)
def test_a_mode_that_is_better_at_one_end_of_a_ladder_is_preferred_there(
    rung: int, code: str, text: str
) -> None:
    def centre(point: dict[str, Any]) -> float:
        slow = point["kube_proxy_mode"] == "nftables" and point["services"] == rung
        return 9000.0 * (0.6 if slow and point["probe"] == "qps" else 1.0)

    for made in both(run_of(copy.deepcopy(LADDER), centre, 0.01, 6)):
        one = said(made, code)
        assert str(one).startswith(text)
        assert {case["services"] for case in one.cases} == {rung}
        assert "prefer" not in codes(made)


def test_a_recommendation_names_one_case_and_says_no_term_twice() -> None:
    point: Point = {"path": "pod-pod", "qperf_test": "udp_lat"}
    what = terms.what("message_latency", "", point, {"qperf_test"})
    assert str(what) == "pod→pod message latency (UDP)"
    where: Point = {"services": 500, "probe": "latency"}
    what = terms.what("curl_total_mean", "", where, {"services", "probe"})
    assert str(what) == "request latency (500 Service ports)"
    for made in both(run_of(LADDER, apart, 0.005, 8)):
        for one in made.recommendation:
            for language in ("en", "zh"):
                assert not re.search(r"[(（][^)）]*[(（]", one.text_in(language))


def test_where_all_is_the_same_either_will_do() -> None:
    # Exactly alike from round to round: the intervals have no length.
    for made in both(run_of(THROUGHPUT, vxlan(1.0), 0.0, 12)):
        assert codes(made)[:2] == ["either", "either_of"]
        assert "the same within 3 %" in str(said(made, "either"))


@pytest.mark.parametrize(("spread", "rounds"), [(0.4, 6), (0.01, 3)])
def test_nothing_is_recommended_where_nothing_is_clear(spread: float, rounds: int) -> None:
    spec = {**THROUGHPUT, "axes": {**THROUGHPUT["axes"], "path": ["pod-pod"]}}
    found = run_of(spec, vxlan(0.95), spread, rounds)
    compared = comparison_of(found)
    assert {one.verdict for one in effects(compared).values()} == {"undecided"}
    assert headline.of_comparison(replace(compared, losses=[])).recommendation == []


def crossing(point: dict[str, Any]) -> float:
    """Nftables is slower at first and faster at last."""
    if point["probe"] == "climb":
        return 5.0
    falls = {10: 1.0, 250: 0.9, 500: 0.6}[point["services"]]
    return 9000 * falls if point["kube_proxy_mode"] == "iptables" else 9000 * 0.8


def test_a_crossing_is_told_with_the_rungs_that_enclose_it() -> None:
    for made in both(run_of(LADDER, crossing, 0.005, 8)):
        one = said(made, "crossover")
        assert "iptables is better at 250 and nftables at 500" in str(one)
        assert [case["services"] for case in one.cases] == [250, 500]
        assert (one.parameters["first"], one.parameters["last"]) == (250, 500)


def apart(point: dict[str, Any]) -> float:
    if point["probe"] == "climb":
        return 5.0
    return 9000.0 if point["kube_proxy_mode"] == "iptables" else 12_000.0


def test_that_they_do_not_cross_is_told_where_every_rung_is_clear() -> None:
    for made in both(run_of(LADDER, apart, 0.005, 8)):
        one = said(made, "no_crossover")
        assert "10 to 500 Service ports: nftables is better" in str(one)
        assert [case["services"] for case in one.cases] == [10, 250, 500]


def test_that_they_do_not_cross_is_not_told_where_a_rung_is_open() -> None:
    def centre(point: dict[str, Any]) -> float:
        near = point["services"] == 10 and point["probe"] == "qps"
        return 9000.0 if near else apart(point)

    for made in both(run_of(LADDER, centre, 0.02, 6)):
        assert "no_crossover" not in codes(made)


@pytest.mark.parametrize("gate", ["refused", "confounded"])
def test_sides_that_may_not_be_compared_are_not_chosen_between(gate: str) -> None:
    compared = comparison_of(run_of(THROUGHPUT, vxlan(0.5), 0.01, 6))
    shown = replace(compared.contenders[0], gate=Gate(gate, []))
    made = headline.of_comparison(replace(compared, contenders=[shown], losses=[]))
    assert made.recommendation == []


def test_what_a_path_takes_is_to_be_expected() -> None:
    def centre(point: dict[str, Any]) -> float:
        return 1e10 if point["path"] == "node-node" else 7e9

    made = report_of(run_of(THROUGHPUT, centre, 0.0, 6)).headline
    assert made is not None
    one = said(made, "expect")
    assert re.match(r"Expect pod→pod.* to lose (29|30|31)(\.\d)? % \[", str(one))
    assert one.cases[0]["path"] == "pod-pod"


def test_files_have_it_under_a_heading_of_its_own() -> None:
    made = report_of(run_of(THROUGHPUT, vxlan(0.7), 0.01, 6)).headline
    text = "\n".join(in_markdown(made))
    assert "## Recommendation\n\n- Prefer host-gw to VXLAN" in text.replace("\n\n\n", "\n\n")


def effects(compared: Comparison) -> dict[tuple[tuple[str, Any], ...], Effect]:
    """Of the reported cases, which excludes controls."""
    cases = [
        (pair.shared, effect)
        for pair in compared.contenders[0].pairs
        for effect in effects_of(pair.effects)
        if effect.main
    ]
    values = control_values(compared.kind, compared.contenders[0].compared_axes)
    codes = not_counted(cases, values)
    judged = [case for case, code in zip(cases, codes, strict=True) if code in ("", SET_UP)]
    return {_key(point): effect for point, effect in judged}


def _key(point: Point) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(point.items()))


@given(runs())
def test_no_recommendation_is_stronger_than_the_verdicts_it_cites(found: MeasuredRun) -> None:
    compared = comparison_of(found)
    known = effects(compared)
    (axis,) = compared.contenders[0].compared_axes
    named = str(terms.value(axis, found.spec.matrix[axis][1]))
    for made in both(found):
        advice = made.recommendation
        assert len(advice) <= MOST_SENTENCES
        every = {one.verdict for one in known.values()}
        for one in advice:
            assert one.cases
            if one.code in ("expect", "expect_added", "expect_times", "free", "grounds"):
                continue
            cited = [known[_key(case)].verdict for case in one.cases]
            match one.code:
                case "prefer" | "prefer_from" | "prefer_up_to":
                    wanted = "better" if f"refer {named} to" in str(one) else "worse"
                    assert set(cited) == {wanted}
                    assert not every & ({"better", "worse"} - {wanted})
                case "largest":
                    assert cited[0] in ("better", "worse")
                case "depends":
                    assert set(cited) == {"better", "worse"}
                case "either" | "either_of":
                    assert every == {"same"}
                case "crossover":
                    assert sorted(cited) == ["better", "worse"]
                case "no_crossover":
                    assert set(cited) in ({"better"}, {"worse"})
                case "tally" | "rest":
                    assert set(cited) == {"undecided"}
                    counts = one.parameters["counts"]
                    assert isinstance(counts, dict)
                    assert counts["undecided"] == len(cited)
                case _:
                    raise AssertionError(one.code)
        if every <= {"undecided"}:
            about_paths = {"expect", "expect_added", "expect_times", "free"}
            assert {one.code for one in advice} <= about_paths | {"grounds"}
