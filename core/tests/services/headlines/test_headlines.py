"""Headlines against the documents they are of, in both languages."""

import random
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from podmeter.kinds.controls import control_values, is_control
from podmeter.services.comparisons.build import compare_sides, compared_run
from podmeter.services.comparisons.document import (
    Comparison,
    FieldDifference,
    Gate,
    RunLosses,
)
from podmeter.services.comparisons.gate import UNKNOWN_FIELD
from podmeter.services.comparisons.pairing import choose_cases
from podmeter.services.comparisons.request import Side
from podmeter.services.headlines import forms, headline, side_pairs, terms
from podmeter.services.headlines.document import Headline, Sentence
from podmeter.services.run_results.runs import MeasuredRun
from podmeter.services.summaries.document import RunReport
from podmeter.services.summaries.losses import losses
from podmeter.services.summaries.report import assemble
from podmeter.statistics import METHOD_VERSION

from ..exports import documents
from ..run_results.measured_runs import MOMENT, Values, measured_run

THROUGHPUT: dict[str, Any] = {
    "name": "What encapsulation costs",
    "kind": "throughput",
    "axes": {
        "encapsulation": ["host-gw", "vxlan"],
        "path": ["node-node", "pod-pod"],
        "protocol": ["tcp"],
        "streams": [1],
    },
}
LADDER: dict[str, Any] = {
    "name": "What each Service costs",
    "kind": "service_scale",
    "axes": {
        "kube_proxy_mode": ["iptables", "nftables"],
        "services": [10, 250, 500],
        "target": ["last"],
        "probe": ["climb", "qps"],
    },
}
TRANSPORT = {
    "name": "What encapsulation costs messages",
    "kind": "transport",
    "axes": {
        "encapsulation": ["host-gw", "vxlan"],
        "path": ["node-node", "pod-pod", "pod-service-pod"],
        "qperf_test": ["tcp_bw", "tcp_lat"],
    },
}
LATENCY = {
    "name": "What a Service adds to a request",
    "kind": "request_latency",
    "axes": {
        "kube_proxy_mode": ["iptables", "nftables"],
        "path": ["pod-pod", "pod-service-pod", "node-service"],
    },
}
POLICIES = {
    "name": "What policies cost",
    "kind": "network_policy",
    "axes": {
        "encapsulation": ["host-gw", "vxlan"],
        "policies": [0, 50, 200],
        "response_size": ["0.5k", "1M"],
        "keep_alive": ["off"],
    },
}
MODES = {
    "throughput": "encapsulation",
    "service_scale": "kube_proxy_mode",
    "transport": "encapsulation",
    "request_latency": "kube_proxy_mode",
    "network_policy": "encapsulation",
}


def measured_of(kind: str, point: dict[str, Any]) -> str:
    """The main metric of a case."""
    match kind:
        case "throughput":
            return "throughput"
        case "transport":
            return "bandwidth" if point["qperf_test"] == "tcp_bw" else "message_latency"
        case "request_latency":
            return "curl_total_mean"
        case "network_policy":
            return "request_mean" if "response_size" in point else "policy_convergence"
    return "convergence" if point["probe"] == "climb" else "requests_per_second"


def run_of(
    spec: dict[str, Any], centre: Callable[[dict[str, Any]], float], spread: float, rounds: int
) -> MeasuredRun:
    """Every case has trials around its centre; blocks vary by `spread`, trials by 1 %."""
    draw = random.Random(7)
    moods: dict[tuple[str, int], float] = {}

    def measure(point: dict[str, Any]) -> Values:
        mode = str(point[MODES[str(spec["kind"])]])
        metric = measured_of(str(spec["kind"]), point)
        found = []
        for number in range(rounds):
            mood = moods.setdefault((mode, number), draw.gauss(0, spread))
            found.append(
                tuple(abs(centre(point) * (1 + mood + draw.gauss(0, 0.01))) for _ in range(2))
            )
        return {(metric, ""): tuple(found)}

    return measured_run({**spec, "repetition": {"rounds": rounds, "trials": 2}}, measure)


