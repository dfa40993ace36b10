"""Snapshots of older forms, one step a form."""

from typing import Any

from podmeter.results.older import comparisons, parts

_LEVELS = ("within", "blocks", "runs")
#: What a summary's median has besides, under the names that the record had.
_OF_SUMMARIES = (
    *("case_id", "main", "rounds", "round_medians"),
    *("minimum", "maximum", "standard_deviation"),
)


def with_floor_rows(content: dict[str, Any]) -> dict[str, Any]:
    """A snapshot of form 2: a noise floor's deviations are rows, one a level.

    Before, one record had all three.
    """
    cluster = content.get("cluster")
    if cluster is None:
        return content
    floors = [
        {**floor, "figures": [row for one in floor["figures"] for row in _deviations(one)]}
        for floor in cluster["noise_floor"]
    ]
    return {**content, "cluster": {**cluster, "noise_floor": floors}}


def with_loss_rows(content: dict[str, Any]) -> dict[str, Any]:
    """A snapshot of form 3: losses are rows, in a report and in a comparison."""
    run, comparison = content["run"], content["comparison"]
    if run is not None:
        findings = [_found_by_rows(one) for one in run["findings"]]
        run = {**run, "losses": parts.loss_rows(run["losses"]), "findings": findings}
    if comparison is not None:
        comparison = comparisons.with_loss_rows(comparison)
    return {**content, "run": run, "comparison": comparison}


def with_sentences_as_written(content: dict[str, Any]) -> dict[str, Any]:
    """A snapshot of form 4: sentences are codes with parameters, without their texts."""
    found = dict(content)
    for name in ("run", "comparison"):
        found[name] = _with_headline(content[name])
    for name in ("experiment", "cluster"):
        if content.get(name) is not None:
            runs = [_with_headline(one) for one in content[name]["runs"]]
            found[name] = {**content[name], "runs": runs}
    return {**found, "summary": parts.headline_of(content.get("summary"))}


def with_curve_rows(content: dict[str, Any]) -> dict[str, Any]:
    """A snapshot of form 5: curves are rows, in a report's findings and in a comparison."""
    run, comparison = content["run"], content["comparison"]
    if run is not None:
        run = {**run, "findings": [_found_by_curves(one, run) for one in run["findings"]]}
    if comparison is not None:
        comparison = comparisons.with_curve_rows(comparison)
    return {**content, "run": run, "comparison": comparison}


def with_reproduction_rows(content: dict[str, Any]) -> dict[str, Any]:
    """A snapshot of form 6: our figures and results beside an article's are rows."""
    articles = content.get("reproduction")
    if articles is None:
        return content
    return {**content, "reproduction": [_article(one) for one in articles]}


def with_findings_as_written(content: dict[str, Any]) -> dict[str, Any]:
    """A snapshot of form 7: findings have no texts."""
    run = content["run"]
    if run is None:
        return content
    findings = [{**one, "as_written": one["text"]} for one in run["findings"]]
    return {**content, "run": {**run, "findings": findings}}


def with_effect_rows(content: dict[str, Any]) -> dict[str, Any]:
    """A snapshot of form 8: effects are rows, in a report's findings and in a comparison."""
    run, comparison = content["run"], content["comparison"]
    if run is not None:
        run = {**run, "findings": [_found_by_effect(one, run["axes"]) for one in run["findings"]]}
    if comparison is not None:
        comparison = comparisons.with_effect_rows(comparison)
    return {**content, "run": run, "comparison": comparison}


def with_summary_rows(content: dict[str, Any]) -> dict[str, Any]:
    """A snapshot of form 9: summaries, the overhead and findings on links are rows."""
    run, method = content["run"], content["method"]
    if run is not None:
        run = {
            **run,
            "summaries": [row for one in run["summaries"] for row in _summary(one)],
            "overhead": _overhead(run["overhead"]),
            "findings": [_found_by_links(one) for one in run["findings"]],
        }
    method = {name: one for name, one in method.items() if name != "statistics"}
    return {**content, "run": run, "method": method}


def with_texts_by_key(content: dict[str, Any]) -> dict[str, Any]:
    """A snapshot of form 10: texts beside an article are keys of the catalog."""
    articles = content.get("reproduction")
    if articles is None:
        return content
    return {**content, "reproduction": [_by_key(one) for one in articles]}


def with_unknown_gates(content: dict[str, Any]) -> dict[str, Any]:
    """A snapshot of form 11: a gate is unknown where nothing was measured on both sides."""
    comparison = content["comparison"]
    if comparison is not None:
        comparison = comparisons.with_unknown_gates(comparison)
    return {**content, "comparison": comparison}


