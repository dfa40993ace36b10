"""Comparisons of older forms, one step a form."""

from typing import Any

from podmeter.results.older import parts

#: What the name of a published baseline ended with.
_PUBLISHED = " (published)"


def with_loss_rows(content: dict[str, Any]) -> dict[str, Any]:
    """A comparison of form 2: losses are rows."""
    runs = [{**one, "losses": parts.loss_rows(one["losses"])} for one in content.get("losses", [])]
    return {**content, "losses": runs}


def with_sentences_as_written(content: dict[str, Any]) -> dict[str, Any]:
    """A comparison of form 3: sentences are codes with parameters, without their texts."""
    return {**content, "headline": parts.headline_of(content.get("headline"))}


def with_curve_rows(content: dict[str, Any]) -> dict[str, Any]:
    """A comparison of form 4: curves are rows."""
    contenders = [
        {
            **one,
            "curves": [row for stored in one["curves"] for row in _curves_compared(stored, one)],
        }
        for one in content["contenders"]
    ]
    return {**content, "contenders": contenders}


def with_effect_rows(content: dict[str, Any]) -> dict[str, Any]:
    """A comparison of form 5: effects are rows."""
    contenders = [
        {**one, "pairs": [_pair_with_rows(pair) for pair in one["pairs"]]}
        for one in content["contenders"]
    ]
    return {**content, "contenders": contenders}


def with_unknown_gates(content: dict[str, Any]) -> dict[str, Any]:
    """A comparison of form 6: a gate is unknown where nothing was measured on both sides."""
    return {**content, "contenders": [_with_known_gate(one) for one in content["contenders"]]}


def with_published_title(content: dict[str, Any]) -> dict[str, Any]:
    """A comparison of form 7: a published baseline is called by its title alone.

    Before, its name and sentences said in English that it is published.
    """
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
    return parts.compared_curve_rows(stored, points, trials, direction)


def _pair_with_rows(pair: dict[str, Any]) -> dict[str, Any]:
    points = pair["contender"]["point"], pair["baseline"]["point"]
    rows = [row for one in pair["effects"] for row in parts.effect_rows(one, *points)]
    return {**pair, "effects": rows}


def _with_known_gate(contender: dict[str, Any]) -> dict[str, Any]:
    gate = contender["gate"]
    compared = any(pair["comparability"] is not None for pair in contender["pairs"])
    if compared or gate["verdict"] != "comparable":
        return contender
    return {**contender, "gate": {**gate, "verdict": "unknown"}}


def _with_form(stored: Any, written: str, title: str) -> Any:
    """A headline with the form of what was published where the text was written."""
    if stored == written:
        return {"form": "published", "title": title}
    if isinstance(stored, dict):
        return {name: _with_form(one, written, title) for name, one in stored.items()}
    if isinstance(stored, list):
        return [_with_form(one, written, title) for one in stored]
    return stored
