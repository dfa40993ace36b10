"""Within what two figures are the same, as sentences say it."""

from collections.abc import Iterable

from podmeter.results.projected import Projected
from podmeter.services.headlines.amounts import limit, percent
from podmeter.services.headlines.text import Text, joined
from podmeter.services.run_results.effect_rows import Effect
from podmeter.services.run_results.same_limits import SAME_AMOUNT, SAME_WITHIN
from podmeter.statistics import Verdict


def share_of(rows: Iterable[Projected], noise: float) -> float:
    """Inside which share figures had to lie to be the same, the widest of them.

    `rows` have the verdicts; those of an older version do not say it, and have that of `noise`.
    """
    return max((one.number(SAME_WITHIN) or noise for one in rows), default=noise)


def limit_of(effects: Iterable[Effect], noise: float) -> Text:
    """Inside what effects lie that are the same: 3 %, 200 ms, or both where each decided some."""
    shares: list[Projected] = []
    amounts: dict[str, float] = {}
    for one in effects:
        amount = one.judged.number(SAME_AMOUNT)
        if amount is None:
            shares.append(one.judged)
        else:
            amounts[one.unit] = max(amount, amounts.get(one.unit, 0.0))
    found = [percent(share_of(shares, noise))] if shares else []
    found += [limit(amount, unit) for unit, amount in amounts.items()]
    return found[0] if len(found) == 1 else joined(found, "or")


def known_limit(effect: Effect) -> Text | None:
    """The limit of an effect whose verdict is `same`; None of other verdicts, or if it is unknown.

    Older versions kept the share alone, of what was the same by an amount too.
    """
    share, amount = effect.judged.number(SAME_WITHIN), effect.judged.number(SAME_AMOUNT)
    if effect.verdict != Verdict.SAME or share is None:
        return None
    return limit_of([effect], share) if amount is not None or _inside(effect, share) else None


def _inside(effect: Effect, share: float) -> bool:
    ratio = effect.ratio
    if ratio is None or ratio.low is None or ratio.high is None:
        return False
    return 1 - share <= ratio.low and ratio.high <= 1 + share


def known_share(loss: Projected) -> Text | None:
    """The limit of a loss whose verdict is `same`; None of other verdicts, or if it is unknown."""
    share = loss.number(SAME_WITHIN)
    return percent(share) if loss.verdict == Verdict.SAME and share is not None else None
