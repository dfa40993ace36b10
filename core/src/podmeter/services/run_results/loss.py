"""Rows of derived metrics: how much worse a case is than another one of the same run.

Each loss is two rows of one metric, point and baseline (`against`). `LOSS` is the share of the
baseline's value, negative where the case is better, with the verdict: both cases are set up once a
round, so rounds are compared, and p is corrected for the run's `looked_at` losses; `same_within` is
the share inside which the interval has to lie for `same`. `DIFFERENCE` is case - baseline in the
`source`'s unit and direction. Rows that are older than verdicts have none.
"""

from collections.abc import Iterable

from podmeter.results.projected import Projected

LOSS, DIFFERENCE = "loss", "difference"


def shares(rows: Iterable[Projected]) -> list[Projected]:
    """The losses as shares, without the differences beside them."""
    return [one for one in rows if one.code == LOSS]
