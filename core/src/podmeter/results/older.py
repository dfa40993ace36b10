"""Stored documents of older forms: what they say as rows of today, every figure as it was.

Each step raises an error for what is no such document: `StoredForm` says that it cannot be read.
"""

from typing import Any

_LEVELS = ("within", "blocks", "runs")
#: What the name of a published baseline ended with.
_PUBLISHED = " (published)"


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
        run = {**run, "losses": _losses(run["losses"]), "findings": findings}
    if comparison is not None:
        comparison = comparison_with_loss_rows(comparison)
    return {**content, "run": run, "comparison": comparison}


def comparison_with_loss_rows(content: dict[str, Any]) -> dict[str, Any]:
    """A comparison of form 2: losses are rows."""
    runs = [{**one, "losses": _losses(one["losses"])} for one in content.get("losses", [])]
    return {**content, "losses": runs}


def with_sentences_as_written(content: dict[str, Any]) -> dict[str, Any]:
    """A snapshot of form 4: sentences are codes with parameters, without their texts."""
    found = dict(content)
    for name in ("run", "comparison"):
        found[name] = _with_headline(content[name])
    for name in ("experiment", "cluster"):
        if content.get(name) is not None:
            runs = [_with_headline(one) for one in content[name]["runs"]]
            found[name] = {**content[name], "runs": runs}
    return {**found, "summary": _headline(content.get("summary"))}


def comparison_with_sentences_as_written(content: dict[str, Any]) -> dict[str, Any]:
    """A comparison of form 3: the same."""
    return {**content, "headline": _headline(content.get("headline"))}


def with_curve_rows(content: dict[str, Any]) -> dict[str, Any]:
    """A snapshot of form 5: curves are rows, in a report's findings and in a comparison."""
    run, comparison = content["run"], content["comparison"]
    if run is not None:
        run = {**run, "findings": [_found_by_curves(one, run) for one in run["findings"]]}
    if comparison is not None:
        comparison = comparison_with_curve_rows(comparison)
    return {**content, "run": run, "comparison": comparison}


def comparison_with_curve_rows(content: dict[str, Any]) -> dict[str, Any]:
    """A comparison of form 4: the same."""
    contenders = [
        {
            **one,
            "curves": [row for stored in one["curves"] for row in _curves_compared(stored, one)],
        }
        for one in content["contenders"]
    ]
    return {**content, "contenders": contenders}


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


def with_texts_by_key(content: dict[str, Any]) -> dict[str, Any]:
    """A snapshot of form 10: texts beside an article are keys of the catalog."""
    articles = content.get("reproduction")
    if articles is None:
        return content
    return {**content, "reproduction": [_by_key(one) for one in articles]}


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


def with_effect_rows(content: dict[str, Any]) -> dict[str, Any]:
    """A snapshot of form 8: effects are rows, in a report's findings and in a comparison."""
    run, comparison = content["run"], content["comparison"]
    if run is not None:
        run = {**run, "findings": [_found_by_effect(one, run["axes"]) for one in run["findings"]]}
    if comparison is not None:
        comparison = comparison_with_effect_rows(comparison)
    return {**content, "run": run, "comparison": comparison}


def comparison_with_effect_rows(content: dict[str, Any]) -> dict[str, Any]:
    """A comparison of form 5: the same."""
    contenders = [
        {**one, "pairs": [_pair_with_rows(pair) for pair in one["pairs"]]}
        for one in content["contenders"]
    ]
    return {**content, "contenders": contenders}


def with_unknown_gates(content: dict[str, Any]) -> dict[str, Any]:
    """A snapshot of form 11: a gate is unknown where nothing was measured on both sides."""
    comparison = content["comparison"]
    if comparison is not None:
        comparison = comparison_with_unknown_gates(comparison)
    return {**content, "comparison": comparison}


def comparison_with_unknown_gates(content: dict[str, Any]) -> dict[str, Any]:
    """A comparison of form 6: the same."""
    return {**content, "contenders": [_with_known_gate(one) for one in content["contenders"]]}


