"""What would decide is said as a run's repetition says it, of the run that would decide most."""

from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from podmeter.domain.experiment import ResolvedSpec
from podmeter.kinds.registry import read_spec, resolve
from podmeter.results.projected import Key
from podmeter.services.comparisons.advice import advised, next_run
from podmeter.services.comparisons.document import Advice
from podmeter.services.run_results.effect_rows import Effect, effects_of, of_pair
from podmeter.statistics import (
    Comparison,
    Direction,
    Level,
    NoiseThreshold,
    Pairing,
    Sample,
    compare_all,
)


def spec(kind: str, **repetition: Any) -> ResolvedSpec:
    axes = {"kube_proxy_mode": ["iptables", "nftables"]}
    return resolve(read_spec({"name": kind, "kind": kind, "axes": axes, "repetition": repetition}))


def judged(arms: tuple[Sample, Sample]) -> Comparison:
    noise = NoiseThreshold(0.03)
    (found,) = compare_all([Pairing(*arms, Direction.HIGHER, noise, Level.BLOCK)])
    return found


def told(arms: tuple[Sample, Sample], of: ResolvedSpec) -> Advice | None:
    (found,) = advised([judged(arms)], [arms], of, 0.05)
    return found


@pytest.fixture(scope="module")
def noisy() -> tuple[Sample, Sample]:
    """Rounds that differ by nothing but their trials, which vary too much for 20 rounds."""
    rng = np.random.default_rng(5)
    for _ in range(100):
        sides = [rng.normal(log, 0.22, (6, 2)) for log in (0.0, 0.105)]
        one, two = (Sample.of(*np.exp(side)) for side in sides)
        found = told((one, two), spec("throughput"))
        if found is not None and found.code == "longer":
            return one, two
    raise AssertionError("no such rounds")


def test_trials_of_a_time_get_longer_and_others_more(noisy: tuple[Sample, Sample]) -> None:
    timed = told(noisy, spec("throughput", seconds=4))
    counted = told(noisy, spec("service_scale", trials=3))
    assert timed is not None
    assert counted is not None
    assert timed.seconds in (8, 16, 32)
    assert timed.trials is None
    assert counted.trials in (6, 12, 24)
    assert counted.seconds is None
    assert timed.seconds // 4 == counted.trials // 3


def test_what_no_run_may_have_is_no_advice(noisy: tuple[Sample, Sample]) -> None:
    found = told(noisy, spec("throughput", seconds=3000))
    assert found == Advice("none", None, None, None, same=False)


def effect(advice: Advice | None, *, main: bool = True, verdict: str = "undecided") -> Effect:
    (found,) = effects_of(
        of_pair(
            Key("throughput", "", "bit/s", "higher", {}, {}),
            [[], []],
            [None, None],
            [None, None],
            ratio=None,
            difference=None,
            verdict=verdict,
            reason="interval_too_wide",
            main=main,
            advice=None if advice is None else asdict(advice),
        )
    )
    return found


NONE = Advice("none", None, None, None, same=True)


def rounds(count: int) -> Advice:
    return Advice("rounds", count, None, None, same=False)


def test_the_next_run_has_the_rounds_that_decide_most() -> None:
    longer = Advice("longer", 14, 12, None, same=False)
    every = [rounds(8), rounds(11), longer, NONE, None]
    found = next_run([effect(one) for one in every], "throughput")
    assert found is not None
    assert (found.code, found.rounds) == ("rounds", 11)
    assert (found.seconds, found.trials) == (None, None)
    assert (found.decides, found.undecided) == (2, 5)
    found = next_run([effect(longer), effect(NONE)], "throughput")
    assert found is not None
    assert (found.code, found.rounds, found.seconds) == ("longer", 14, 12)
    assert found.decides == 1


def test_only_what_cases_are_about_asks_for_a_run() -> None:
    assert next_run([], "throughput") is None
    assert next_run([effect(NONE), effect(None, verdict="worse")], "throughput") is None
    assert next_run([effect(rounds(8), main=False)], "throughput") is None
