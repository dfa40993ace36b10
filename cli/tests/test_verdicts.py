"""What measured runs answer: the exit code, and the same in every format."""

import uuid
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from backend.tests.measured import Measured, Point, paths, service_scale, store, throughput
from fastapi.testclient import TestClient

from podmeter.db.session import Sessions
from podmeter_cli.answer import Answer, Line, Part
from podmeter_cli.exits import ExitCode
from podmeter_cli.output import Table, markdown
from podmeter_cli.reports import as_markdown
from podmeter_cli.verdicts import _line, parts_of

from .conftest import Podmeter

pytestmark = pytest.mark.services


def line(verdict: str, budget: str | None = None, not_counted: str = "") -> Line:
    figures = "1 Gbit/s", "1 Gbit/s", "0.0 %"
    return Line("path pod-pod", "throughput", *figures, verdict, budget, not_counted=not_counted)


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ([], ExitCode.FINE),
        ([line("same"), line("better")], ExitCode.FINE),
        ([line("undecided"), line("same")], ExitCode.UNDECIDED),
        ([line("undecided"), line("worse")], ExitCode.WORSE),
        ([line("worse", "yes")], ExitCode.FINE),
        ([line("worse", "open")], ExitCode.WORSE),
        ([line("undecided", "yes")], ExitCode.FINE),
        ([line("undecided", "no")], ExitCode.WORSE),
        ([line("same"), line("worse", not_counted="control")], ExitCode.FINE),
        ([line("same"), line("undecided", not_counted="control")], ExitCode.FINE),
    ],
)
def test_the_worst_line_decides(lines: list[Line], code: ExitCode) -> None:
    assert Answer("run", [], [], [Part("a", "b", lines)], "link").code == code


@pytest.mark.parametrize(
    ("lines", "word"),
    [
        ([line("undecided")], "undecided"),
        ([line("better"), line("undecided"), line("undecided")], "1 better, 2 undecided"),
        ([line("same"), line("worse"), line("undecided")], "1 worse, 1 undecided, 1 same"),
        ([line("same"), line("better")], "nothing is worse"),
        ([line("same"), line("worse", "yes")], "all within budget"),
        # It may be worse than its budget allows: the word is that of the exit code.
        ([line("same"), line("undecided", "no")], "worse"),
        ([line("worse"), line("same"), line("worse", not_counted="control")], "1 worse, 1 same"),
    ],
)
def test_the_last_line_counts_what_stands_in_the_table(lines: list[Line], word: str) -> None:
    assert Answer("run", [], [], [Part("a", "b", lines)], "link").word == word


def test_what_may_not_be_compared_is_undecided_and_a_failed_run_is_neither() -> None:
    refused = Part("a", "b", refused=["kernel differs"])
    assert Answer("run", [], [], [refused], "link").code == ExitCode.UNDECIDED
    failed = Answer("run", [], [], [Part("a", "b", [line("worse")])], "link", failed="it failed")
    assert failed.code == ExitCode.FAILED


def test_the_values_shown_are_those_that_the_difference_is_of() -> None:
    def row(value: float, unit: str, **parameters: Any) -> dict[str, Any]:
        key = {"unit": unit, "metric": "throughput", "subject": ""}
        ends = {"value": value, "low": value, "high": value}
        return {"key": key, **ends, "verdict": "undecided", "parameters": parameters}

    advice = {"code": "rounds", "rounds": 29, "trials": None, "seconds": None, "same": False}
    rows = {
        "ratio": row(0.949, "ratio", advice=advice, main=True),
        "shift": row(-0.3e9, "bit/s"),
        "median baseline": row(5.7e9, "bit/s"),
        "median contender": row(6.1e9, "bit/s"),
        "centre baseline": row(6.2e9, "bit/s"),
        "centre contender": row(5.9e9, "bit/s"),
    }
    shown = _line({"path": "pod-pod"}, rows, set())
    assert (shown.baseline, shown.contender) == ("6.20 Gbit/s", "5.90 Gbit/s")
    assert shown.difference.startswith("-5.1 %")
    assert shown.advice == "29 rounds (80% probability)"
    answer = Answer("run", [], [], [Part("a", "b", [shown])], "link")
    assert "29 rounds" in markdown(answer.table(answer.parts[0]))