def report_of(found: MeasuredRun) -> RunReport:
    return assemble(found, [], [], lambda _: {})


def comparison_of(found: MeasuredRun) -> Comparison:
    axis = MODES[found.run.kind]
    first, other = found.spec.matrix[axis]
    sides = [
        choose_cases(Side(found.run.id, where={axis: value}), found, []) for value in (first, other)
    ]
    made = Comparison(
        id=found.run.id,
        created_at=MOMENT,
        kind=found.run.kind,
        metrics="main",
        noise_threshold=0.03,
        alpha=0.05,
        method_version=METHOD_VERSION,
        baseline=compared_run(sides[0]),
        contenders=[compare_sides(sides[0], sides[1], lambda _: {}, noise=0.03, alpha=0.05)],
        losses=[RunLosses(found.run.id, losses(found, noise=0.03, alpha=0.05))],
    )
    return replace(made, headline=headline.of_comparison(made))


def slow_vxlan(point: dict[str, Any]) -> float:
    slow = point["encapsulation"] == "vxlan" and point["path"] == "pod-pod"
    return 7.4e9 if slow else 1e10


def texts(found: Headline | None) -> list[str]:
    assert found is not None
    return [str(one) for one in found.every]


def by_code(found: Headline | None, code: str) -> Sentence:
    assert found is not None
    return next(one for one in found.sentences if one.code == code)


def test_a_clear_cost_is_said_with_its_interval_in_both_languages() -> None:
    found = run_of(THROUGHPUT, slow_vxlan, 0.01, 6)
    for made in (report_of(found).headline, comparison_of(found).headline):
        assert made is not None
        first = made.sentences[0]
        assert re.fullmatch(
            r"VXLAN costs 2[56](\.\d)? % \[[\d.]+ to [\d.]+ %\] of pod→pod throughput against "
            r"host-gw",
            str(first),
        )
        assert re.fullmatch(
            r"VXLAN 的 Pod→Pod 吞吐量比 host-gw 低 2[56](\.\d)? % \[[\d.]+ 至 [\d.]+ %\]",
            first.text_in("zh"),
        )
        assert str(by_code(made, "loses")).startswith("pod→pod (VXLAN) loses 2")


def test_what_is_undecided_is_said_with_its_bounds() -> None:
    found = run_of(LADDER, lambda _: 9000.0, 0.09, 6)
    said = by_code(comparison_of(found).headline, "between")
    assert "is undecided: with nftables it is between" in str(said)
    assert isinstance(said.parameters["low"], dict)
    assert isinstance(said.parameters["high"], dict)
    low, high = (
        float(str(one["value"])) for one in (said.parameters["low"], said.parameters["high"])
    )
    assert 0.5 < low < 1 < high < 2
    assert "尚无定论" in said.text_in("zh")


@pytest.mark.parametrize("rounds", [1, 5])
def test_too_few_rounds_are_said_to_decide_nothing(rounds: int) -> None:
    found = run_of(THROUGHPUT, slow_vxlan, 0.01, rounds)
    said = by_code(comparison_of(found).headline, "few_rounds")
    assert f"with {rounds} of the 6 rounds that a verdict takes" in str(said)


def test_the_runs_own_loss_reaches_the_comparison() -> None:
    """Everything between the modes is undecided, and the loss against node→node is not."""
    found = run_of(THROUGHPUT, lambda point: 1e10 if point["path"] == "node-node" else 7e9, 0.0, 6)
    made = comparison_of(found)
    assert made.contenders[0].tally.worse == made.contenders[0].tally.better == 0
    said = by_code(made.headline, "loses")
    assert re.match(r"pod→pod \(.*\) loses (29|30|31)(\.\d)? % \[", str(said))
    assert "against node→node of the same run" in str(said)
    assert "相比同一次运行的节点→节点损失" in said.text_in("zh")


