"""What a reproduction says, in words and figures, for the terminal and for files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from podmeter.references.document import ClaimVerdict, How
from podmeter.services.headlines.document import Headline, sentence
from podmeter.services.reproduction.document import OurVerdict, WhyNot
from podmeter.services.run_results import words
from podmeter.statistics import format_figure, format_quantity

if TYPE_CHECKING:
    from podmeter.results.projected import Projected
    from podmeter.services.reproduction.document import (
        BesideCell,
        BesideRow,
        BesideTable,
        OurClaim,
        Reproduction,
    )

VERDICTS = {
    OurVerdict.HOLDS: "holds",
    OurVerdict.DOES_NOT_HOLD: "does not hold",
    OurVerdict.CANNOT_BE_TOLD: "unknown",
}
PUBLISHED = {
    ClaimVerdict.HOLDS: "holds",
    ClaimVerdict.PARTLY: "holds in part",
    ClaimVerdict.FAILS: "fails",
    ClaimVerdict.NOT_RECOMPUTABLE: "cannot be computed",
}
WHY_NOT = {
    WhyNot.NO_FIGURES: "the article shows no figures of it",
    WhyNot.OWN_ARITHMETIC: "it is about how the article's own figures follow from each other",
    WhyNot.NO_METRIC: "Podmeter has no metric for its figures",
    WhyNot.NOT_MEASURED: "these cases were not measured",
    WhyNot.TWO_RUNS: "its two sides were measured in two runs",
    WhyNot.NOT_COMPARED: "its two sides cannot be compared",
    WhyNot.FEW_TRIALS: "there are too few trials",
    WhyNot.UNDECIDED: "the comparison does not decide it",
    WhyNot.ACROSS: "the interval includes the claim's limit",
}
#: What these give is so many times something.
TIMES = (How.RATIO, How.NEXT)
_MOST_RESULTS = 4


def headline(articles: Sequence[Reproduction]) -> Headline:
    """How many figures of how many articles ours stand beside, and what came of their claims."""
    verdicts = Counter(claim.verdict for one in articles for claim in one.claims)
    shared = any(run.shared_host for one in articles for run in one.runs)
    return Headline(
        [
            sentence(
                "reproduced",
                articles=len(articles),
                measured=sum(table.measured for one in articles for table in one.tables),
                figures=sum(table.figures for one in articles for table in one.tables),
            ),
            sentence(
                "claims",
                claims=verdicts.total(),
                **{verdict.value: verdicts[verdict] for verdict in OurVerdict},
            ),
        ],
        [sentence("shared_host")] if shared else [],
    )


def verdict(claim: OurClaim) -> str:
    """What our figures say of a claim, with how much of it they are about, or why nothing."""
    said = VERDICTS[claim.verdict]
    if claim.why_not is not None:
        return f"{said}: {WHY_NOT[claim.why_not]}"
    if len(claim.results) < claim.asked:
        return f"{said} ({len(claim.results)} of {claim.asked} results measured)"
    return said


def results(claim: OurClaim) -> str:
    """What it computes of our figures, each with its interval and the comparison's verdict."""
    shown = [_result(one, claim.how) for one in claim.results]
    rest = len(shown) - _MOST_RESULTS
    return "; ".join(shown if rest <= 0 else [*shown[:_MOST_RESULTS], f"and {rest} more"])


def median(ours: Projected) -> str:
    """One of ours: its median with the interval."""
    value, low, high = ends(ours)
    return words.with_interval(value, low, high)


def ends(ours: Projected) -> tuple[str, str, str]:
    """The value of one of ours, and the ends of its interval; blank where there is none."""
    if ours.value is None:
        return "", "", ""
    return format_figure(ours.value, ours.low, ours.high, ours.key.unit)


def computed(one: Projected, how: How | None) -> tuple[str, str, str]:
    """What a claim computes of our figures, and the ends of its interval; blank where not known.

    A ratio is written without a sign, as "1.66"; a share as "31 %".
    """
    if one.value is None or how not in TIMES:
        return ends(one)
    low, high = ("" if end is None else f"{end:.3g}" for end in (one.low, one.high))
    return f"{one.value:.3g}", low, high


def _result(one: Projected, how: How | None) -> str:
    value, low, high = computed(one, how)
    why = one.text("why_not")
    if not value:
        return f"none ({WHY_NOT[WhyNot(why)]})" if why else "none"
    text = f"{value} times" if how in TIMES else value
    said = words.with_interval(text, low, high)
    return said if one.verdict is None else f"{said} ({one.verdict})"


def quoted(cell: BesideCell) -> str:
    """A published cell as printed; a figure without a unit of its own in ours besides."""
    quote = cell.quote or ""
    if cell.value is None or any(sign.isalpha() or sign == "%" for sign in quote):
        return quote
    return quote if cell.unit in (None, "count") else format_quantity(cell.value, cell.unit)


def measured(table: BesideTable) -> tuple[list[BesideRow], list[int]]:
    """The rows of a table with figures of ours, and the places of their columns."""
    rows = [row for row in table.rows if any(cell.ours for cell in row.cells)]
    places = [
        place for place in range(len(table.columns)) if any(row.cells[place].ours for row in rows)
    ]
    return rows, places


def missing(tables: Iterable[BesideTable]) -> list[BesideTable]:
    """Those without any figure of ours."""
    return [one for one in tables if not one.measured]
