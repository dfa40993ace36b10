"""A part of many cases for `make test`, chosen by a seed; `make test-full` takes all of them."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")

#: The seed of this test run. conftest.py chooses and prints it where the environment has none.
SEED = "PODMETER_TEST_SEED"
#: 1 where every case is tested.
ALL = "PODMETER_TEST_ALL"


def sampled(cases: Iterable[T], count: int) -> list[T]:
    """`count` of the cases in their order, or all with PODMETER_TEST_ALL=1.

    The same seed chooses the same cases, in every process of a test run.
    """
    found = list(cases)
    if takes_all() or len(found) <= count:
        return found
    chosen = sorted(random.Random(seed()).sample(range(len(found)), count))
    return [found[place] for place in chosen]


def takes_all() -> bool:
    """Whether every case is tested."""
    return os.environ.get(ALL) == "1"


def seed() -> int:
    """The seed that chooses the cases of this test run."""
    return int(os.environ[SEED])


def choose_seed() -> int:
    """Set the seed where the environment has none, so that worker processes inherit it."""
    return int(os.environ.setdefault(SEED, str(random.SystemRandom().randrange(10**6))))