def with_published_title(content: dict[str, Any]) -> dict[str, Any]:
    """A snapshot of form 12: a published baseline is called by its title alone."""
    comparison = content["comparison"]
    if comparison is not None:
        comparison = comparisons.with_published_title(comparison)
    return {**content, "comparison": comparison}


def _deviations(figure: dict[str, Any]) -> list[dict[str, Any]]:
    shared = {name: figure[name] for name in ("metric", "subject", "point")}
    return [
        {
            "key": {
                **shared,
                "unit": "ratio" if one["relative"] else figure["unit"],
                "direction": "none",
            },
            "value": one["deviation"],
            "low": one["low"],
            "high": one["high"],
            "n": one["n"],
            "verdict": None,
            "code": level,
        }
        for level in _LEVELS
        if (one := figure[level]) is not None
    ]


def _found_by_rows(finding: dict[str, Any]) -> dict[str, Any]:
    """A finding on a loss with the row that it is found by; others as they are."""
    evidence = finding["evidence"]
    if "loss" not in evidence:
        return finding
    key = {"metric": finding["metric"], "subject": "", "point": finding["point"]}
    parameters = {
        "reason": evidence.get("reason"),
        "n_against": evidence["n_baseline"],
        "warnings": [{"code": code} for code in evidence.get("why", [])],
    }
    key |= {"unit": "ratio", "direction": "lower"}
    verdict = evidence.get("verdict")
    row = parts.row_of(key, "loss", evidence["loss"], evidence["n"], parameters, verdict)
    evidence = {"kind": "rows", "rows": [row]}
    return {**finding, "code": _loss_code(finding["code"], row), "evidence": evidence}


def _loss_code(code: str, row: dict[str, Any]) -> str:
    """The code by the interval, where losses had no verdicts yet and one code for all."""
    if code != "loss" or row["verdict"] is not None:
        return code
    low, high = row["low"], row["high"]
    if low is None or high is None:
        return "loss_uncertain"
    if low > 0:
        return code
    return "gain" if high < 0 else "loss_undecided"


def _with_headline(document: dict[str, Any] | None) -> dict[str, Any] | None:
    if document is None:
        return None
    return {**document, "headline": parts.headline_of(document.get("headline"))}


def _found_by_curves(finding: dict[str, Any], run: dict[str, Any]) -> dict[str, Any]:
    """A finding on one curve or on two modes' with the rows that it is found by."""
    stored, point = finding["evidence"], finding["point"]
    if "degrades_more" not in stored and ("shape" not in stored or "verdict" in stored):
        return finding
    of_metric = [
        one
        for one in run["summaries"]
        if (one["metric"], one["subject"]) == (finding["metric"], stored.get("subject", ""))
        and one["point"].get(stored["axis"]) in stored["xs"]
    ]
    direction = of_metric[0]["direction"]

    def trials(of: dict[str, Any]) -> int:
        return sum(one["n"] for one in of_metric if of.items() <= one["point"].items())

    if "degrades_more" not in stored:
        key = {"metric": finding["metric"], "subject": stored.get("subject", ""), "point": point}
        unit, axis, xs = of_metric[0]["unit"], stored["axis"], stored["xs"]
        rows = parts.curve_rows(stored, key, unit, axis, xs, trials(point), direction)
    else:
        values = [stored.get("baseline_value", ""), stored.get("contender_value", "")]
        points = [_with_mode(point, values, one, run["axes"]) for one in values]
        rows = parts.compared_curve_rows(stored, points, [trials(one) for one in points], direction)
    return {**finding, "evidence": {"kind": "rows", "rows": rows}}


def _with_mode(
    point: dict[str, Any], values: list[str], value: str, axes: dict[str, list[Any]]
) -> dict[str, Any]:
    """The point of a mode, on the axis that has both modes."""
    for axis, known in axes.items():
        by_name = {str(one): one for one in known}
        if value and set(values) <= by_name.keys():
            return {**point, axis: by_name[value]}
    return point


def _article(stored: dict[str, Any]) -> dict[str, Any]:
    tables = [
        {
            **table,
            "rows": [
                {**row, "cells": [{**cell, "ours": _ours(cell["ours"])} for cell in row["cells"]]}
                for row in table["rows"]
            ],
        }
        for table in stored["tables"]
    ]
    claims = [
        {**claim, "results": [_result(one) for one in claim["results"]]}
        for claim in stored["claims"]
    ]
    return {**stored, "tables": tables, "claims": claims}


def _ours(stored: dict[str, Any] | None) -> dict[str, Any] | None:
    if stored is None:
        return None
    key = {name: stored[name] for name in ("metric", "unit", "point")}
    case = {"run_id": stored["run_id"], "case_id": stored["case_id"]}
    key |= {"subject": "", "direction": "none"}
    return parts.row_of(key, "median", stored["median"], stored["n"], case)


