"""Answers, made of what the API says of a run or of a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from podmeter_cli.answer import Answer, Line, Part
from podmeter_cli.client import Client
from podmeter_cli.incomplete import cases_of_comparison, cases_of_run, why_ended
from podmeter_cli.names import case_name, side_name, varying_axes
from podmeter_cli.output import Table
from podmeter_cli.quantities import change, figure, quantity

#: Undecided for a reason that no more rounds change, so that it holds up no decision.
_NOT_OF_EVIDENCE = frozenset({"at_offered_rate", "no_trials", "no_common_round"})
#: What limits a case, as a table has it.
_LIMITS = {
    "client_cpu": "client CPU",
    "client_quota": "client CPU quota",
    "server_cpu": "server CPU",
    "link": "link",
    "tool_rate": "set rate",
    "concurrency": "requests at a time",
}


def answer_of_run(client: Client, run: dict[str, Any]) -> Answer:
    """What a finished run answers: its modes against the first one named, else its figures."""
    link = f"{client.url}/runs/{run['id']}"
    report = client.get(f"/runs/{run['id']}/summaries")
    ended = why_ended(run)
    documents = [report]
    parts: list[Part] = []
    for axis in compared_axes(report):
        first, *others = report["axes"][axis]
        asked = [{"run_id": run["id"], "where": {axis: value}} for value in (first, *others)]
        made = compare(client, asked[0], asked[1:])
        documents.append(made)
        parts += parts_of(client, made)
    sentences, caveats = _headline(report)
    answer = Answer(run["name"], sentences, caveats, parts, link, documents=documents)
    if not parts:
        figures = figures_of(report)
        hint, losses = _hint(run["id"], report), _open_losses(report)
        answer = replace(answer, figures=figures, hint=hint, open_losses=losses)
    if run["outcome"] != "partial":
        return replace(answer, failed=ended)
    return _with_ending(replace(answer, missing=cases_of_run(client, run)), ended)


def _with_ending(answer: Answer, ended: str) -> Answer:
    """The answer with why its run succeeded in part; "" if all of it did.

    Such a run is answered by its verdicts, and has failed if it has none.
    """
    if answer.lines or any(part.refused for part in answer.parts):
        return replace(answer, incomplete=ended)
    return replace(answer, failed=ended)


def _hint(run_id: str, report: dict[str, Any]) -> str:
    """The command that compares two parts of the run; "" where it has one case alone."""
    part = next(((axis, all_) for axis, all_ in report["axes"].items() if len(all_) > 1), None)
    if part is None:
        return ""
    axis, values = part
    sides = " ".join(f"{run_id}:{axis}={value}" for value in (values[0], values[-1]))
    return f"Compare parts of it: podmeter compare {sides}"


def _open_losses(report: dict[str, Any]) -> int:
    """How many losses a run until decided has left undecided; 0 for a run of fixed rounds."""
    if not report["repetition"].get("until_decided"):
        return 0
    return sum(
        one["verdict"] == "undecided" and one["parameters"]["reason"] not in _NOT_OF_EVIDENCE
        for one in report["losses"]
    )


def answer_of_comparison(
    client: Client, comparison: dict[str, Any], judged: dict[str, Any] | None = None
) -> Answer:
    """What a comparison answers.

    `judged` is the contender's run where it has just been measured: why it is partial is said.
    """
    sentences, caveats = _headline(comparison)
    answer = Answer(
        f"compared with {side_name(comparison['baseline'])}",
        sentences,
        caveats,
        parts_of(client, comparison),
        f"{client.url}/compare/{comparison['id']}",
        missing=cases_of_comparison(comparison, judged),
        documents=[comparison],
    )
    return answer if judged is None else _with_ending(answer, why_ended(judged))


def compare(
    client: Client, baseline: dict[str, Any], contenders: Sequence[dict[str, Any]], **more: Any
) -> dict[str, Any]:
    """Make a comparison, which is kept."""
    body = {"baseline": baseline, "contenders": list(contenders), **more}
    made: dict[str, Any] = client.post("/comparisons", body)
    return made


def compared_axes(report: dict[str, Any]) -> list[str]:
    """The axes whose values a run compares: modes and clusters, not its cases."""
    return [
        facts["name"]
        for facts in report["axis_facts"]
        if facts["scope"] != "case" and len(report["axes"].get(facts["name"], ())) > 1
    ]


def parts_of(client: Client, comparison: dict[str, Any]) -> list[Part]:
    """Each contender against the baseline, by the main metrics that decide."""
    baseline = side_name(comparison["baseline"])
    kind = _kind(client, comparison["kind"])
    found = []
    for contender in comparison["contenders"]:
        label = side_name(contender["side"])
        if contender["gate"]["verdict"] == "refused":
            why = [f"{one['field']} differs" for one in contender["gate"]["differences"]]
            found.append(Part(baseline, label, refused=why or ["they may not be compared"]))
            continue
        controls = _controls(kind, contender["compared_axes"])
        lines = [
            _line(pair, rows, varying_axes(one["shared"] for one in contender["pairs"]))
            for pair in contender["pairs"]
            if not _is_control(pair["shared"], controls)
            for rows in _effects(pair["effects"])
            if rows["ratio"]["parameters"]["main"] and _counts(pair, rows["ratio"])
        ]
        found.append(Part(baseline, label, lines))
    return found


def figures_of(report: dict[str, Any]) -> Table:
    """The main metric of every case, where nothing is compared."""
    apart = {axis for axis, values in report["axes"].items() if len(values) > 1}
    limits = {one["case_id"]: _limit(one.get("limited_by")) for one in report["cases"]}
    headings = ["case", "metric", "median [interval]", "trials"]
    rows = [
        [
            case_name(one["key"]["point"], apart),
            one["key"]["metric"],
            figure(one, one["key"]["unit"]),
            str(one["n"]),
            limits.get(one["parameters"]["case_id"], ""),
        ]
        for one in report["summaries"]
        if one["parameters"].get("main") and one["key"]["point"]
    ]
    if any(row[-1] for row in rows):
        return Table([*headings, "limited by"], rows, frozenset({3}))
    return Table(headings, [row[:-1] for row in rows], frozenset({3}))


def _limit(code: str | None) -> str:
    """What limited a case, in words; "" where it is unknown."""
    return "" if code in (None, "unknown") else _LIMITS.get(code or "", (code or ""))


def _effects(rows: Iterable[dict[str, Any]]) -> list[dict[str, dict[str, Any]]]:
    """The rows of each effect, its ratio first, by their code and side."""
    found: list[dict[str, dict[str, Any]]] = []
    for row in rows:
        if row["code"] == "ratio":
            found.append({})
        found[-1][f"{row['code']} {row['parameters'].get('side', '')}".rstrip()] = row
    return found


def _line(pair: dict[str, Any], rows: dict[str, dict[str, Any]], apart: set[str]) -> Line:
    unit, ratio = rows["shift"]["key"]["unit"], rows["ratio"]
    ends = None
    if ratio["low"] is not None and ratio["high"] is not None:
        ends = tuple(100 * (ratio[end] - 1) for end in ("low", "value", "high"))
    return Line(
        case=case_name(pair["shared"], apart),
        metric=ratio["key"]["metric"],
        baseline=quantity(_centre(rows, "baseline"), unit),
        contender=quantity(_centre(rows, "contender"), unit),
        difference=change(ratio, rows["shift"]),
        verdict=ratio["verdict"],
        budget=ratio["parameters"].get("within_budget"),
        advice=_advice(ratio),
        ends=ends,
        limited_by=_limits(ratio),
        node_pairs=_node_pairs(ratio["parameters"]),
    )


def _limits(ratio: dict[str, Any]) -> str:
    """What limited the sides of an effect, the baseline first; once where both are alike."""
    codes = ratio["parameters"].get("limited_by") or []
    named = [_limit(code) or "unknown" for code in codes]
    return " / ".join(dict.fromkeys(named))


def _node_pairs(parameters: dict[str, Any]) -> frozenset[str]:
    """The pairs of nodes that rounds took in turn, or the only one."""
    alone = parameters.get("node_pair")
    return frozenset(parameters.get("round_node_pairs") or ([alone] if alone else []))


def _centre(rows: dict[str, dict[str, Any]], side: str) -> float | None:
    """What the difference is of; comparisons of before there were centres have the median."""
    row = rows.get(f"centre {side}", rows[f"median {side}"])
    value: float | None = row["value"]
    return value


def _advice(ratio: dict[str, Any]) -> str:
    """What a new run would need to decide it with 80% probability."""
    if ratio["verdict"] == "undecided" and ratio["parameters"].get("reason") == "client_limited":
        return f"more clients or requests at a time, or less load{_client_trials(ratio)}"
    advice = ratio["parameters"].get("advice")
    if ratio["verdict"] != "undecided" or advice is None:
        return ""
    if advice["code"] == "none":
        return "no run would"
    if advice["code"] == "groups":
        return "more node pairs, or one"
    needs = [
        f"{advice[name]} {word}"
        for name, word in (("rounds", "rounds"), ("trials", "trials"), ("seconds", "s a trial"))
        if advice[name]
    ]
    return ", ".join(needs) + " (80% probability)"


def _client_trials(ratio: dict[str, Any]) -> str:
    """In how many trials of which side the client was at its limit; "" of an older version."""
    point, against = ratio["key"]["point"], ratio["key"]["against"] or {}
    apart = {axis for axis, value in point.items() if against.get(axis) != value}
    sides = [
        case_name({one: at[one] for one in apart if one in at}, set()) for at in (against, point)
    ]
    named = [
        f"{limited} of {total} trials of {side or name}"
        for (limited, total), side, name in zip(
            ratio["parameters"].get("client_limited_trials") or [],
            sides,
            ("the baseline", "the contender"),
            strict=False,
        )
        if limited and 2 * limited >= total
    ]
    return f" (client at its limit in {', '.join(named)})" if named else ""


def _counts(pair: dict[str, Any], judged: dict[str, Any]) -> bool:
    """Whether a main metric has a say: not the set-up of a mode, nor what no round decides."""
    undecided = judged["verdict"] == "undecided"
    reason = judged["parameters"]["reason"]
    return bool(pair["shared"]) and not (undecided and reason in _NOT_OF_EVIDENCE)


def _kind(client: Client, name: str) -> dict[str, Any]:
    kinds = client.get("/kinds")["items"]
    return next((one for one in kinds if one["name"] == name), {"axes": []})


def _controls(kind: dict[str, Any], compared: Iterable[str]) -> dict[str, Any]:
    """By axis, the values of cases that none of the compared axes can change."""
    return {
        name: value
        for axis in kind["axes"]
        if axis["control"] is not None and set(compared) <= set(axis["control_for"])
        for name, value in ((axis["name"], axis["control"]), *axis["control_with"].items())
    }


def _is_control(point: dict[str, Any], controls: dict[str, Any]) -> bool:
    return bool(controls) and controls.items() <= point.items()


def _headline(document: dict[str, Any]) -> tuple[list[str], list[str]]:
    headline = document.get("headline") or {"sentences": [], "caveats": []}
    return (
        [one["text"] for one in headline["sentences"]],
        [one["text"] for one in headline["caveats"]],
    )
