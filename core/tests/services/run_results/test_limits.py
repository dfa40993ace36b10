"""Rates that the client limited: never the same, and still better or worse."""

from typing import Any

import pytest

from podmeter.kinds.limits import LimitedBy
from podmeter.services.comparisons.build import compare_sides
from podmeter.services.comparisons.effects import tally
from podmeter.services.comparisons.pairing import choose_cases
from podmeter.services.comparisons.request import Side
from podmeter.services.headlines.headline import NOISE
from podmeter.services.headlines.run_losses import LostWithin
from podmeter.services.headlines.single_run import loss_sentences
from podmeter.services.run_results.curve_rows import pairs
from podmeter.services.run_results.effect_rows import Effect, effects_of
from podmeter.services.run_results.loss import shares
from podmeter.services.run_results.runs import MeasuredRun
from podmeter.services.summaries.cases import case_facts
from podmeter.services.summaries.evidence import RowEvidence
from podmeter.services.summaries.findings import findings
from podmeter.services.summaries.losses import losses

from ..headlines.test_headlines import report_of
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
        # Where it limited one side alone, that one could do more than it shows.
        (SAME, (CLIENT, NOTHING), ("undecided", "client_limited")),
        (SAME, (NOTHING, QUOTA), ("undecided", "client_limited")),
        (SAME, (SERVER, SERVER), ("same", "within_threshold")),
        (WORSE, (CLIENT, CLIENT), ("worse", "clear_effect")),
        (WORSE, (NOTHING, NOTHING), ("worse", "clear_effect")),
    ],
)
def test_a_rate_at_the_clients_limit_is_never_the_same(
    rates: dict[str, float], counters: tuple[dict[str, float], ...], told: tuple[str, str]
) -> None:
    run = run_of(rates, sides(*counters))
    # The mean time of a request is the same rate, the other way up.
    for metric in ("requests_per_second", "ab_request_mean"):
        one = effect(run, metric)
        assert (one.verdict, one.reason) == told, metric


def sides(*counters: dict[str, float]) -> dict[str, dict[str, float]]:
    return dict(zip(("iptables", "nftables"), counters, strict=True))


def both(counters: dict[str, float]) -> dict[str, dict[str, float]]:
    return {"iptables": counters, "nftables": counters}


@pytest.mark.parametrize(
    ("counters", "code"),
    [
        ((CLIENT, CLIENT), ["client_limited"]),
        # The faster one could do more, so the difference may be larger.
        ((CLIENT, NOTHING), ["client_limited"]),
        # The slower one could do more, too: a part of the difference is the client's.
        ((NOTHING, CLIENT), ["slower_client_limited"]),
        ((NOTHING, NOTHING), []),
    ],
)
def test_a_clear_difference_says_what_the_client_has_to_do_with_it(
    counters: tuple[dict[str, float], ...], code: list[str]
) -> None:
    run = run_of(WORSE, sides(*counters))
    for metric in ("requests_per_second", "ab_request_mean"):
        warnings = effect(run, metric).judged.warnings
        assert [one["code"] for one in warnings if one["code"].endswith("client_limited")] == code


@pytest.mark.parametrize(("limited", "verdict"), [(5, "same"), (6, "undecided"), (7, "undecided")])
def test_half_of_the_trials_are_enough(limited: int, verdict: str) -> None:
    def measure(point: dict[str, Any]) -> Values:
        if point.get("probe") != "qps":
            return {}
        of_iptables = limited if point["kube_proxy_mode"] == "iptables" else 0
        used = [0.97 if trial < of_iptables else 0.5 for trial in range(12)]
        by_round = tuple(zip(used[::2], used[1::2], strict=True))
        found = {("requests_per_second", ""): around(9000.0), ("ab_request_mean", ""): around(1e-3)}
        return found | {("tool_cpus", ""): by_round}

    one = effect(measured_run(SPEC, measure)).judged
    assert one.verdict == verdict
    told = [[limited, 12], [0, 12]] if verdict == "undecided" else None
    assert one.parameters.get("client_limited_trials") == told


def test_one_request_at_a_time_is_a_limit_of_the_client() -> None:
    spec = {"parameters": {"concurrency": 1}}
    one = effect(run_of(SAME, both({"tool_cpus": 0.4}), spec=spec))
    assert (one.verdict, one.reason) == ("undecided", "client_limited")
    assert one.judged.parameters["limited_by"] == ["concurrency", "concurrency"]


