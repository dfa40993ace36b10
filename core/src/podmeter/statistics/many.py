"""Many comparisons made together: the share of false ones among those called different.

Y. Benjamini and Y. Hochberg, Controlling the false discovery rate: a practical and powerful
approach to multiple testing, Journal of the Royal Statistical Society B 57 (1995). Where nothing
differs at all, every difference that is found is false, so alpha is the share of runs with one.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from podmeter.statistics.comparison import Comparison
from podmeter.statistics.verdict import Reason, Verdict

#: The share of alpha that adjusted p are held to. By simulation alpha itself is used up wholly by
#: blocks that vary as normal noise does; what varies in another way has to fit in too.
SHARE = 0.8


def corrected(found: Sequence[Comparison], *, alpha: float) -> tuple[Comparison, ...]:
    """The comparisons with their p adjusted for being looked at together, in their order.

    One that is `better` or `worse` by itself and not by its adjusted p is inconclusive. Those
    without a p, which nothing was tested of, do not count.
    """
    if len(found) < 2:
        return tuple(found)
    tested = [place for place, one in enumerate(found) if one.p is not None]
    adjusted = dict(
        zip(tested, adjusted_ps([found[place].p or 0.0 for place in tested]), strict=True)
    )
    return tuple(
        _corrected(one, adjusted.get(place), len(tested), SHARE * alpha)
        for place, one in enumerate(found)
    )


def p_needed(found: Sequence[Comparison], *, alpha: float) -> float:
    """Give the p with which one more of these would be called different besides those that are."""
    tested = [one for one in found if one.p is not None]
    if len(tested) < 2:
        return alpha
    known = [one.adjusted_p for one in tested if one.adjusted_p is not None]
    clear = sum(1 for p in known if p <= SHARE * alpha)
    return min(alpha, SHARE * alpha * (min(clear, len(tested) - 1) + 1) / len(tested))


def adjusted_ps(ps: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's adjusted p values, in the order of the given ones."""
    count = len(ps)
    given = np.asarray(ps, dtype=float)
    order = np.argsort(-given, kind="stable")
    scaled = given[order] * count / np.arange(count, 0, -1)
    found = np.empty(count)
    found[order] = np.minimum.accumulate(np.minimum(scaled, 1.0))
    return [float(one) for one in found]


def _corrected(one: Comparison, adjusted: float | None, count: int, most: float) -> Comparison:
    if adjusted is None:
        return one
    if one.verdict in (Verdict.BETTER, Verdict.WORSE) and adjusted > most:
        one = replace(one, verdict=Verdict.INCONCLUSIVE, reason=Reason.MANY_COMPARISONS)
    return replace(one, adjusted_p=adjusted, looked_at=count)