def _with_known_gate(contender: dict[str, Any]) -> dict[str, Any]:
    gate = contender["gate"]
    compared = any(pair["comparability"] is not None for pair in contender["pairs"])
    if compared or gate["verdict"] != "comparable":
        return contender
    return {**contender, "gate": {**gate, "verdict": "unknown"}}


def with_published_title(content: dict[str, Any]) -> dict[str, Any]:
    """A snapshot of form 12: a published baseline is called by its title alone."""
    comparison = content["comparison"]
    if comparison is not None:
        comparison = comparison_with_published_title(comparison)
    return {**content, "comparison": comparison}


def comparison_with_published_title(content: dict[str, Any]) -> dict[str, Any]:
    """A comparison of form 7: the same. Before, its name and sentences said so in English."""
    baseline = content["baseline"]
    if baseline.get("reference_id") is None:
        return content
    title = baseline["name"].removesuffix(_PUBLISHED)
    headline = _with_form(content.get("headline"), title + _PUBLISHED, title)
    return {
        **content,
        "baseline": {**baseline, "name": title, "label": title},
        "headline": headline,
    }


def _with_form(stored: Any, written: str, title: str) -> Any:
    """A headline with the form of what was published where the text was written."""
    if stored == written:
        return {"form": "published", "title": title}
    if isinstance(stored, dict):
        return {name: _with_form(one, written, title) for name, one in stored.items()}
    if isinstance(stored, list):
        return [_with_form(one, written, title) for one in stored]
    return stored


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
        "warnings": _warnings(stored),
    }
    case, n = {"case_id": stored["case_id"]}, stored["n"]
    return [
        _row(key, "median", stored["median"], n, told),
        _row(key, "mean", stored["mean"], n, case),
    ]


#: What a summary's median has besides, under the names that the record had.
_OF_SUMMARIES = (
    *("case_id", "main", "rounds", "round_medians"),
    *("minimum", "maximum", "standard_deviation"),
)


def _overhead(stored: dict[str, Any]) -> list[dict[str, Any]]:
    key = {"metric": "overhead", "subject": "", "unit": "s", "direction": "lower", "point": {}}
    told = {"maximum": stored["maximum"], "warnings": _warnings(stored)}
    known = [name for name in ("switching", "preparing", "cleaning") if stored[name] is not None]
    return [
        _row(key, "median", stored["median"], stored["n"], told),
        *(_row(key, name, {"value": stored[name]}, None, {}) for name in known),
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
        _row(ratio, "link_apart", stored["ratio"], None, told, stored["verdict"]),
        _row({**own, "point": at}, "median", stored["figure"], None, {}),
        _row({**own, "point": against}, "median", stored["other_figure"], None, {}),
    ]
    return {**finding, "evidence": {"kind": "rows", "rows": rows}}


def _warnings(stored: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {name: one.get(name) for name in ("code", "needed", "found")} for one in stored["warnings"]
    ]


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
    return {
        "key": {**key, "subject": "", "direction": "none"},
        "verdict": None,
        "code": "median",
        **_figure(stored["median"], stored["n"], case),
    }


def _result(stored: dict[str, Any]) -> dict[str, Any]:
    parameters = {name: stored[name] for name in ("of", "against", "why_not")}
    return {
        "key": {
            "metric": "",
            "subject": "",
            "unit": stored["unit"],
            "direction": "none",
            "point": {},
        },
        "verdict": stored["comparison"],
        "code": stored["verdict"],
        **_figure(stored["value"], None, parameters),
    }


def _with_headline(document: dict[str, Any] | None) -> dict[str, Any] | None:
    if document is None:
        return None
    return {**document, "headline": _headline(document.get("headline"))}


def _headline(stored: dict[str, Any] | None) -> dict[str, Any] | None:
    """Sentences stay as they were written: what they were made of is not known."""
    if stored is None:
        return None
    return {part: [_sentence(one) for one in sentences] for part, sentences in stored.items()}


def _sentence(stored: dict[str, Any]) -> dict[str, Any]:
    parameters = {"as_written": {"en": stored["en"], "zh": stored["zh"]}}
    cases = {"cases": stored["cases"]} if "cases" in stored else {}
    return {"code": stored["code"], "parameters": parameters, **cases}


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


