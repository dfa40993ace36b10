"""Snapshots that were frozen in an older form say the same in today's."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from podmeter.results.older import comparisons, snapshots
from podmeter.results.projected import Projected
from podmeter.services.headlines.document import Headline, Sentence, sentence
from podmeter.services.headlines.effects import counts
from podmeter.services.run_results.effect_rows import effects_of
from podmeter.services.run_results.link_rows import links_of
from podmeter.services.summaries.document import Finding
from podmeter.services.summaries.evidence import RowEvidence
from podmeter.texts import Language, documents_in

SPREAD = {"deviation": 0.05, "low": 0.04, "high": 0.08, "n": 12, "relative": True}
FIGURE = {
    "point": {"path": "pod-pod"},
    "metric": "throughput",
    "subject": "",
    "unit": "bit/s",
    "main": True,
    "within": None,
    "blocks": SPREAD,
    "runs": {**SPREAD, "relative": False, "deviation": 3.0},
}


def test_each_level_that_is_known_becomes_a_row() -> None:
    content = {"title": "t", "cluster": {"noise_floor": [{"kind": "k", "figures": [FIGURE]}]}}
    found = snapshots.with_floor_rows(content)
    (floor,) = found["cluster"]["noise_floor"]
    assert (found["title"], floor["kind"]) == ("t", "k")
    rows = floor["figures"]
    assert [(row["code"], row["value"], row["low"], row["high"], row["n"]) for row in rows] == [
        ("blocks", 0.05, 0.04, 0.08, 12),
        ("runs", 3.0, 0.04, 0.08, 12),
    ]
    assert [row["key"]["unit"] for row in rows] == ["ratio", "bit/s"]
    assert {row["key"]["point"]["path"] for row in rows} == {"pod-pod"}


def test_what_has_no_cluster_stays() -> None:
    assert snapshots.with_floor_rows({"cluster": None, "run": 1}) == {"cluster": None, "run": 1}
    assert snapshots.with_floor_rows({"run": 1}) == {"run": 1}


NOTE = {"code": "too_few_trials", "message": "too few trials", "needed": 6.0, "found": 2.0}
LOSS: dict[str, Any] = {
    "case_id": 2,
    "key": "path=pod-pod",
    "point": {"path": "pod-pod"},
    "metric": "policy_cost",
    "source": "request_mean",
    "subject": "",
    "baseline_case_id": 1,
    "baseline_point": {"path": "node-node"},
    "loss": {"value": 0.2, "low": 0.1, "high": 0.3, "confidence": 0.95},
    "difference": {"value": 2e-5},
    "unit": "s",
    "n": 12,
    "n_baseline": 11,
    "warnings": [NOTE],
    "direction": "lower",
    "verdict": "worse",
    "reason": "clear_effect",
    "p": 0.01,
    "adjusted_p": 0.02,
    "looked_at": 3,
}


def test_a_loss_becomes_its_share_and_the_difference() -> None:
    content = {"losses": [{"run_id": "r", "losses": [LOSS]}], "kind": "network_policy"}
    found = comparisons.with_loss_rows(content)
    assert found["kind"] == "network_policy"
    ((share, difference),) = (one["losses"] for one in found["losses"])
    place = {"metric": "policy_cost", "subject": "", "point": {"path": "pod-pod"}}
    place["against"] = {"path": "node-node"}
    assert share == {
        "key": {**place, "unit": "ratio", "direction": "lower"},
        "value": 0.2,
        "low": 0.1,
        "high": 0.3,
        "n": 12,
        "verdict": "worse",
        "code": "loss",
        "parameters": {
            "source": "request_mean",
            "source_direction": "lower",
            "n_against": 11,
            "warnings": [{"code": "too_few_trials", "needed": 6.0, "found": 2.0}],
            "reason": "clear_effect",
            "p": 0.01,
            "adjusted_p": 0.02,
            "looked_at": 3,
            "confidence": 0.95,
        },
    }
    assert difference == {
        "key": {**place, "unit": "s", "direction": "lower"},
        "value": 2e-5,
        "low": None,
        "high": None,
        "n": 12,
        "verdict": None,
        "code": "difference",
        "parameters": {"confidence": None},
    }


def test_a_loss_from_before_verdicts_has_none() -> None:
    kept = {name: LOSS[name] for name in LOSS if name not in ("verdict", "reason", "direction")}
    evidence = {"loss": None, "n": 12, "n_baseline": 0, "why": ["no_baseline_case"]}
    finding = {"code": "loss_unknown", "metric": "m", "point": {}, "text": "", "evidence": evidence}
    other = {**finding, "evidence": {"gate": {"verdict": "refused", "differences": []}}}
    run = {"losses": [{**kept, "loss": None}], "findings": [finding, other]}
    found = snapshots.with_loss_rows({"run": run, "comparison": None})["run"]
    share = found["losses"][0]
    assert (share["value"], share["verdict"]) == (None, None)
    assert share["parameters"].keys().isdisjoint({"reason", "looked_at"})
    assert found["findings"][1] == other
    (row,) = found["findings"][0]["evidence"]["rows"]
    assert (row["code"], row["value"], row["key"]["metric"]) == ("loss", None, "m")
    assert row["parameters"]["warnings"] == [{"code": "no_baseline_case"}]


SAID = {"code": "costs", "params": {"amount": [0.2, 0.1, 0.3]}, "en": "It costs", "zh": "降低"}


def test_sentences_stay_as_an_older_version_wrote_them() -> None:
    headline = {"sentences": [SAID], "caveats": [], "recommendation": [{**SAID, "cases": [{}]}]}
    run = {"run_id": "r", "headline": headline}
    content = {"run": run, "comparison": None, "cluster": {"runs": [{"headline": None}, run]}}
    found = snapshots.with_sentences_as_written(content)
    expected = {"code": "costs", "parameters": {"as_written": {"en": "It costs", "zh": "降低"}}}
    read = TypeAdapter(Headline).validate_python(found["run"]["headline"])
    assert found["run"]["headline"]["sentences"] == [expected]
    assert (str(read.sentences[0]), read.recommendation[0].text_in("zh")) == ("It costs", "降低")
    assert read.recommendation[0].cases == [{}]
    assert [one["headline"] for one in found["cluster"]["runs"]] == [
        None,
        found["run"]["headline"],
    ]
    assert (found["comparison"], found["summary"]) == (None, None)
    kept = comparisons.with_sentences_as_written({"headline": headline, "kind": "k"})
    assert kept == {"headline": found["run"]["headline"], "kind": "k"}


def test_a_sentence_has_its_text_in_the_language_that_is_spoken_alone() -> None:
    adapter = TypeAdapter(Sentence)
    one = sentence("others", count=2, counts=counts(["worse", "same"]))
    kept = adapter.dump_python(one, mode="json")
    assert kept["text"] == ""
    assert adapter.validate_python(kept) == one
    spoken: dict[Language, str] = {
        "en": "In the other cases of this metric (2): 1 worse, 1 the same",
        "zh": one.text_in("zh"),
    }
    for language, said in spoken.items():
        with documents_in(language):
            assert adapter.dump_python(one)["text"] == said
    assert "其余用例" in one.text_in("zh")


def test_a_finding_keeps_the_text_that_an_older_version_wrote() -> None:
    gate = {"kind": "gate", "gate": {"verdict": "refused", "differences": []}}
    kept = {"code": "not_comparable", "metric": "", "point": {}, "text": "They", "evidence": gate}
    (found,) = snapshots.with_findings_as_written({"run": {"findings": [kept]}})["run"]["findings"]
    assert TypeAdapter(Finding).validate_python(found).text_in("en") == "They"
    assert snapshots.with_findings_as_written({"run": None}) == {"run": None}
    # What says which modes are compared is rendered from that.
    known = {**gate, "baseline_value": "host-gw", "contender_value": "vxlan"}
    (found,) = snapshots.with_findings_as_written(
        {"run": {"findings": [{**kept, "point": {"encapsulation": "vxlan"}, "evidence": known}]}}
    )["run"]["findings"]
    text = TypeAdapter(Finding).validate_python(found).text_in("en")
    assert text == "VXLAN cannot be compared with host-gw: their environments differ"


@pytest.mark.parametrize(
    ("loss", "code"),
    [
        ({"value": 0.2, "low": 0.1, "high": 0.3}, "loss"),
        ({"value": -0.2, "low": -0.3, "high": -0.1}, "gain"),
        ({"value": 0.1, "low": -0.1, "high": 0.3}, "loss_undecided"),
        ({"value": 0.2}, "loss_uncertain"),
    ],
)
def test_a_finding_on_a_loss_without_a_verdict_has_the_code_of_its_interval(
    loss: dict[str, float], code: str
) -> None:
    evidence = {"loss": loss, "n": 12, "n_baseline": 12}
    finding = {"code": "loss", "metric": "m", "point": {}, "text": "It", "evidence": evidence}
    run = {"losses": [], "findings": [finding]}
    (found,) = snapshots.with_loss_rows({"run": run, "comparison": None})["run"]["findings"]
    assert found["code"] == code
    (found,) = snapshots.with_findings_as_written({"run": {"findings": [found]}})["run"]["findings"]
    # Against what it is was not stored.
    assert TypeAdapter(Finding).validate_python(found).text_in("zh") == "It"


def arm(value: float) -> dict[str, Any]:
    median = {"value": value, "low": value - 1, "high": value + 1, "confidence": 0.95}
    return {"n": 2, "median": median, "values": [[value], [value]], "centre": {"value": value}}


ADVICE = {"code": "rounds", "rounds": 12, "seconds": None, "trials": None, "same": False}
EFFECT: dict[str, Any] = {
    "metric": "throughput",
    "subject": "",
    "unit": "bit/s",
    "direction": "higher",
    "main": True,
    "verdict": "undecided",
    "reason": "interval_too_wide",
    "baseline": arm(8.0),
    "contender": {**arm(6.0), "centre": None},
    "shift": {"value": -2.0, "low": -3.0, "high": -1.0, "confidence": 0.95},
    "ratio": None,
    "p": 0.2,
    "least_p": 0.03,
    "method": None,
    "rounds": 2,
    "round_shifts": [-2.0, -2.0],
    "warnings": [NOTE],
    "noise_floor": {**SPREAD, "relative": False},
    "advice": ADVICE,
}


def test_an_effect_becomes_its_rows_and_what_was_not_kept_is_not_known() -> None:
    case = {"case_id": 1, "point": {"encapsulation": "none"}}
    pair = {"baseline": case, "contender": {"point": {"encapsulation": "vxlan"}}}
    stored = {"contenders": [{"pairs": [{**pair, "effects": [EFFECT]}], "curves": []}]}
    (found,) = comparisons.with_effect_rows(stored)["contenders"][0]["pairs"]
    assert found["baseline"] == case
    rows = TypeAdapter(list[Projected]).validate_python(found["effects"])
    assert [(one.code, one.key.unit, one.value, one.n) for one in rows] == [
        ("ratio", "ratio", None, 2),
        ("shift", "bit/s", -2.0, 2),
        ("median", "bit/s", 8.0, 2),
        ("centre", "bit/s", 8.0, 2),
        ("median", "bit/s", 6.0, 2),
        ("noise_floor", "bit/s", 0.05, 12),
    ]
    (effect,) = effects_of(rows)
    assert (effect.key.point, effect.key.against) == (
        {"encapsulation": "vxlan"},
        {"encapsulation": "none"},
    )
    assert (effect.verdict, effect.reason, effect.main) == (
        "undecided",
        "interval_too_wide",
        True,
    )
    assert (effect.judged.number("p"), effect.looked_at, effect.rounds) == (0.2, 1, 2)
    assert effect.judged.parameters["advice"] == ADVICE
    assert effect.judged.warnings == [{"code": "too_few_trials", "needed": 6.0, "found": 2.0}]
    assert effect.values == ([[8.0], [8.0]], [[6.0], [6.0]])
    assert [one and one.value for one in effect.centres] == [8.0, None]
    assert effect.judged.parameters.keys().isdisjoint({"level", "method", "same_within", "cost"})


def found_by(evidence: dict[str, Any]) -> Any:
    point = {"path": "pod-pod"}
    kept = {"code": "c", "metric": "m", "point": point, "as_written": "t", "evidence": evidence}
    run = {"axes": {"encapsulation": ["none", "vxlan"], "streams": [1, 2]}, "findings": [kept]}
    (found,) = snapshots.with_effect_rows({"run": run, "comparison": None})["run"]["findings"]
    return TypeAdapter(Finding).validate_python(found).evidence


def test_a_finding_on_a_mode_says_both_modes_by_where_its_row_lies() -> None:
    modes = {"axis": "streams", "baseline_value": "1", "contender_value": "2"}
    told = {**EFFECT, **modes, "kind": "effect", "comparability": "confounded"}
    evidence = found_by(told)
    assert isinstance(evidence, RowEvidence)
    key = evidence.rows[0].key
    assert key.point == {"path": "pod-pod", "streams": 2}
    assert key.against == {"path": "pod-pod", "streams": 1}
    assert evidence.rows[0].text("comparability") == "confounded"


def test_a_finding_of_before_evidence_had_kinds_is_read() -> None:
    evidence = found_by({**EFFECT, "axis": "encapsulation", "comparability": "comparable"})
    assert isinstance(evidence, RowEvidence)
    # It did not say which modes.
    assert evidence.rows[0].key.against == evidence.rows[0].key.point
    gate = found_by({"gate": {"verdict": "refused", "differences": []}})
    assert (gate.kind, gate.baseline_value) == ("gate", "")


SUMMARY: dict[str, Any] = {
    "case_id": 7,
    "key": "path=pod-pod",
    "point": {"path": "pod-pod"},
    "metric": "throughput",
    "subject": "",
    "unit": "bit/s",
    "direction": "higher",
    "main": True,
    "n": 3,
    "rounds": 2,
    "median": {"value": 4.0, "low": None, "high": None, "confidence": None},
    "mean": None,
    "round_medians": [4.0, 4.0],
    "quantiles": [{"probability": 0.5, "value": 4.0}, {"probability": 0.99, "value": None}],
    "minimum": 3.0,
    "maximum": 5.0,
    "standard_deviation": 1.0,
    "trials": [
        {"trial_id": 1, "round": 1, "value": 3.0},
        {"trial_id": 2, "round": 1, "value": 5.0},
        {"trial_id": 9, "round": 3, "value": 4.0},
    ],
    "warnings": [NOTE],
}
OVERHEAD: dict[str, Any] = {
    "n": 3,
    "median": {"value": 0.2, "low": 0.1, "high": 0.3, "confidence": 0.95},
    "maximum": 0.4,
    "switching": None,
    "preparing": 2.5,
    "cleaning": 0.0,
    "warnings": [],
}
LINKS: dict[str, Any] = {
    "kind": "link",
    "what": "link",
    "value": "a~b",
    "axis": "node_pair",
    "subject": "",
    "unit": "bit/s",
    "direction": "higher",
    "links": 12,
    "members": 1,
    "member": "a~b",
    "figure": {"value": 2.0, "low": 1.9, "high": 2.1, "confidence": 0.95},
    "other": "b~c",
    "other_figure": {"value": 9.0, "low": 8.9, "high": 9.1, "confidence": 0.95},
    "ratio": {"value": 0.2, "low": 0.1, "high": 0.3, "confidence": 0.95},
    "p": 0.001,
    "adjusted_p": 0.002,
    "looked_at": 2,
    "verdict": "worse",
    "reason": "clear_effect",
}


def test_a_report_of_before_has_the_same_summaries_overhead_and_links_as_rows() -> None:
    finding = {"code": "slowest_link", "metric": "throughput", "point": {}, "evidence": LINKS}
    run = {"summaries": [SUMMARY], "overhead": OVERHEAD, "findings": [finding]}
    content = {"run": run, "method": {"version": 3, "statistics": "as it was said then"}}
    found = snapshots.with_summary_rows(content)
    assert found["method"] == {"version": 3}
    read = TypeAdapter(list[Projected]).validate_python
    median, mean = read(found["run"]["summaries"])
    assert (median.code, median.value, median.n, median.key.point) == (
        "median",
        4.0,
        3,
        {"path": "pod-pod"},
    )
    assert median.groups("values") == [[3.0, 5.0], [], [4.0]]
    assert median.groups("trials") == [[1, 2], [], [9]]
    assert median.parameters["quantiles"] == [[0.5, 4.0], [0.99, None]]
    assert [median.number(name) for name in ("case_id", "rounds", "minimum", "maximum")] == [
        7,
        2,
        3.0,
        5.0,
    ]
    assert (mean.code, mean.value, mean.number("case_id")) == ("mean", None, 7)
    overhead = read(found["run"]["overhead"])
    assert [(one.code, one.value) for one in overhead] == [
        ("median", 0.2),
        ("preparing", 2.5),
        ("cleaning", 0.0),
    ]
    assert overhead[0].number("maximum") == 0.4
    links = links_of(read(found["run"]["findings"][0]["evidence"]["rows"]))
    assert links is not None
    assert (links.member, links.compared, links.count, links.members) == ("a~b", "b~c", 12, 1)
    assert (links.median.value, links.other.value, links.apart.value) == (2.0, 9.0, 0.2)
    assert (links.apart.verdict, links.apart.text("shared")) == ("worse", "a~b")
    assert snapshots.with_summary_rows({"run": None, "method": {"version": 1}}) == {
        "run": None,
        "method": {"version": 1},
    }


def test_a_gate_of_environments_that_nothing_compared_is_unknown() -> None:
    def verdict(gate: str, *comparabilities: str | None) -> str:
        pairs = [{"comparability": one} for one in comparabilities]
        contender = {"gate": {"verdict": gate, "differences": []}, "pairs": pairs}
        (found,) = comparisons.with_unknown_gates({"contenders": [contender]})["contenders"]
        return str(found["gate"]["verdict"])

    assert verdict("comparable", None, None) == "unknown"
    assert verdict("comparable", None, "comparable") == "comparable"
    # What was published is confounded, whatever was measured.
    assert verdict("confounded", None) == "confounded"


def test_a_published_baseline_has_its_title_for_a_name_and_is_marked_in_each_language() -> None:
    name = "A ladder (published)"
    baseline = {"name": name, "label": name, "reference_id": "ladder", "where": {}}
    parameters = {"baseline": name, "contender": "B", "what": "throughput"}
    headline = {"sentences": [{"code": "published", "parameters": parameters}]}
    content = {"baseline": baseline, "headline": headline, "contenders": []}
    found = comparisons.with_published_title(content)
    assert found["baseline"] == {**baseline, "name": "A ladder", "label": "A ladder"}
    (told,) = TypeAdapter(Headline).validate_python(found["headline"]).sentences
    assert told.text_in("en").startswith("B against A ladder (published): ")
    assert told.text_in("zh").startswith("B 对比 A ladder（已发表）：")
    shared = {"run": None, "comparison": content}
    assert snapshots.with_published_title(shared) == {"run": None, "comparison": found}
    # A run that somebody called so keeps its name, and so do others' sentences.
    mine = {**content, "baseline": {**baseline, "reference_id": None}}
    assert comparisons.with_published_title(mine) == mine
    # There were no headlines once.
    assert comparisons.with_published_title({"baseline": baseline})["headline"] is None
