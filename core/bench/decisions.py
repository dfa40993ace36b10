"""Runs that look after each round, many at once: `python -m core.bench.decisions`.

How often a run says something false in the worlds of `WORLDS`, at its end and at any of its looks,
how often its intervals hold, and how soon it decides. Arrays have a run, a contender and a case;
rounds are judged by the product's own tests and critical values.
docs/explanation/simulations.md has the tables.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from core.bench import judge
from core.bench.judge import upper_end
from numpy.typing import NDArray
from scipy import special

from podmeter.domain.experiment import FIRST_LOOK
from podmeter.domain.planning import balanced_orders
from podmeter.statistics import look_p, round_tests
from podmeter.statistics.by_rounds import CONTROL_MOVED
from podmeter.statistics.looks import agreement_needed

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
ALPHA, NOISE = 0.05, 0.03
#: The upper end of the 95 % interval of false verdicts per run.
MOST_UPPER = 7.0
#: Two modes, two paths, two trials of 3 s each, a switch of 20 s: seconds of a round, and how many
#: rounds half an hour has.
ROUND_SECONDS, MINUTES = 2 * (20 + 2 * 2 * 3), 30
ROUNDS = MINUTES * 60 // ROUND_SECONDS
_ORDERS = 200


@dataclass(frozen=True)
class World:
    """What continues in the blocks of a run, in the order in which they are measured.

    `blocks` gives logarithms of (runs, cases, blocks); of so many `modes` and `cases`. A control
    sees as much of it as `related` says, where that is not None; `machine` is a disturbance that
    meets the second mode's blocks and the control alike.
    """

    blocks: Callable[[np.random.Generator, tuple[int, int, int]], Floats]
    modes: int = 2
    cases: int = 1
    trials: float = 0.01
    effect: float = 0.0
    related: float | None = None
    machine: float = 0.0


def normal(deviation: float) -> Callable[[np.random.Generator, tuple[int, int, int]], Floats]:
    """Blocks that vary as normal noise does."""
    return lambda rng, shape: rng.normal(0, deviation, shape)


def tails(deviation: float, freedom: float) -> Any:
    """With Student's tails."""
    return lambda rng, shape: np.clip(deviation * rng.standard_t(freedom, shape), -3, 3)


def wandering(rng: np.random.Generator, shape: tuple[int, int, int]) -> Floats:
    """5 %, each block like the one before it."""
    drawn = rng.normal(0, 0.05, shape)
    for step in range(1, shape[-1]):
        drawn[..., step] = 0.7 * drawn[..., step - 1] + np.sqrt(1 - 0.49) * drawn[..., step]
    return drawn


def drifting(rng: np.random.Generator, shape: tuple[int, int, int]) -> Floats:
    """4 % slower with every block."""
    return rng.normal(0, 0.005, shape) - 0.04 * np.arange(shape[-1])


def bimodal(rng: np.random.Generator, shape: tuple[int, int, int]) -> Floats:
    """Three blocks in ten are 10 % slower."""
    found: Floats = rng.normal(0, 0.01, shape) + np.log(0.9) * (rng.random(shape) < 0.3)
    return found


def spikes(rng: np.random.Generator, shape: tuple[int, int, int]) -> Floats:
    """One block in ten is half as fast."""
    found: Floats = rng.normal(0, 0.02, shape) + np.log(0.5) * (rng.random(shape) < 0.1)
    return found


def periodic(period: int, *places: int) -> Any:
    """Blocks at these places of a period are 10 % slower."""

    def drawn(rng: np.random.Generator, shape: tuple[int, int, int]) -> Floats:
        hit = np.isin(np.arange(shape[-1]) % period, places)
        found: Floats = rng.normal(0, 0.01, shape) + np.log(0.9) * hit
        return found

    return drawn


