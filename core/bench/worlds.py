"""What clusters do to figures, in the order in which Podmeter's own plans measure them.

Simulated for `core.bench.calibration`. Effects are logarithms, deviations shares of a figure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podmeter.domain.experiment import Profile
from podmeter.domain.planning import Block
from podmeter.kinds.registry import plan, read_spec, resolve
from podmeter.statistics import Sample

Floats = NDArray[np.float64]
MODES = ("iptables", "nftables")
LADDER = (10, 1000, 5000, 10_000, 20_000)
#: What is asked on each rung, the control last.
TARGETS = ("last", "pod")
TRIAL_NOISE = 0.01


#: Logarithms of the trials of (runs, sides, rounds, trials).
Trials = Callable[[np.random.Generator, tuple[int, ...]], Floats]


@dataclass(frozen=True)
class World:
    """What continues besides the modes; all as shares of a figure.

    `blocks` gives the effects of (runs, blocks), `trials` those of (runs, blocks, trials); both
    are logarithms. `effect` is what the second mode does.
    """

    blocks: Callable[[np.random.Generator, tuple[int, int], list[Block]], Floats]
    trials: Callable[[np.random.Generator, tuple[int, int, int]], Floats] | None = None
    effect: float = 0.0


def normal(deviation: float) -> World:
    """Every setting up moves the figure, as normal noise does."""
    return World(lambda rng, shape, _: rng.normal(0, deviation, shape))


def heavy(deviation: float, freedom: float) -> World:
    """The same with Student's tails, of the trials too."""
    return World(
        lambda rng, shape, _: deviation * rng.standard_t(freedom, shape),
        lambda rng, shape: TRIAL_NOISE * rng.standard_t(freedom, shape),
    )


def drift(each: float) -> World:
    """The machine slows by so much with every block."""
    return World(lambda rng, shape, _: np.broadcast_to(each * np.arange(shape[1]), shape))


def wandering(deviation: float, memory: float) -> World:
    """Each block is like the one before it: an autoregression of first order."""
    return World(lambda rng, shape, _: autoregression(rng, shape, deviation, memory))


def unlike(deviations: tuple[float, float]) -> World:
    """One mode varies more from block to block than the other."""

    def blocks(rng: np.random.Generator, shape: tuple[int, int], found: list[Block]) -> Floats:
        each = [deviations[MODES.index(mode_of(block))] for block in found]
        drawn: Floats = rng.normal(0, each, shape)
        return drawn

    return World(blocks)


def autoregression(
    rng: np.random.Generator, shape: tuple[int, ...], deviation: float, memory: float
) -> Floats:
    """Steps along the last axis, each of the same deviation."""
    drawn = rng.normal(0, deviation, shape)
    for step in range(1, shape[-1]):
        drawn[..., step] = memory * drawn[..., step - 1] + np.sqrt(1 - memory**2) * drawn[..., step]
    return drawn


def mode_of(block: Block) -> str:
    """The mode that a block is of."""
    return str(dict(block.modes)["kube_proxy_mode"])


@cache
def planned(profile: Profile, ladder: bool = False, rounds: int | None = None) -> list[Block]:
    """The blocks of two modes, or the climbs of one, as a profile plans them.

    In so many `rounds`, if they are others than the profile's.
    """
    axes: dict[str, Any] = {"path": ["pod-pod"], "protocol": ["tcp"], "streams": [1]}
    axes["kube_proxy_mode"] = list(MODES)
    kind = "throughput"
    if ladder:
        kind = "service_scale"
        axes = {"services": list(LADDER), "probe": ["qps"], "target": list(TARGETS)}
    repetition = {"profile": profile} | ({} if rounds is None else {"rounds": rounds})
    spec = {"name": "calibration", "kind": kind, "axes": axes, "repetition": repetition}
    return [block.of_kind for block in plan(resolve(read_spec(spec)))]


def counted(block: Block) -> int:
    """How many trials of a block count for each of its cases."""
    return sum(not trial.warmup for trial in block.trials) // len(block.cases)


