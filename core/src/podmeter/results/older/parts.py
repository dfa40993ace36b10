"""Parts of stored documents of older forms as they are today: rows and headlines."""

from typing import Any

#: What an effect's row with the verdict has besides, under the names that the record had.
_OF_EFFECTS = (
    *("reason", "main", "cost", "level", "method", "p", "least_p", "agreement_p", "adjusted_p"),
    *("looked_at", "rounds", "round_shifts", "estimator", "correlation", "advice"),
    *("within_budget", "same_within"),
)


def warnings_of(stored: dict[str, Any]) -> list[dict[str, Any]]:
    """Those of a record, by code."""
    return [
        {name: one.get(name) for name in ("code", "needed", "found")} for one in stored["warnings"]
    ]


def headline_of(stored: dict[str, Any] | None) -> dict[str, Any] | None:
    """Sentences stay as they were written: what they were made of is not known."""
    if stored is None:
        return None
    return {part: [_sentence(one) for one in sentences] for part, sentences in stored.items()}


def _sentence(stored: dict[str, Any]) -> dict[str, Any]:
    parameters = {"as_written": {"en": stored["en"], "zh": stored["zh"]}}
    cases = {"cases": stored["cases"]} if "cases" in stored else {}
    return {"code": stored["code"], "parameters": parameters, **cases}


def loss_rows(stored: list[dict[str, Any]]) -> list[dict[str, Any]]:
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
        "warnings": warnings_of(one),
    }
    if one.get("verdict") is not None:
        parameters |= {name: one.get(name) for name in ("reason", "p", "adjusted_p")}
        parameters["looked_at"] = one.get("looked_at", 1)
    share = {**key, "unit": "ratio", "direction": "lower"}
    own = {**key, "unit": one["unit"], "direction": source_direction}
    return [
        row_of(share, "loss", one["loss"], one["n"], parameters, one.get("verdict")),
        row_of(own, "difference", one["difference"], one["n"], {}),
    ]


def compared_curve_rows(
    stored: dict[str, Any], points: list[dict[str, Any]], trials: list[int], direction: str
) -> list[dict[str, Any]]:
    """The rows of two curves, and of how they differ and cross."""
    of = {"metric": stored["metric"], "subject": stored["subject"]}
    axis, xs = stored["axis"], stored["xs"]
    rows = []
    for side, point, n in zip(("baseline", "contender"), points, trials, strict=True):
        key = {**of, "point": point}
        curve = curve_rows(stored[side], key, stored["unit"], axis, xs, n, direction)
        for row in curve:
            row["parameters"]["side"] = side
        rows += curve
    key = {**of, "point": points[1], "against": points[0]}
    parameters = {"axis": axis, "xs": xs, "degrades_more": stored["degrades_more"]}
    share = {**key, "unit": "ratio", "direction": direction}
    rows.append(row_of(share, "curve_difference", stored["difference"], trials[1], parameters))
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


def curve_rows(
    stored: dict[str, Any],
    key: dict[str, Any],
    unit: str,
    axis: str,
    xs: list[float],
    n: int,
    direction: str,
) -> list[dict[str, Any]]:
    """The rows of one curve: its change from end to end, and its slope."""
    parameters = {"axis": axis, "xs": xs, "shape": stored["shape"], "p": stored["p"]}
    parameters["controlled"] = stored.get("controlled", False)
    share, own = ({**key, "unit": one, "direction": direction} for one in ("ratio", unit))
    return [
        row_of(share, "change", stored["change"], n, parameters),
        row_of(own, "slope", stored["slope"], n, {"axis": axis}),
    ]


def effect_rows(
    stored: dict[str, Any], point: dict[str, Any], against: dict[str, Any]
) -> list[dict[str, Any]]:
    """The rows of an effect; what an older version did not keep of it is left out."""
    key = {name: stored[name] for name in ("metric", "subject", "direction")}
    arms = stored["baseline"], stored["contender"]
    n_against, n = (arm["n"] for arm in arms)
    parameters = {name: stored[name] for name in _OF_EFFECTS if stored.get(name) is not None}
    parameters["n_against"] = n_against
    parameters["warnings"] = warnings_of(stored)
    share = {**key, "unit": "ratio", "point": point, "against": against}
    rows = [
        row_of(share, "ratio", stored["ratio"], n, parameters, stored["verdict"]),
        row_of({**share, "unit": stored["unit"]}, "shift", stored["shift"], n, {}),
    ]
    for side, arm, at in zip(("baseline", "contender"), arms, (against, point), strict=True):
        own, told = {**key, "unit": stored["unit"], "point": at}, {"side": side}
        values = {**told, "values": arm["values"]}
        rows.append(row_of(own, "median", arm["median"], arm["n"], values))
        if arm.get("centre") is not None:
            rows.append(row_of(own, "centre", arm["centre"], arm["n"], told))
    floor = stored.get("noise_floor")
    if floor is not None:
        unit = "ratio" if floor["relative"] else stored["unit"]
        own, told = {**key, "unit": unit, "point": point}, {"relative": floor["relative"]}
        deviation = {"value": floor["deviation"], "low": floor["low"], "high": floor["high"]}
        rows.append(row_of(own, "noise_floor", deviation, floor["n"], told))
    return rows


def row_of(
    key: dict[str, Any],
    code: str,
    figure: dict[str, Any] | None,
    n: int | None,
    parameters: dict[str, Any],
    verdict: str | None = None,
) -> dict[str, Any]:
    """A row of today."""
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
