"""Every number, verdict and interval that the API and its files say of stored results.

`figures_of` reads a whole organization through the API and gives one line for each figure, in an
order and notation that do not depend on the documents' shape. A change of shape changes the readers
here and never the golden file beside the dump.
"""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from fastapi.testclient import TestClient

from .result_rows import groups

Lines = Iterator[tuple[str, Any]]
FORMATS = ("csv", "markdown")
SENTENCES = ("sentences", "caveats", "recommendation")


def is_text(key: str) -> bool:
    """Whether a line is of sentences or of a whole file, and of no figure."""
    return key.rpartition(" | ")[2].startswith((*SENTENCES, "file "))


def figures_of(client: TestClient) -> dict[str, str]:
    """By what it is of, what the API says: numbers with ten significant digits."""
    told = dict(_of_organization(client))
    return {key: _written(value) for key, value in sorted(told.items())}


def figures_of_link(client: TestClient, token: str) -> dict[str, str]:
    """The same of what a link shows."""
    path = f"/api/v1/public/snapshots/{token}"
    content = _read(client, path)["content"]
    start = f"snapshot {content['title']}"
    told: dict[str, Any] = {f"{start} | method": content["method"]["version"]}
    if content["run"] is not None:
        told |= dict(_under(start, _report(content["run"])))
    if content["comparison"] is not None:
        told |= dict(_under(start, _comparison(content["comparison"])))
    if content["cluster"] is not None:
        told |= dict(_under(start, _floors(content["cluster"]["noise_floor"])))
        told |= dict(_under(start, _shared_runs(content["cluster"]["runs"])))
    if content["experiment"] is not None:
        told |= dict(_under(start, _shared_runs(content["experiment"]["runs"])))
    told |= dict(_under(start, _files(client, path)))
    return {key: _written(value) for key, value in sorted(told.items())}


def _of_organization(client: TestClient) -> Lines:
    runs = [one["id"] for one in _read(client, "/api/v1/runs?limit=100")["items"]]
    for run_id in runs:
        path, start = f"/api/v1/runs/{run_id}", f"run {run_id}"
        yield from _under(start, _report(_read(client, f"{path}/summaries")))
        yield from _under(start, _files(client, path))
        changes = client.get(f"{path}/changes")
        yield from _under(f"{start} | changes", _changes(changes))
    for one in _read(client, "/api/v1/comparisons?limit=100")["items"]:
        path, start = f"/api/v1/comparisons/{one['id']}", f"comparison {one['id']}"
        found = _read(client, path)
        yield from _under(start, _comparison(found))
        yield from _under(start, _files(client, path))
        yield from _under(f"{start} again", _comparison(_again(client, found)))
    for one in _read(client, "/api/v1/clusters?limit=100")["items"]:
        floor = _read(client, f"/api/v1/clusters/{one['id']}/noise-floor")
        yield from _under(f"cluster {one['id']}", _floors(floor["measured"]))
    for one in _read(client, "/api/v1/overview")["clusters"]:
        for run in one["runs"]:
            yield from _under(f"overview | {run['run_id']}", _found(run))
    latest = _read(client, "/api/v1/overview/changes")["clusters"]
    for one in latest:
        for kind in one["kinds"]:
            yield from _under(f"latest | {one['name']} {kind['kind']}", _turns(kind["turns"]))
    for one in _read(client, "/api/v1/references")["items"] if runs else ():
        query = "&".join(f"run_id={run_id}" for run_id in runs[:10])
        path = f"/api/v1/references/{one['id']}/reproduction?{query}"
        yield from _under(f"reference {one['id']}", _reproduction(_read(client, path)))


def _read(client: TestClient, path: str) -> Any:
    """The document; its sentences in both languages, as `en` and `zh`."""
    english, chinese = (
        client.get(path, headers={"Accept-Language": language}) for language in ("en", "zh")
    )
    for answer in (english, chinese):
        assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text[:500]}"
    found = english.json()
    _translate(found, chinese.json())
    return found


def _translate(one: Any, other: Any) -> None:
    if isinstance(one, list):
        for each, its in zip(one, other, strict=True):
            _translate(each, its)
    elif isinstance(one, dict):
        if {"code", "parameters", "text"} <= one.keys():
            one |= {"en": one["text"], "zh": other["text"]}
        for name, each in one.items():
            _translate(each, other.get(name))