def test_a_refused_comparison_names_what_differs_and_no_effect() -> None:
    made = comparison_of(run_of(THROUGHPUT, slow_vxlan, 0.01, 6))
    refused = replace(made.contenders[0], gate=Gate("refused", []))
    said = headline.of_comparison(replace(made, contenders=[refused], losses=[]))
    assert texts(said) == ["VXLAN cannot be compared with host-gw: their environments differ"]


def test_a_confounded_one_says_so_at_once() -> None:
    made = comparison_of(run_of(THROUGHPUT, slow_vxlan, 0.01, 6))
    confounded = replace(made.contenders[0], gate=Gate("confounded", []))
    said = headline.of_comparison(replace(made, contenders=[confounded], losses=[]))
    assert [one.code for one in said.sentences[:2]] == ["costs", "confounded"]


def test_verdicts_of_trials_that_were_all_taken_for_evidence_are_not_repeated() -> None:
    made = comparison_of(run_of(THROUGHPUT, slow_vxlan, 0.01, 6))
    old = headline.of_comparison(replace(made, method_version=1))
    assert [one.code for one in old.sentences] == ["older_method"]


def test_one_machine_is_said_wherever_the_numbers_are() -> None:
    found = run_of(THROUGHPUT, slow_vxlan, 0.01, 6)
    content = {"shared_host": True}
    report = assemble(found, [], [], lambda ids: dict.fromkeys(ids, content))
    assert report.shared_host
    assert report.headline is not None
    assert [one.code for one in report.headline.caveats] == ["shared_host"]
    made = headline.of_comparison(replace(comparison_of(found), shared_host=True))
    assert "crosses no real network" in str(made.caveats[0])
    assert "不经过真实网络" in made.caveats[0].text_in("zh")


def test_the_exported_documents_have_theirs() -> None:
    assert documents.run_report().headline is not None


@pytest.mark.parametrize(
    ("spec", "code", "en", "zh"),
    [
        (THROUGHPUT, "gives", "VXLAN gives ", "VXLAN 的"),
        (LADDER, "gives", "nftables gives ", "nftables 的"),
        (TRANSPORT, "raises", "VXLAN raises", "VXLAN 的"),
        (LATENCY, "raises", "nftables raises", "nftables 的"),
        (POLICIES, "raises", "VXLAN raises", "VXLAN 的"),
    ],
    ids=lambda one: one["kind"] if isinstance(one, dict) else "",
)
@pytest.mark.parametrize(("ratio", "of"), [(1.5, ""), (12.0, "_times")])
def test_what_is_clear_is_said_of_every_kind(
    spec: dict[str, Any], code: str, en: str, zh: str, ratio: float, of: str
) -> None:
    axis = MODES[spec["kind"]]
    first = spec["axes"][axis][0]
    controlled = control_values(spec["kind"], [axis])

    def centre(point: dict[str, Any]) -> float:
        # No mode takes part in a control.
        control = is_control(point, controlled)
        return 1.0 if point[axis] == first or control else ratio

    found = run_of(spec, centre, 0.01, 6)
    for made in (report_of(found).headline, comparison_of(found).headline):
        said = by_code(made, f"{code}{of}")
        figure = r" 1[12](\.\d+)? times \[" if of else r" [45]\d(\.\d)? % \["
        assert re.search(figure, str(said)), str(said)
        assert str(said).startswith(en), str(said)
        assert said.text_in("zh").startswith(zh), said.text_in("zh")
        assert "（越低越好）" in said.text_in("zh") or code == "gives"


def test_one_is_not_said_as_many() -> None:
    assert str(terms.value("streams", 1)) == "1 stream"
    assert str(terms.value("streams", 8)) == "8 streams"
    assert str(terms.value("services", 10_000)) == "10,000 Service ports"
    assert str(terms.value("policies", 1)) == "1 policy"


@pytest.mark.parametrize(
    ("metric", "english", "chinese"),
    [
        ("kernel_rules", "kernel rules", "内核规则数"),
        ("udp_jitter", "UDP jitter", "UDP 抖动"),
        ("services_total", "Services in the cluster", "集群中的 Service 总数"),
        ("of_a_newer_kind", "of a newer kind", "of a newer kind"),
    ],
)
def test_a_metric_without_words_for_sentences_has_its_label(
    metric: str, english: str, chinese: str
) -> None:
    part = terms.metric(metric).plain
    assert (forms.say(part, "en"), forms.say(part, "zh")) == (english, chinese)