def test_every_metric_of_a_set_up_names_it_as_its_case() -> None:
    def effect(metric: str, **parameters: Any) -> list[dict[str, Any]]:
        key = {"unit": "s", "metric": metric, "subject": ""}
        ends = {"value": 1.0, "low": 1.0, "high": 1.0, "verdict": "same"}
        codes = [("ratio", ""), ("shift", ""), ("median", "baseline"), ("median", "contender")]
        return [
            {"key": key, "code": code, **ends, "parameters": {"side": end, **parameters}}
            for code, end in codes
        ]

    set_up = [
        *effect("switch_convergence", main=True, not_counted="set_up"),
        *effect("switch_outage", main=False),
    ]
    pairs = [
        {"shared": {}, "effects": set_up},
        {"shared": {}, "effects": effect("curl_total_mean", main=True)},
    ]
    side: dict[str, Any] = {"label": "run", "where": {}, "reference_id": None, "imported": False}
    contender = {"side": side, "gate": {"verdict": "comparable"}, "pairs": pairs}
    document = {"baseline": side, "metrics": "all", "contenders": [contender]}
    (part,) = parts_of({**document, "method_version": 12})
    assert [(one.case, one.metric) for one in part.lines] == [
        ("mode setup", "switch_convergence"),
        ("mode setup", "switch_outage"),
        ("only case", "curl_total_mean"),
    ]


def slower(point: Point) -> dict[tuple[str, str], float]:
    return {key: value * 0.8 for key, value in paths(point).items()}


def alike(_: Point) -> dict[tuple[str, str], float]:
    return {("throughput", ""): 1e10}


def run_of(sessions: Sessions, measure: Any, **more: Any) -> uuid.UUID:
    return store(sessions, Measured(throughput(), measure, **more))


@pytest.fixture
def runs(admin: TestClient, logged_in: str, sessions: Sessions) -> dict[str, str]:
    """Finished runs, by what came of them."""
    return {
        "worse": str(run_of(sessions, paths)),
        "same": str(run_of(sessions, alike, noise=0.0005)),
        "undecided": str(run_of(sessions, alike, noise=0.5)),
    }


@pytest.mark.parametrize(
    ("name", "code"),
    [("worse", ExitCode.WORSE), ("same", ExitCode.FINE), ("undecided", ExitCode.UNDECIDED)],
)
def test_a_runs_modes_decide_its_exit_code(
    runs: dict[str, str], podmeter: Podmeter, name: str, code: ExitCode
) -> None:
    shown = podmeter("runs", "show", runs[name])
    assert shown.code == code, shown.out
    assert "vxlan against host-gw" in shown.out
    assert podmeter("runs", "watch", runs[name]).code == code
    assert podmeter("compare", runs[name]).code == code


def test_a_client_at_its_limit_leaves_the_modes_undecided(
    admin: TestClient, logged_in: str, sessions: Sessions, podmeter: Podmeter
) -> None:
    def busy(point: Point) -> dict[tuple[str, str], float]:
        return {**alike(point), ("tool_cpus", ""): 0.98}

    run_id = str(run_of(sessions, busy, noise=0.0005))
    shown = podmeter("runs", "show", run_id)
    assert shown.code == ExitCode.UNDECIDED
    assert "LIMITED BY" in shown.out
    assert "more clients" in shown.out
    text = podmeter("runs", "show", run_id, "-o", "markdown").out
    assert "| limited by | to decide it |" in text
    assert "| client CPU | more clients or requests at a time, or less load (client at its" in text
    assert (
        "in 12 of 12 trials of encapsulation host-gw, 12 of 12 trials of encapsulation vxl" in text
    )
    document = podmeter("runs", "show", run_id, "-o", "json").document
    (line,) = document["lines"]
    assert (line["verdict"], line["limited_by"]) == ("undecided", "client CPU")