WORLDS = {
    **{f"blocks vary by {one:.0%}": World(normal(one), cases=2) for one in (0.02, 0.05, 0.1)},
    "a steady drift of 4 % a block": World(drifting, cases=2),
    "blocks vary by 5 %, each like the last (AR 0.7)": World(wandering, cases=2),
    "heavy tails (Student, 2 degrees)": World(tails(0.05, 2), cases=2),
    "Cauchy": World(tails(0.05, 1), cases=2),
    "bimodal: 3 blocks in 10 are 10 % slower": World(bimodal, cases=2),
    "spikes: 1 block in 10 is half as fast": World(spikes, cases=2),
    "every 4th block is 10 % slower": World(periodic(4, 0), cases=1),
    "blocks 1 and 4 of every 4 are 10 % slower": World(periodic(4, 0, 3), cases=1),
    "blocks 1 and 2 of every 4 are 10 % slower": World(periodic(4, 0, 1), cases=1),
    "every 3rd block is 10 % slower": World(periodic(3, 0), cases=1),
    "3 modes, blocks vary by 5 %": World(normal(0.05), modes=3, cases=2),
    "4 modes, blocks vary by 5 %": World(normal(0.05), modes=4, cases=2),
    "14 cases, blocks vary by 5 %": World(normal(0.05), cases=14),
    "50 cases, blocks vary by 5 %": World(normal(0.05), cases=50),
    **{
        f"paths inside a block, luck of {one:.0%}": World(normal(one), cases=2, trials=0.02)
        for one in (0.02, 0.05, 0.09)
    },
    "a control, related by 0.8, blocks vary by 9 %": World(normal(0.09), cases=2, related=0.8),
    "a machine 10 % slower in one mode's blocks, with a control": World(
        normal(0.05), cases=2, related=0.8, machine=-0.1
    ),
}


@dataclass(frozen=True)
class Shifts:
    """What (runs, contenders, cases, rounds) moved by, and their control where there is one."""

    own: Floats
    control: Floats | None


def shifts(world: World, runs: int, rounds: int, rng: np.random.Generator) -> Shifts:
    """So many runs of a world, in orders as they are planned."""
    modes, draw = world.modes, random.Random(int(rng.integers(2**31)))  # noqa: S311
    pool = np.array([balanced_orders(modes, rounds, draw) for _ in range(_ORDERS)])
    # Of each mode the place in its round.
    at = np.argsort(pool, axis=2)[rng.integers(_ORDERS, size=runs)]
    slots = at + modes * np.arange(rounds)[:, None]
    blocks = world.blocks(rng, (runs, world.cases, modes * rounds))
    medians = world.trials / np.sqrt(2)
    control = None
    if world.related is not None:
        spread = float(blocks.std())
        beside = rng.normal(0, spread, (runs, 1, modes * rounds))
        blocks = world.related * beside + np.sqrt(1 - world.related**2) * blocks
        control = _by_mode(beside, slots)
        control += rng.normal(0, medians, control.shape)
        control[..., 1:] += world.machine
        control = np.moveaxis(control[..., 1:] - control[..., :1], 3, 1)
    logs = _by_mode(blocks, slots) + rng.normal(0, medians, (runs, world.cases, rounds, modes))
    logs[..., 1:] += world.machine + np.log1p(world.effect)
    return Shifts(np.moveaxis(logs[..., 1:] - logs[..., :1], 3, 1), control)


def _by_mode(blocks: Floats, slots: NDArray[np.int64]) -> Floats:
    """(runs, cases, slots) as (runs, cases, rounds, modes)."""
    runs, rounds, modes = slots.shape
    index = np.broadcast_to(slots.reshape(runs, 1, -1), (runs, blocks.shape[1], rounds * modes))
    found: Floats = np.take_along_axis(blocks, index, axis=2)
    return found.reshape(runs, blocks.shape[1], rounds, modes)


@dataclass(frozen=True)
class Look:
    """What is said after so many rounds: of each (run, contender, case)."""

    different: Bools
    same: Bools
    low: Floats
    high: Floats
    value: Floats


