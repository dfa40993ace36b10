"""Critical values of runs that look after each round: `python -m core.bench.critical_values`.

By simulation of normal rounds without any effect, which a t test's size depends on in no other
way: of each run the smallest p of its looks, with and without a covariate that is not related. The
quantile of these is the p that each look may reach (S. J. Pocock, Group sequential methods in the
design and analysis of clinical trials, Biometrika 64, 1977). Prints what
`podmeter.statistics.looks` holds: shares of alpha.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from numpy.typing import NDArray

from podmeter.domain.experiment import FIRST_LOOK
from podmeter.statistics import round_tests
from podmeter.statistics.looks import ALPHAS, MOST_ROUNDS

Floats = NDArray[np.float64]
_CHUNK = 20_000


def smallest_ps(runs: int, rng: np.random.Generator, *, controlled: bool) -> Floats:
    """Of (runs, looks) the smallest p until then."""
    shifts = rng.standard_normal((runs, max(MOST_ROUNDS)))
    controls = rng.standard_normal(shifts.shape) if controlled else None
    found = np.empty((runs, len(MOST_ROUNDS)))
    smallest = np.ones(runs)
    for rounds in range(FIRST_LOOK, max(MOST_ROUNDS) + 1):
        if controls is None:
            means = round_tests.paired(shifts[:, :rounds], 0.95)
        else:
            means = round_tests.adjusted(shifts[:, :rounds], controls[:, :rounds], 0.95).means
        smallest = np.minimum(smallest, means.p)
        if rounds in MOST_ROUNDS:
            found[:, MOST_ROUNDS.index(rounds)] = smallest
    return found


def shares(runs: int, seed: int) -> Floats:
    """For each alpha and most rounds the share of alpha that a look may reach."""
    rng, found = np.random.default_rng(seed), []
    for controlled in (False, True):
        drawn = np.concatenate(
            [smallest_ps(_CHUNK, rng, controlled=controlled) for _ in range(runs // _CHUNK)]
        )
        found.append(np.quantile(drawn, ALPHAS, axis=0) / np.array(ALPHAS)[:, None])
    # One look has no looks to correct for: what differs from 1 there is the simulation's.
    smaller: Floats = np.minimum(np.minimum(*found), 1.0)
    return smaller


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=400_000)
    given = parser.parse_args()
    for alpha, row in zip(ALPHAS, shares(given.runs, 20_261_128), strict=True):
        sys.stdout.write(f"    ({', '.join(f'{one:.3f}' for one in row)}),  # {alpha:g}\n")


if __name__ == "__main__":
    main()