def _result(stored: dict[str, Any]) -> dict[str, Any]:
    parameters = {name: stored[name] for name in ("of", "against", "why_not")}
    key = {"metric": "", "subject": "", "unit": stored["unit"], "direction": "none", "point": {}}
    code, verdict = stored["verdict"], stored["comparison"]
    return parts.row_of(key, code, stored["value"], None, parameters, verdict)


def _found_by_effect(finding: dict[str, Any], axes: dict[str, list[Any]]) -> dict[str, Any]:
    """A finding on what a mode does with its rows; others with their kind alone."""
    stored = finding["evidence"]
    if "kind" not in stored:
        # What evidence of before it had a kind did not tell.
        kind = "gate" if "gate" in stored else "effect"
        stored = {"baseline_value": "", "contender_value": "", **stored, "kind": kind}
    if stored["kind"] != "effect":
        return {**finding, "evidence": stored}
    values = stored["contender_value"], stored["baseline_value"]
    known = {stored["axis"]: [*values, *axes.get(stored["axis"], [])]}
    points = [_with_mode(finding["point"], list(values), one, known) for one in values]
    rows = parts.effect_rows(stored, *points)
    rows[0]["parameters"]["comparability"] = stored.get("comparability")
    return {**finding, "evidence": {"kind": "rows", "rows": rows}}


def _summary(stored: dict[str, Any]) -> list[dict[str, Any]]:
    """A summary's median with how the trials are spread, and its mean."""
    key = {name: stored[name] for name in ("metric", "subject", "unit", "direction", "point")}
    last = max((one["round"] for one in stored["trials"]), default=0)
    rounds: list[list[dict[str, Any]]] = [[] for _ in range(last)]
    for one in stored["trials"]:
        rounds[one["round"] - 1].append(one)
    told = {name: stored[name] for name in _OF_SUMMARIES} | {
        "values": [[one["value"] for one in each] for each in rounds],
        "trials": [[one["trial_id"] for one in each] for each in rounds],
        "quantiles": [[one["probability"], one["value"]] for one in stored["quantiles"]],
        "warnings": parts.warnings_of(stored),
    }
    case, n = {"case_id": stored["case_id"]}, stored["n"]
    return [
        parts.row_of(key, "median", stored["median"], n, told),
        parts.row_of(key, "mean", stored["mean"], n, case),
    ]


def _overhead(stored: dict[str, Any]) -> list[dict[str, Any]]:
    key = {"metric": "overhead", "subject": "", "unit": "s", "direction": "lower", "point": {}}
    told = {"maximum": stored["maximum"], "warnings": parts.warnings_of(stored)}
    known = [name for name in ("switching", "preparing", "cleaning") if stored[name] is not None]
    return [
        parts.row_of(key, "median", stored["median"], stored["n"], told),
        *(parts.row_of(key, name, {"value": stored[name]}, None, {}) for name in known),
    ]


def _found_by_links(finding: dict[str, Any]) -> dict[str, Any]:
    """A finding on links with its rows; others as they are. How many trials was not kept."""
    stored, point = finding["evidence"], finding["point"]
    if stored["kind"] != "link":
        return finding
    key = {"metric": finding["metric"], "subject": stored["subject"]}
    key["direction"] = stored["direction"]
    at, against = ({**point, stored["axis"]: stored[end]} for end in ("member", "other"))
    names = ("what", "axis", "links", "members", "reason", "p", "adjusted_p", "looked_at")
    told = {name: stored[name] for name in names} | {"shared": stored["value"]}
    ratio = {**key, "unit": "ratio", "point": at, "against": against}
    own = {**key, "unit": stored["unit"]}
    rows = [
        parts.row_of(ratio, "link_apart", stored["ratio"], None, told, stored["verdict"]),
        parts.row_of({**own, "point": at}, "median", stored["figure"], None, {}),
        parts.row_of({**own, "point": against}, "median", stored["other_figure"], None, {}),
    ]
    return {**finding, "evidence": {"kind": "rows", "rows": rows}}


def _by_key(article: dict[str, Any]) -> dict[str, Any]:
    texts = f"reference.{article['reference_id']}"

    def text(key: str, written: dict[str, str]) -> dict[str, Any]:
        return {"key": f"{texts}.{key}", "as_written": written}

    tables = [
        {**one, "title": text(f"table.{one['id']}", one["title"])} for one in article["tables"]
    ]
    claims = [
        {**one, "said": text(f"claim.{one['id']}.said", one["said"])} for one in article["claims"]
    ]
    subject = text("subject", article["subject"])
    return {**article, "subject": subject, "tables": tables, "claims": claims}
