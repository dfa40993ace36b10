"""Within what two figures are the same, as sentences say it."""

from collections.abc import Iterable

from podmeter.results.projected import Projected
from podmeter.services.run_results.same_limits import SAME_WITHIN


def same_within(rows: Iterable[Projected], noise: float) -> float:
    """Inside which share figures had to lie to be the same, the widest of them.

    `rows` have the verdicts; those of an older version do not say it, and have that of `noise`.
    """
    return max((one.number(SAME_WITHIN) or noise for one in rows), default=noise)
