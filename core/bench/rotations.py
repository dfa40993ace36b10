"""Runs whose pair of nodes changes by round, many at once: `python -m core.bench.rotations`.

How often intervals hold where pairs differ in the effect: the mean over all pairs of the cluster,
and the mean over pairs that any such cluster might have, of which this one's are a sample. By the
rounds alone, and with the spread between pairs as the product has it. Rounds take the pairs in the
planned order. docs/explanation/simulations.md has the table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from core.bench import judge
from numpy.typing import NDArray
from scipy import special

from podmeter.domain.node_pairs import KnownNode, NodePair, rotated, selected
from podmeter.statistics import round_tests

Floats = NDArray[np.float64]
#: Intervals are to hold so often, in percent.
LEAST_HELD = 93.0
#: What rounds vary by, besides the pairs.
ROUNDS_VARY = 0.05
CONFIDENCE = 0.95

#: The effects of (runs, pairs), as logarithms whose mean over all clusters is zero.
Effects = Callable[[np.random.Generator, int, list[NodePair]], Floats]


@dataclass(frozen=True)
class World:
    """How pairs differ. Only of `unrelated` pairs anything is promised of other clusters' pairs."""

    effects: Effects
    unrelated: bool = True


def apart(deviation: float) -> Effects:
    """Each pair by itself."""
    return lambda rng, runs, pairs: rng.normal(0, deviation, (runs, len(pairs)))


def by_node(deviation: float) -> Effects:
    """Each node as a client and as a server, so that pairs that share one are alike."""

    def drawn(rng: np.random.Generator, runs: int, pairs: list[NodePair]) -> Floats:
        names = sorted({one.client for one in pairs})
        ends = rng.normal(0, deviation / np.sqrt(2), (2, runs, len(names)))
        client = [names.index(one.client) for one in pairs]
        server = [names.index(one.server) for one in pairs]
        found: Floats = ends[0][:, client] + ends[1][:, server]
        return found

    return drawn


def seldom(share: float, size: float) -> Effects:
    """Few pairs lie far off, the others are alike."""

    def drawn(rng: np.random.Generator, runs: int, pairs: list[NodePair]) -> Floats:
        found: Floats = size * (rng.random((runs, len(pairs))) < share) - size * share
        return found

    return drawn


WORLDS = {
    "pairs do not differ": World(apart(0.0)),
    **{f"pairs vary by {one:.0%}": World(apart(one)) for one in (0.02, 0.05, 0.1)},
    "nodes vary, pairs by 10 %": World(by_node(0.1), unrelated=False),
    "one pair in six is 30 % slower": World(seldom(1 / 6, np.log(0.7)), unrelated=False),
}
#: Nodes and rounds.
PLANS = ((2, 12), (3, 8), (3, 12), (3, 24), (4, 24), (6, 60), (10, 60))


@dataclass(frozen=True)
class Held:
    """The shares of intervals that hold, in percent, and how many times as long the wider are.

    `alone` by the rounds alone and `own` with the spread hold the mean of the cluster's own pairs,
    `others` that of pairs of any such cluster.
    """

    alone: float
    own: float
    others: float
    longer: float


def held(world: World, nodes: int, rounds: int, runs: int) -> Held:
    """Of runs on so many nodes with so many rounds."""
    rng = np.random.default_rng((20_261_129, nodes, rounds))
    names = [KnownNode(f"node-{number}") for number in range(nodes)]
    order = rotated(names, seed=1, rounds=rounds)[:rounds]
    every = selected("all", names, seed=1, most=nodes**2)
    known = [pair for one in every if (pair := NodePair.of(one)) is not None]
    effects = world.effects(rng, runs, known)
    at = [every.index(one) for one in order]
    shifts = effects[:, at] + rng.normal(0, ROUNDS_VARY, (runs, rounds))
    tests = round_tests.paired(shifts, CONFIDENCE), round_tests.grouped(shifts, order, CONFIDENCE)
    alone, by_pair = (
        special.stdtrit(test.freedom, (1 + CONFIDENCE) / 2) * test.deviation for test in tests
    )
    wider, mean = np.maximum(alone, by_pair), tests[0].value
    own = abs(mean - effects.mean(axis=1))
    shares = own <= alone, own <= wider, abs(mean) <= wider
    percent = [100 * float(one.mean()) for one in shares]
    return Held(*percent, longer=float(np.median(wider / alone)))


def coverage(runs: int) -> list[dict[str, Any]]:
    """Two lines for each world and plan: of the cluster's own pairs, and of any."""
    found = []
    for name, world in WORLDS.items():
        for nodes, rounds in PLANS:
            share = held(world, nodes, rounds, runs)
            what = f"{nodes} nodes, {rounds} rounds, {name}"
            note = f"{share.alone:.1f} % by the rounds alone; {share.longer:.1f} times as long"
            line = {"unit": "%", "bar": LEAST_HELD, "higher_is_better": True}
            of_own = {"what": f"own pairs, {what}", "value": share.own, "note": note}
            of_any = {"what": f"any pairs, {what}", "value": share.others, "note": ""}
            found += [line | of_own, (line if world.unrelated else {"unit": "%"}) | of_any]
    return found


if __name__ == "__main__":
    judge.main(__doc__, coverage, runs=20_000)
