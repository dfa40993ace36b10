"""What a reproduction says, in words and figures, for the terminal and for files."""

from __future__ import annotations

from typing import Any

from podmeter.services.reproduction.document import OurVerdict, WhyNot
from podmeter.statistics import format_figure, format_quantity

VERDICTS = {
    OurVerdict.HOLDS: "holds",
    OurVerdict.DOES_NOT_HOLD: "does not hold",
    OurVerdict.CANNOT_BE_TOLD: "cannot be told",
}
PUBLISHED = {
    "holds": "holds",
    "partly": "holds in part",
    "fails": "fails",
    "not_recomputable": "cannot be computed",
}
WHY_NOT = {
    WhyNot.NO_FIGURES: "the article shows no figures of it",
    WhyNot.OWN_ARITHMETIC: "it is about how the article's own figures follow from each other",
    WhyNot.NO_METRIC: "its figures are no metric of Podmeter's",
    WhyNot.NOT_MEASURED: "nothing was measured at these points",
    WhyNot.TWO_RUNS: "its two sides were measured in two runs",
    WhyNot.NOT_COMPARED: "its two sides cannot be compared",
    WhyNot.FEW_TRIALS: "there are too few trials",
    WhyNot.INCONCLUSIVE: "the comparison does not decide it",
    WhyNot.ACROSS: "the interval reaches across the claim's limit",
}
_TIMES = ("ratio", "next")
_MOST_RESULTS = 4


def verdict(claim: dict[str, Any]) -> str:
    """What our figures say of a claim, with how much of it they are about, or why nothing."""
    said = VERDICTS[OurVerdict(claim["verdict"])]
    if claim["why_not"] is not None:
        return f"{said}: {WHY_NOT[WhyNot(claim['why_not'])]}"
    if len(claim["results"]) < claim["asked"]:
        return f"{said} ({len(claim['results'])} of {claim['asked']} results measured)"
    return said


def results(claim: dict[str, Any]) -> str:
    """What it computes of our figures, each with its interval and the comparison's verdict."""
    shown = [_result(one, claim["how"]) for one in claim["results"]]
    rest = len(shown) - _MOST_RESULTS
    return "; ".join(shown if rest <= 0 else [*shown[:_MOST_RESULTS], f"and {rest} more"])


def median(figure: dict[str, Any]) -> str:
    """One of ours: its median with the interval."""
    found = figure["median"]
    value, low, high = format_figure(found["value"], found["low"], found["high"], figure["unit"])
    return f"{value} [{low} to {high}]" if low and high else value


def _result(one: dict[str, Any], how: str) -> str:
    found = one["value"]
    if found is None:
        return f"none ({WHY_NOT[WhyNot(one['why_not'])]})"
    if how in _TIMES:
        text = f"{found['value']:.3g} times"
        if found["low"] is not None:
            text += f" [{found['low']:.3g} to {found['high']:.3g}]"
    else:
        value, low, high = format_figure(found["value"], found["low"], found["high"], one["unit"])
        text = f"{value} [{low} to {high}]" if low and high else value
    return f"{text} ({one['comparison']})"


def quoted(cell: dict[str, Any]) -> str:
    """A published cell as printed; a figure without a unit of its own in ours besides."""
    quote = cell["quote"] or ""
    if cell["value"] is None or any(sign.isalpha() or sign == "%" for sign in quote):
        return quote
    return quote if cell["unit"] == "count" else format_quantity(cell["value"], cell["unit"])
