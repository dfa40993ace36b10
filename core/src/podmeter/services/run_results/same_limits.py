"""What a row with a verdict keeps of the limit within which its two figures are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.statistics import Verdict

if TYPE_CHECKING:
    from pydantic import JsonValue

    from podmeter.statistics import Comparison

#: The parameters of rows that have the share of the baseline, and the amount in the unit.
SAME_WITHIN, SAME_AMOUNT = "same_within", "same_amount"


def parameters(comparison: Comparison) -> dict[str, JsonValue]:
    """The share of the baseline inside which the whole interval has to lie for `same`.

    That is the difference that matters to who asked, where it is more than noise. Of what is the
    same by the metric's own threshold alone, that amount besides.
    """
    evidence = comparison.evidence
    threshold = comparison.threshold if evidence is None else evidence.difference
    share: dict[str, JsonValue] = {SAME_WITHIN: threshold.relative}
    if comparison.verdict is not Verdict.SAME or comparison.same_amount is None:
        return share
    return share | {SAME_AMOUNT: comparison.same_amount}