def _losses(stored: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Two rows for each loss: its share with the verdict, and the difference."""
    return [row for one in stored for row in _loss(one)]


def _loss(one: dict[str, Any]) -> list[dict[str, Any]]:
    key = {name: one[name] for name in ("metric", "subject", "point")}
    key["against"] = one["baseline_point"]
    source_direction = one.get("direction", "higher")
    parameters = {
        "source": one["source"],
        "source_direction": source_direction,
        "n_against": one["n_baseline"],
        "warnings": _warnings(one),
    }
    if one.get("verdict") is not None:
        parameters |= {name: one.get(name) for name in ("reason", "p", "adjusted_p")}
        parameters["looked_at"] = one.get("looked_at", 1)
    return [
        {
            "key": {**key, "unit": "ratio", "direction": "lower"},
            "verdict": one.get("verdict"),
            "code": "loss",
            **_figure(one["loss"], one["n"], parameters),
        },
        {
            "key": {**key, "unit": one["unit"], "direction": source_direction},
            "verdict": None,
            "code": "difference",
            **_figure(one["difference"], one["n"], {}),
        },
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
    row = {
        "key": {**key, "unit": "ratio", "direction": "lower"},
        "verdict": evidence.get("verdict"),
        "code": "loss",
        **_figure(evidence["loss"], evidence["n"], parameters),
    }
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


def _curves_compared(stored: dict[str, Any], contender: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of two curves of a comparison; where they lie, its pairs of cases say."""
    sides = ("baseline", "contender")
    of_curves = [
        (pair, effect)
        for pair in contender["pairs"]
        for effect in pair["effects"]
        if stored["shared"].items() <= pair["shared"].items()
        and (effect["metric"], effect["subject"]) == (stored["metric"], stored["subject"])
    ]
    first, direction = of_curves[0][0], of_curves[0][1]["direction"]
    points = [
        {axis: at for axis, at in first[side]["point"].items() if axis != stored["axis"]}
        for side in sides
    ]
    trials = [sum(effect[side]["n"] for _, effect in of_curves) for side in sides]
    return _curves(stored, points, trials, direction)


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
        unit = of_metric[0]["unit"]
        rows = _curve(stored, key, unit, stored["axis"], stored["xs"], trials(point), direction)
    else:
        values = [stored.get("baseline_value", ""), stored.get("contender_value", "")]
        points = [_with_mode(point, values, one, run["axes"]) for one in values]
        rows = _curves(stored, points, [trials(one) for one in points], direction)
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


def _curves(
    stored: dict[str, Any], points: list[dict[str, Any]], trials: list[int], direction: str
) -> list[dict[str, Any]]:
    of = {"metric": stored["metric"], "subject": stored["subject"]}
    axis, xs = stored["axis"], stored["xs"]
    rows = []
    for side, point, n in zip(("baseline", "contender"), points, trials, strict=True):
        key = {**of, "point": point}
        curve = _curve(stored[side], key, stored["unit"], axis, xs, n, direction)
        for row in curve:
            row["parameters"]["side"] = side
        rows += curve
    key = {**of, "point": points[1], "against": points[0]}
    parameters = {"axis": axis, "xs": xs, "degrades_more": stored["degrades_more"]}
    rows.append(
        {
            "key": {**key, "unit": "ratio", "direction": direction},
            "verdict": None,
            "code": "curve_difference",
            **_figure(stored["difference"], trials[1], parameters),
        }
    )
    crossing = stored["crossing"]
    if crossing is not None:
        leads = crossing["contender_leads_after"]
        rows.append(
            {
                "key": {**key, "unit": "count", "direction": "none"},
                "value": crossing["estimate"],
                "low": crossing["last_before"],
                "high": crossing["first_after"],
                "n": trials[1],
                "verdict": None,
                "code": "crossing",
                "parameters": {"axis": axis, "contender_leads_after": leads},
            }
        )
    return rows


def _curve(
    stored: dict[str, Any],
    key: dict[str, Any],
    unit: str,
    axis: str,
    xs: list[float],
    n: int,
    direction: str,
) -> list[dict[str, Any]]:
    parameters = {"axis": axis, "xs": xs, "shape": stored["shape"], "p": stored["p"]}
    parameters["controlled"] = stored.get("controlled", False)
    return [
        {
            "key": {**key, "unit": "ratio", "direction": direction},
            "verdict": None,
            "code": "change",
            **_figure(stored["change"], n, parameters),
        },
        {
            "key": {**key, "unit": unit, "direction": direction},
            "verdict": None,
            "code": "slope",
            **_figure(stored["slope"], n, {"axis": axis}),
        },
    ]


def _pair_with_rows(pair: dict[str, Any]) -> dict[str, Any]:
    points = pair["contender"]["point"], pair["baseline"]["point"]
    rows = [row for one in pair["effects"] for row in _effect(one, *points)]
    return {**pair, "effects": rows}


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
    rows = _effect(stored, *points)
    rows[0]["parameters"]["comparability"] = stored.get("comparability")
    return {**finding, "evidence": {"kind": "rows", "rows": rows}}


def _effect(
    stored: dict[str, Any], point: dict[str, Any], against: dict[str, Any]
) -> list[dict[str, Any]]:
    """The rows of an effect; what an older version did not keep of it is left out."""
    key = {name: stored[name] for name in ("metric", "subject", "direction")}
    arms = stored["baseline"], stored["contender"]
    n_against, n = (arm["n"] for arm in arms)
    parameters = {name: stored[name] for name in _OF_EFFECTS if stored.get(name) is not None}
    parameters["n_against"] = n_against
    parameters["warnings"] = _warnings(stored)
    share = {**key, "unit": "ratio", "point": point, "against": against}
    rows = [
        _row(share, "ratio", stored["ratio"], n, parameters, stored["verdict"]),
        _row({**share, "unit": stored["unit"]}, "shift", stored["shift"], n, {}),
    ]
    for side, arm, at in zip(("baseline", "contender"), arms, (against, point), strict=True):
        own, told = {**key, "unit": stored["unit"], "point": at}, {"side": side}
        values = {**told, "values": arm["values"]}
        rows.append(_row(own, "median", arm["median"], arm["n"], values))
        if arm.get("centre") is not None:
            rows.append(_row(own, "centre", arm["centre"], arm["n"], told))
    floor = stored.get("noise_floor")
    if floor is not None:
        unit = "ratio" if floor["relative"] else stored["unit"]
        own, told = {**key, "unit": unit, "point": point}, {"relative": floor["relative"]}
        deviation = {"value": floor["deviation"], "low": floor["low"], "high": floor["high"]}
        rows.append(_row(own, "noise_floor", deviation, floor["n"], told))
    return rows


#: What an effect's row with the verdict has besides, under the names that the record had.
_OF_EFFECTS = (
    *("reason", "main", "cost", "level", "method", "p", "least_p", "agreement_p", "adjusted_p"),
    *("looked_at", "rounds", "round_shifts", "estimator", "correlation", "advice"),
    *("within_budget", "same_within"),
)


def _row(
    key: dict[str, Any],
    code: str,
    figure: dict[str, Any] | None,
    n: int | None,
    parameters: dict[str, Any],
    verdict: str | None = None,
) -> dict[str, Any]:
    return {"key": key, "code": code, "verdict": verdict, **_figure(figure, n, parameters)}


def _figure(
    stored: dict[str, Any] | None, n: int | None, parameters: dict[str, Any]
) -> dict[str, Any]:
    """What a row has of a figure that was stored; null where there was none."""
    if stored is None:
        return {"value": None, "low": None, "high": None, "n": n, "parameters": parameters}
    # Ends and confidence may be left out where there is no interval.
    ends = {name: stored.get(name) for name in ("low", "high")}
    confidence = {"confidence": stored.get("confidence")}
    return {"value": stored["value"], **ends, "n": n, "parameters": {**parameters, **confidence}}
