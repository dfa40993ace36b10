"""Rows of effects: what a metric of a case is against the same of another case.

The rows of an effect stand together. `RATIO` is first, the contender's centre / the baseline's,
with the verdict and what it rests on, also where there is no ratio; `DIFFERENCE` is contender -
baseline in the metric's unit. Both are `against` the baseline's case. Each `side` has its `MEDIAN`,
with the trials' `values` by round, and its `CENTRE`, which ratio and difference are of. Effects of
before there were centres have none. `NOISE_FLOOR` is by how much whole runs differ by themselves,
as a share (`relative`) or in the metric's unit, where two runs are compared and it is known; its n
counts runs.

Parameters of the verdict, left out where they are not known: `level` is what the sides do not share
(`trial`, `block`, `run`). `p` and the `least_p` that so much evidence can reach are of `method`: by
trials of the rank test stratified by round, by blocks of the t test on the rounds' shifts, whose
signed-rank test is `agreement_p`; `adjusted_p` is corrected for the comparisons `looked_at`
together. `main` marks the metric that the case is about, `cost` one that a mode takes or spoils
besides, `estimator` says what the centres are. `correlation` is how far the rounds' shifts go
together with those of their control, which are taken out. `advice` (`Advice`) is what would decide
it, `within_budget` whether it costs at most the difference that matters to who asked (`yes`, `no`,
`open`), `same_within` the share of the baseline inside which the interval has to lie for `same`,
and `same_amount` the metric's own threshold, in its unit, of what is the same by that alone.
`limited_by` is what limited most trials of each side of a rate or a time, the baseline's first
(`kinds.limits`), and `client_limited` marks one that the client limited on either side, in so many
of so many trials of each (`client_limited_trials`).
`node_pair` is the pair of nodes that both sides were measured on, `round_node_pairs` that of each
round of the baseline's `values` where pairs changed by round. `not_counted` is why a main effect
has no say in what the comparison comes to (`services.comparisons.counted`). In a run's findings
`comparability` says whether the two cases may be compared.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from podmeter.domain.axes import AxisValue
from podmeter.domain.measurement import Unit
from podmeter.results.projected import Key, Projected
from podmeter.services.run_results.figures import MEDIAN, Figure, figure_of, projected_figure

RATIO, DIFFERENCE, NOISE_FLOOR = "ratio", "shift", "noise_floor"
CENTRE = "centre"
Point = Mapping[str, AxisValue]
BASELINE, CONTENDER = "baseline", "contender"


def of_pair(
    key: Key,
    values: Sequence[Sequence[Sequence[float]]],
    medians: Sequence[Figure | None],
    centres: Sequence[Figure | None],
    *,
    ratio: Figure | None,
    difference: Figure | None,
    verdict: str,
    **parameters: JsonValue,
) -> list[Projected]:
    """All rows of an effect but its noise floor. What is of both sides has the baseline's first.

    `key` is the contender's against the baseline's, in the metric's unit; `values` are by round.
    """
    told = {name: one for name, one in parameters.items() if one is not None}
    n_against, n = (sum(map(len, of_side)) for of_side in values)
    told["n_against"] = n_against
    share = replace(key, unit=Unit.RATIO.value)
    rows = [
        projected_figure(share, ratio, n, verdict, RATIO, **told),
        projected_figure(key, difference, n, None, DIFFERENCE),
    ]
    points = key.against or {}, key.point
    for place, side in enumerate((BASELINE, CONTENDER)):
        own, by_round = replace(key, point=points[place], against=None), values[place]
        count, listed = sum(map(len, by_round)), list[JsonValue](map(list, by_round))
        median, centre = medians[place], centres[place]
        rows.append(projected_figure(own, median, count, None, MEDIAN, side=side, values=listed))
        if centre is not None:
            rows.append(projected_figure(own, centre, count, None, CENTRE, side=side))
    return rows


@dataclass(frozen=True, slots=True)
class Effect:
    """All rows of one effect, and those of them that say most; it has no figures of its own."""

    rows: list[Projected]
    judged: Projected
    difference: Projected
    medians: tuple[Projected, Projected]

    @property
    def key(self) -> Key:
        """Of the contender against the baseline."""
        return self.judged.key

    @property
    def unit(self) -> str:
        """The metric's."""
        return self.difference.key.unit

    @property
    def verdict(self) -> str:
        """Better, worse, same or undecided."""
        return self.judged.verdict or ""

    @property
    def reason(self) -> str:
        """Why the verdict is what it is."""
        return self.judged.text("reason")

    @property
    def main(self) -> bool:
        """Whether it is what the case is about."""
        return self.judged.holds("main")

    @property
    def not_counted(self) -> str:
        """Why it has no say in what the comparison comes to; '' where it has one."""
        return self.judged.text("not_counted")

    @property
    def ratio(self) -> Figure | None:
        """The contender's centre / the baseline's."""
        return figure_of(self.judged)

    @property
    def shift(self) -> Figure | None:
        """The contender's centre - the baseline's."""
        return figure_of(self.difference)

    @property
    def rounds(self) -> int:
        """The rounds that it is of."""
        return int(self.judged.number("rounds") or 0)

    @property
    def round_node_pairs(self) -> list[str]:
        """The pair of each round of the baseline's values; [] where pairs did not change."""
        found = self.judged.parameters.get("round_node_pairs")
        return [str(pair) for pair in found] if isinstance(found, list) else []

    @property
    def node_pairs(self) -> list[str]:
        """The pairs of nodes that it rests on, each once; [] where they are not known."""
        if by_round := self.round_node_pairs:
            rounds = zip(by_round, *self.values, strict=False)
            return sorted({pair for pair, one, other in rounds if one and other})
        alone = self.judged.text("node_pair")
        return [alone] if alone else []

    @property
    def looked_at(self) -> int:
        """The comparisons that it was corrected for, itself included."""
        return int(self.judged.number("looked_at") or 1)

    @property
    def values(self) -> tuple[list[list[float]], list[list[float]]]:
        """Both sides' trials by round, the baseline's first."""
        baseline, contender = (one.groups("values") for one in self.medians)
        return baseline, contender

    @property
    def centres(self) -> tuple[Figure | None, Figure | None]:
        """What ratio and difference are of, the baseline's first."""
        known = {one.text("side"): figure_of(one) for one in self.rows if one.code == CENTRE}
        return known.get(BASELINE), known.get(CONTENDER)


def effects_of(rows: Iterable[Projected]) -> list[Effect]:
    """The effects that rows are of; none where they are of another analysis."""
    groups: list[list[Projected]] = []
    for one in rows:
        if one.code == RATIO:
            groups.append([])
        if groups:
            groups[-1].append(one)
    return [_effect(one) for one in groups]


def _effect(rows: list[Projected]) -> Effect:
    judged, difference, *_ = rows
    baseline, contender = (one for one in rows if one.code == MEDIAN)
    return Effect(rows, judged, difference, (baseline, contender))


def with_parameters(effect: Effect, **parameters: JsonValue) -> Effect:
    """The same effect, whose verdict says more."""
    judged = replace(effect.judged, parameters=effect.judged.parameters | parameters)
    return replace(effect, rows=[judged, *effect.rows[1:]], judged=judged)


def alone(effect: Effect, point: Point, against: Point | None) -> Projected:
    """An effect in one row: its ratio, or the difference where there is no ratio."""
    row = effect.judged if effect.ratio is not None else effect.difference
    key = replace(row.key, point=dict(point), against=None if against is None else dict(against))
    return projected_figure(key, figure_of(row), row.n or 0, effect.verdict, row.code)