def _again(client: TestClient, found: Any) -> Any:
    """The same sides, compared now."""
    first, *others = (
        {name: side[name] for name in ("run_id", "where", "case_id") if side[name] is not None}
        for side in (found["baseline"], *(one["side"] for one in found["contenders"]))
    )
    asked = {name: found[name] for name in ("metrics", "noise_threshold", "alpha")}
    body = {"baseline": first, "contenders": others, **asked}
    answer = client.post("/api/v1/comparisons", json=body)
    assert answer.status_code == 201, answer.text
    path = f"/api/v1/comparisons/{answer.json()['id']}"
    made = _read(client, path)
    client.delete(path)
    return made


def _files(client: TestClient, path: str) -> Lines:
    for format_ in FORMATS:
        answer = client.get(f"{path}/export?format={format_}")
        assert answer.status_code == 200, answer.text
        yield f"file {format_}", hashlib.sha256(answer.content).hexdigest()[:16]


def _report(found: Any) -> Lines:
    for one in found["cases"]:
        counts = [one[name] for name in ("status", "counted", "warmup", "void", "failed")]
        yield f"case {one['key']}", counts
    for one in groups(found["summaries"]):
        median = one["median"]
        case = _keys(found["cases"])[_written(median["key"]["point"])]
        yield from _under(f"{case} | {_metric(median['key'])}", _summary(median, one["mean"]))
    yield from _losses(found["losses"], _keys(found["cases"]))
    (overhead,) = groups(found["overhead"])
    median = overhead["median"]
    yield "overhead", [median["n"], median["parameters"]["maximum"], *_projected(median)]
    for name in ("switching", "preparing", "cleaning"):
        yield f"overhead {name}", overhead[name]["value"] if name in overhead else None
    for number, one in enumerate(found["findings"]):
        yield f"finding {number}", [one["code"], one["metric"], one["point"]]
        yield from _under(f"finding {number}", _evidence(one["evidence"]))
    yield "next run", _numbers(found["next_run"])
    yield from _headline(found["headline"])


def _summary(one: Any, mean: Any) -> Lines:
    key, told = one["key"], one["parameters"]
    yield "n", [one["n"], told["rounds"], key["unit"], key["direction"], told["main"]]
    yield "median", _projected(one)
    yield "mean", _projected(mean)
    yield "spread", [told[name] for name in ("minimum", "maximum", "standard_deviation")]
    yield "quantiles", [value for _, value in told["quantiles"]]
    yield "rounds", told["round_medians"]
    rounds = enumerate(told["values"], 1)
    yield "trials", _digest([(number, value) for number, values in rounds for value in values])
    yield "warnings", [each["code"] for each in told["warnings"]]


def _losses(rows: Any, keys: dict[str, str]) -> Lines:
    """Rows of losses, the share before the difference; `keys` name the cases by their points."""
    shares = [one for one in rows if one["code"] == "loss"]
    differences = [one for one in rows if one["code"] == "difference"]
    for one, difference in zip(shares, differences, strict=True):
        told = one["parameters"]
        key = f"loss {keys[_written(one['key']['point'])]} | {_metric(one['key'])}"
        tested = [told.get(name) for name in ("reason", "p", "adjusted_p")]
        verdict = [one["verdict"], *tested, told.get("looked_at", 1)]
        yield key, [*_projected(one), one["n"], told["n_against"], *verdict]
        yield f"{key} | difference", _projected(difference)
        yield f"{key} | against", one["key"]["against"]
        yield f"{key} | warnings", [each["code"] for each in told["warnings"]]


def _keys(cases: Any) -> dict[str, str]:
    return {_written(one["point"]): one["key"] for one in cases}


def _compared(found: Any) -> Iterator[Any]:
    """Every case of a comparison."""
    for one in found["contenders"]:
        for pair in one["pairs"]:
            yield from (pair["baseline"], pair["contender"])
        yield from (*one["unpaired_baseline"], *one["unpaired_contender"])


def _comparison(found: Any) -> Lines:
    yield "method", found["method_version"]
    yield "thresholds", [found["noise_threshold"], found["alpha"]]
    for place, one in enumerate(found["contenders"]):
        yield from _under(f"contender {place}", _contender(one))
    keys = _keys(_compared(found))
    for run in found["losses"]:
        yield from _under(f"losses of {run['run_id']}", _losses(run["losses"], keys))
    yield from _headline(found["headline"])