def test_a_client_at_its_limit_on_one_side_is_named(
    admin: TestClient, logged_in: str, sessions: Sessions, podmeter: Podmeter
) -> None:
    def busy(point: Point) -> dict[tuple[str, str], float]:
        used = 0.98 if point["encapsulation"] == "vxlan" else 0.5
        return {**alike(point), ("tool_cpus", ""): used}

    run_id = str(run_of(sessions, busy, noise=0.0005))
    for language, why in (
        ("en", "at its limit in 12 of 12 trials of VXLAN; use more clients"),
        ("zh", "12 次试验中的 12 次中已达到上限；请增加客户端"),
    ):
        headers = {"Accept-Language": language}
        report = admin.get(f"/api/v1/runs/{run_id}/summaries", headers=headers).json()
        told = [one["text"] for one in report["headline"]["sentences"]]
        assert any(why in one for one in told), told
    shown = podmeter("runs", "show", run_id)
    assert shown.code == ExitCode.UNDECIDED
    text = podmeter("runs", "show", run_id, "-o", "markdown").out
    assert "(client at its limit in 12 of 12 trials of encapsulation vxlan) |" in text


def test_a_run_without_modes_says_what_limited_its_cases(
    admin: TestClient, logged_in: str, sessions: Sessions, podmeter: Podmeter
) -> None:
    def quota(point: Point) -> dict[tuple[str, str], float]:
        stopped = 0.5 if point["path"] == "pod-pod" else 0.0
        return {**alike(point), ("tool_cpus", ""): 0.5, ("tool_throttled", ""): stopped}

    spec = throughput(axes={**throughput()["axes"], "encapsulation": ["vxlan"]})
    run_id = str(store(sessions, Measured(spec, quota, noise=0.0005)))
    said = podmeter("runs", "show", run_id, "-o", "markdown").out
    (row,) = [one for one in said.splitlines() if "| path pod-pod" in one]
    assert "client CPU quota" in row


def test_every_format_says_the_same(runs: dict[str, str], podmeter: Podmeter) -> None:
    document = podmeter("runs", "show", runs["worse"], "-o", "json").document
    assert (document["verdict"], document["exit_code"]) == ("worse", 1)
    # Node to node is a control: it has no say.
    (worse,) = document["lines"]
    assert (worse["case"], worse["verdict"]) == ("path pod-pod", "worse")
    assert yaml.safe_load(podmeter("runs", "show", runs["worse"], "-o", "yaml").out)["lines"] == [
        worse
    ]
    text = podmeter("runs", "show", runs["worse"], "-o", "markdown").out
    assert "### Podmeter: worse" in text
    assert "xychart-beta" in text
    assert worse["difference"].partition(" ")[0] in text
    root = ElementTree.fromstring(podmeter("runs", "show", runs["worse"], "-o", "junit").out)
    failure = root.find("testsuite/testcase/failure")
    assert failure is not None
    assert "worse" in (failure.get("message") or "")


def test_runs_are_compared_with_each_other(runs: dict[str, str], podmeter: Podmeter) -> None:
    one = runs["worse"]
    places = (f"{one}:encapsulation=host-gw", f"{one}:encapsulation=vxlan")
    compared = podmeter("compare", *places, "-o", "json")
    assert compared.code == ExitCode.WORSE
    assert compared.document["lines"][0]["contender_name"] == "vxlan"
    turned = podmeter("compare", *reversed(places))
    assert turned.code == ExitCode.FINE
    assert podmeter("compare", one, "not-a-run").code == ExitCode.USAGE
    assert podmeter("compare", one, f"{one}:encapsulation").code == ExitCode.USAGE


