"""On which pair of nodes a mode's effect lies apart from that on all other pairs, if on any.

Of runs whose pair changes by round; `run_results.link_rows` has the rows.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import exp, fsum, log

from podmeter.results.projected import Projected
from podmeter.services.run_results.effect_rows import Effect
from podmeter.services.run_results.figures import Figure, projected_figure
from podmeter.services.run_results.link_rows import EFFECT_APART, EFFECT_ELSEWHERE
from podmeter.services.summaries.document import Finding
from podmeter.services.summaries.evidence import RowEvidence
from podmeter.statistics import (
    Direction,
    NoiseThreshold,
    OutlyingGroup,
    Sample,
    Verdict,
    corrected,
    median,
    outlying_rounds,
    worst_first,
)

_CODE = "pair_effect"
#: Of two neither is apart from others.
_LEAST_PAIRS = 3


@dataclass(frozen=True, slots=True)
class _Candidate:
    """The pair with the least or the largest effect."""

    effect: Effect
    pairs: Sequence[str]
    samples: Sequence[Sample]
    place: int
    outlying: OutlyingGroup


def pair_effects(effects: Iterable[Effect], noise: float, alpha: float) -> list[Finding]:
    """The pairs that lie apart, of all main effects that are corrected for together."""
    candidates = [one for effect in effects if effect.main for one in _candidates(effect, noise)]
    judged = corrected([one.outlying.comparison for one in candidates], alpha=alpha)
    return [
        _finding(candidate)
        for candidate, comparison in zip(candidates, judged, strict=True)
        if comparison.verdict is Verdict.WORSE
    ]


def _candidates(effect: Effect, noise: float) -> Iterator[_Candidate]:
    by_pair: dict[str, list[tuple[float]]] = {}
    for pair, one, two in zip(effect.round_node_pairs, *effect.values, strict=False):
        if one and two and min(*one, *two) > 0:
            ratio = _middle(two) / _middle(one)
            by_pair.setdefault(pair, []).append((ratio,))
    pairs = sorted(by_pair)
    if len(pairs) < _LEAST_PAIRS:
        return
    samples = [Sample(tuple(by_pair[pair])) for pair in pairs]
    medians = [estimate for sample in samples if (estimate := median(sample)) is not None]
    for direction in Direction:
        place = worst_first(medians, direction)[0]
        outlying = outlying_rounds(
            samples, {place}, direction=direction, threshold=NoiseThreshold(noise)
        )
        yield _Candidate(effect, pairs, samples, place, outlying)


def _middle(trials: Sequence[float]) -> float:
    centre = Sample.of(trials).centre
    if centre is None:
        raise ValueError("a round without trials has no centre")
    return centre


def _finding(found: _Candidate) -> Finding:
    key = found.effect.judged.key
    own = found.samples[found.place].values
    other_samples = [one for at, one in enumerate(found.samples) if at != found.place]
    others = [value for one in other_samples for value in one.values]
    rows = [_row(found, EFFECT_APART, own), _row(found, EFFECT_ELSEWHERE, others)]
    shared = {axis: at for axis, at in key.point.items() if (key.against or {}).get(axis) == at}
    return Finding(_CODE, key.metric, shared, RowEvidence(kind="rows", rows=rows))


def _row(found: _Candidate, code: str, ratios: Sequence[float]) -> Projected:
    mean = exp(fsum(map(log, ratios)) / len(ratios))
    key = found.effect.judged.key
    return projected_figure(
        key, Figure(mean), len(ratios), None, code, node_pair=found.pairs[found.place]
    )
