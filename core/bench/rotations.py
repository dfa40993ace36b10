"""Runs whose pair of nodes changes by round, many at once: `python -m core.bench.rotations`.

How often intervals hold the mean effect over all pairs that a cluster might have, of which a run
takes some, where pairs differ in the effect: by the rounds alone, and with the spread between pairs
as the product has it. Rounds take the pairs in the planned order. docs/explanation/simulations.md
has the table.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from podmeter.domain.node_pairs import KnownNode, NodePair, rotated
from podmeter.statistics import round_tests

Floats = NDArray[np.float64]
#: Of pairs that do not depend on each other the intervals are to hold so often, in percent.
LEAST_HELD = 94.0
#: What rounds vary by, besides the pairs.
ROUNDS_VARY = 0.05
CONFIDENCE = 0.95

#: The effects of (runs, pairs), as logarithms whose mean over all clusters is zero.
Effects = Callable[[np.random.Generator, int, list[NodePair]], Floats]


@dataclass(frozen=True)
class World:
    """How pairs differ. `bar` is how often intervals are to hold, None where nothing is promised."""

    effects: Effects
    bar: float | None = LEAST_HELD


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
    "nodes vary, pairs by 10 %": World(by_node(0.1), bar=None),
    "one pair in six is 30 % slower": World(seldom(1 / 6, np.log(0.7)), bar=None),
}
#: Nodes and rounds.
PLANS = ((2, 12), (3, 12), (3, 24), (4, 24), (6, 60))


def held(world: World, nodes: int, rounds: int, runs: int) -> tuple[float, float, float]:
    """The shares of intervals that hold by rounds alone and with the pairs, in percent, and how
    many times as long the latter are."""
    rng = np.random.default_rng((20_261_129, nodes, rounds))
    names = [KnownNode(f"node-{number}") for number in range(nodes)]
    order = rotated(names, seed=1, rounds=rounds)[:rounds]
    pairs = sorted(set(order))
    known = [pair for one in pairs if (pair := NodePair.of(one)) is not None]
    at = [pairs.index(one) for one in order]
    shifts = world.effects(rng, runs, known)[:, at] + rng.normal(0, ROUNDS_VARY, (runs, rounds))
    tests = round_tests.paired(shifts, CONFIDENCE), round_tests.grouped(shifts, order, CONFIDENCE)
    reaches = [
        special.stdtrit(test.freedom, (1 + CONFIDENCE) / 2) * test.deviation for test in tests
    ]
    wider = np.maximum(*reaches)
    alone, both = (100 * float((abs(tests[0].value) <= one).mean()) for one in (reaches[0], wider))
    return alone, both, float(np.median(wider / reaches[0]))


def coverage(runs: int) -> list[dict[str, Any]]:
    """A line for each world and plan."""
    found = []
    for name, world in WORLDS.items():
        for nodes, rounds in PLANS:
            alone, both, longer = held(world, nodes, rounds, runs)
            note = f"{alone:.1f} % by the rounds alone; {longer:.1f} times as long"
            what = f"intervals that hold, {nodes} nodes, {rounds} rounds, {name}"
            line = {"what": what, "value": both, "unit": "%", "note": note}
            if world.bar is not None:
                line |= {"bar": world.bar, "higher_is_better": True}
            found.append(line)
    return found


def main() -> None:
    """Simulate, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=20_000, help="of each line")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    given = parser.parse_args()
    found = coverage(given.runs)
    good = True
    for one in found:
        met = one["value"] >= one.get("bar", 0.0)
        good = good and met
        sys.stdout.write(
            f"{'' if met else 'MISSED '}{one['what']}: {one['value']:.1f} %  {one['note']}\n"
        )
    if given.json:
        given.json.write_text(json.dumps(found, indent=2) + "\n")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
