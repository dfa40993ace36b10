"""Which cases are said to be incomplete, in whole sentences."""

from typing import Any
from xml.etree import ElementTree

import pytest

from podmeter_cli.answer import Answer, Part
from podmeter_cli.exits import ExitCode
from podmeter_cli.incomplete import cases_of_comparison, sentence, why_ended
from podmeter_cli.names import side_name
from podmeter_cli.reports import as_junit, as_markdown

COUNTED = {"code": "cases_short", "params": {}, "text": "1 of 2 cases did not succeed"}
WORKER = {"code": "worker_gone", "params": {}, "text": "the worker stopped responding"}


def case(number: int, path: str, status: str = "succeeded") -> dict[str, Any]:
    return {"case_id": number, "point": {"path": path}, "status": status}


def side(run: str, label: str = "paths", **where: str) -> dict[str, Any]:
    plain = {"reference_id": None, "imported": False}
    return {"run_id": run, "label": label, "where": where, **plain}


def comparison(
    baseline: list[str], contender: list[str], alone: str = "succeeded"
) -> dict[str, Any]:
    """Two runs by the states of the cases of both, and of a case that each has alone."""
    pairs = [
        {
            "baseline": case(number, f"p{number}", one),
            "contender": case(10 + number, f"p{number}", two),
        }
        for number, (one, two) in enumerate(zip(baseline, contender, strict=True))
    ]
    one = {
        "side": side("later"),
        "pairs": pairs,
        "unpaired_baseline": [case(20, "old", alone)],
        "unpaired_contender": [case(21, "new", alone)],
    }
    return {"baseline": side("earlier"), "contenders": [one]}


def run(reason: dict[str, Any], id_: str = "later") -> dict[str, Any]:
    return {"id": id_, "outcome": "partial", "reason": reason}


@pytest.mark.parametrize(
    ("text", "ended"), [("it failed", "it failed."), ("Why?", "Why?"), ("Done. ", "Done.")]
)
def test_sentences_end(text: str, ended: str) -> None:
    assert sentence(text) == ended


def test_a_run_says_why_it_ended_in_a_sentence() -> None:
    assert why_ended(run(WORKER)) == "The run succeeded in part: the worker stopped responding."
    assert why_ended({"outcome": "failed", "reason": None}) == "The run failed."
    assert why_ended({"outcome": "succeeded", "reason": None}) == ""


def test_sides_that_miss_the_same_cases_are_both_named() -> None:
    both = comparison(["succeeded", "skipped"], ["succeeded", "failed"])
    assert cases_of_comparison(both, None) == (
        "Incomplete cases of paths, run earlier (1 of 2): path p1. "
        "Incomplete cases of paths, run later (1 of 2): path p1."
    )
    both["contenders"][0]["side"] = side("earlier", encapsulation="vxlan")
    assert "Incomplete cases of vxlan (1 of 2): path p1." in cases_of_comparison(both, None)


def test_contenders_share_the_baselines_cases() -> None:
    three = comparison(["skipped"], ["succeeded"])
    three["contenders"] += comparison(["skipped"], ["succeeded"])["contenders"]
    three["contenders"][1]["side"] = side("third", "others")
    said = cases_of_comparison(three, None)
    assert said == "Incomplete cases of paths, run earlier (1 of 1): path p0."


def test_a_case_that_is_not_compared_counts_for_a_run_that_is_judged_alone() -> None:
    whole = comparison(["succeeded"] * 2, ["succeeded"] * 2, alone="failed")
    assert cases_of_comparison(whole, None) == ""
    said = cases_of_comparison(whole, run(WORKER))
    assert said == "Incomplete cases of paths, run later (1 of 3): path new."


@pytest.mark.parametrize(
    "reason",
    [
        COUNTED,
        {"code": "ended_and_faults", "params": {"reason": COUNTED, "faults": "f"}, "text": "both"},
    ],
)
def test_cases_are_counted_once(reason: dict[str, Any]) -> None:
    found = comparison(["succeeded", "failed"], ["succeeded", "failed"])
    said = cases_of_comparison(found, run(reason))
    assert "paths, run earlier (1 of 2): path p1." in said
    assert "paths, run later: path p1." in said


def test_many_cases_are_not_all_named() -> None:
    said = cases_of_comparison(comparison(["failed"] * 12, ["succeeded"] * 12), None)
    assert "(12 of 12): path p0; " in said
    assert said.endswith("path p9; 2 more.")


def test_every_format_says_which_cases_of_a_refused_comparison_are_incomplete() -> None:
    refused = Part("a", "b", refused=["kernel differs"])
    missing = "Incomplete cases of b (1 of 2): path p1."
    answer = Answer("run", [], [], [refused], "link", missing=missing)
    assert answer.code == ExitCode.UNDECIDED
    skipped = ElementTree.fromstring(as_junit(answer)).find("testsuite/testcase/skipped")
    assert skipped is not None
    assert skipped.get("message") == f"kernel differs. {missing}"
    assert f"**{missing}**" in as_markdown(answer)
    failed = Answer("run", [], [], [], "link", failed="The run failed.", missing=missing)
    error = ElementTree.fromstring(as_junit(failed)).find("testsuite/testcase/error")
    assert error is not None
    assert error.get("message") == f"The run failed. {missing}"


def test_an_imported_run_is_marked() -> None:
    imported = side("run", "Cilium, 2023")
    assert side_name({**imported, "imported": True}) == "Cilium, 2023 (imported)"
    assert side_name(imported) == "Cilium, 2023"
