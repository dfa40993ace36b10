"""Rates that the client limited: never the same, and still better or worse."""

from typing import Any

import pytest

from podmeter.kinds.limits import LimitedBy
from podmeter.services.comparisons.build import compare_sides
from podmeter.services.comparisons.effects import tally
from podmeter.services.comparisons.pairing import choose_cases
from podmeter.services.comparisons.request import Side
from podmeter.services.headlines.headline import NOISE
from podmeter.services.run_results.effect_rows import Effect, effects_of
from podmeter.services.run_results.loss import shares
from podmeter.services.run_results.runs import MeasuredRun
from podmeter.services.summaries.cases import case_facts
from podmeter.services.summaries.findings import findings
from podmeter.services.summaries.losses import losses

from .measured_runs import Values, around, measured_run

#: Its rate is the question; latency says what a client at its limit can say.
SPEC: dict[str, Any] = {
    "name": "qps",
    "kind": "service_scale",
    "axes": {
        "kube_proxy_mode": ["iptables", "nftables"],
        "services": [10],
        "target": ["first", "pod"],
        "probe": ["qps"],
    },
    "parameters": {"concurrency": 100},
    "repetition": {"trials": 2, "rounds": 6},
}
CLIENT = {"tool_cpus": 0.97}
QUOTA = {"tool_cpus": 0.5, "tool_throttled": 0.5}
SERVER = {"tool_cpus": 0.4, "server_throttled": 0.4}
NOTHING: dict[str, float] = {}


def run_of(
    rates: dict[str, float], counters: dict[str, dict[str, float]], **more: Any
) -> MeasuredRun:
    """A run whose modes reached these rates, with these counters in each trial."""

    def measure(point: dict[str, Any]) -> Values:
        if point.get("probe") != "qps":
            return {}
        mode = point["kube_proxy_mode"]
        rate = rates[mode] * (1.0 if point["target"] == "first" else more.get("pod", 1.0))
        found = {
            ("requests_per_second", ""): around(rate),
            ("ab_request_mean", ""): around(1 / rate),
        }
        of_trials = {
            (metric, ""): ((value, value),) * 6 for metric, value in counters[mode].items()
        }
        return found | of_trials

    return measured_run({**SPEC, **more.get("spec", {})}, measure)


def effect(found: MeasuredRun, metric: str = "requests_per_second") -> Effect:
    """nftables against iptables, asking the first Service."""
    sides = [
        choose_cases(
            Side(found.run.id, where={"kube_proxy_mode": one, "target": "first"}), found, []
        )
        for one in ("iptables", "nftables")
    ]
    compared = compare_sides(sides[0], sides[1], lambda _: {}, noise=0.03, alpha=0.05)
    return next(
        one
        for pair in compared.pairs
        for one in effects_of(pair.effects)
        if one.key.metric == metric
    )


SAME, WORSE = {"iptables": 9000.0, "nftables": 9000.0}, {"iptables": 9000.0, "nftables": 7000.0}


@pytest.mark.parametrize(
    ("rates", "counters", "told"),
    [
        (SAME, (NOTHING, NOTHING), ("same", "within_threshold")),
        (SAME, (CLIENT, CLIENT), ("undecided", "client_limited")),
        (SAME, (CLIENT, QUOTA), ("undecided", "client_limited")),
        # Where it limited one side alone, the other had to be the slower one.
        (SAME, (CLIENT, NOTHING), ("same", "within_threshold")),
        (SAME, (SERVER, SERVER), ("same", "within_threshold")),
        (WORSE, (CLIENT, CLIENT), ("worse", "clear_effect")),
        (WORSE, (NOTHING, NOTHING), ("worse", "clear_effect")),
    ],
)
def test_a_rate_at_the_clients_limit_is_never_the_same(
    rates: dict[str, float], counters: tuple[dict[str, float], ...], told: tuple[str, str]
) -> None:
    one = effect(run_of(rates, dict(zip(("iptables", "nftables"), counters, strict=True))))
    assert (one.verdict, one.reason) == told


def both(counters: dict[str, float]) -> dict[str, dict[str, float]]:
    return {"iptables": counters, "nftables": counters}


def test_a_clear_difference_says_that_it_may_be_larger() -> None:
    def codes(found: MeasuredRun) -> list[str]:
        return [one["code"] for one in effect(found).judged.warnings]

    assert "client_limited" in codes(run_of(WORSE, both(CLIENT)))
    assert "client_limited" not in codes(run_of(WORSE, both(NOTHING)))