@pytest.mark.parametrize(
    ("counters", "verdict"),
    [
        # One request after another: whatever the path adds to one is in its time.
        ({"tool_cpus": 0.4}, "same"),
        ({"tool_cpus": 0.97}, "same"),
        # A quota stops the client for less time if it waits longer for the path.
        (QUOTA, "undecided"),
    ],
)
def test_times_of_single_requests_are_hidden_by_a_quota_alone(
    counters: dict[str, float], verdict: str
) -> None:
    spec = {"axes": {**SPEC["axes"], "probe": ["latency"]}}

    def measure(point: dict[str, Any]) -> Values:
        found = {("curl_total_mean", ""): around(1e-3), ("curl_total_p90", ""): around(2e-3)}
        counted = {(name, ""): ((value, value),) * 6 for name, value in counters.items()}
        memory = {("node_memory", "client"): around(1e9)}
        return found | counted | memory if point.get("probe") == "latency" else {}

    run = measured_run({**SPEC, **spec}, measure)
    for metric in ("curl_total_mean", "curl_total_p90"):
        assert effect(run, metric).verdict == verdict
    assert {one.verdict for one in shares(losses(run, NOISE))} == {verdict}
    assert effect(run, "node_memory").verdict == "same"


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
    one_sided = effect(run_of(SAME, sides(CLIENT, NOTHING), spec=spec))
    assert one_sided.judged.parameters["within_budget"] == "open"
    broken = effect(run_of(WORSE, both(CLIENT), spec=spec))
    assert broken.judged.parameters["within_budget"] == "no"


def test_a_loss_that_the_client_may_hide_is_undecided() -> None:
    def verdicts(found: MeasuredRun) -> set[tuple[str | None, str]]:
        return {(one.verdict, one.text("reason")) for one in shares(losses(found, NOISE))}

    assert verdicts(run_of(SAME, both(NOTHING))) == {("same", "within_threshold")}
    assert verdicts(run_of(SAME, both(CLIENT))) == {("undecided", "client_limited")}
    assert verdicts(run_of(SAME, both(CLIENT), pod=1.4)) == {("worse", "clear_effect")}


def test_a_baseline_at_the_clients_limit_hides_a_loss_of_the_other() -> None:
    def measure(point: dict[str, Any]) -> Values:
        if point.get("probe") != "qps":
            return {}
        used = 0.97 if point["target"] == "pod" else 0.5
        return {
            ("requests_per_second", ""): around(9000.0),
            ("tool_cpus", ""): ((used, used),) * 6,
        }

    run = measured_run(SPEC, measure)
    found = shares(losses(run, NOISE))
    assert {(one.verdict, one.text("reason")) for one in found} == {("undecided", "client_limited")}
    assert found[0].parameters["client_limited_trials"] == [[12, 12], [0, 12]]


def test_the_answer_of_a_run_of_paths_says_why_no_loss_is_decided() -> None:
    def measure(point: dict[str, Any]) -> Values:
        used = 0.97 if point["path"] == "node-node" else 0.5
        return {("throughput", ""): around(1e10), ("tool_cpus", ""): ((used, used),) * 6}

    spec = {"name": "x", "kind": "throughput", "axes": {"path": ["node-node", "pod-pod"]}}
    lost = LostWithin(losses(measured_run(spec, measure), NOISE))
    told, *_ = loss_sentences(lost, NOISE)
    assert "at its limit in 12 of 12 trials of node→node; use more clients" in str(told)
    assert "12 次试验中的 12 次中已达到上限" in told.text_in("zh")


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
    ("limited", "falls_to", "code"),
    [
        ((), 1.0, "curve_flat"),
        ((10, 1000, 5000), 1.0, "curve_undecided"),
        # At its limit on the lowest rung, the client may hide a fall from there.
        ((10,), 1.0, "curve_undecided"),
        # What falls although the client could do more falls.
        ((10, 1000, 5000), 0.5, "curve_falls"),
    ],
)
def test_a_client_at_its_limit_makes_no_curve_flat(
    limited: tuple[int, ...], falls_to: float, code: str
) -> None:
    rungs = [10, 1000, 5000]
    spec = {"axes": {**SPEC["axes"], "services": rungs, "target": ["last"]}}

    def measure(point: dict[str, Any]) -> Values:
        if point.get("probe") != "qps":
            return {}
        rate = 9000.0 * (falls_to if point["services"] == rungs[-1] else 1.0)
        used = 0.97 if point["services"] in limited else 0.5
        return {
            ("requests_per_second", ""): around(rate),
            ("tool_cpus", ""): ((used, used),) * 6,
        }

    run = measured_run({**SPEC, **spec}, measure)
    found = [one for one in findings(run, [], lambda _: {}) if one.code.startswith("curve_")]
    assert {one.code for one in found} == {code}
    why = f"the client was at its limit on {len(limited)} of 3 rungs"
    assert all((why in str(one)) is (code == "curve_undecided") for one in found)
    # So is either side's curve where two are compared.
    both_modes = [
        choose_cases(Side(run.run.id, where={"kube_proxy_mode": one}), run, [])
        for one in ("iptables", "nftables")
    ]
    compared = compare_sides(both_modes[0], both_modes[1], lambda _: {}, noise=0.03, alpha=0.05)
    shapes = {one.text("shape") for one in compared.curves if one.code == "change"}
    assert shapes == {code.removeprefix("curve_")}