def look(found: Shifts, rounds: int, most_rounds: int | None, difference: float) -> Look:
    """The product's verdicts, as `podmeter.statistics.family` makes them one by one."""
    own = found.own[..., :rounds]
    shape = own.shape[:-1]
    flat = own.reshape(-1, rounds)
    if found.control is None:
        means = round_tests.paired(flat, 0.95)
    else:
        control = np.broadcast_to(found.control[..., :rounds], own.shape).reshape(-1, rounds)
        adjusted = round_tests.adjusted(flat, control, 0.95)
        means, flat = adjusted.means, adjusted.shifts
    p, value = means.p.reshape(shape), means.value.reshape(shape)
    full = None
    if found.control is not None:
        full = round_tests.paired(own.reshape(-1, rounds) - control, 0.95)
        moved = round_tests.paired(control, 0.95).p <= CONTROL_MOVED
        opposite = (full.value > 0) != (means.value > 0)
        against = np.where(opposite, 1.0, full.p)
        p = np.where(moved, np.maximum(means.p, against), means.p).reshape(shape)
    contenders, cases = shape[1:]
    order = np.argsort(p, axis=2)
    levels = np.array(
        [look_p(ALPHA / (contenders * (cases - rank)), most_rounds) for rank in range(cases)]
    )
    passed = np.logical_and.accumulate(np.take_along_axis(p, order, 2) <= levels, axis=2)
    clear = np.zeros(shape, bool)
    np.put_along_axis(clear, order, passed, axis=2)
    rest = cases - clear.sum(axis=2, keepdims=True)
    level = np.where(clear, levels[0], levels[np.clip(cases - rest, 0, cases - 1)])
    reach = special.stdtrit(means.freedom.reshape(shape), 1 - level / 2)
    reach = reach * means.deviation.reshape(shape)
    low, high = value - reach, value + reach
    if full is not None:
        freedom = full.freedom.reshape(shape)
        reach = special.stdtrit(freedom, 1 - level / 2) * full.deviation.reshape(shape)
        moved, besides = moved.reshape(shape), full.value.reshape(shape)
        low = np.where(moved, np.minimum(low, besides - reach), low)
        high = np.where(moved, np.maximum(high, besides + reach), high)
    low, high = (
        np.where(clear & (value > 0), np.maximum(low, 0), low),
        np.where(clear & (value < 0), np.minimum(high, 0), high),
    )
    inside = (np.exp(low) >= 1 - difference) & (np.exp(high) <= 1 + difference)
    different = clear & ~inside & (np.abs(np.expm1(value)) > NOISE)
    which = np.flatnonzero(different.reshape(-1))
    if which.size:
        agreed = round_tests.signed_rank_p(flat[which]) <= agreement_needed(ALPHA, most_rounds)
        different.reshape(-1)[which] = agreed
    return Look(different, inside, low, high, value)


@dataclass(frozen=True)
class Judged:
    """Of each run: whether it said something false at its end, or ever; how far its intervals hold.

    `decided` is whether all cases were, `rounds` at which look the run ended, `held` the share of
    its intervals that hold the truth, `lead` whether the largest effect's does.
    """

    false_at_end: Bools
    false_ever: Bools
    decided: Bools
    rounds: NDArray[np.int64]
    held: Floats
    lead: Bools


def judged(
    world: World, runs: int, looks: Iterator[int] | range, difference: float, rng: Any
) -> Judged:
    """Runs that look after each of these numbers of rounds, and end once all is decided."""
    last = max(looks)
    found, truth = shifts(world, runs, last, rng), np.log1p(world.effect)
    most = last if len(list(looks)) > 1 else None
    ended = np.zeros(runs, bool)
    false_end, ever, lead = (np.zeros(runs, bool) for _ in range(3))
    decided, rounds, held = np.zeros(runs, bool), np.full(runs, last), np.zeros(runs)
    for count in looks:
        said = look(found, count, most, difference)
        wrong = said.different & ((said.value * truth) <= 0)
        if world.effect:
            outside = abs(world.effect) > difference
            wrong |= said.same & outside
        false = wrong.any(axis=(1, 2))
        ever |= false & ~ended
        done = (said.different | said.same).all(axis=(1, 2))
        ends = ~ended & (done | (count == last))
        covers = (said.low <= truth) & (truth <= said.high)
        false_end[ends], decided[ends], rounds[ends] = false[ends], done[ends], count
        held[ends] = covers.mean(axis=(1, 2))[ends]
        flat = np.abs(said.value).reshape(runs, -1).argmax(axis=1)
        lead[ends] = covers.reshape(runs, -1)[np.arange(runs), flat][ends]
        ended |= ends
    return Judged(false_end, ever, decided, rounds, held, lead)


def _row(what: str, wrong: int, runs: int) -> dict[str, Any]:
    upper = upper_end(wrong, runs)
    note = f"{100 * wrong / runs:.1f} %: {wrong} of {runs}"
    return {"what": what, "value": upper, "unit": "%", "bar": MOST_UPPER, "note": note}