def _contender(one: Any) -> Lines:
    yield "gate", [one["gate"]["verdict"], one["compared_axes"]]
    yield "differences", [each["field"] for each in one["gate"]["differences"]]
    yield "tally", _numbers(one["tally"])
    yield "tally of all", _numbers(one["tally_all"])
    yield "next run", _numbers(one["next_run"])
    floor = one["noise_floor"]
    yield "noise floor", None if floor is None else [floor["runs"], floor["thin"]]
    for pair in one["pairs"]:
        where = json.dumps(pair["shared"], sort_keys=True)
        yield f"{where} | comparability", pair["comparability"]
        for effect in groups(pair["effects"]):
            metric = _metric(effect["ratio"]["key"])
            yield from _under(f"{where} | {metric}", _effect(effect))
    for curves in groups(one["curves"]):
        key = curves["curve_difference"]["key"]
        shared = {axis: at for axis, at in key["point"].items() if key["against"].get(axis) == at}
        where = json.dumps(shared, sort_keys=True)
        yield from _under(f"curves {where} | {_metric(key)}", _curves(curves))


def _effect(rows: dict[str, Any]) -> Lines:
    ratio = rows["ratio"]
    told = ratio["parameters"]
    direction = ratio["key"]["direction"]
    verdict = [ratio["verdict"], told["reason"], told["main"], told.get("level"), direction]
    yield "verdict", verdict
    yield "ratio", _projected(ratio)
    yield "shift", _projected(rows["shift"])
    for side in ("baseline", "contender"):
        median, centre = rows[f"median {side}"], rows.get(f"centre {side}")
        yield side, [median["n"], *_projected(median), *(_projected(centre) if centre else [None])]
        yield f"{side} trials", _digest(median["parameters"]["values"])
    names = ("p", "least_p", "agreement_p", "adjusted_p")
    tested = [*(told.get(name) for name in names), told.get("looked_at", 1), told["rounds"]]
    yield "test", [*tested, told.get("method"), told.get("estimator")]
    yield "round shifts", told["round_shifts"]
    yield "warnings", [each["code"] for each in told["warnings"]]
    floor = rows.get("noise_floor")
    yield "noise floor", None if floor is None else _deviation(floor)
    yield "advice", _numbers(told.get("advice"))


def _deviation(row: Any) -> dict[str, Any]:
    numbers = {"deviation": row["value"], "low": row["low"], "high": row["high"]}
    return numbers | {"n": row["n"], "relative": row["parameters"]["relative"]}


def _curves(rows: dict[str, Any]) -> Lines:
    difference, crossing = rows["curve_difference"], rows.get("crossing")
    yield "xs", difference["parameters"]["xs"]
    for side in ("baseline", "contender"):
        yield side, _shape(rows[f"change {side}"], rows[f"slope {side}"])
    yield "difference", _projected(difference)
    yield "crossing", [difference["parameters"]["degrades_more"], _crossing(crossing)]


def _crossing(row: Any) -> Any:
    if row is None:
        return None
    ends = {"last_before": row["low"], "first_after": row["high"], "estimate": row["value"]}
    return ends | {"contender_leads_after": row["parameters"]["contender_leads_after"]}


def _shape(change: Any, slope: Any) -> list[Any]:
    told = change["parameters"]
    return [told["shape"], *_projected(change), *_projected(slope), told["p"]]


def _evidence(one: Any) -> Lines:
    match one["kind"]:
        case "rows":
            yield from _by_rows(one["rows"])
        case _:
            yield "numbers", _numbers(one)


def _by_rows(rows: Any) -> Lines:
    """What a finding rests on: an effect, a loss, a curve, or two curves."""
    found, *_ = groups(rows)
    if "link_apart" in found:
        yield "numbers", _links(rows)
    elif "ratio" in found:
        key, told = found["ratio"]["key"], found["ratio"]["parameters"]
        (axis,) = (axis for axis, at in key["point"].items() if key["against"][axis] != at)
        yield from _effect(found)
        yield "modes", [axis, str(key["against"][axis]), str(key["point"][axis])]
        yield "comparability", told["comparability"]
    elif "loss" in found:
        loss = found["loss"]
        counts = [loss["n"], loss["parameters"]["n_against"], loss["verdict"]]
        yield "loss", [*_projected(loss), *counts]
    elif "change" in found:
        change = found["change"]
        yield "shape", [*_shape(change, found["slope"]), change["parameters"]["xs"]]
    else:
        yield from _curves(found)


def _links(rows: Any) -> Any:
    """What a finding on links says, by name."""
    apart, member, other = rows
    told, key = apart["parameters"], apart["key"]
    names = ("what", "axis", "links", "members", "reason", "p", "adjusted_p", "looked_at")
    said = {name: told[name] for name in names} | {"kind": "link", "value": told["shared"]}
    said |= {"subject": key["subject"], "unit": member["key"]["unit"]}
    said |= {"direction": key["direction"], "verdict": apart["verdict"]}
    for name, row in (("", member), ("other_", other)):
        said[name.strip("_") or "member"] = row["key"]["point"][told["axis"]]
        said[f"{name}figure"] = _record(row)
    return said | {"ratio": _record(apart)}