def samples(
    profile: Profile,
    world: World,
    runs: int,
    rng: np.random.Generator,
    rounds: int | None = None,
) -> list[tuple[Sample, Sample]]:
    """What each of the runs measured of the two modes."""
    blocks = planned(profile, rounds=rounds)
    shape = (runs, len(blocks))
    trials = (*shape, counted(blocks[0]))
    logs = world.blocks(rng, shape, blocks)[:, :, None] + (
        rng.normal(0, TRIAL_NOISE, trials) if world.trials is None else world.trials(rng, trials)
    )
    values = 1000 * np.exp(np.clip(logs, -20, 20))
    last = max(block.round for block in blocks)
    arms = []
    for mode in MODES:
        places = {block.round: n for n, block in enumerate(blocks) if mode_of(block) == mode}
        arm = values[:, [places[number + 1] for number in range(last)]]
        factor = 1 + world.effect if mode == MODES[1] else 1.0
        arms.append([Sample.of(*run) for run in (factor * arm).tolist()])
    return list(zip(*arms, strict=True))


def single_trials(draw: Trials, rounds: int, runs: int) -> list[tuple[Sample, Sample]]:
    """What each of the runs measured of two sides of its blocks with one trial a round.

    What its block does to a figure, it does to both sides of a round.
    """
    rng = np.random.default_rng(20_261_125)
    logs = rng.normal(0, 0.05, (runs, 1, rounds, 1)) + draw(rng, (runs, 2, rounds, 1))
    values = 1000 * np.exp(np.clip(logs, -20, 20))
    return [(Sample.of(*one), Sample.of(*two)) for one, two in values.tolist()]


def paths(deviations: tuple[float, float], effect: float = 0.0) -> Trials:
    """Trials of two sides that vary normally by so much; the second is `effect` off."""

    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        each = np.array(deviations)[:, None, None]
        drawn: Floats = rng.normal(0, 1, shape) * each + np.log1p([0, effect])[:, None, None]
        return drawn

    return draw


def paths_with_tails(deviation: float, freedom: float) -> Trials:
    """The same with Student's tails."""

    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        drawn: Floats = deviation * rng.standard_t(freedom, shape)
        return drawn

    return draw


@dataclass(frozen=True)
class Days:
    """What continues between runs, in addition to what does within them, as shares of a figure.

    `tails` is the degrees of freedom of Student's distribution that runs, blocks and trials are
    drawn from; None draws from a normal one. The contender's run is `effect` off.
    """

    run: float
    block: float
    tails: float | None = None
    effect: float = 0.0

    def draw(self, rng: np.random.Generator, deviation: float, shape: tuple[int, ...]) -> Floats:
        """Logarithms of so many figures."""
        if self.tails is None:
            return rng.normal(0, deviation, shape)
        drawn: Floats = deviation * rng.standard_t(self.tails, shape)
        return drawn


#: The logarithms that the rungs of one climb, in the order they are measured, add to what is asked
#: of a Service and to the control.
Climb = Callable[[np.random.Generator, list[int]], tuple[Floats, Floats]]


def alike(climb: Callable[[np.random.Generator, list[int]], Floats]) -> Climb:
    """What continues beside the climb meets the control as well."""

    def both(rng: np.random.Generator, order: list[int]) -> tuple[Floats, Floats]:
        effects = climb(rng, order)
        return effects, effects

    return both


def with_time(_: np.random.Generator, order: list[int]) -> Floats:
    """A machine that is 10 % slower by the end of every climb."""
    return np.linspace(0, np.log(0.9), len(order))


def with_services(_: np.random.Generator, order: list[int]) -> Floats:
    """A mode that is 10 % slower with more Services, for every request."""
    drawn: Floats = np.log(0.9) * np.array([LADDER.index(rung) for rung in order])
    return drawn / (len(LADDER) - 1)


def wandering_rungs(rng: np.random.Generator, order: list[int]) -> Floats:
    """Rungs vary by 5 %, each like the one before it."""
    return autoregression(rng, (len(order),), 0.05, 0.7)


def wandering_apart(rng: np.random.Generator, order: list[int]) -> tuple[Floats, Floats]:
    """The same where the control knows nothing of it."""
    return wandering_rungs(rng, order), wandering_rungs(rng, order)