def test_a_point_is_said_in_the_order_of_its_axes_and_in_each_language() -> None:
    # Twice, since what was said once is kept; the second point has the same values on other axes.
    for _ in range(2):
        for point in ({"streams": 8, "path": "pod-pod"}, {"path": "pod-pod", "streams": 8}):
            part: dict[str, Any] = {"form": "point", "point": point}
            assert forms.say(part, "en") == "pod→pod, 8 streams"
            assert forms.say(part, "zh") == "Pod→Pod，并发流 8"
        other: dict[str, Any] = {"form": "point", "point": {"path": "pod-pod", "policies": 8}}
        assert forms.say(other, "en") == "pod→pod, 8 policies"
        assert forms.say({"form": "point", "point": {}}, "en") == ""


def test_sides_that_neither_values_nor_moments_tell_apart_are_numbered() -> None:
    found = run_of(THROUGHPUT, lambda _: 1e10, 0.05, 6)
    whole = choose_cases(Side(found.run.id), found, [])
    again = compare_sides(whole, whole, lambda _: {}, noise=0.03, alpha=0.05)
    made = replace(
        comparison_of(found), baseline=compared_run(whole), contenders=[again, again], losses=[]
    )
    first, second = (one for one in side_pairs.of_comparison(made))
    name = compared_run(whole).label
    assert (str(first.baseline), str(first.contender)) == (f"{name} #1", f"{name} #2")
    assert (str(second.baseline), str(second.contender)) == (f"{name} #1", f"{name} #3")


def test_an_imported_run_is_called_so_in_each_language() -> None:
    found = run_of(THROUGHPUT, lambda _: 1e10, 0.05, 6)
    run = compared_run(choose_cases(Side(found.run.id), found, []))
    pasted = replace(run, imported=True)
    # Only this distinguishes two runs of one name.
    made = comparison_of(found)
    contender = replace(made.contenders[0], side=run, compared_axes=[])
    made = replace(made, baseline=pasted, contenders=[contender])
    names = [(one.baseline, one.contender) for one in side_pairs.of_comparison(made)]
    assert [(str(one), str(two)) for one, two in names] == [(f"{run.name} (imported)", run.name)]
    assert forms.say(names[0][0].plain, "zh") == f"{run.name}（导入）"
    # Numbers follow the mark.
    both = replace(made, contenders=[replace(contender, side=pasted)])
    ((one, two),) = ((one.baseline, one.contender) for one in side_pairs.of_comparison(both))
    assert (str(one), str(two)) == (f"{run.name} (imported) #1", f"{run.name} (imported) #2")
    assert forms.say(two.plain, "zh") == f"{run.name}（导入） #2"


def test_environments_of_which_one_is_unknown_are_said_to_differ_and_no_field_of_them() -> None:
    made = comparison_of(run_of(THROUGHPUT, slow_vxlan, 0.01, 6))
    unknown = FieldDifference(UNKNOWN_FIELD, "published", "recorded", None)
    one = replace(made.contenders[0], gate=Gate("confounded", [unknown]))
    said = by_code(headline.of_comparison(replace(made, contenders=[one])), "confounded")
    assert "their environments differ as well" in str(said)
    assert "环境也不同" in said.text_in("zh")


def test_what_modes_change_comes_first_even_where_it_is_undecided() -> None:
    draw = random.Random(6)

    def centre(point: dict[str, Any]) -> float:
        return 1e10 if point["path"] == "node-node" else 2e9 * (1 + draw.gauss(0, 0.2))

    found = run_of(THROUGHPUT, centre, 0.01, 6)
    for made in (report_of(found).headline, headline.of_comparison(comparison_of(found))):
        assert made is not None
        codes = [one.code for one in made.sentences]
        assert codes[0] == "between"
        assert "loses" in codes[1:]