def _record(row: Any) -> Any:
    if row["value"] is None:
        return None
    ends = {name: row[name] for name in ("value", "low", "high")}
    return ends | {"confidence": row["parameters"].get("confidence")}


def _floors(floors: Any) -> Lines:
    for floor in floors:
        start = f"floor {floor['kind']} {floor['name']}"
        yield start, [floor["seconds"], len(floor["run_ids"]), floor["days"]]
        for row in floor["figures"]:
            where = json.dumps(row["key"]["point"], sort_keys=True)
            numbers = {"deviation": row["value"], "low": row["low"], "high": row["high"]}
            numbers |= {"n": row["n"], "relative": row["key"]["unit"] == "ratio"}
            yield f"{start} | {where} | {_metric(row['key'])} | {row['code']}", numbers


def _found(run: Any) -> Lines:
    yield from _headline(run["headline"])
    for place, one in enumerate(run["losses"]):
        key = one["key"]
        yield f"loss {place}", [key["metric"], key["point"], one["verdict"], *_projected(one)]
    for place, one in enumerate(run["curves"]):
        spots = [
            [float(row["key"]["point"][one["axis"]]), row["n"], *_projected(row)]
            for row in one["rows"]
        ]
        metric = one["rows"][0]["key"]["metric"]
        yield f"curves {place}", [metric, one["axis"], _crossing(one["crossing"]), spots]


def _changes(answer: Any) -> Lines:
    if answer.status_code != 200:
        yield "refused", answer.status_code
        return
    found = answer.json()
    yield "since", found["since"] and found["since"]["run_id"]
    yield from _turns(found["turns"])
    moved = found["moved"]
    if moved is not None:
        yield "moved", [moved["gate"], _numbers(moved["tally"])]
        for one in moved["figures"]:
            where = json.dumps(one["key"]["point"], sort_keys=True)
            said = [one["verdict"], one["code"], *_projected(one)]
            yield f"moved {where} | {_metric(one['key'])}", said


def _turns(turns: Any) -> Lines:
    yield "turns", [turns["both"], turns["undecided"]]
    for place, one in enumerate(turns["turned"]):
        key = [one["key"][name] for name in ("metric", "subject", "point", "against")]
        yield f"turned {place}", [one["code"], *key, one["parameters"]["before"], one["verdict"]]


def _reproduction(found: Any) -> Lines:
    for table in found["tables"]:
        yield f"table {table['id']}", [table["figures"], table["measured"], table["why_not"]]
        for row in table["rows"]:
            for place, cell in enumerate(row["cells"]):
                ours = cell["ours"]
                if ours is not None:
                    said = [ours["parameters"]["case_id"], ours["n"], *_projected(ours)]
                    yield f"table {table['id']} | {row['id']} {place}", said
    for claim in found["claims"]:
        said = [claim["verdict"], claim["why_not"], claim["asked"]]
        yield f"claim {claim['id']}", said
        for place, one in enumerate(claim["results"]):
            of_result = [one["code"], one["parameters"]["why_not"], *_projected(one)]
            yield f"claim {claim['id']} | {place}", of_result


def _shared_runs(runs: Any) -> Lines:
    for one in runs:
        if one["headline"] is not None:
            yield from _under(one["name"], _headline(one["headline"]))


def _headline(found: Any) -> Lines:
    for part in SENTENCES:
        for place, one in enumerate(found[part]):
            yield f"{part} {place}", [one["code"], one["en"], one["zh"]]


def _under(start: str, lines: Lines) -> Lines:
    for key, value in lines:
        yield f"{start} | {key}", value


def _metric(one: Any) -> str:
    return f"{one['metric']} {one['subject']}".rstrip()


def _projected(row: Any) -> list[Any]:
    if row["value"] is None:
        return [None]
    return [row["value"], row["low"], row["high"], row["parameters"]["confidence"]]


def _numbers(found: Any) -> Any:
    """All that is in a record, by name: of what has no notation of its own here."""
    return found


def _digest(values: Any) -> str:
    return hashlib.sha256(_written(values).encode()).hexdigest()[:16]


def _written(value: Any) -> str:
    return json.dumps(_rounded(value), sort_keys=True, ensure_ascii=False)


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.10g}")
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(one) for one in value]
    return value