def test_one_request_at_a_time_is_a_limit_of_the_client() -> None:
    spec = {"parameters": {"concurrency": 1}}
    one = effect(run_of(SAME, both({"tool_cpus": 0.4}), spec=spec))
    assert (one.verdict, one.reason) == ("undecided", "client_limited")
    assert one.judged.parameters["limited_by"] == ["concurrency", "concurrency"]


def test_times_are_judged_as_ever() -> None:
    assert effect(run_of(SAME, both(CLIENT)), "ab_request_mean").verdict == "same"


def test_no_run_is_advised_that_would_not_decide() -> None:
    one = effect(run_of(SAME, both(CLIENT)))
    assert "advice" not in one.judged.parameters
    assert tally([one]).undecided == 1


def test_a_budget_is_not_kept_by_what_may_be_hidden() -> None:
    until = {"trials": 2, "until_decided": {"difference": 0.1, "most_minutes": 60}}
    spec = {"repetition": until}
    kept = effect(run_of(SAME, both(NOTHING), spec=spec))
    assert kept.judged.parameters["within_budget"] == "yes"
    hidden = effect(run_of(SAME, both(CLIENT), spec=spec))
    assert hidden.judged.parameters["within_budget"] == "open"
    broken = effect(run_of(WORSE, both(CLIENT), spec=spec))
    assert broken.judged.parameters["within_budget"] == "no"


def test_a_loss_that_the_client_may_hide_is_undecided() -> None:
    def verdicts(found: MeasuredRun) -> set[tuple[str | None, str]]:
        return {(one.verdict, one.text("reason")) for one in shares(losses(found, NOISE))}

    assert verdicts(run_of(SAME, both(NOTHING))) == {("same", "within_threshold")}
    assert verdicts(run_of(SAME, both(CLIENT))) == {("undecided", "client_limited")}
    assert verdicts(run_of(SAME, both(CLIENT), pod=1.4)) == {("worse", "clear_effect")}


def test_a_case_says_what_limited_most_of_its_trials() -> None:
    found = run_of(SAME, {"iptables": CLIENT, "nftables": NOTHING})
    facts = {
        (str(one.point.get("kube_proxy_mode")), str(one.point.get("probe"))): one
        for one in case_facts(found, [])
    }
    known = facts["iptables", "qps"]
    assert (known.limited_by, known.limits) == ("client_cpu", {LimitedBy.CLIENT_CPU: 12})
    unknown = facts["nftables", "qps"]
    assert (unknown.limited_by, unknown.limits) == ("unknown", {LimitedBy.UNKNOWN: 12})


@pytest.mark.parametrize(
    ("counters", "falls_to", "code"),
    [
        (NOTHING, 1.0, "curve_flat"),
        (CLIENT, 1.0, "curve_undecided"),
        # What falls although the client could do more falls.
        (CLIENT, 0.5, "curve_falls"),
    ],
)
def test_a_client_at_its_limit_makes_no_curve_flat(
    counters: dict[str, float], falls_to: float, code: str
) -> None:
    spec = {"axes": {**SPEC["axes"], "services": [10, 1000], "target": ["last"]}}

    def measure(point: dict[str, Any]) -> Values:
        if point.get("probe") != "qps":
            return {}
        rate = 9000.0 * (1.0 if point["services"] == 10 else falls_to)
        counted = {(metric, ""): ((value, value),) * 6 for metric, value in counters.items()}
        return {("requests_per_second", ""): around(rate), **counted}

    found = findings(measured_run({**SPEC, **spec}, measure), [], lambda _: {})
    assert {one.code for one in found if one.code.startswith("curve_")} == {code}


def test_trials_that_failed_were_limited_by_nothing() -> None:
    def measure(point: dict[str, Any]) -> Values:
        shares = ((0.5,),) * 6
        found = {("requests_per_second", ""): ((9000.0,),) * 6, ("tool_cpus", ""): ((1.0,),) * 6}
        return {} if point.get("probe") != "qps" else found | {("failed_trials", ""): shares}

    limits = measured_run(SPEC, measure).limits
    assert {one.counts[LimitedBy.CLIENT_CPU] for one in limits.values() if one.counts} == {6}


def test_what_a_finding_says_of_it() -> None:
    found = run_of(SAME, both(CLIENT))
    told = [one for one in findings(found, [], lambda _: {}) if one.code == "mode_undecided"]
    texts = {language: [one.text_in(language) for one in told] for language in ("en", "zh")}
    assert any("use more clients" in one for one in texts["en"])
    assert any("请增加客户端" in one for one in texts["zh"])