def errors(runs: int) -> list[dict[str, Any]]:
    """False verdicts per run and coverage, in each world."""
    found = []
    plans = {
        "6 rounds": range(6, 7),
        "12 rounds": range(12, 13),
        "until decided": range(FIRST_LOOK, ROUNDS + 1),
    }
    for number, (name, world) in enumerate(WORLDS.items()):
        times = runs if world.cases < 20 else runs // 2
        for plan, looks in plans.items():
            rng = np.random.default_rng((20_261_128, number, len(looks), max(looks)))
            difference = NOISE if len(looks) == 1 else 0.1
            said = judged(world, times, looks, difference, rng)
            false = said.false_ever if len(looks) > 1 else said.false_at_end
            found.append(_row(f"false verdicts, {plan}, {name}", int(false.sum()), times))
            for what, share in (("intervals", said.held.mean()), ("lead", said.lead.mean())):
                line = {"what": f"{what} that hold, {plan}, {name}", "value": 100 * float(share)}
                found.append({**line, "unit": "%", "bar": 93.0, "higher_is_better": True})
    return found


#: Deviations of blocks and trials, and how far the control is related; what is asked of decided
#: runs, in percent, and of mean minutes.
_SCENARIOS = (
    (0.05, 0.01, 0.0, 99.0, 13.0),
    (0.05, 0.05, 0.0, 97.0, 15.0),
    (0.09, 0.01, 0.8, 98.0, 15.0),
    (0.09, 0.05, 0.8, 90.0, 18.0),
)
_BUDGETS = ((0.05, 0.01, 0.0, 95.0, 15.0), (0.05, 0.05, 0.0, 90.0, 19.0))


def power(runs: int) -> list[dict[str, Any]]:
    """How many runs decide, and how soon."""
    found = []
    for blocks, trials, related, most, minutes in _SCENARIOS:
        world = World(normal(blocks), cases=2, trials=trials, effect=0.1, related=related)
        name = f"+10 %, blocks {blocks:.0%}, trials {trials:.0%}, control {related:g}"
        said = judged(world, runs, range(FIRST_LOOK, ROUNDS + 1), 0.1, np.random.default_rng(3))
        found += _reached(name, said.decided, said.rounds, most, minutes)
    for blocks, trials, related, most, minutes in _BUDGETS:
        world = World(normal(blocks), cases=2, trials=trials, related=related)
        name = f"at most 10 %?, blocks {blocks:.0%}, trials {trials:.0%}"
        found += _reached(name, *_answered(world, runs), most, minutes)
    return found


def _answered(world: World, runs: int) -> tuple[Bools, NDArray[np.int64]]:
    """Whether every case's budget of 10 % was answered, and after how many rounds."""
    found = shifts(world, runs, ROUNDS, np.random.default_rng(4))
    answered, rounds = np.zeros(runs, bool), np.full(runs, ROUNDS)
    for count in range(FIRST_LOOK, ROUNDS + 1):
        said = look(found, count, ROUNDS, 0.1)
        now = ((said.low > np.log(0.9)) | (said.high < np.log(0.9))).all(axis=(1, 2)) & ~answered
        rounds[now] = count
        answered |= now
    return answered, rounds


def _reached(
    name: str, decided: Bools, rounds: NDArray[np.int64], most: float, minutes: float
) -> list[dict[str, Any]]:
    share, mean = 100 * float(decided.mean()), float(rounds.mean()) * ROUND_SECONDS / 60
    line = {"what": f"decided, {name}", "value": share, "unit": "%", "bar": most}
    took = {"what": f"minutes, {name}", "value": mean, "unit": "min", "bar": minutes}
    return [{**line, "higher_is_better": True}, took]


def rivals(runs: int) -> list[dict[str, Any]]:
    """The same of other boundaries, by Bonferroni over two cases, without control or guard."""
    found = []
    for name, crossed in _RIVALS.items():
        for what, effect, blocks in (
            ("nothing differs", 0.0, normal(0.05)),
            ("nothing differs, heavy tails", 0.0, tails(0.05, 2)),
            ("+10 %, blocks 5 %, trials 5 %", 0.1, normal(0.05)),
        ):
            world = World(blocks, cases=2, trials=0.05 if effect else 0.01, effect=effect)
            own = shifts(world, runs, ROUNDS, np.random.default_rng(5)).own[:, 0]
            first = np.stack([crossed(own[:, case], ALPHA / 2) for case in (0, 1)])
            if not effect:
                wrong = int((first <= ROUNDS).any(axis=0).sum())
                note = f"{wrong} of {runs}"
                value = 100 * wrong / runs
                found.append({"what": f"{name}: {what}", "value": value, "unit": "%", "note": note})
                continue
            last = first.max(axis=0)
            value = float(np.minimum(last, ROUNDS).mean()) * ROUND_SECONDS / 60
            note = f"{100 * float((last <= ROUNDS).mean()):.1f} % decided"
            found.append({"what": f"{name}: {what}", "value": value, "unit": "min", "note": note})
    return found


