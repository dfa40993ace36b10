"""What a row with a verdict keeps of the limit within which its two figures are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import JsonValue

    from podmeter.statistics import Comparison

#: The parameter of rows that has the share of the baseline.
SAME_WITHIN = "same_within"


def parameters(comparison: Comparison) -> dict[str, JsonValue]:
    """The share of the baseline inside which the whole interval has to lie for `same`.

    That is the difference that matters to who asked, where it is more than noise.
    """
    evidence = comparison.evidence
    threshold = comparison.threshold if evidence is None else evidence.difference
    return {SAME_WITHIN: threshold.relative}