@pytest.mark.parametrize(("used", "degrades_more"), [(0.5, "baseline"), (0.97, "")])
def test_no_side_degrades_more_than_one_whose_fall_the_client_may_hide(
    used: float, degrades_more: str
) -> None:
    rungs = [10, 1000, 5000]
    spec = {"axes": {**SPEC["axes"], "services": rungs, "target": ["last"]}}

    def measure(point: dict[str, Any]) -> Values:
        if point.get("probe") != "qps":
            return {}
        falls = point["kube_proxy_mode"] == "iptables" and point["services"] == rungs[-1]
        share = 0.5 if point["kube_proxy_mode"] == "iptables" else used
        return {
            ("requests_per_second", ""): around(9000.0 * (0.5 if falls else 1.0)),
            ("tool_cpus", ""): ((share, share),) * 6,
        }

    run = measured_run({**SPEC, **spec}, measure)
    iptables, nftables = (
        choose_cases(Side(run.run.id, where={"kube_proxy_mode": one}), run, [])
        for one in ("iptables", "nftables")
    )
    compared = compare_sides(iptables, nftables, lambda _: {}, noise=0.03, alpha=0.05)
    found = {one.degrades_more for one in pairs(compared.curves)}
    assert found == {degrades_more}


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
    both_sides = (
        "the client was at its limit in 12 of 12 trials of iptables, 12 of 12 trials of nft"
    )
    assert any(both_sides in one and "use more clients" in one for one in texts["en"])
    assert any("请增加客户端" in one and "12 次试验中的 12 次" in one for one in texts["zh"])


def test_a_finding_names_the_side_whose_client_was_at_its_limit() -> None:
    found = findings(run_of(SAME, sides(NOTHING, CLIENT)), [], lambda _: {})
    told = [str(one) for one in found if one.code == "mode_undecided"]
    assert told
    assert all("the client was at its limit in 12 of 12 trials of nftables: use" in s for s in told)


def test_no_bounds_are_given_where_the_client_may_hide_a_part() -> None:
    """One case is within the threshold but for its client, the other one varies too much."""
    scattered = ((5000.0,), (9000.0,), (6000.0,), (8000.0,), (7000.0,), (4000.0,))

    def measure(point: dict[str, Any]) -> Values:
        if point["target"] == "first":
            rates, cpus = around(9000.0), CLIENT["tool_cpus"]
        else:
            later = point["kube_proxy_mode"] == "nftables"
            rates, cpus = scattered[::-1] if later else scattered, 0.2
        busy = tuple(tuple(cpus for _ in one) for one in rates)
        return {("requests_per_second", ""): rates, ("tool_cpus", ""): busy}

    axes = {**SPEC["axes"], "target": ["first", "last"]}
    found = measured_run({**SPEC, "axes": axes}, measure)
    reasons = {
        finding.evidence.rows[0].text("reason")
        for finding in findings(found, [], lambda _: {})
        if isinstance(finding.evidence, RowEvidence) and finding.code == "mode_undecided"
    }
    assert reasons == {"client_limited", "interval_too_wide"}
    made = report_of(found).headline
    assert made is not None
    assert [one.code for one in made.sentences] == ["unclear"]