def _first(crossed: Bools) -> NDArray[np.int64]:
    """Of (runs, looks) after how many rounds the first one crossed; more than there are if none."""
    return np.where(crossed.any(axis=1), crossed.argmax(axis=1) + FIRST_LOOK, ROUNDS + 1)


def _ts(own: Floats) -> tuple[Floats, Floats]:
    """Student's t at each look, and its degrees of freedom."""
    count = np.arange(1, own.shape[1] + 1)
    mean = own.cumsum(axis=1) / count
    squares = (own**2).cumsum(axis=1) - count * mean**2
    deviation = np.sqrt(np.maximum(squares, 1e-300) / np.maximum(count - 1, 1) / count)
    return (mean / deviation)[:, FIRST_LOOK - 1 :], (count - 1.0)[FIRST_LOOK - 1 :]


def _pocock(own: Floats, alpha: float) -> NDArray[np.int64]:
    t, freedom = _ts(own)
    return _first(2 * special.stdtr(freedom, -np.abs(t)) <= look_p(alpha, ROUNDS))


def _obrien_fleming(own: Floats, alpha: float) -> NDArray[np.int64]:
    """Z that grows as the root of what is left; its constant simulated here."""
    share = np.sqrt(np.arange(FIRST_LOOK, ROUNDS + 1) / ROUNDS)

    def z(values: Floats) -> Floats:
        t, freedom = _ts(values)
        found: Floats = -special.ndtri(special.stdtr(freedom, -np.abs(t))) * share
        return found

    null = np.random.default_rng(6).standard_normal((40_000, ROUNDS))
    return _first(z(own) >= np.quantile(z(null).max(axis=1), 1 - alpha))


def _mixture_t(own: Floats, alpha: float) -> NDArray[np.int64]:
    """A Bayes factor of the t statistic against effects of about one deviation, at any time."""
    t, freedom = _ts(own)
    spread = 1 + np.arange(FIRST_LOOK, ROUNDS + 1)
    inner = (1 + t**2 / (spread * freedom)) / (1 + t**2 / freedom)
    factor = -0.5 * np.log(spread) - (freedom + 1) / 2 * np.log(inner)
    return _first(factor >= -np.log(alpha))


def _betting(own: Floats, alpha: float) -> NDArray[np.int64]:
    """The hedged capital of Waudby-Smith and Ramdas (2024), of shifts cut at a half."""
    x = np.clip(own, -0.5, 0.5) + 0.5
    count = np.arange(1, x.shape[1] + 1)
    mean = (0.5 + x.cumsum(axis=1)) / (count + 1)
    spread = (0.25 + ((x - mean) ** 2).cumsum(axis=1)) / (count + 1)
    before = np.concatenate([np.full((len(x), 1), 0.25), spread[:, :-1]], axis=1)
    bet = np.minimum(np.sqrt(2 * np.log(2 / alpha) / (before * count * np.log(count + 1))), 1.5)
    capital = [np.log1p(sign * bet * (x - 0.5)).cumsum(axis=1) for sign in (1, -1)]
    return _first(np.maximum(*capital)[:, FIRST_LOOK - 1 :] >= np.log(2 / alpha))


_RIVALS: dict[str, Callable[[Floats, float], NDArray[np.int64]]] = {
    "the same p at each look (Pocock)": _pocock,
    "O'Brien and Fleming": _obrien_fleming,
    "mixture sequential t": _mixture_t,
    "betting confidence sequence": _betting,
}


def measure(runs: int) -> list[dict[str, Any]]:
    """Every line."""
    return [*errors(runs), *power(runs), *rivals(runs)]


if __name__ == "__main__":
    judge.main(__doc__, measure, runs=5000)