def test_two_paths_of_one_mode_are_compared(
    admin: TestClient, logged_in: str, sessions: Sessions, podmeter: Podmeter
) -> None:
    """They are the whole run, so that the two sides share no axis."""

    def measure(point: Point) -> dict[tuple[str, str], float]:
        return {("curl_total_mean", ""): 0.003 if point["path"] == "pod-pod" else 0.004}

    spec = {
        "name": "paths",
        "kind": "request_latency",
        "axes": {"path": ["pod-pod", "pod-service-pod"]},
        "repetition": {"trials": 2, "rounds": 6},
    }
    run_id = str(store(sessions, Measured(spec, measure)))
    sides = f"{run_id}:path=pod-pod", f"{run_id}:path=pod-service-pod"
    compared = podmeter("compare", *sides, "-o", "json")
    assert compared.code == ExitCode.WORSE
    (only,) = compared.document["lines"]
    assert (only["case"], only["verdict"], only["not_counted"]) == ("only case", "worse", None)
    root = ElementTree.fromstring(podmeter("compare", *sides, "-o", "junit").out)
    case = root.find("testsuite/testcase")
    assert case is not None
    assert case.get("name") == "only case: curl_total_mean"
    assert case.find("failure") is not None


def test_what_reached_the_offered_rate_is_undecided(
    admin: TestClient, logged_in: str, sessions: Sessions, podmeter: Podmeter
) -> None:
    def measure(_: Point) -> dict[tuple[str, str], float]:
        return {("throughput", ""): 1e9, ("udp_offered", ""): 1e9}

    spec = throughput(axes={**throughput()["axes"], "protocol": ["udp"]})
    run_id = str(store(sessions, Measured(spec, measure, noise=0.0005)))
    shown = podmeter("runs", "show", run_id)
    assert shown.code == ExitCode.UNDECIDED
    assert "a higher offered rate" in shown.out


def test_what_differs_no_more_than_its_control_decides_nothing(
    admin: TestClient, logged_in: str, sessions: Sessions, podmeter: Podmeter
) -> None:
    """The machine slows down on the upper rung, and new connections by no more than kept ones."""

    def measure(point: Point) -> dict[tuple[str, str], float]:
        kept = (point["target"], point["probe"]) == ("pod", "qps-keepalive")
        slower = 1.0 if point["services"] == 10 else 0.9 if kept else 0.92
        return {("requests_per_second", ""): 9000 * slower}

    axes = {
        "kube_proxy_mode": ["iptables"],
        "services": [10, 500],
        "target": ["last", "pod"],
        "probe": ["qps", "qps-keepalive"],
    }
    run_id = str(store(sessions, Measured(service_scale(axes=axes), measure, noise=0.001)))
    sides = f"{run_id}:services=10", f"{run_id}:services=500"
    compared = podmeter("compare", *sides, "-o", "json")
    assert compared.code == ExitCode.FINE
    lines = compared.document["lines"]
    assert {one["verdict"] for one in lines} == {"worse"}
    assert {one["not_counted"] for one in lines} == {"no more than its control"}
    (made,) = compared.document["documents"]
    (said,) = (one for one in made["headline"]["sentences"] if one["code"] == "like_control")
    assert said["parameters"]["count"] == len(lines)
    shown = podmeter("compare", *sides)
    assert "no more than its control" in shown.out
    assert "Nothing is worse." in shown.out
    root = ElementTree.fromstring(podmeter("compare", *sides, "-o", "junit").out)
    assert root.find("testsuite/testcase/failure") is None
    why = root.findtext("testsuite/testcase/system-out") or ""
    assert "not counted: no more than its control" in why
    text = admin.get(f"/api/v1/comparisons/{made['id']}/export?format=markdown").text
    assert "the difference may be no larger than that of its control" in text


def test_a_run_over_two_axes_of_modes_is_judged_as_its_report_judges_it(
    admin: TestClient, logged_in: str, sessions: Sessions, podmeter: Podmeter
) -> None:
    """All of it is one family: nothing is compared once more, axis by axis."""
    axes = {**throughput()["axes"], "kube_proxy_mode": ["iptables", "nftables"]}
    run_id = str(store(sessions, Measured(throughput(axes=axes), paths, noise=0.03)))
    report = admin.get(f"/api/v1/runs/{run_id}/summaries").json()
    judged = [
        one["evidence"]["rows"][0] for one in report["findings"] if one["code"].startswith("mode_")
    ]
    counted = [
        (row["key"]["metric"], row["verdict"])
        for row in judged
        if row["parameters"]["main"] and "not_counted" not in row["parameters"]
    ]
    document = podmeter("runs", "show", run_id, "-o", "json").document
    assert [(one["metric"], one["verdict"]) for one in document["lines"]] == counted
    assert [one["contender_name"] for one in document["lines"]] == ["vxlan"] * 2 + ["nftables"] * 2
    assert len({row["parameters"]["looked_at"] for row in judged}) == 1
    assert admin.get("/api/v1/comparisons").json()["items"] == []


