"""Answers, made of what the API says of a run or of a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from podmeter_cli.answer import Answer, Line, Part
from podmeter_cli.client import Client
from podmeter_cli.exits import CommandError
from podmeter_cli.incomplete import cases_of_comparison, cases_of_run, why_ended
from podmeter_cli.names import case_name, side_name, varying_axes
from podmeter_cli.output import Table
from podmeter_cli.quantities import change, figure, quantity

#: A loss that is undecided for such a reason is decided by no more rounds.
_NOT_OF_EVIDENCE = frozenset({"at_offered_rate", "no_trials", "no_common_round"})
#: The first method whose rows say which effects are not counted.
_METHOD_WITH_NOT_COUNTED = 12
#: Why an effect has no say, as a table has it.
_NOT_COUNTED = {
    "set_up": "mode setup",
    "control": "control",
    "like_control": "no more than its control",
}
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
    parts = parts_of_run(report)
    sentences, caveats = _headline(report)
    answer = Answer(run["name"], sentences, caveats, parts, link, documents=[report])
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
        parts_of(comparison),
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


def parts_of_run(report: dict[str, Any]) -> list[Part]:
    """Each further value of a mode's axis against the first, as the run's own findings have them.

    They are one family, over all axes: a comparison of each axis by itself would be another.
    Raises CommandError where an older server made the report.
    """
    found = []
    for axis in compared_axes(report):
        _refuse_older(report)
        first, *others = report["axes"][axis]
        for value in others:
            names = str(first), str(value)
            refused = _refused_in(report, axis, value)
            if refused is not None:
                found.append(Part(*names, refused=refused))
                continue
            effects = list(_effects_in(report, axis, first, value))
            apart = varying_axes(shared for shared, _ in effects)
            lines = [_line(*one, apart) for one in effects if _is_asked_for(one[1]["ratio"])]
            found.append(Part(*names, lines))
    return found


def _refused_in(report: dict[str, Any], axis: str, value: str | int) -> list[str] | None:
    """Why a value may not be compared with the first; None where it may."""
    for one in report["findings"]:
        if one["code"] == "not_comparable" and one["point"] == {axis: value}:
            return _why_refused(one["evidence"]["gate"])
    return None


def _effects_in(
    report: dict[str, Any], axis: str, first: str | int, value: str | int
) -> Iterator[tuple[dict[str, Any], dict[str, dict[str, Any]]]]:
    """Where both cases of each effect of a value against the first lie, and its rows."""
    for one in report["findings"]:
        rows = one["evidence"].get("rows", ())
        if not any(row["code"] == "ratio" for row in rows):
            continue
        for effect in _effects(rows):
            key = effect["ratio"]["key"]
            if (key["against"].get(axis), key["point"].get(axis)) == (first, value):
                yield one["point"], effect


def parts_of(comparison: dict[str, Any]) -> list[Part]:
    """Each contender against the baseline: by what decides, or by all that was asked for.

    Raises CommandError where an older server made the comparison.
    """
    _refuse_older(comparison)
    baseline = side_name(comparison["baseline"])
    found = []
    for contender in comparison["contenders"]:
        label = side_name(contender["side"])
        if contender["gate"]["verdict"] == "refused":
            found.append(Part(baseline, label, refused=_why_refused(contender["gate"])))
            continue
        apart = varying_axes(one["shared"] for one in contender["pairs"])
        lines = [
            _line(pair["shared"], rows, apart, sets_up=_sets_up(effects))
            for pair in contender["pairs"]
            for effects in [_effects(pair["effects"])]
            for rows in effects
            if comparison["metrics"] == "all" or _is_asked_for(rows["ratio"])
        ]
        found.append(Part(baseline, label, lines))
    return found


def _refuse_older(document: dict[str, Any]) -> None:
    """Raises CommandError for a document whose controls would be taken for cases."""
    if (document.get("method_version") or 0) < _METHOD_WITH_NOT_COUNTED:
        raise CommandError(
            "The server is older than this command, which cannot judge its results. Update the "
            "server, or use its version of podmeter"
        )


def _why_refused(gate: dict[str, Any]) -> list[str]:
    differences = [f"{one['field']} differs" for one in gate["differences"]]
    return differences or ["they may not be compared"]


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


def _is_asked_for(judged: dict[str, Any]) -> bool:
    """Whether an effect is of what cases are about: no set-up of a mode, nor a control."""
    told = judged["parameters"]
    return bool(told["main"]) and told.get("not_counted") not in ("set_up", "control")


def _sets_up(effects: Iterable[dict[str, dict[str, Any]]]) -> bool:
    """Whether a pair's cases set up a mode: its main effect alone says so."""
    return any(one["ratio"]["parameters"].get("not_counted") == "set_up" for one in effects)


def _line(
    shared: dict[str, Any],
    rows: dict[str, dict[str, Any]],
    apart: set[str],
    *,
    sets_up: bool = False,
) -> Line:
    unit, ratio = rows["shift"]["key"]["unit"], rows["ratio"]
    ends = None
    if ratio["low"] is not None and ratio["high"] is not None:
        ends = tuple(100 * (ratio[end] - 1) for end in ("low", "value", "high"))
    return Line(
        case=_case(shared, apart, sets_up=sets_up),
        metric=_metric(ratio["key"]),
        baseline=quantity(_centre(rows, "baseline"), unit),
        contender=quantity(_centre(rows, "contender"), unit),
        difference=change(ratio, rows["shift"]),
        verdict=ratio["verdict"],
        budget=ratio["parameters"].get("within_budget"),
        advice=_advice(ratio),
        ends=ends,
        limited_by=_limits(ratio),
        node_pairs=_node_pairs(ratio["parameters"]),
        not_counted=_not_counted(ratio["parameters"]),
    )


def _case(shared: dict[str, Any], apart: set[str], *, sets_up: bool) -> str:
    """Where both cases lie. The only case of each side may share nothing with the other's."""
    named = case_name(shared, apart)
    if sets_up:
        return f"mode setup, {named}" if named else "mode setup"
    return named or "only case"


def _metric(key: dict[str, Any]) -> str:
    return f"{key['metric']} ({key['subject']})" if key["subject"] else str(key["metric"])


def _not_counted(told: dict[str, Any]) -> str:
    """Why an effect has no say; "" where it has one."""
    if not told["main"]:
        return "not a main metric"
    code: str = told.get("not_counted", "")
    return _NOT_COUNTED.get(code, code)


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
    advice, reason = (ratio["parameters"].get(name) for name in ("advice", "reason"))
    if ratio["verdict"] != "undecided":
        return ""
    if reason == "client_limited":
        return f"more clients or requests at a time, or less load{_client_trials(ratio)}"
    if reason == "at_offered_rate":
        return "a higher offered rate"
    if advice is None:
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


def _headline(document: dict[str, Any]) -> tuple[list[str], list[str]]:
    headline = document.get("headline") or {"sentences": [], "caveats": []}
    return (
        [one["text"] for one in headline["sentences"]],
        [one["text"] for one in headline["caveats"]],
    )