def test_all_metrics_are_shown_and_the_main_ones_decide(
    admin: TestClient, logged_in: str, sessions: Sessions, podmeter: Podmeter
) -> None:
    def measure(point: Point) -> dict[tuple[str, str], float]:
        wrapped = (point["encapsulation"], point["path"]) == ("vxlan", "pod-pod")
        return {**alike(point), ("node_cpu", "client"): 0.8 if wrapped else 0.4}

    run_id = str(store(sessions, Measured(throughput(), measure, noise=0.0005)))
    sides = [f"{run_id}:encapsulation={mode}" for mode in ("host-gw", "vxlan")]
    (main,) = podmeter("compare", *sides, "-o", "json").document["lines"]
    assert main["metric"] == "throughput"
    every = podmeter("compare", *sides, "--all-metrics", "-o", "json")
    assert every.code == ExitCode.FINE
    lines = {(one["case"], one["metric"]): one for one in every.document["lines"]}
    cpu = lines["path pod-pod", "node_cpu (client)"]
    assert (cpu["verdict"], cpu["not_counted"]) == ("worse", "not a main metric")
    assert lines["path node-node", "throughput"]["not_counted"] == "control"
    assert lines["path pod-pod", "throughput"] == main
    text = podmeter("compare", *sides, "--all-metrics", "-o", "markdown").out
    assert "| not counted |" in text
    assert "### Podmeter: nothing is worse" in text
    root = ElementTree.fromstring(podmeter("compare", *sides, "--all-metrics", "-o", "junit").out)
    assert root.find("testsuite/testcase/failure") is None
    assert len(root.findall("testsuite/testcase")) == len(lines)
    # A run's own modes are judged by its report, which has neither.
    assert podmeter("compare", run_id, "--all-metrics").code == ExitCode.USAGE
    assert podmeter("compare", run_id, "--noise", "5%").code == ExitCode.USAGE


def test_results_of_an_older_server_are_refused(
    runs: dict[str, str], podmeter: Podmeter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its rows do not say which are of controls: these decided the exit code."""
    for module in ("summaries.report", "comparisons.compare"):
        monkeypatch.setattr(f"podmeter.services.{module}.METHOD_VERSION", 11)
    run_id = runs["worse"]
    for words in (
        ("runs", "show", run_id),
        ("compare", f"{run_id}:encapsulation=host-gw", f"{run_id}:encapsulation=vxlan"),
    ):
        refused = podmeter(*words)
        assert refused.code == ExitCode.FAILED
        assert "The server is older than this command" in refused.err


def test_what_was_published_is_marked(runs: dict[str, str], podmeter: Podmeter) -> None:
    reference = "reference:cilium-native-routing-2023:encapsulation=vxlan"
    contender = f"{runs['worse']}:encapsulation=vxlan"
    compared = podmeter("compare", reference, contender, "-o", "json").document
    assert {one["baseline_name"] for one in compared["lines"]} == {"vxlan (published)"}


def test_text_of_others_is_no_markup() -> None:
    evil = "|<img src=x> @team [x](http://x) `#1`"
    row = markdown(Table(["case"], [[evil]])).splitlines()[-1]
    assert row == ("| \\|&lt;img src=x&gt; &#64;team \\[x\\](http://x) \\`\\#1\\` |")
    answer = Answer(evil, [evil], [evil], [], "link")
    assert "<img" not in as_markdown(answer)
    assert "@team" not in as_markdown(answer)
